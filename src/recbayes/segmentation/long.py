"""The points at which a long series may be cut: flat passes on lattices, from coarse to fine around likely boundaries.

The first look is at every `step`-th observation, about 20 sqrt(N) of them; each further one at points eight times as close
to each other, about those where some kind of segments has a boundary. What the budget leaves out is told as the number of
changes expected elsewhere.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from recbayes.gaussian.chart.lattice import blocks_of, flat_pass, lattice_of, only
from recbayes.lengths import Geometric
from recbayes.segmentation.defaults import LINK, TERMINATION, Candidate
from recbayes.segmentation.finer import Finders, Finer, finer_of
from recbayes.segmentation.lengths import log_count_probability
from recbayes.segmentation.points import BUDGET, NEGLIGIBLE, Points, by_bank, refined
from recbayes.segmentation.units import View
from recbayes.spans.wide import strong_ends
from recbayes.tree.known import INNER, NODE

SPACING = 20.0  # how many times the square root of the number of observations there are points at first
MOST = 30_000  # points of a further look
KEPT = 3_000  # candidates, at most
POSSIBLE = -20.0  # the log probability of a span as a leaf, below which it is none
ROUNDS = 6  # of finding out what noise is, at most
ENOUGH = 3.0  # nats that a round must gain to be followed by another
LIKELY = 0.3  # a boundary, to be one of those between which noise is looked at
HOPELESS = (
    50.0,
    0.05,
)  # nats, and nats an observation: a kind that is so much worse is no longer looked at
LOG_SHARE = float(np.log(4.0 * TERMINATION * (1.0 - TERMINATION)))  # there are about 4^m trees over m segments


class _Pass(NamedTuple):
    """What one model says without a tree: itself, with the length that suits best; its log evidence, given the length of the
    series; probabilities of boundaries at points; and spans (starts, ends) that may be leaves."""

    model: Candidate
    log_evidence: float
    probability: np.ndarray
    leaves: np.ndarray


def first_look(length: int) -> tuple[np.ndarray, int]:
    """The positions to look at first, and how far apart they are."""
    step = max(int(np.ceil(np.sqrt(length) / SPACING)), 1)
    return np.unique(np.append(np.arange(0, length, step), length)), step


def find_points(
    build: Callable[[Finders | None], list[Candidate]],
    positions: np.ndarray,
    step: int,
    places: np.ndarray,
    count: float | None,
    tell: Callable[[str], None],
) -> Points:
    """Candidates, and which spans between them may be nodes and leaves, from some positions that are a step apart (1: the
    finest), in places (N + 1,) where boundaries may be.

    If so many segments are wished for, trees will be drawn with lengths that give about as many. Models are built as soon as
    the noise of segments is known, and again where it is known better."""
    first, length = step, int(positions[-1])
    positions = positions[places[positions]]
    passes, models = _settled(build, positions, step, count, tell)
    while step > 1:
        positions, step = refined(positions, _by_any(passes, _shares(passes)), step, MOST)
        positions = positions[places[positions]]
        tell(_looking(positions))
        passes = by_bank(_of_bank, models, positions, count)
        models = _worthwhile(build(_finder(passes, positions, step)), passes, length)
    points = _points(passes, _shares(passes), positions, first)
    return points if count is None else _with_any_leaves(points)


def _settled(
    build: Callable[[Finders | None], list[Candidate]],
    positions: np.ndarray,
    step: int,
    count: float | None,
    tell: Callable[[str], None],
) -> tuple[list[_Pass], list[Candidate]]:
    """Models whose banks have the noise of the segments that they find, as far as these points tell."""
    tell(_looking(positions))
    passes = by_bank(_of_bank, build(None), positions, count)
    best, edges_of = -np.inf, _plainest
    for _ in range(ROUNDS):
        models = _worthwhile(build(_finder(passes, positions, step, edges_of)), passes, int(positions[-1]))
        passes, edges_of = by_bank(_of_bank, models, positions, count), _own
        highest = max(one.log_evidence for one in passes)
        if highest < best + ENOUGH:
            break
        best = highest
    return passes, models


def _looking(positions: np.ndarray) -> str:
    return f"looking for changes at {len(positions) - 2} of {positions[-1] - 1} positions"


def _own(passes: dict[str, _Pass], kind: str) -> _Pass | None:
    """Each kind by itself."""
    return passes.get(kind)


def _plainest(passes: dict[str, _Pass], kind: str) -> _Pass | None:
    """The first kind for all: with noise that is white changes are many, and what is between them is alike."""
    return next(iter(passes.values()), None)


def _finder(
    passes: Sequence[_Pass],
    positions: np.ndarray,
    step: int,
    edges_of: Callable[[dict[str, _Pass], str], _Pass | None] = _own,
) -> Finders:
    """What noise is by the segments that the best models of every kind find."""
    best: dict[int, dict[str, _Pass]] = {}
    for one in passes:
        kinds = best.setdefault(id(one.model.view), {})
        if one.model.kind not in kinds or kinds[one.model.kind].log_evidence < one.log_evidence:
            kinds[one.model.kind] = one

    def find(view: View, kind: str) -> Finer | None:
        found = edges_of(best.get(id(view), {}), kind)
        if found is None:
            return None
        edges = positions[_likely(found.probability)]
        return finer_of(view, edges, step, kind.startswith("trend"), kind.endswith("autoregressive"))

    return find


def _likely(probability: np.ndarray) -> np.ndarray:
    """Which points are ends, or likely boundaries: likelier than their neighbours."""
    inner = probability[1:-1]
    chosen = (inner >= LIKELY) & (inner >= probability[:-2]) & (inner > probability[2:])
    return np.concatenate([[0], 1 + np.flatnonzero(chosen), [len(probability) - 1]])


def _worthwhile(models: list[Candidate], passes: Sequence[_Pass], length: int) -> list[Candidate]:
    """Without kinds that are hopeless, even if their noise was far from what their bank had."""
    best: dict[tuple[int, str], float] = {}
    for one in passes:
        key = id(one.model.view), one.model.kind
        best[key] = max(best.get(key, -np.inf), one.log_evidence)
    least = max(best.values()) - HOPELESS[0] - HOPELESS[1] * length
    return [one for one in models if best.get((id(one.view), one.kind), -np.inf) >= least]


def _by_any(passes: Sequence[_Pass], shares: np.ndarray) -> np.ndarray:
    """Probabilities of boundaries by all models, half by their shares and half by the best of each kind: where points are
    coarse, what lies between them tells more about these than about models."""
    best = {}
    for n in np.argsort(shares, kind="stable"):
        best[passes[n].model.kind] = n
    weights = 0.5 * shares
    weights[list(best.values())] += 0.5 / len(best)
    return weights @ np.array([one.probability for one in passes])


def _points(passes: Sequence[_Pass], shares: np.ndarray, positions: np.ndarray, step: int) -> Points:
    probability = shares @ np.array([one.probability for one in passes])
    inner = probability[1:-1]
    order = np.argsort(-inner, kind="stable")[: KEPT - 2]
    chosen = np.concatenate([[0], np.sort(order[inner[order] >= BUDGET]) + 1, [len(positions) - 1]])
    left_out = float(inner.sum() - probability[chosen[1:-1]].sum())
    number = np.full(len(positions), -1)
    number[chosen] = np.arange(len(chosen))
    allowed = strong_ends(probability[chosen])
    allowed[np.arange(len(chosen) - 1), np.arange(1, len(chosen))] = NODE
    for one, share in zip(passes, shares, strict=True):
        if share >= NEGLIGIBLE:
            starts, ends = number[one.leaves]
            possible = (starts >= 0) & (ends >= 0)
            allowed[starts[possible], ends[possible]] = NODE
    return Points(positions[chosen], left_out, step, tuple(one.model for one in passes), shares, allowed)


def _with_any_leaves(points: Points) -> Points:
    """All spans that may be nodes may be leaves: so many segments are wished for, be they likely or not."""
    assert points.allowed is not None
    return points._replace(allowed=np.where(points.allowed == INNER, NODE, points.allowed))


def _shares(passes: Sequence[_Pass]) -> np.ndarray:
    logs = np.array([one.log_evidence + np.log(one.model.probability) for one in passes])
    shares = np.exp(logs - logs.max())
    return shares / shares.sum()


def _of_bank(models: Sequence[Candidate], positions: np.ndarray, count: float | None) -> list[_Pass]:
    """For models of one bank: segments have noise of their own, or share one of its members."""
    view, bank = models[0].view, models[0].bank
    blocks = blocks_of(bank, view.series, positions)
    variance = (1.0 + LINK**2) * view.units.scale**2  # about what a level varies by
    found = []
    for one in models:
        own = blocks if one.shared is None else only(blocks, one.shared)
        each = bank.each_column and one.shared is None
        lattice = lattice_of(own, view.series, positions, one.lengths, LOG_SHARE, view.units.centre, variance, each)
        flats = [flat_pass(lattice, length, LOG_SHARE) for length in one.lengths]
        with np.errstate(divide="ignore"):
            logs = np.log(one.shares) + np.array(
                [
                    flat.log_evidence - _log_length(length, view.ticks) + view.log_jacobian
                    for flat, length in zip(flats, one.lengths, strict=True)
                ]
            )
        total = float(logsumexp(logs))
        if count is None:
            drawn, weights = int(logs.argmax()), np.exp(logs - total)
        else:
            drawn = int(np.abs([flat.boundaries[1:].sum() - count for flat in flats]).argmin())
            weights = np.eye(len(flats))[drawn]
        probability = weights @ np.array([flat.boundaries for flat in flats])
        possible = np.zeros(len(lattice.begin), dtype=np.bool_)
        for flat, weight in zip(flats, weights, strict=True):
            if weight > 0.0:
                possible |= flat.spans + np.log(weight) >= POSSIBLE
        leaves = np.stack([lattice.begin[possible], lattice.ends[possible]])
        found.append(_Pass(replace(one, drawn=drawn), total, probability, leaves))
    return found


@lru_cache(maxsize=64)
def _log_length(length: Geometric, ticks: int) -> float:
    """The log probability that a series has this length."""
    return float(logsumexp(log_count_probability(length, TERMINATION, ticks)))
