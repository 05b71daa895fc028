"""Trees drawn from the posterior, with exact weights.

A tree is drawn from the root down, each node choosing among its alternatives in proportion to what the chart says. Where the
chart is exact this is the posterior; elsewhere it is close to it, and the exact joint probability of every drawn tree, which
is known once the tree is complete, gives it the weight that corrects the difference (importance sampling).
"""

from dataclasses import replace

import numpy as np
from scipy.special import logsumexp, softmax

from recbayes.compiled.compilation import run_kernel
from recbayes.compiled.layout import CHOICES, whole_groups
from recbayes.gaussian.chart.inside import Chart
from recbayes.gaussian.chart.tables import tables_of
from recbayes.gaussian.kernels.draw import draw_trees
from recbayes.gaussian.kernels.listing import group_room, most_alternatives
from recbayes.gaussian.kernels.move import move_trees
from recbayes.gaussian.posterior.corrections import corrections, needs_corrections
from recbayes.gaussian.posterior.exhaustive import all_trees
from recbayes.gaussian.posterior.follow import log_joints_by_prior, problem_of
from recbayes.gaussian.posterior.forest import gaussian_forest
from recbayes.gaussian.posterior.posterior import GaussianPosterior
from recbayes.tree.forest import Forest

BATCH = 1 << 18  # nodes drawn in one call of the kernel, so that an interrupt is heard
KEPT = 1 << 22  # numbers kept of the alternatives of cells already visited: 32 MB; more is slower than to list them again
DEGENERATE = 0.1  # below this effective share of the draws they are resampled and moved
MOVES = 2.0  # per node of a tree
LOOKS, HEEDED = 4, 0.25  # at every tree, before it is known how probable it is; the power of that by which trees are drawn


def draw(chart: Chart, draws: int, seed: int, *, move: bool = True) -> GaussianPosterior:
    """Draws from a filled chart, or of the few trees there are. If weights degenerate, draws are resampled and moved, which
    takes long; unless they are not to `move`."""
    trees = all_trees(chart)
    if trees is not None:
        return corrected(_draw_of_all(chart, trees, draws, seed))
    forest, logs = _draw(chart, draws, seed)
    log_weights = logs[:, 0] - logs[:, 1]
    posterior = GaussianPosterior(chart, forest, log_weights, logs[:, 0], logs[:, 2].astype(np.int64), seed)
    if move and degenerate(posterior):
        posterior = _resample_and_move(posterior)
    return corrected(posterior)


def degenerate(posterior: GaussianPosterior) -> bool:
    """Whether draws from the chart, corrections of leaves left aside, are worth so little that they had better be moved."""
    logs = posterior.log_weights if posterior.log_corrections is None else posterior.log_weights - posterior.log_corrections
    weights = np.exp(logs - logs.max())
    return len(logs) > 1 and float(weights.sum() ** 2 / (weights**2).sum()) < DEGENERATE * len(logs)


def corrected(posterior: GaussianPosterior) -> GaussianPosterior:
    """With exact weights also where the potentials of leaves are only the nearest Gaussian ones."""
    chart, forest = posterior.chart, posterior.trees
    if not needs_corrections(chart):
        return posterior
    found = corrections(chart, forest, posterior.prior_components, posterior.seed).log_means
    return replace(
        posterior, log_weights=posterior.log_weights + found, log_joints=posterior.log_joints + found, log_corrections=found
    )


def _draw_of_all(chart: Chart, trees: Forest, draws: int, seed: int) -> GaussianPosterior:
    """Draws of pairs of a tree and a Gaussian of the prior by their exact probabilities: as often as these say, but for one.

    (Systematic draws, in random order. Errors are stated as for independent ones, and so too large.)
    """
    joints = log_joints_by_prior(chart, trees)
    shares = _looked_at(chart, trees, joints, draws, seed) if needs_corrections(chart) else softmax(joints)
    edges = np.cumsum(shares.ravel())
    rng = np.random.default_rng(seed)
    chosen = np.searchsorted(edges / edges[-1], (np.arange(draws) + rng.random()) / draws, side="right")
    tree, component = np.unravel_index(rng.permutation(chosen), joints.shape)
    weights = np.full(draws, logsumexp(joints))
    if needs_corrections(chart):
        weights = joints[tree, component] - np.log(shares[tree, component])
    return GaussianPosterior(chart, trees.select(tree), weights, joints[tree, component], component, seed, enumerated=True)


