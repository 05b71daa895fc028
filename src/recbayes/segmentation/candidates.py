"""The points at which a series may be cut: those that are likely without a tree, found from coarse to fine."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from recbayes.gaussian.chart.flat import boundary_probability, span_evidence
from recbayes.segmentation.defaults import LINK, TERMINATION, Candidate
from recbayes.segmentation.lengths import log_count_probability
from recbayes.segmentation.points import BUDGET, Points, by_bank, refined

ALL = 64  # observations up to which every point is a candidate
MOST = 900  # points of a flat pass
MOST_WITH_SEASONS = 300  # likewise: a leaf with seasons has several coefficients, and takes many times as long
KEPT = 160  # candidates, at most


def find_points(models: Sequence[Candidate], places: np.ndarray, count: float | None = None) -> Points:
    """Flat passes over ever finer points around where boundaries are likely, in places (N + 1,) where they may be.

    If so many segments are wished for, trees will be drawn with lengths that give about as many."""
    length = len(places) - 1
    most = MOST_WITH_SEASONS if models[0].bank.periods else MOST
    step = first = -(-length // most)
    positions = np.unique(np.append(np.arange(0, length, step), length))
    while True:
        positions = positions[places[positions]]
        models, shares, probability = flat_probability(models, positions, count)
        inner = probability[1:-1]
        if step == 1 and length <= ALL:
            return Points(positions, 0.0, 1, models, shares)
        if step == 1:
            order = np.argsort(-inner)[: KEPT - 2]
            chosen = np.sort(order[inner[order] >= BUDGET]) + 1
            left_out = float(inner.sum() - probability[chosen].sum())
            return Points(np.concatenate([[0], positions[chosen], [length]]), left_out, first, models, shares)
        positions, step = refined(positions, probability, step, most)


def flat_probability(
    models: Sequence[Candidate], positions: np.ndarray, count: float | None = None
) -> tuple[tuple[Candidate, ...], np.ndarray, np.ndarray]:
    """The models, each with the length that suits the series best, their shares of the posterior, and the probability of a
    boundary at every point, averaged over them."""
    passes = by_bank(_passes, models, positions, count)
    logs = np.array([one.log_evidence + np.log(one.model.probability) for one in passes])
    shares = np.exp(logs - logs.max())
    shares /= shares.sum()
    return tuple(one.model for one in passes), shares, shares @ np.array([one.probability for one in passes])


class _Pass(NamedTuple):
    model: Candidate
    log_evidence: float  # given the length
    probability: np.ndarray  # of a boundary at each point


def _passes(models: Sequence[Candidate], positions: np.ndarray, count: float | None) -> list[_Pass]:
    """For models of one bank: segments have noise of their own, or share one of its members."""
    view, bank = models[0].view, models[0].bank
    variance = (1.0 + LINK**2) * view.units.scale**2  # about what a level varies by
    by_member, total = span_evidence(bank, view.series, positions, view.units.centre, variance)
    return [_pass(one, positions, total if one.shared is None else by_member[one.shared], count) for one in models]


def _pass(model: Candidate, positions: np.ndarray, evidence: np.ndarray, count: float | None) -> _Pass:
    view = model.view
    log_share = np.log(4.0 * TERMINATION * (1.0 - TERMINATION))  # there are about 4^m trees over m segments
    logs, found = np.empty(len(model.lengths)), np.empty((len(model.lengths), len(positions)))
    for n, (length, share) in enumerate(zip(model.lengths, model.shares, strict=True)):
        log_evidence, found[n] = boundary_probability(evidence, length, view.series, positions, log_share)
        log_length = logsumexp(log_count_probability(length, TERMINATION, view.ticks))
        with np.errstate(divide="ignore"):
            logs[n] = np.log(share) + log_evidence - log_length + view.log_jacobian
    total = float(logsumexp(logs))
    if count is None:
        return _Pass(replace(model, drawn=int(logs.argmax())), total, np.exp(logs - total) @ found)
    drawn = int(np.abs(found[:, 1:].sum(axis=1) - count).argmin())
    return _Pass(replace(model, drawn=drawn), total, found[drawn])
