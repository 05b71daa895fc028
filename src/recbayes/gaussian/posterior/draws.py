"""`rb.sample_posterior`: trees drawn from the posterior, with exact weights.

A tree is drawn from the root down, each node choosing among its alternatives in proportion to what the chart says. Where the
chart is exact this is the posterior; elsewhere it is close to it, and the exact joint probability of every drawn tree, which
is known once the tree is complete, gives it the weight that corrects the difference (importance sampling).
"""

import warnings
from concurrent.futures import Executor
from typing import Any

import numpy as np

from recbayes.checks.many import per_series, run_many
from recbayes.checks.series import Series, as_series, is_many
from recbayes.compiled.compilation import run_kernel
from recbayes.compiled.layout import CHOICES, whole_groups
from recbayes.discrete.model.flat import Discrete
from recbayes.discrete.posterior.posterior import draw_trees_of
from recbayes.errors import ApproximationWarning, DataError
from recbayes.family.families import check_gaussian
from recbayes.gaussian.chart.inside import Chart, inside, inside_one
from recbayes.gaussian.chart.tables import tables_of
from recbayes.gaussian.kernels.draw import draw_trees
from recbayes.gaussian.kernels.listing import group_room, most_alternatives
from recbayes.gaussian.kernels.move import move_trees
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.gaussian.posterior.follow import problem_of
from recbayes.gaussian.posterior.forest import gaussian_forest
from recbayes.gaussian.posterior.posterior import GaussianPosterior
from recbayes.tree.forest import Forest

BATCH = 1 << 18  # nodes drawn in one call of the kernel, so that an interrupt is heard
KEPT = 1 << 25  # numbers kept of the alternatives of cells already visited: 256 MB, touched only as needed
DEGENERATE = 0.1  # below this effective share of the draws they are resampled and moved
MOVES = 2.0  # per node of a tree
SUSPICIOUS = 3.0  # nats between the chart's evidence and that of the draws


def sample_posterior(
    model: GaussianRBN | Discrete,
    series: object,
    *,
    draws: int = 1000,
    seed: int | np.random.Generator,
    components: int = 1,
    boundaries: Any = None,
    allowed: Any = None,
    executor: Executor | None = None,
) -> Any:
    """Weighted draws of trees from the posterior of a series; a list of posteriors for a list of series (in threads).

    `components`, `boundaries` and `allowed` are those of `rb.inside`. The seed decides all draws: the same seed gives the
    same posterior, however many threads there are. Draws of a discrete model (`PCFG`, `DiscreteRBN`) are exact.
    """
    check_draws(draws)
    generator = np.random.default_rng(seed)
    if isinstance(model, Discrete):
        charts = inside(model, series, boundaries=boundaries, allowed=allowed, components=components, executor=executor)
        if not isinstance(charts, list):
            return draw_trees_of(charts, int(draws), _seed(generator))
        seeds = [_seed(generator) for _ in charts]
        return run_many(draw_trees_of, charts, [int(draws)] * len(charts), seeds, executor=executor)
    check_gaussian(model)
    if not is_many(series):
        data = as_series(series, model.observed_dim)
        posterior = _posterior(model, data, int(draws), _seed(generator), components, boundaries, allowed)
        warn_if_poor(posterior)
        return posterior
    many = list(series)  # type: ignore[call-overload]
    sequences = [as_series(one, model.observed_dim, f"series {number}") for number, one in enumerate(many)]
    count = len(sequences)
    edges, masks = per_series(boundaries, count, "boundaries"), per_series(allowed, count, "allowed")
    seeds = [_seed(generator) for _ in sequences]
    columns = ([model] * count, sequences, [int(draws)] * count, seeds, [components] * count, edges, masks)
    posteriors = run_many(_posterior, *columns, executor=executor)
    for number, posterior in enumerate(posteriors):
        warn_if_poor(posterior, f"series {number}: ")
    return posteriors


def check_draws(draws: object) -> None:
    if isinstance(draws, bool) or not isinstance(draws, int | np.integer) or draws < 1:
        raise DataError(f"draws must be a whole number of at least 1, got {draws!r}")


def _seed(generator: np.random.Generator) -> int:
    return int(generator.integers(2**62))


def _posterior(
    model: GaussianRBN, series: Series, draws: int, seed: int, components: int, boundaries: Any, allowed: Any
) -> GaussianPosterior:
    return draw(inside_one(model, series, boundaries, allowed, components), draws, seed)


def draw(chart: Chart, draws: int, seed: int) -> GaussianPosterior:
    """Draws from a filled chart. If their weights degenerate, they are resampled and moved."""
    forest, logs = _draw(chart, draws, seed)
    log_weights = logs[:, 0] - logs[:, 1]
    posterior = GaussianPosterior(chart, forest, log_weights, logs[:, 0], logs[:, 2].astype(np.int64), seed)
    if draws > 1 and posterior.effective_sample_size < DEGENERATE * draws:
        posterior = _resample_and_move(posterior)
    return posterior


def _capacities(chart: Chart) -> tuple[int, int]:
    """The largest number of alternatives of a cell, and how many numbers to keep of those of all cells."""
    tables, _ = tables_of(chart.model)
    most = most_alternatives(tables, chart.plan, chart.components)
    cells = chart.plan.choices_size // CHOICES
    return most, int(min(KEPT, cells * whole_groups(most + 1) * group_room(tables.shifts.shape[1])))


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
    """Probabilities with which the prior's Gaussians are drawn: mostly as the chart says, and each of them sometimes."""
    count = len(chart.log_evidence_by_prior)
    shares = np.exp(chart.log_evidence_by_prior - chart.log_evidence)
    return shares if count == 1 else 0.99 * shares / shares.sum() + 0.01 / count


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


def warn_if_poor(posterior: GaussianPosterior, name: str = "") -> None:
    """Say so where the draws are worth little, or where the chart was so far off that they may have missed the posterior."""
    size, draws = posterior.effective_sample_size, len(posterior.trees)
    gap = posterior.log_evidence - posterior.chart.log_evidence
    moved = posterior.method == "resample-move"
    advice = "components=4 or 8 keeps several Gaussians per message and makes the draws better"
    if abs(posterior.log_evidence) * 1e-15 > 0.01:
        text = (
            f"the log evidence is {posterior.log_evidence:.3g}, so rounding alone changes probabilities; "
            "centre and scale the data"
        )
    elif abs(gap) >= SUSPICIOUS:
        text = (
            f"the chart's evidence is {abs(gap):.3g} nats {'below' if gap > 0 else 'above'} that of the draws, so they may "
            f"have missed most of the posterior, whatever their error bars say. {advice}; so does a model that fits the data"
        )
    elif moved:
        text = (
            f"{draws} draws were worth only {size:.3g} independent ones and were resampled and moved ("
            f"{posterior.acceptance:.0%} of the moves were accepted). Probabilities are as uncertain as {size:.3g} draws "
            f"would make them; {advice}"
        )
    elif draws >= 100 and size < 50:
        text = f"{draws} draws are worth {size:.3g} independent ones. More draws help; {advice}"
    else:
        return
    warnings.warn(name + text, ApproximationWarning, stacklevel=3)
