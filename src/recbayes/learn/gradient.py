"""`rb.log_evidence_and_gradient`: what learning climbs."""

from concurrent.futures import Executor
from typing import Any, NamedTuple, Unpack

import numpy as np

from recbayes.errors import DataError, ModelError
from recbayes.family.family import Model
from recbayes.inference.reading import ManySequences, ManyTokens, OneSequence, read
from recbayes.parameters.parameters import Parameters
from recbayes.spans.constraints import Constraints, Known


class EvidenceAndGradient(NamedTuple):
    """The log evidence and its derivatives with respect to the free vector of `parameters`.

    For a discrete model these are the log weights of its rules, and the derivatives their expected numbers of uses.
    """

    log_evidence: float
    gradient: np.ndarray
    parameters: Parameters | tuple[str, ...]


def log_evidence_and_gradient(
    model: Model[Any, Any, Any],
    series: OneSequence | ManySequences | ManyTokens,
    *,
    parameters: Parameters | None = None,
    executor: Executor | None = None,
    **known: Unpack[Known],
) -> EvidenceAndGradient:
    """The (moment-matched) log evidence of a series, or the sum over a list of series, and its gradient.

    `parameters` says what is free and how it is parametrised; by default everything is, with each covariance as it is
    (scalar, diagonal or full). See `inside` for the other arguments.
    """
    if parameters is not None and not isinstance(parameters, Parameters):
        raise ModelError(f"parameters must be Parameters(model, ...), got {type(parameters).__name__}")
    task = read(model, series, known)
    free = task.family.parameters(model, parameters)
    results = task.run(gradient_of_one, [free] * len(task.sequences), executor=executor)
    value = sum(one for one, _ in results)
    gradient = np.sum([one for _, one in results], axis=0)
    return EvidenceAndGradient(value, gradient, free)


def gradient_of_one(model: Any, sequence: Any, constraints: Constraints, parameters: Any) -> tuple[float, np.ndarray]:
    """The log evidence of one checked sequence, and its gradient."""
    with np.errstate(all="ignore"):  # what is not finite is refused
        value, gradient = model.family.evidence_and_gradient(model, sequence, constraints, parameters)
    if not np.isfinite(gradient).all():
        raise DataError("the gradient is not finite: the data and the model differ by too many orders of magnitude")
    return value, gradient
