"""`rb.fit`: from raw sequences to a trained model."""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, TypeVar, Unpack, overload

import numpy as np

from recbayes.checks.arguments import choice, flag
from recbayes.checks.arrays import MOST_DRAWS, whole_number
from recbayes.errors import ModelError
from recbayes.family.family import Model, family_of
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.inference.reading import ManySequences, ManyTokens, OneSequence, Task, read
from recbayes.learn.checkpoint import Checkpoint, fingerprint
from recbayes.learn.climb import Climb, Summit, Terrain
from recbayes.learn.here import Here
from recbayes.learn.information import observed_information
from recbayes.learn.penalty import Penalty, bounds, strength_of
from recbayes.learn.progress import Progress
from recbayes.learn.record import ExactEvidence, Fit, record_climb, record_estimate
from recbayes.learn.reestimate import reestimate
from recbayes.learn.refine import refine
from recbayes.learn.run import Run, Stopped
from recbayes.learn.settings import Groups, Spellings, Work, groups_of
from recbayes.learn.units import free_scales
from recbayes.learn.workers import Constrained, Workers
from recbayes.parameters.block import Structure
from recbayes.parameters.parameters import Parameters, choices_of

ModelT = TypeVar("ModelT", bound=Model[Any, Any, Any])

SPREAD = 1.0  # standard deviation of the free numbers of random starts around the given one
MOST_RESTARTS = 1_000_000
GAIN = 1e-9  # of the log likelihood: a step of expectation maximisation that gains less is the last


@overload
def fit(
    model: ModelT,
    series: OneSequence | ManySequences | ManyTokens,
    *,
    covariance: Structure = ...,
    tied: bool | Sequence[Sequence[str]] = ...,
    fixed: str | Sequence[str] = ...,
    climb: Climb | None = ...,
    penalty: Penalty | None = ...,
    work: Work | None = ...,
    restarts: int = ...,
    seed: int = ...,
    standard_errors: bool = ...,
    exact: int = ...,
    on_error: Literal["raise", "skip"] = ...,
    **settings: Unpack[Spellings],
) -> Fit[ModelT]: ...
@overload
def fit(
    model: None,
    series: OneSequence | ManySequences,
    *,
    covariance: Structure = ...,
    tied: bool | Sequence[Sequence[str]] = ...,
    fixed: str | Sequence[str] = ...,
    climb: Climb | None = ...,
    penalty: Penalty | None = ...,
    work: Work | None = ...,
    restarts: int = ...,
    seed: int = ...,
    standard_errors: bool = ...,
    exact: int = ...,
    on_error: Literal["raise", "skip"] = ...,
    **settings: Unpack[Spellings],
) -> Fit[GaussianRBN]: ...
def fit(
    model: Any,
    series: OneSequence | ManySequences | ManyTokens,
    *,
    covariance: Structure = "keep",
    tied: bool | Sequence[Sequence[str]] = False,
    fixed: str | Sequence[str] = (),
    climb: Climb | None = None,
    penalty: Penalty | None = None,
    work: Work | None = None,
    restarts: int = 0,
    seed: int = 0,
    standard_errors: bool = True,
    exact: int = 0,
    on_error: Literal["raise", "skip"] = "raise",
    **settings: Unpack[Spellings],
) -> Fit[Any]:
    """Train a model on a series, or on a list of series, by maximising the sum of their log evidences.

    `model` gives the structure and the starting values; None guesses one from the data (`GaussianRBN.guess`). `covariance`,
    `tied` and `fixed` choose what is free, as for `Parameters`. `boundaries` and `allowed` hold, for every series, what is
    known of its tree: the evidence is then that of the trees they leave (`rb.known_spans`, `tree.span_mask()`).

    `climb` is the way up: `QuasiNewton(tolerance=...)` looks at all series in every step, `Adam(batch=...)` at some at a
    time, for many of them. `restarts` more starts are drawn around the first one, and the best end wins. A light `penalty`
    keeps variances and probabilities from zero: `Penalty(smallest_std=..., pseudo_count=...)`. `exact` draws per series, if
    any, refine the result by exact weights.

    `work` says where it runs and what it leaves behind: `Work(executor=..., checkpoint=..., resume=..., progress=...)`.
    Ctrl-C returns the best model so far. `on_error="skip"` leaves out series that the model cannot explain at all, and says
    which. Settings of these groups may also be given by themselves: `fit(model, series, tolerance=1e-3, executor=pool)`.

    A `PCFG` or `DiscreteRBN` is trained by expectation maximisation (`rb.reestimate`).
    """
    began = time.monotonic()
    groups = groups_of(climb, penalty, work, dict(settings))
    choice(on_error, ("raise", "skip"), "on_error")
    restarts = whole_number(restarts, "restarts", least=0, most=MOST_RESTARTS)
    seed = whole_number(seed, "seed", least=0)
    exact = whole_number(exact, "exact", least=0, most=MOST_DRAWS)
    standard_errors = flag(standard_errors, "standard_errors")
    chosen = choices_of(covariance, tied, fixed)
    if model is None:
        model = GaussianRBN.guess(series)
    family = family_of(model)
    if family.has("maximised"):
        others = exact or restarts or chosen != choices_of("keep", False, ()) or climb is not None or on_error != "raise"
        if others or groups.work.checkpoint or groups.work.resume:
            raise ModelError(
                f"{family.name} is trained by reestimate: it knows allowed, pseudo_count, max_evaluations, executor"
            )
        return _by_counting(model, series, groups, began)
    task = read(model, series, groups.known)
    parameters = Parameters(model, **{**chosen, "tied": chosen["tied"] or family.ties(model)})
    return _by_climbing(task, parameters, groups, restarts, seed, exact, standard_errors, on_error == "skip", began)


