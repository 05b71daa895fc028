"""Where a series may be cut, and what is known of its models before there is a tree."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from recbayes.checks.many import run_many
from recbayes.checks.series import Series
from recbayes.segmentation.defaults import Candidate, knowing_outliers
from recbayes.segmentation.units import View
from recbayes.spans.constraints import Constraints

Result = TypeVar("Result")

BUDGET = 1e-3  # the probability of a boundary, below which a point is left out
FINER = 8  # times as close are the points of the next look
AROUND = 2  # steps on either side of a likely boundary
FEW = 400  # candidates, between which all spans may be nodes
NEGLIGIBLE = 1e-3  # a model with a smaller share of the posterior is not drawn from


def places_of(series: Series, long: bool) -> np.ndarray:
    """(N + 1,): where segments may begin and end: where a tick begins, and in long series at the ends of gaps only, since
    nothing tells where in a gap."""
    found = np.ones(len(series) + 1, dtype=np.bool_)
    if series.ticks is not None:
        found = np.diff(series.ticks, prepend=-1) > 0
    if long:
        missing = np.isnan(series.values).all(axis=1)
        found[1:-1] &= ~(missing[:-1] & missing[1:])
    found[[0, -1]] = True
    return found


def refined(positions: np.ndarray, probability: np.ndarray, step: int, most: int) -> tuple[np.ndarray, int]:
    """About `most` points that are finer, around those that are likeliest, besides these; and how fine they are."""
    finer, length = max(1, step // FINER), int(positions[-1])
    around = np.arange(-AROUND * step, AROUND * step + 1, finer)
    likely = 1 + np.argsort(-probability[1:-1], kind="stable")[: max(most // len(around), 1)]
    likely = positions[likely[probability[likely] >= BUDGET]]
    found = np.unique(np.concatenate([[0, length], likely, (likely[:, None] + around).ravel()]))
    return found[(found >= 0) & (found <= length)], finer


def by_bank(work: Callable[..., list[Result]], models: Sequence[Candidate], *rest: Any) -> list[Result]:
    """`work(some, ...)` for models that differ only in what their segments share, which looks at their bank once; those that
    take long first. Results are in the order of the models."""
    alike: dict[tuple[int, int], list[int]] = {}
    for n, model in enumerate(models):
        alike.setdefault((id(model.view), id(model.bank)), []).append(n)
    groups = sorted(alike.values(), key=lambda some: -len(models[some[0]].bank.bank))
    columns = [[models[n] for n in some] for some in groups], *([one] * len(groups) for one in rest)
    found = run_many(work, *columns)
    results = dict(zip((n for some in groups for n in some), (one for some in found for one in some), strict=True))
    return [results[n] for n in range(len(models))]


class Points(NamedTuple):
    """Where a series may be cut, as it was found before there was a tree.

    Attributes:
        positions: candidates for boundaries (observations), both ends of the series included.
        left_out: the expected number of boundaries elsewhere.
        step: how coarse the first look was: at every so many observations.
        models: the models that were looked with, each a `Candidate`.
        shares: of the models in the posterior without a tree; they sum to one.
        allowed: which spans between candidates may be leaves and nodes, as `Tree.span_mask` says it. None: all.
    """

    positions: np.ndarray
    left_out: float
    step: int
    models: tuple[Candidate, ...]
    shares: np.ndarray
    allowed: np.ndarray | None = None

    def __repr__(self) -> str:
        """How many there are, not all of them."""
        return (
            f"Points({len(self.positions)} of {self.positions[-1] - 1} positions, {self.left_out:.2g} changes expected "
            f"elsewhere, {len(self.models)} models)"
        )

    @property
    def constraints(self) -> Constraints:
        """The constraints on trees that are cut at candidates."""
        if self.allowed is None:
            return Constraints(boundaries=self.positions)
        return BetweenPoints(boundaries=self.positions, between=self.allowed)


@dataclass(frozen=True, eq=False)
class BetweenPoints(Constraints):
    """Trees some of whose spans between boundaries may be leaves, or nodes."""

    between: Any = None

    def mask_between(self, points: np.ndarray, length: int) -> np.ndarray:
        chosen = np.searchsorted(self.boundaries, points)
        return np.ascontiguousarray(self.between[np.ix_(chosen, chosen)])


def with_outliers(points: Points, views: Mapping[int, View]) -> Points:
    """The same with leaves that know outliers of their own, in views (by the identity of those without outliers) that have
    them. Where there are few candidates, all spans may be leaves: with outliers others are likely than without."""
    models = tuple(
        replace(one, view=views[id(one.view)], bank=knowing_outliers(one.bank), leaf=knowing_outliers(one.leaf))
        for one in points.models
    )
    few = len(points.positions) <= FEW
    return points._replace(models=models, allowed=None if few else points.allowed)
