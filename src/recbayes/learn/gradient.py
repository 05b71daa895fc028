"""`rb.log_evidence_and_gradient`: what learning climbs."""

from concurrent.futures import Executor
from typing import Any, NamedTuple

import numpy as np

from recbayes.checks.many import per_series, run_many
from recbayes.checks.series import as_series, is_many
from recbayes.discrete.learn.em import expected_counts
from recbayes.discrete.model.flat import Discrete
from recbayes.discrete.model.grammar_text import rule_names
from recbayes.errors import ModelError
from recbayes.family.families import check_gaussian
from recbayes.gaussian.chart.gradient import model_gradient
from recbayes.gaussian.chart.inside import inside_one
from recbayes.gaussian.learn.parameters import Parameters
from recbayes.gaussian.model.rbn import GaussianRBN


class EvidenceAndGradient(NamedTuple):
    """The log evidence and its derivatives with respect to the free vector of `parameters`.

    For a discrete model these are the log weights of its rules, and the derivatives their expected numbers of uses.
    """

    log_evidence: float
    gradient: np.ndarray
    parameters: Parameters | tuple[str, ...]


def log_evidence_and_gradient(
    model: GaussianRBN | Discrete,
    series: object,
    *,
    parameters: Parameters | None = None,
    boundaries: Any = None,
    allowed: Any = None,
    executor: Executor | None = None,
) -> EvidenceAndGradient:
    """The (moment-matched) log evidence of a series, or the sum over a list of series, and its gradient.

    `parameters` says what is free and how it is parametrised; by default everything is, with each covariance as it is
    (scalar, diagonal or full). See `inside` for the other arguments.
    """
    if isinstance(model, Discrete):
        if parameters is not None or boundaries is not None:
            raise ModelError("parameters and boundaries are for Gaussian models; a discrete one has its rules, and allowed")
        counts = expected_counts(model, series, allowed=allowed, executor=executor)
        return EvidenceAndGradient(counts.log_evidence, counts.rules, rule_names(model.flat()))
    check_gaussian(model)
    if parameters is None:
        if "parameters" not in model.derived:
            model.derived["parameters"] = Parameters(model)
        parameters = model.derived["parameters"]
    else:
        parameters.check(model)
    many = list(series) if is_many(series) else [series]  # type: ignore[call-overload]
    if not is_many(series):
        boundaries, allowed = [boundaries], [allowed]
    label = "series {}" if is_many(series) else "the series"
    data = [as_series(one, model.observed_dim, label.format(number)) for number, one in enumerate(many)]
    jobs = ([model] * len(data), [parameters] * len(data), data)
    constraints = (per_series(boundaries, len(data), "boundaries"), per_series(allowed, len(data), "allowed"))
    if executor is None and len(data) == 1:
        results = [evidence_and_gradient_of(model, parameters, data[0], constraints[0][0], constraints[1][0])]
    else:
        results = run_many(evidence_and_gradient_of, *jobs, *constraints, executor=executor)
    value = sum(one for one, _ in results)
    gradient = np.sum([one for _, one in results], axis=0)
    return EvidenceAndGradient(value, gradient, parameters)


def evidence_and_gradient_of(
    model: GaussianRBN, parameters: Parameters, series: Any, boundaries: Any, allowed: Any
) -> tuple[float, np.ndarray]:
    """The log evidence of one checked series, and its gradient."""
    chart = inside_one(model, series, boundaries, allowed)
    return chart.log_evidence, parameters.pull_back(model, model_gradient(chart))
