"""`rb.fit`: from raw sequences to a trained model."""

import time
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, Literal, TypeVar, Unpack, overload

from recbayes.checks.arguments import choice, flag
from recbayes.checks.arrays import MOST_DRAWS, whole_number
from recbayes.compiled.lanes import LANES
from recbayes.errors import ApproximationWarning, ModelError
from recbayes.family.family import Model, family_of
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.inference.reading import ManySequences, ManyTokens, OneSequence, Task, read
from recbayes.learn.ascent import Ended, How, ascend
from recbayes.learn.candidates import Moving
from recbayes.learn.checkpoint import Checkpoint, fingerprint
from recbayes.learn.climb import Climb, Terrain
from recbayes.learn.gradient import GRADIENT
from recbayes.learn.penalty import Penalty, bounds, strength_of
from recbayes.learn.priors import Priors, priors_of
from recbayes.learn.progress import Progress
from recbayes.learn.record import Fit, record_climb, record_estimate
from recbayes.learn.reestimate import reestimate
from recbayes.learn.run import Run, Shape, Stopped
from recbayes.learn.settings import Groups, Spellings, Work, groups_of
from recbayes.learn.units import free_scales
from recbayes.learn.workers import Constrained, Workers
from recbayes.parameters.block import Structures
from recbayes.parameters.parameters import Parameters, choices_of

ModelT = TypeVar("ModelT", bound=Model[Any, Any, Any])

MOST_RESTARTS = 1_000_000
USUAL = 100  # evaluations that a climb takes, about
GAIN = 1e-9  # of the log likelihood: a step of expectation maximisation that gains less is the last


@overload
def fit(
    model: ModelT,
    series: OneSequence | ManySequences | ManyTokens,
    *,
    covariance: Structures = ...,
    tied: bool | Sequence[Sequence[str]] = ...,
    fixed: str | Sequence[str] = ...,
    climb: Climb | None = ...,
    penalty: Penalty | None = ...,
    work: Work | None = ...,
    priors: Priors = ...,
    restarts: int | None = ...,
    seed: int = ...,
    standard_errors: bool = ...,
    exact: int | Literal["auto"] | None = ...,
    components: int | None = ...,
    on_error: Literal["raise", "skip"] = ...,
    **settings: Unpack[Spellings],
) -> Fit[ModelT]: ...
@overload
def fit(
    model: None,
    series: OneSequence | ManySequences,
    *,
    covariance: Structures = ...,
    tied: bool | Sequence[Sequence[str]] = ...,
    fixed: str | Sequence[str] = ...,
    climb: Climb | None = ...,
    penalty: Penalty | None = ...,
    work: Work | None = ...,
    priors: Priors = ...,
    restarts: int | None = ...,
    seed: int = ...,
    standard_errors: bool = ...,
    exact: int | Literal["auto"] | None = ...,
    components: int | None = ...,
    on_error: Literal["raise", "skip"] = ...,
    **settings: Unpack[Spellings],
) -> Fit[GaussianRBN]: ...
def fit(
    model: Any,
    series: OneSequence | ManySequences | ManyTokens,
    *,
    covariance: Structures = "keep",
    tied: bool | Sequence[Sequence[str]] = False,
    fixed: str | Sequence[str] = (),
    climb: Climb | None = None,
    penalty: Penalty | None = None,
    work: Work | None = None,
    priors: Priors = "weak",
    restarts: int | None = None,
    seed: int = 0,
    standard_errors: bool = True,
    exact: int | Literal["auto"] | None = "auto",
    components: int | None = None,
    on_error: Literal["raise", "skip"] = "raise",
    **settings: Unpack[Spellings],
) -> Fit[Any]:
    """Train a model on a series, or on a list of series, by maximising the sum of their log evidences.

    What is climbed is the log likelihood with priors. The evidence of charts is approximate: by default it is compared with
    that of draws, whose weights are exact, and where the two differ so much that the result could change, the climb goes on
    on the latter. The log likelihood that is reported is that of draws. Ctrl-C returns the best model so far. A `PCFG` or
    `DiscreteRBN` is trained by expectation maximisation (`rb.reestimate`), which knows only `allowed`, `preference`,
    `pseudo_count`, `max_evaluations`, `executor` and `n_jobs`.

    Arguments:
        model: the structure and the starting values. None guesses one from the data (`GaussianRBN.guess`).
        series: what is observed, or a list of such, as for `rb.inside`.
        covariance: the structure of covariances, as for `Parameters`: "keep", "scalar", "diagonal", "circulant" or "full",
            or a mapping of names to these.
        tied: whether the links of each split share one covariance, or groups of names of blocks, as for `Parameters`.
        fixed: names or patterns of what stays as it is, as for `Parameters`.
        climb: the way up: `QuasiNewton(tolerance=...)` looks at all series in every step, `Adam(batch=...)` at some at a
            time, for many of them. None takes the former.
        penalty: a light one, which keeps variances and probabilities from zero: `Penalty(smallest_std=...,
            pseudo_count=...)`. None takes its defaults.
        work: where it runs and what it leaves behind: `Work(executor=..., n_jobs=..., checkpoint=..., resume=...,
            progress=...)`. None takes its defaults.
        priors: "weak" ones in units of the data, or others by name or pattern (`{"x.rules[1].std": rb.LogNormal(0.1, 0.5),
            "prior.*": None}`), the rest weak. None is plain maximum likelihood.
        restarts: how many further starts, which differ in kind from the model given; all are climbed a little, and the best
            ones to the end. None takes some, more of them for one series, and none for `Adam` and chains.
        seed: of starts, batches and draws.
        standard_errors: whether to compute those of the estimates.
        exact: "auto", as above; a number of draws per series, to climb on these in any case; None (or 0) trusts the charts.
        components: Gaussians per message of charts that are drawn from, 1 to 8. None takes as many as draws need.
        on_error: "raise", or "skip" to leave out series that the model cannot explain at all, which `skipped` of the result
            names.
        boundaries: as for `rb.inside`; the evidence is then that of the trees that are left. "auto" finds candidates by the
            model at hand, and again by what it has become; long series (above 300 observations, where charts take long) have
            them by default.
        allowed: as for `rb.inside`. None: all spans may be nodes.
        preference: as for `rb.inside`. With it the evidence is no longer normalised, and where leaves have several
            observations the climb is partly towards that. None: no tree is preferred.
        **settings: settings of the climb, the penalty and the work may also be given by themselves: `fit(model, series,
            tolerance=1e-3, executor=pool)`; method="adam" takes `Adam()`.
    """
    began = time.monotonic()
    groups = groups_of(climb, penalty, work, dict(settings))
    choice(on_error, ("raise", "skip"), "on_error")
    if restarts is not None:
        restarts = whole_number(restarts, "restarts", least=0, most=MOST_RESTARTS)
    seed = whole_number(seed, "seed", least=0)
    if exact is not None and not (isinstance(exact, str) and exact == "auto"):
        exact = whole_number(exact, 'exact (or "auto", or None)', least=0, most=MOST_DRAWS) or None
    if components is not None:
        components = whole_number(components, "components", least=1, most=LANES)
    standard_errors = flag(standard_errors, "standard_errors")
    chosen = choices_of(covariance, tied, fixed)
    if model is None:
        model = GaussianRBN.guess(series)
    family = family_of(model)
    if family.has("maximised"):
        others = isinstance(exact, int) or restarts or components or chosen != choices_of("keep", False, ())
        others = others or climb is not None or on_error != "raise" or not (priors is None or isinstance(priors, str))
        if others or groups.work.checkpoint or groups.work.resume:
            raise ModelError(
                f"{family.name} is trained by reestimate: it knows allowed, pseudo_count, max_evaluations, executor, n_jobs"
            )
        return _by_counting(model, series, groups, began)
    if exact is None and not family.has("inside"):
        raise ModelError(f"exact=None trusts charts, of which {family.name} has none; leave it out")
    task = read(model, series, groups.known)
    task.warn_if_long("fit", times=GRADIENT * min(USUAL, groups.climb.max_evaluations), by_default=True)
    parameters = _parameters(task, chosen)
    how = How(groups, priors, restarts, seed, exact, components, standard_errors, on_error == "skip")
    found = _by_climbing(task, parameters, how, began)
    if found.complaint:
        warnings.warn(found.complaint, ApproximationWarning, stacklevel=2)
    return found


