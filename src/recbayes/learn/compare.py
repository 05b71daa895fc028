"""Which of several models explains series best that it has not seen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from recbayes.checks.arrays import MOST_DRAWS, whole_number
from recbayes.checks.markup import Column, table
from recbayes.errors import DataError, ModelError
from recbayes.family.family import family_of
from recbayes.family.shown import panel
from recbayes.inference.draws import draw_one
from recbayes.inference.reading import read
from recbayes.learn.fit import fit
from recbayes.learn.settings import Spellings, groups_of
from recbayes.spans.constraints import Constraints, Known, constraints_of


class Candidate(NamedTuple):
    """A model in comparison: sums over all series of what each of them is worth under a model trained without it.

    Attributes:
        name: of the model.
        held_out: its held-out log evidence.
        standard_error: of this sum.
        behind: how far it falls short of the best.
        behind_error: the standard error of this difference (series by series).
        bic: Schwarz's criterion of the model trained on all series; less is better.
        free: how many free numbers it has.
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
    """How several models compare, the best first. Print it for a table.

    Attributes:
        candidates: the models in order, each a `Candidate`.
        by_series: for the name of each model the held-out log evidence of every series.
    """

    candidates: tuple[Candidate, ...]
    by_series: dict[str, np.ndarray]

    @property
    def best(self) -> str:
        """The name of the model with the highest held-out evidence."""
        return self.candidates[0].name

    def _repr_html_(self) -> str:
        names = ("held-out log evidence", "behind the best", "BIC", "free parameters")
        rows = [
            (
                one.name,
                f"{one.held_out:.2f} ± {one.standard_error:.2f}",
                f"{one.behind:.2f} ± {one.behind_error:.2f}",
                f"{one.bic:.2f}",
                one.free,
            )
            for one in self.candidates
        ]
        return panel("Comparison", table([Column("model"), *(Column(name, numbers=True) for name in names)], rows))

    def __str__(self) -> str:
        width = max([len(one.name) for one in self.candidates] + [5])
        lines = [f"{'model':{width}}  {'held-out log evidence':>24}  {'behind the best':>20}  {'BIC':>12}  {'free':>4}"]
        for one in self.candidates:
            held = f"{one.held_out:.2f} ± {one.standard_error:.2f}"
            behind = f"{one.behind:.2f} ± {one.behind_error:.2f}"
            lines.append(f"{one.name:{width}}  {held:>24}  {behind:>20}  {one.bic:>12.2f}  {one.free:>4}")
        return "\n".join(lines)


def compare(
    models: Mapping[str, Any] | Sequence[Any],
    series: Any,
    *,
    folds: int = 5,
    seed: int = 0,
    draws: int = 200,
    components: int | None = None,
    **settings: Any,
) -> Comparison:
    """Cross-validation: every model is trained on all series but one fold, which is then evaluated; and BIC from all series.

    With a `preference`, evidences are not normalised, and can be compared only between models whose trees have the same
    probabilities.

    Arguments:
        models: starting points for `rb.fit`, by name or in a list.
        series: a list of series, at least two.
        folds: into how many parts the series are divided, at most one for each.
        seed: of the division, the fits and the draws.
        draws: by how many trees the evidence of a held-out series is computed; with `exact=None` it is that of the chart.
        components: Gaussians per message of charts that are drawn from. None takes as many as draws need.
        **settings: passed on to `rb.fit`; `boundaries` and `allowed` are lists, with an entry for each series.
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
    draws = whole_number(draws, "draws", least=1, most=MOST_DRAWS)
    groups = groups_of(settings.get("climb"), settings.get("penalty"), settings.get("work"), _loose(settings))
    if groups.work.checkpoint is not None or groups.work.resume:
        raise ModelError("compare divides the series itself, and knows no checkpoint")
    constraints_of(groups.known, len(many), False)
    rest = {name: value for name, value in settings.items() if name not in groups.known}
    if any(family_of(model).has("draw_around") for model in named.values()):
        rest = {"components": components, **rest}
    rest = {"seed": seed, "standard_errors": False, **rest}
    fold_of = np.random.default_rng(whole_number(seed, "seed", least=0)).permutation(len(many)) % folds
    by_series, bic, free = {}, {}, {}
    for name, model in named.items():
        held = np.zeros(len(many))
        for fold in range(folds):
            train, test = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
            trained = fit(model, [many[n] for n in train], **rest, **_of(groups.known, train)).model
            task = read(trained, [many[n] for n in test], _of(groups.known, test))
            seeds = np.random.default_rng([seed, fold]).integers(2**62, size=len(test)).tolist()
            how = [rest.get("exact", "auto") is not None] * len(test), [components] * len(test), [draws] * len(test), seeds
            held[test] = task.run(_worth, *how, executor=groups.work.runner)
        whole = fit(model, many, **rest, **groups.known)
        by_series[name], bic[name], free[name] = held, whole.bic, whole.free
    return Comparison(_ranked(by_series, bic, free), by_series)


def _worth(
    model: Any, sequence: Any, constraints: Constraints, drawn: bool, components: int | None, draws: int, seed: int
) -> float:
    """The log evidence of one sequence, by draws or by the chart."""
    if drawn:
        return float(draw_one(model, sequence, constraints, components, draws, seed).log_evidence)
    return float(model.family.inside(model, sequence, constraints, components or 1).log_evidence)


def _of(known: Known, chosen: np.ndarray) -> Known:
    """What is known of some of the trees."""
    found = {name: None if value is None else [value[n] for n in chosen] for name, value in known.items()}  # type: ignore[index]
    return found  # type: ignore[return-value]


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