def _by_climbing(
    task: Task,
    parameters: Parameters,
    groups: Groups,
    restarts: int,
    seed: int,
    exact: int,
    standard_errors: bool,
    skip: bool,
    began: float,
) -> Fit[Any]:
    data = [Constrained(*one) for one in zip(task.sequences, task.constraints, strict=True)]
    units = task.family.units(task.model, task.sequences)
    terrain = Terrain(*bounds(parameters, units), free_scales(parameters, units))
    starts = _starts(parameters, terrain, restarts, seed)
    climb, work = groups.climb, groups.work
    remembered = Checkpoint(work.checkpoint, fingerprint(parameters, data), parameters.size, work.resume)
    summits: list[Summit] = []
    further = 2 * parameters.size if standard_errors else 0
    each = climb.evaluations(len(data))
    information: np.ndarray | None = None
    evidence: ExactEvidence | None = None
    refined: Summit | None = None
    reason = ""
    with Progress(work.progress) as shown, Workers(parameters, data, work.executor) as workers:
        strength = strength_of(groups.penalty, parameters, units)
        run = Run(parameters, workers, strength, remembered, shown, len(data), climb)
        try:
            run.begin(starts[0], skip)
            for number, start in enumerate(starts):
                stage = "fitting" if len(starts) == 1 else f"start {number + 1} of {len(starts)}"
                left = len(starts) - number
                run.enter(stage, length=left * each + further if each else 0, climbs=left - 1, extra=further)
                summits.append(climb.climb(run, start, terrain, len(data), seed + number))
            best = max(summits, key=lambda summit: summit.objective)
            climbed: Callable[[np.ndarray], Here] = run
            if exact:
                best, evidence, climbed = refine(run, best, terrain, climb.tolerance, exact, seed)
                refined = best
            if standard_errors:
                run.enter("standard errors", length=further)
                information = observed_information(climbed, best.vector, terrain.units)
        except KeyboardInterrupt:
            reason = "interrupted"
        except Stopped:
            reason = f"all {climb.max_evaluations} evaluations used"
        lengths = [len(sequence) for sequence in task.sequences]
        return record_climb(run, summits, refined, evidence, information, terrain.units, reason, lengths, began)


def _starts(parameters: Parameters, terrain: Terrain, restarts: int, seed: int) -> list[np.ndarray]:
    """The free vector of the model, and others around it, all within the bounds."""
    first = parameters.vector()
    rng = np.random.default_rng(seed)
    others = [first + SPREAD * terrain.units * rng.normal(size=len(first)) for _ in range(restarts)]
    return [terrain.inside(start) for start in [first, *others]]


def _by_counting(model: Any, series: Any, groups: Groups, began: float) -> Fit[Any]:
    steps = groups.climb.max_evaluations
    series = list(series) if isinstance(series, Iterator) else series  # gone through more than once
    found = reestimate(
        model,
        series,
        steps=steps,
        tolerance=GAIN,
        pseudo_count=groups.penalty.pseudo_count,
        executor=groups.work.executor,
        **groups.known,
    )
    sequences, _ = family_of(model).read(model, series)
    return record_estimate(found, steps, sum(map(len, sequences)), began)