def _looked_at(chart: Chart, trees: Forest, joints: np.ndarray, draws: int, seed: int) -> np.ndarray:
    """The same probabilities, where potentials are not the likelihood: as some corrections of every tree say, unless there
    are more trees than draws; and half of the draws heed that less."""
    if len(trees) <= draws:
        again = np.tile(np.arange(len(trees)), LOOKS)
        found = corrections(chart, trees.select(again), np.tile(joints.argmax(axis=1), LOOKS), seed + 1).log_means
        joints = joints + logsumexp(found.reshape(LOOKS, -1), axis=0)[:, None]
    return np.asarray(0.5 * (softmax(joints) + softmax(HEEDED * joints)))


def _capacities(chart: Chart) -> tuple[int, int]:
    """The largest number of alternatives of a cell, and how many numbers to keep of those of all cells."""
    tables, _ = tables_of(chart.model)
    most = most_alternatives(tables, chart.plan, chart.components)
    cells = chart.plan.choices_size // CHOICES
    return most, int(min(KEPT, cells * whole_groups(most + 1) * group_room(tables.size)))


def _draw(chart: Chart, draws: int, seed: int) -> tuple[Forest, np.ndarray]:
    problem, capacities = problem_of(chart), _capacities(chart)
    segments = len(chart.plan.positions) - 1
    nodes, logs = [], []
    done = 0
    while done < draws:
        wanted = draws - done
        out = np.empty((4, max(2 * segments, min(BATCH, 2 * segments * wanted))), dtype=np.int32)
        log = np.empty((wanted, 4))
        made = run_kernel(draw_trees, problem, _shares(chart), seed, done, wanted, *capacities, out, log)
        logs.append(log[:made])
        nodes.append(out[:, : int(log[:made, 3].sum())])
        done += made
    together = np.concatenate(logs)
    return _forest(chart, np.concatenate(nodes, axis=1), together[:, 3]), together


def _shares(chart: Chart) -> np.ndarray:
    """Probabilities with which the prior's Gaussians are drawn: mostly as the chart says, each with trees sometimes."""
    shares = np.exp(chart.log_evidence_by_prior - chart.log_evidence)
    possible = chart.log_evidence_by_prior > -np.inf
    return shares if len(shares) == 1 else 0.99 * shares / shares.sum() + 0.01 * possible / possible.sum()


def _forest(chart: Chart, columns: np.ndarray, sizes: np.ndarray) -> Forest:
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return gaussian_forest(chart.model, chart.plan.positions, columns, first)


def _resample_and_move(posterior: GaussianPosterior) -> GaussianPosterior:
    """Equally weighted draws: systematic resampling, then Metropolis moves of subtrees on every draw."""
    chart, count = posterior.chart, len(posterior.trees)
    offset = np.random.default_rng(posterior.seed).random()
    edges = np.cumsum(posterior.weights)
    chosen = np.searchsorted(edges / edges[-1], (np.arange(count) + offset) / count)
    forest = posterior.trees.select(chosen)
    moves = int(np.ceil(MOVES * forest.sizes.mean()))
    problem, capacities = problem_of(chart), _capacities(chart)
    segments = len(chart.plan.positions) - 1
    logs, nodes, accepted = [], [], 0
    batch = max(1, BATCH // (2 * segments))
    for begin in range(0, count, batch):
        part = forest.select(np.arange(begin, min(begin + batch, count)))
        out = np.empty((4, 2 * segments * len(part)), dtype=np.int32)
        log = np.empty((len(part), 4))
        trees = np.stack([part.rules, part.splits]).astype(np.int64)
        components = posterior.prior_components[chosen[begin : begin + batch]]
        arguments = trees, part.sizes, components, moves, *capacities, out, log
        accepted += run_kernel(move_trees, problem, _shares(chart), posterior.seed + 1 + begin, *arguments)
        logs.append(log)
        nodes.append(out[:, : int(log[:, 3].sum())])
    together = np.concatenate(logs)
    return GaussianPosterior(
        chart,
        _forest(chart, np.concatenate(nodes, axis=1), together[:, 3]),
        posterior.log_weights,
        together[:, 0],
        together[:, 2].astype(np.int64),
        posterior.seed,
        acceptance=accepted / (moves * count),
    )
