"""Candidate boundaries of a fit: found where it begins, and again where its climbs have come to.

Between, they stay, so that what is climbed is one smooth function. Where the model that was learnt expects boundaries that
its candidates have no room for, others are found by it, and the climb goes on from there.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from recbayes.checks.many import run_many
from recbayes.inference.candidates import is_automatic, with_candidates
from recbayes.learn.workers import Constrained
from recbayes.spans.constraints import AUTO

TIMES = 3  # that candidates are found again, at most
ENOUGH = 1.0  # boundaries of a series expected where there are no candidates: fewer are few


class Found(NamedTuple):
    """Series with their candidates, and by what evaluations with these are told from others (nothing without any)."""

    series: list[Constrained]
    name: str


class Moving:
    """All series of a fit, some of which have candidates that follow the model."""

    def __init__(self, model: Any, series: Sequence[Constrained]) -> None:
        self._automatic = [is_automatic(model, *one, by_default=True) for one in series]
        self._given = list(series)

    @property
    def any(self) -> bool:
        return any(self._automatic)

    def at(self, model: Any) -> Found:
        """With the candidates of a model."""
        if not self.any:
            return Found(self._given, "")
        rows = [replace(one.constraints, boundaries=AUTO) for one in self._given]
        chosen = [n for n, automatic in enumerate(self._automatic) if automatic]
        some = [self._given[n].sequence for n in chosen], [rows[n] for n in chosen]
        found = dict(zip(chosen, run_many(with_candidates, [model] * len(chosen), *some), strict=True))
        series = [Constrained(one.sequence, found.get(n, one.constraints)) for n, one in enumerate(self._given)]
        digest = hashlib.sha256()
        for constraints in found.values():
            digest.update(constraints.boundaries.positions.tobytes() + b";")
        return Found(series, f"{digest.hexdigest()[:16]} ")


def missed(before: Sequence[Constrained], after: Sequence[Constrained]) -> float:
    """The most boundaries of any series that the model of `after` expects where `before` has no candidates."""
    worst = 0.0
    for old, new in zip(before, after, strict=True):
        had, has = old.constraints.candidates, new.constraints.candidates
        if had is not None and has is not None:
            elsewhere = ~np.isin(has.positions, had.positions)
            worst = max(worst, float(has.probability[elsewhere].sum()))
    return worst
