"""`rb.fit`: from raw sequences to a trained model."""

import hashlib
import json
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import Any, Literal

import numpy as np

from recbayes.checks.many import per_series
from recbayes.checks.series import Series, all_series, is_many
from recbayes.discrete.chart.chart import are_many, listed
from recbayes.discrete.learn.em import free_numbers, reestimate
from recbayes.discrete.model.flat import Discrete
from recbayes.errors import ModelError
from recbayes.family.families import check_gaussian
from recbayes.gaussian.learn.blocks import Covariance
from recbayes.gaussian.learn.parameters import Parameters, chain_ties
from recbayes.gaussian.learn.units import free_scales, units_of
from recbayes.gaussian.model.guess import guess
from recbayes.inference.storage import to_json
from recbayes.learn.checkpoint import Checkpoint
from recbayes.learn.climb import Summit, Terrain, adam, quasi_newton
from recbayes.learn.information import observed_information, table
from recbayes.learn.penalty import bounds, make_penalty
from recbayes.learn.progress import Progress
from recbayes.learn.record import ExactEvidence, Fit
from recbayes.learn.refine import refine
from recbayes.learn.run import Here, Run, Stopped
from recbayes.learn.workers import Constrained, Workers

SMALLEST = 1e-4  # of the data's scale: the standard deviation of the penalty's extra observation
SPREAD = 1.0  # standard deviation of the free numbers of random starts around the given one
GAINED = 1e-3  # nats by which a climb that was cut short must be ahead of those that came to their end
GAIN = 1e-9  # of the log likelihood: a step of expectation maximisation that gains less is the last
EPOCHS = 30  # of Adam: how often every series is seen


