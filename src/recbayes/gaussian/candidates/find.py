"""Candidate boundaries: positions that segments hardly ever begin at, by the chain of a model's leaves, are left out.

A chart is cubic in the number of points; the chain needs as many cells as there are spans that may be leaves. With its
boundary probabilities p_i, positions are left out from the least probable on, as long as their probabilities together stay
within a budget: the expected number of boundaries that are missed. They are many and improbable, so that there is none of
them with a probability of about exp(-their expected number): the log evidence falls by as many nats.

Where spans and members of banks are too many to look at, a first look is at every so many observations, and the next ones
are ever finer around where boundaries were likely.
"""

import numpy as np

from recbayes.checks.series import Series
from recbayes.compiled.layout import cell_places
from recbayes.errors import DataError, ModelError
from recbayes.gaussian.candidates.chain import chain_of
from recbayes.gaussian.chart.gradient import adjoint
from recbayes.gaussian.chart.inside import Chart, inside_one
from recbayes.gaussian.chart.tables import tables_of
from recbayes.gaussian.emissions.emission import Emission
from recbayes.gaussian.emissions.regression import ticks_of
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.spans.candidates import Candidates
from recbayes.spans.constraints import FREE, Constraints
from recbayes.tree.known import INNER, NO_NODE, NODE

BUDGET = 0.3  # boundaries that are expected where none may be: about as many nats of evidence are lost
LOCAL = 0.1  # the share of this that one stretch between clear boundaries may have
POTENTIALS = 4_000_000  # of leaves that a pass looks at, at most
FINER = 4  # times as fine is the next look
SHARE = 0.25  # of the budget may be spent by not looking more closely


def find_candidates(
    model: GaussianRBN, series: Series, constraints: Constraints = FREE, budget: float = BUDGET
) -> Candidates:
    """Where segments of a series may begin and end, both ends among them."""
    length, ticks = len(series), int(ticks_of(series)[-1])
    emissions = [rule for one in model.variables for rule in one.rules if isinstance(rule, Emission)]
    if all(rule.length.longest == 1 for rule in emissions if rule.probability > 0.0):
        return _everywhere(length)  # every observation is a leaf
    looks, spent = 1, 0.0
    try:
        chain = chain_of(model, ticks)
        positions, step = _grid(chain, length)
        while True:
            points, probability = boundary_probability(inside_one(chain, series, _of_leaves(constraints, length, positions)))
            if step == 1:
                break
            positions, step, unseen = _finer(chain, points, probability, step, length, budget)
            looks, spent = looks + 1, spent + unseen
    except (DataError, ModelError, np.linalg.LinAlgError):
        return _everywhere(length)  # the chain has no such series, or cannot be computed: then nothing is left out
    kept = _within(probability, budget)
    left_out = spent + float(probability[~kept].sum())
    return Candidates(points[kept], length, left_out, probability[kept], looks)


def _everywhere(length: int) -> Candidates:
    """All positions."""
    return Candidates(np.arange(length + 1), length, 0.0, np.ones(length + 1))


def boundary_probability(chart: Chart) -> tuple[np.ndarray, np.ndarray]:
    """The points of a chain's chart, and the probability of each to be a boundary: the derivative of the log evidence with
    respect to the log height of what is left of the series from there."""
    derivatives, _ = adjoint(chart)
    plan, last = chart.plan, len(chart.plan.positions) - 1
    found = np.zeros(last + 1)
    for v in range(len(plan.rows)):
        for width in range(1, last + 1):
            row, start = plan.rows[v, width], last - width
            if row["low"] <= start <= row["high"]:
                found[start] += derivatives[cell_places(plan.inside_base[v], row, np.array([start]))[0]]
    found[[0, last]] = 1.0
    if not np.isfinite(found).all():
        raise DataError("probabilities of boundaries cannot be computed")
    return plan.positions, np.clip(found, 0.0, 1.0)


def _within(probability: np.ndarray, budget: float) -> np.ndarray:
    """Which points are kept: all but the least probable ones that the budget has room for, in all and between any two
    neighbouring boundaries that are more probable than not.

    What is left out between these makes all else there more probable; what is left out far away does not.
    """
    stretch = np.cumsum(probability > 0.5)
    spent = np.zeros(stretch[-1] + 1)
    kept = np.ones(len(probability), dtype=bool)
    total = 0.0
    for point in np.argsort(probability, kind="stable"):
        more = probability[point]
        if total + more > budget:
            break
        if spent[stretch[point]] + more <= LOCAL * budget:
            kept[point] = False
            total += more
            spent[stretch[point]] += more
    kept[[0, -1]] = True
    return kept


def _of_leaves(constraints: Constraints, length: int, positions: np.ndarray | None) -> Constraints:
    """What is known of trees as the chain can know it: of leaves. What is left of the series is always a node."""
    allowed, preference = constraints.mask(length), constraints.preference
    if len(allowed):
        allowed = np.where(allowed == INNER, NO_NODE, allowed).astype(np.int8)
        allowed[:, length] = NODE
    if preference is not None:
        preference = np.array(constraints.preference_between(np.arange(length + 1), length))
        preference[:, length] = 0.0
    return Constraints(positions, allowed if len(allowed) else None, preference)


def _grid(chain: GaussianRBN, length: int) -> tuple[np.ndarray | None, int]:
    """The points of the first look, and how far apart they are: coarse where potentials are too many."""
    step = 1
    while _potentials(chain, -(-length // step), step) > POTENTIALS:
        step *= 2
    if step == 1:
        return None, 1
    return np.unique(np.append(np.arange(0, length, step), length)), step


def _potentials(chain: GaussianRBN, points: int, step: float) -> float:
    """How many potentials of leaves there are between so many points."""
    longest = tables_of(chain)[0].emits["longest"]
    widest = np.where(longest < 0, points, np.minimum(np.maximum(longest / step, 1.0), points))
    return float((widest * (2 * points - widest + 1) / 2).sum())


def _finer(
    chain: GaussianRBN, points: np.ndarray, probability: np.ndarray, step: int, length: int, budget: float
) -> tuple[np.ndarray, int, float]:
    """Finer points around the likelier ones, as many as there is room for, besides those themselves; how fine they are, and
    how many boundaries are expected elsewhere."""
    finer = max(1, step // FINER)
    around = np.arange(-step, step + 1, finer)
    inner = probability[1:-1]
    order = np.argsort(inner, kind="stable")
    likely = order[np.cumsum(inner[order]) > SHARE * budget][::-1] + 1
    while len(likely) and _potentials(chain, len(likely) * len(around), length / (len(likely) * len(around))) > POTENTIALS:
        likely = likely[: len(likely) * 3 // 4]
    found = np.unique(np.concatenate([[0, length], points[likely], (points[likely][:, None] + around).ravel()]))
    unseen = float(inner.sum() - probability[likely].sum())
    return found[(found >= 0) & (found <= length)], finer, unseen
