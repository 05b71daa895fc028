"""Whether rounding left enough digits, where a model or its noise is ill-conditioned.

A log evidence does not depend on the units in which it is computed, but for rounding: so ill-conditioned models are computed
three times, in different units, and refused where the results differ, or where a message has a direction that rounding may
have made up. Others are computed once.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from recbayes.checks.series import Series
from recbayes.compiled.factors import GUARD
from recbayes.compiled.layout import HEIGHT, row_block, unpack_messages
from recbayes.errors import DataError
from recbayes.gaussian.chart.conditioning import condition_given, condition_left, shows_all
from recbayes.gaussian.chart.coordinates import coordinates_of, inner_model, twin
from recbayes.gaussian.chart.references import first_marginals
from recbayes.gaussian.chart.tables import tables_of
from recbayes.gaussian.emissions.emission import Emission
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.gaussian.model.roots import EASY, are_hard, root

TOLERANCE = 3e-8, 1e-13  # nats, and as a share of the log evidence
TWINS = 1, 2
VERY_HARD = 1e8  # a condition from which on charts are checked also if all is well in the coordinates chosen
DOUBTFUL = 1e-14, 10 * GUARD  # eigenvalues of precisions in units of their own: flat ones are below, informative ones above


def check_digits(chart: Any, compute: Callable[[GaussianRBN], Any]) -> None:
    """Refuse a chart whose rounding errors matter; `compute` fills it for the same model in other units."""
    check_observations(chart.model, chart.series)
    if not is_doubted(chart.model, chart.series):
        return
    apart = max(abs(compute(twin(chart.model, number)).log_evidence - chart.log_evidence) for number in TWINS)
    close = apart <= TOLERANCE[0] + TOLERANCE[1] * abs(chart.log_evidence)
    if not close or any(_is_doubtful(precisions) for precisions in _precisions(chart)):
        raise DataError(_refusal("" if close else f": rounding alone changes the log evidence by about {apart:.1g} nats"))


def _refusal(size: str) -> str:
    return (
        f"the model, or the noise of the series, is too ill-conditioned for this series{size}. Leave out dimensions that "
        "nearly follow from the others, or give them more noise"
    )


def check_observations(model: GaussianRBN, series: Series) -> None:
    """Refuse observations that show some directions of the value and not others, where kernels would mix these up.

    A precision that is singular in a direction which is not a coordinate is factorised with a threshold for what is flat. It
    is compared, on what an observation tells of a value with the variable's own distribution, with the root of the precision
    itself, which needs no threshold.
    """
    inner = inner_model(model)
    shown = [
        (v, rule)
        for v, variable in enumerate(inner.variables)
        for rule in variable.rules
        if isinstance(rule, Emission) and rule.probability > 0 and not rule.shows_value
    ]
    if not shown:
        return
    missing = np.isnan(series.values)
    patterns = np.unique(missing, axis=0) if missing.any() else missing[:1]
    spreads = [root(covariance) for _, covariance in first_marginals(inner)]
    for v, rule in shown:
        for pattern in patterns:
            G = rule.information_root(inner.variables[v].dim, np.flatnonzero(~pattern))
            if abs(_information(G @ spreads[v]) - _information(_guarded_root(G.T @ G).T @ spreads[v])) > TOLERANCE[0]:
                raise DataError(_refusal(""))


def _information(A: np.ndarray) -> float:
    """log det(1 + A' A) / 2."""
    return float(0.5 * np.log1p(np.linalg.svd(A, compute_uv=False) ** 2).sum())


def _guarded_root(P: np.ndarray) -> np.ndarray:
    """M with M M' = P but for directions that the kernels take for flat (`recbayes.compiled.factors`)."""
    rest, M = P.copy(), np.zeros_like(P)
    for a in range(len(P)):
        if rest[a, a] > GUARD * P[a, a]:
            M[a:, a] = rest[a:, a] / np.sqrt(rest[a, a])
            rest -= np.outer(M[:, a], M[:, a])
    return M


def is_doubted(model: GaussianRBN, series: Series) -> bool:
    """Whether a model or the noise of a series is so ill-conditioned that its charts are checked."""
    if series.noise_covariance is not None and are_hard(series.noise_covariance).any():
        return True
    coordinates = coordinates_of(model)
    if coordinates is None or condition_given(model) <= EASY:
        return False
    partly = not shows_all(model) or bool(np.isnan(series.values).any())
    return partly or condition_given(model) > VERY_HARD or condition_left(model, [one.basis for one in coordinates]) > EASY


def _precisions(chart: Any) -> Iterator[np.ndarray]:
    """The precisions of all messages, row by row."""
    plan, size = chart.plan, max(variable.dim for variable in chart.model.variables)
    children = tables_of(chart.model)[0].links["child"]
    stores = [
        *zip(plan.inside_base, plan.rows, strict=True),
        *((base, plan.rows[child]) for base, child in zip(plan.link_base, children, strict=True)),
        *((plan.emit_base, rows) for rows in plan.emit_rows),
    ]
    for messages in chart.messages.reshape(chart.components, -1):
        for base, rows in stores:
            for row in rows[rows["low"] <= rows["high"]]:
                block = row_block(messages, base, row, size)
                yield unpack_messages(block[:, block[HEIGHT] > -np.inf].T, size)[2]


def _is_doubtful(P: np.ndarray) -> bool:
    deviations = np.sqrt(np.maximum(np.einsum("naa->na", P), 0.0))
    unit = np.where(deviations > 0, deviations, 1.0)
    values = np.linalg.eigvalsh(P / unit[:, :, None] / unit[:, None, :])
    return bool(((values > DOUBTFUL[0]) & (values < DOUBTFUL[1])).any())