def fit(
    model: Any,
    series: Any,
    *,
    covariance: Covariance = "keep",
    tied: bool | Sequence[Sequence[str]] = False,
    fixed: str | Sequence[str] = (),
    boundaries: Any = None,
    allowed: Any = None,
    method: Literal["quasi-newton", "adam"] = "quasi-newton",
    restarts: int = 0,
    seed: int = 0,
    tolerance: float = 1e-5,
    max_evaluations: int = 5000,
    batch: int = 10,
    learning_rate: float = 0.05,
    smallest_std: float | None = None,
    pseudo_count: float = 0.01,
    standard_errors: bool = True,
    exact: int = 0,
    on_error: Literal["raise", "skip"] = "raise",
    executor: Executor | None = None,
    checkpoint: str | os.PathLike | None = None,
    resume: bool = False,
    progress: bool | None = None,
) -> Fit:
    """Train a model on a series, or on a list of series, by maximising the sum of their log evidences.

    `model` gives the structure and the starting values; None guesses one from the data (`GaussianRBN.guess`). `covariance`,
    `tied` and `fixed` choose what is free, as for `Parameters`. `boundaries` and `allowed` hold, for every series, what is
    known of its tree: the evidence is then that of the trees they leave (`rb.known_spans`, `tree.span_mask()`).

    "quasi-newton" looks at all series in every step and ends when a step gains less than `tolerance` nats; "adam" looks at
    `batch` series at a time, for many of them. `restarts` more starts are drawn around the first one, and the best end wins.
    A light penalty keeps variances from zero (`smallest_std`, by default 1e-4 of the data's scale) and probabilities from
    zero (`pseudo_count`). `exact` draws per series, if any, refine the result by exact weights (`gaussian.learn.exact`).

    The work runs in threads, or in any `executor`. With a `checkpoint` every evaluation is kept on disk, and `resume=True`
    goes on from there to the same end. Ctrl-C returns the best model so far. `on_error="skip"` leaves out series that the
    model cannot explain at all, and says which.

    A `PCFG` or `DiscreteRBN` is trained by expectation maximisation (`rb.reestimate`).
    """
    began = time.monotonic()
    if isinstance(model, Discrete):
        if checkpoint or resume or exact or restarts or fixed or tied or boundaries is not None:
            raise ModelError(
                "a discrete model is trained by reestimate: it knows allowed, pseudo_count, max_evaluations, executor"
            )
        return _fit_discrete(model, listed(series), allowed, max_evaluations, pseudo_count, executor, began)
    _check_choices(method, on_error)
    _check_whole(restarts=restarts, seed=seed, exact=exact, batch=batch - 1, max_evaluations=max_evaluations - 1)
    _check_sizes(
        tolerance=tolerance, pseudo_count=pseudo_count, smallest_std=smallest_std or 0.0, learning_rate=learning_rate
    )
    seed, exact = int(seed), int(exact)
    if model is not None:
        check_gaussian(model)
    data = all_series(series, None if model is None else model.observed_dim)
    if model is None:
        model = guess(data, None, extra_observations=True)
    if not is_many(series):
        boundaries, allowed = [boundaries], [allowed]
    known = per_series(boundaries, len(data), "boundaries"), per_series(allowed, len(data), "allowed")
    constrained = [Constrained(*one) for one in zip(data, *known, strict=True)]
    parameters = Parameters(model, covariance=covariance, tied=tied or chain_ties(model), fixed=fixed)
    units = units_of(model, data)
    terrain = Terrain(*bounds(parameters, units), free_scales(parameters, units))
    penalty = make_penalty(parameters, units, smallest_std, SMALLEST, pseudo_count)
    starts = _starts(parameters, terrain, restarts, seed)
    remembered = Checkpoint(checkpoint, _fingerprint(parameters, constrained), resume)
    summits: list[Summit] = []
    further = 2 * parameters.size if standard_errors else 0
    information, evidence, refined, reason = None, None, None, ""
    with Progress(progress) as shown, Workers(parameters, constrained, executor) as workers:
        run = Run(parameters, workers, penalty, remembered, shown, len(data), max_evaluations, tolerance)
        try:
            run.begin(starts[0], on_error == "skip")
            for number, start in enumerate(starts):
                stage = "fitting" if len(starts) == 1 else f"start {number + 1} of {len(starts)}"
                run.enter(stage, climbs=len(starts) - number - 1, extra=further)
                if method == "quasi-newton":
                    summits.append(quasi_newton(run, start, terrain, tolerance))
                else:
                    batches = _batches(len(data), batch, seed + number)
                    steps = EPOCHS * -(-len(data) // batch)
                    run.enter(stage, length=(len(starts) - number) * (steps + 1) + further)
                    summits.append(adam(run, start, terrain, batches, steps, learning_rate))
            best = max(summits, key=lambda summit: summit.objective)
            climbed: Callable[[np.ndarray], Here] = run
            if exact:
                best, evidence, climbed = refine(run, best, terrain, tolerance, exact, seed)
                refined = best
            if standard_errors:
                run.enter("standard errors", length=further)
                information = observed_information(lambda v: climbed(v).gradient, best.vector, terrain.units)
        except KeyboardInterrupt:
            reason = "interrupted"
        except Stopped:
            reason = f"all {max_evaluations} evaluations used"
        return _record(run, summits, refined, evidence, information, terrain.units, reason, data, began)


def _check_choices(method: str, on_error: str) -> None:
    if method not in ("quasi-newton", "adam") or on_error not in ("raise", "skip"):
        raise ModelError(
            f'method must be "quasi-newton" or "adam" and on_error "raise" or "skip", got {method!r}, {on_error!r}'
        )


def _check_whole(**numbers: Any) -> None:
    for name, value in numbers.items():
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
            raise ModelError(f"{name} must be a whole number, and large enough; see the documentation of fit")


def _check_sizes(**numbers: float) -> None:
    for name, value in numbers.items():
        if not 0 <= value < np.inf:
            raise ModelError(f"{name} must be a finite number and not negative, got {value!r}")


def _starts(parameters: Parameters, terrain: Terrain, restarts: int, seed: int) -> list[np.ndarray]:
    """The free vector of the model, and others around it, all within the bounds."""
    first = parameters.vector()
    rng = np.random.default_rng(seed)
    others = [first + SPREAD * terrain.units * rng.normal(size=len(first)) for _ in range(restarts)]
    return [terrain.inside(start) for start in [first, *others]]


def _batches(series: int, size: int, seed: int) -> Callable[[int], Sequence[int]]:
    """Which series a step sees: every epoch goes through all of them in a new order."""
    per_epoch = -(-series // size)

    def batch(step: int) -> Sequence[int]:
        order = np.random.default_rng([seed, step // per_epoch]).permutation(series)
        part = step % per_epoch
        return sorted(order[part * size : (part + 1) * size].tolist())

    return batch


def _fingerprint(parameters: Parameters, series: Sequence[Constrained]) -> str:
    """What evaluations depend on: the model, what of it is free, and the data."""
    digest = hashlib.sha256(json.dumps(parameters.options).encode())
    digest.update(to_json(parameters.model).encode())
    for one in series:
        for array in (one.series.values, one.series.noise_covariance, one.boundaries, one.allowed):
            part = np.zeros(0) if array is None else np.ascontiguousarray(array)
            digest.update(f"{part.shape}{part.dtype}".encode() + part.tobytes())
    return digest.hexdigest()


def _record(
    run: Run,
    summits: list[Summit],
    refined: Summit | None,
    evidence: ExactEvidence | None,
    information: np.ndarray | None,
    units: np.ndarray,
    reason: str,
    data: Sequence[Series],
    began: float,
) -> Fit:
    """The best of what was found, however the climb ended."""
    run.settle()
    if run.best is None:
        raise KeyboardInterrupt  # nothing was evaluated yet, so there is nothing to return
    best = refined or max(summits, key=lambda summit: summit.objective, default=None)
    cut_short = reason != "" and refined is None
    if best is None or (cut_short and run.best[1].objective > best.objective + GAINED):
        best = Summit(run.best[0], run.best[1].objective, run.best[1].log_likelihood, False, reason)
    vector = best.vector
    return Fit(
        model=run.parameters.with_vector(vector),
        log_likelihood=best.log_likelihood,
        converged=best.converged,
        reason=reason or best.reason,
        history=tuple(run.history),
        starts=tuple(summit.log_likelihood for summit in summits),
        table=tuple(table(run.parameters, vector, information, units)),
        free=run.parameters.size,
        observations=sum(len(one) for number, one in enumerate(data) if number not in run.skipped),
        skipped=run.skipped,
        seconds=time.monotonic() - began,
        vector=vector,
        information=information,
        exact=evidence,
    )


def _fit_discrete(
    model: Any, sequences: Any, allowed: Any, steps: int, pseudo_count: float, executor: Executor | None, began: float
) -> Fit:
    settings = {"steps": steps, "tolerance": GAIN, "pseudo_count": pseudo_count, "allowed": allowed, "executor": executor}
    found = reestimate(model, sequences, **settings)
    return Fit(
        model=found.model,
        log_likelihood=found.history[-1],
        converged=found.converged,
        reason="the gain fell below the tolerance" if found.converged else f"all {steps} steps used",
        history=tuple(found.history),
        starts=(found.history[-1],),
        table=(),
        free=free_numbers(found.model),
        observations=sum(map(len, sequences)) if are_many(sequences) else len(sequences),
        skipped={},
        seconds=time.monotonic() - began,
    )
