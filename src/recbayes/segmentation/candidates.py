"""The points at which a series may be cut: those that are likely without a tree, found from coarse to fine."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from recbayes.checks.many import run_many
from recbayes.checks.series import Series
from recbayes.gaussian.chart.flat import boundary_probability, member_evidence
from recbayes.gaussian.emissions.regression import span_count, ticks_of
from recbayes.segmentation.defaults import LINK, TERMINATION, Candidate
from recbayes.segmentation.lengths import log_length_probability
from recbayes.segmentation.units import Units

ALL = 64  # observations up to which every point is a candidate
MOST = 900  # points of a flat pass
KEPT = 160  # candidates, at most
BUDGET = 1e-3  # the probability of a boundary, below which a point is left out


class Points(NamedTuple):
    """Candidates (observations, both ends included), the expected number of boundaries elsewhere, how coarse the first look
    was (every so many observations), and the models' log evidences without a tree, given the length."""

    positions: np.ndarray
    left_out: float
    step: int
    log_evidences: np.ndarray


def find_points(models: Sequence[Candidate], series: Series, units: Units) -> Points:
    """Flat passes over ever finer points around where boundaries are likely."""
    length = len(series)
    step = first = -(-length // MOST)
    positions = np.unique(np.append(np.arange(0, length, step), length))
    while True:
        log_evidences, probability = flat_probability(models, series, units, positions)
        inner = probability[1:-1]
        if step == 1 and length <= ALL:
            return Points(positions, 0.0, 1, log_evidences)
        if step == 1:
            order = np.argsort(-inner)[: KEPT - 2]
            chosen = np.sort(order[inner[order] >= BUDGET]) + 1
            left_out = float(inner.sum() - probability[chosen].sum())
            return Points(np.concatenate([[0], positions[chosen], [length]]), left_out, first, log_evidences)
        positions, step = _refined(positions, inner, step, length)


def _refined(positions: np.ndarray, probability: np.ndarray, step: int, length: int) -> tuple[np.ndarray, int]:
    """Finer points around the likeliest ones, as many as there is room for, besides those themselves."""
    finer = max(1, step // 8)
    around = 2 * (2 * step // finer) + 1
    likely = np.argsort(-probability)[: max(MOST // around, 1)]
    likely = likely[probability[likely] >= BUDGET]
    near = positions[1 + likely][:, None] + np.arange(-2 * step, 2 * step + 1, finer)
    found = np.unique(np.concatenate([[0, length], positions[1 + likely], near.ravel()]))
    return found[(found >= 0) & (found <= length)], finer


def flat_probability(
    models: Sequence[Candidate], series: Series, units: Units, positions: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The models' log evidences given the length, and the probability of a boundary at every point, averaged over them."""
    kinds = list(dict.fromkeys(one.kind for one in models))
    alike = [[one for one in models if one.kind == kind] for kind in kinds]
    passes = run_many(_passes, alike, [series] * len(kinds), [units] * len(kinds), [positions] * len(kinds))
    found = {
        id(one): result
        for some, results in zip(alike, passes, strict=True)
        for one, result in zip(some, results, strict=True)
    }
    log_evidences = np.array([found[id(one)][0] for one in models])
    logs = log_evidences + np.log([one.probability for one in models])
    shares = np.exp(logs - logs.max())
    shares /= shares.sum()
    return log_evidences, sum(share * found[id(one)][1] for share, one in zip(shares, models, strict=True))


def _passes(models: list[Candidate], series: Series, units: Units, positions: np.ndarray) -> list[tuple[float, np.ndarray]]:
    """Log evidence and boundaries for each of some models of one kind."""
    variance = (1.0 + LINK**2) * units.scale**2  # about what a level varies by
    log_share = np.log(4.0 * TERMINATION * (1.0 - TERMINATION))  # there are about 4^m trees over m segments
    ticks = int(ticks_of(series)[-1])
    total = np.full(span_count(len(positions) - 1, len(positions) - 1), -np.inf)
    found: dict[int, tuple[float, np.ndarray]] = {}

    def look(evidence: np.ndarray, shared: int | None) -> None:
        for one in models:
            if one.shared == shared:
                log_evidence, probability = boundary_probability(evidence, one.length, series, positions, log_share)
                found[id(one)] = log_evidence - log_length_probability(one.length, TERMINATION, ticks), probability

    for m, member in enumerate(next(one for one in models if one.shared is None).leaf.members):
        look(member_evidence(member, series, positions, units.centre, variance, total), m)
    look(total, None)
    return [found[id(one)] for one in models]
