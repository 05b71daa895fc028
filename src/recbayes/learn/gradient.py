"""`rb.log_evidence_and_gradient`: what learning climbs."""

from concurrent.futures import Executor
from typing import Any, NamedTuple, Unpack

import numpy as np

from recbayes.checks.arguments import executor_of
from recbayes.checks.arrays import MOST_DRAWS, whole_number
from recbayes.compiled.lanes import LANES
from recbayes.errors import DataError, ModelError
from recbayes.family.family import Model
from recbayes.inference.candidates import with_candidates
from recbayes.inference.reading import ManySequences, ManyTokens, OneSequence, read
from recbayes.parameters.parameters import Parameters
from recbayes.spans.constraints import Constraints, Known

GRADIENT = 4.0  # times what charts take: to fill them, and to go back through them


class EvidenceAndGradient(NamedTuple):
    """The log evidence of a model, and its derivatives.

    Attributes:
        log_evidence: of all series together.
        gradient: its derivatives with respect to the free vector; for a discrete model with respect to the log weights of
            its rules, which are their expected numbers of uses.
        parameters: what the numbers of the free vector are: `Parameters`; for a discrete model, the names of its rules.
        log_evidence_error: by draws, the standard error of the log evidence.
    """

    log_evidence: float
    gradient: np.ndarray
    parameters: Parameters | tuple[str, ...]
    log_evidence_error: float = 0.0


def log_evidence_and_gradient(
    model: Model[Any, Any, Any],
    series: OneSequence | ManySequences | ManyTokens,
    *,
    parameters: Parameters | None = None,
    draws: int | None = None,
    components: int | None = None,
    seed: int = 0,
    executor: Executor | None = None,
    n_jobs: int | None = None,
    **known: Unpack[Known],
) -> EvidenceAndGradient:
    """The (moment-matched) log evidence of a series, or the sum over a list of series, and its gradient:
    `EvidenceAndGradient`.

    Arguments:
        model: a model of any family.
        series: what is observed, or a list of such, as for `rb.inside`.
        parameters: what is free and how it is parametrised. None: everything, with each covariance as it is (scalar,
            diagonal or full).
        draws: how many trees estimate evidence and gradient exactly (by Fisher's identity). None takes those of the chart.
        components: Gaussians per message of charts that are drawn from; only with `draws`. None takes as many as draws need.
        seed: of the draws.
        executor: what runs the work on several series, any of `concurrent.futures`. None takes threads.
        n_jobs: how many jobs of joblib run it instead: threads, unless `joblib.parallel_config` says otherwise; -1 for all
            processors. None leaves it to the executor.
        **known: `boundaries`, `allowed` and `preference`, as for `rb.inside`.
    """
    if components is not None:
        components = whole_number(components, "components", least=1, most=LANES)
        if draws is None:
            raise ModelError("components are those of charts that are drawn from: give draws, too")
    if draws is not None:
        draws = whole_number(draws, "draws", least=1, most=MOST_DRAWS)
    seed = whole_number(seed, "seed", least=0)
    if parameters is not None and not isinstance(parameters, Parameters):
        raise ModelError(f"parameters must be Parameters(model, ...), got {type(parameters).__name__}")
    runner = executor_of(executor, n_jobs)
    task = read(model, series, known)
    task.warn_if_long("log_evidence_and_gradient", times=GRADIENT)
    free = task.family.parameters(model, parameters)
    count = len(task.sequences)
    if draws is None or not task.family.has("draw_around"):  # without it, charts are exact
        results = task.run(gradient_of_one, [free] * count, executor=runner)
    else:
        seeds = np.random.default_rng(seed).integers(2**62, size=count).tolist()
        settings = [draws] * count, seeds, [components] * count
        results = task.run(drawn_gradient_of_one, [free] * count, *settings, executor=runner)
    value = sum(one.log_evidence for one in results)
    gradient = np.sum([one.gradient for one in results], axis=0)
    return EvidenceAndGradient(value, gradient, free, float(np.sqrt(sum(one.variance for one in results))))


class _One(NamedTuple):
    log_evidence: float
    gradient: np.ndarray
    variance: float = 0.0


def gradient_of_one(model: Any, sequence: Any, constraints: Constraints, parameters: Any) -> _One:
    """The log evidence of one checked sequence, and its gradient."""
    with np.errstate(all="ignore"):  # what is not finite is refused
        constraints = with_candidates(model, sequence, constraints)
        return _finite(_One(*model.family.evidence_and_gradient(model, sequence, constraints, parameters)))


def drawn_gradient_of_one(
    model: Any, sequence: Any, constraints: Constraints, parameters: Any, draws: int, seed: int, components: int | None
) -> _One:
    """The same of the exact evidence, by draws."""
    with np.errstate(all="ignore"):
        constraints = with_candidates(model, sequence, constraints)
        drawn = model.family.draw_around(model, sequence, constraints, draws, seed, components)
        value, slopes, variance, _ = model.family.evaluate_around(model, sequence, constraints, drawn)
        return _finite(_One(value, parameters.pull_back(model, slopes), variance))


def _finite(one: _One) -> _One:
    if not np.isfinite(one.gradient).all():
        raise DataError("the gradient is not finite: the data and the model differ by too many orders of magnitude")
    return one