def _parameters(task: Task, chosen: dict[str, Any]) -> Parameters:
    """What is free: what the user chose, but for quantities that these series leave idle."""
    family, model = task.family, task.model
    chosen = {**chosen, "tied": chosen["tied"] or family.ties(model)}
    parameters = Parameters(model, **chosen)
    idle = [name for name in family.idle(model, task.sequences) if any(name in one.quantities for one in parameters.blocks)]
    return Parameters(model, **{**chosen, "fixed": (*chosen["fixed"], *idle)}) if idle else parameters


def _by_climbing(task: Task, parameters: Parameters, how: How, began: float) -> Fit[Any]:
    data = [Constrained(*one) for one in zip(task.sequences, task.constraints, strict=True)]
    units = task.family.units(task.model, task.sequences)
    terrain = Terrain(*bounds(parameters, units), free_scales(parameters, units))
    climb, work = how.groups.climb, how.groups.work
    priors = priors_of(how.priors, parameters, units)
    strength = strength_of(how.groups.penalty, parameters, units)
    remembered = Checkpoint(work.checkpoint, fingerprint(parameters, data), parameters.size, work.resume)
    ended, lengths = Ended(), [len(sequence) for sequence in task.sequences]
    moving = Moving(task.model, data)
    with Progress(work.progress) as shown, Workers(parameters, data, work.runner) as workers:
        run = Run(parameters, workers, Shape(strength, priors), remembered, shown, len(data), climb)
        try:
            ascend(run, ended, terrain, how, lengths, moving)
        except KeyboardInterrupt:
            ended.reason = "interrupted"
        except Stopped:
            ended.reason = f"all {climb.max_evaluations} evaluations used"
        return record_climb(run, ended, terrain.units, lengths, began)


def _by_counting(model: Any, series: Any, groups: Groups, began: float) -> Fit[Any]:
    steps = groups.climb.max_evaluations
    series = list(series) if isinstance(series, Iterator) else series  # gone through more than once
    found = reestimate(
        model,
        series,
        steps=steps,
        tolerance=GAIN,
        pseudo_count=groups.penalty.pseudo_count,
        executor=groups.work.runner,
        **groups.known,
    )
    sequences, _ = family_of(model).read(model, series)
    return record_estimate(found, steps, sum(map(len, sequences)), began)
