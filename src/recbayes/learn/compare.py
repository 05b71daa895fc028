"""Which of several models explains series best that it has not seen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from recbayes.checks.arrays import whole_number
from recbayes.errors import DataError, ModelError
from recbayes.family.family import family_of
from recbayes.inference.inside import inside
from recbayes.learn.fit import fit
from recbayes.learn.settings import Spellings, groups_of


class Candidate(NamedTuple):
    """A model in comparison: sums over all series of what each of them is worth under a model trained without it.

    `behind` is how far it falls short of the best, with the standard error of this difference (series by series).
    """

    name: str
    held_out: float
    standard_error: float
    behind: float
    behind_error: float
    bic: float
    free: int


@dataclass(frozen=True, eq=False)
class Comparison:
    """Candidates, best first, and for each the held-out log evidence of every series."""

    candidates: tuple[Candidate, ...]
    by_series: dict[str, np.ndarray]

    @property
    def best(self) -> str:
        return self.candidates[0].name

    def __str__(self) -> str:
        width = max([len(one.name) for one in self.candidates] + [5])
        lines = [f"{'model':{width}}  {'held-out log evidence':>24}  {'behind the best':>20}  {'BIC':>12}  {'free':>4}"]
        for one in self.candidates:
            held = f"{one.held_out:.2f} ± {one.standard_error:.2f}"
            behind = f"{one.behind:.2f} ± {one.behind_error:.2f}"
            lines.append(f"{one.name:{width}}  {held:>24}  {behind:>20}  {one.bic:>12.2f}  {one.free:>4}")
        return "\n".join(lines)


def compare(
    models: Mapping[str, Any] | Sequence[Any], series: Any, *, folds: int = 5, seed: int = 0, **settings: Any
) -> Comparison:
    """Cross-validation: every model is trained on all series but one fold, which is then evaluated; and BIC from all series.

    `models` are starting points for `rb.fit`, by name or in a list; `settings` are passed on to it.
    """
    if not isinstance(models, Mapping | list | tuple) or not models:
        raise ModelError("there are no models to compare; give a list of them, or a dictionary by name")
    named = dict(models) if isinstance(models, Mapping) else {f"model {n}": one for n, one in enumerate(models)}
    for model in named.values():
        if family_of(model).read(model, series).single:
            raise DataError("held-out evidence needs several series; give a list of them")
    many = list(series)
    folds = min(whole_number(folds, "folds"), len(many))
    if folds < 2:
        raise DataError(f"cross-validation needs at least two folds and two series, got {folds} and {len(many)}")
    groups = groups_of(settings.get("climb"), settings.get("penalty"), settings.get("work"), _loose(settings))
    given = {**groups.known, "checkpoint": groups.work.checkpoint, "resume": groups.work.resume or None}
    for name, value in given.items():
        if value is not None:
            raise ModelError(f"compare divides the series itself, and knows no {name}")
    fold_of = np.random.default_rng(whole_number(seed, "seed", least=0)).permutation(len(many)) % folds
    by_series, bic, free = {}, {}, {}
    for name, model in named.items():
        held = np.zeros(len(many))
        for fold in range(folds):
            train = [one for one, of in zip(many, fold_of, strict=True) if of != fold]
            trained = fit(model, train, **{"seed": seed, "standard_errors": False, **settings}).model
            test = np.flatnonzero(fold_of == fold)
            executor = groups.work.executor
            held[test] = [chart.log_evidence for chart in inside(trained, [many[n] for n in test], executor=executor)]
        whole = fit(model, many, **{"seed": seed, "standard_errors": False, **settings})
        by_series[name], bic[name], free[name] = held, whole.bic, whole.free
    return Comparison(_ranked(by_series, bic, free), by_series)


def _loose(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings that are given by themselves and belong to a group."""
    return {name: value for name, value in settings.items() if name in Spellings.__annotations__}


def _ranked(by_series: dict[str, np.ndarray], bic: dict[str, float], free: dict[str, int]) -> tuple[Candidate, ...]:
    order = sorted(by_series, key=lambda name: -by_series[name].sum())
    best = by_series[order[0]]
    found = []
    for name in order:
        held, apart = by_series[name], best - by_series[name]
        errors = [float(np.std(values, ddof=1) * np.sqrt(len(values))) for values in (held, apart)]
        found.append(Candidate(name, float(held.sum()), errors[0], float(apart.sum()), errors[1], bic[name], free[name]))
    return tuple(found)
