"""Charts by way of logarithms, where one scale per span is not enough.

Inside and outside numbers in logarithms say which symbols matter over which spans. The others get the number zero, and with
them out of the way the rest fits a scale per span, so that all that is done with a chart is done as always.
"""

import numpy as np
from scipy.special import logsumexp

from recbayes.compiled.compilation import run_kernel
from recbayes.discrete.kernels.layout import SpanPlan, root_place
from recbayes.discrete.kernels.logarithms import fill_log_inside, fill_log_outside, widest_gap
from recbayes.discrete.model.binary_form import BinaryForm
from recbayes.errors import DataError

LOWEST = -690.0  # the log of the smallest factors that floats hold with all digits, and some reserve
NEGLIGIBLE = 200.0  # how far below the whole, in logarithms, a part may be left out


def numbers_by_logarithms(
    form: BinaryForm, plan: SpanPlan, tokens: np.ndarray, allowed: np.ndarray, preference: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Scaled inside numbers of all spans for the symbols that matter there, and their scales."""
    parts = (form.lexical, form.binary, form.chains)
    logs = np.full((plan.spans, form.symbols), -np.inf)
    outer = np.full_like(logs, -np.inf)
    run_kernel(fill_log_inside, parts, plan, tokens, allowed, preference, form.visible, logs)
    root = root_place(plan)
    with np.errstate(divide="ignore"):
        outer[root] = np.log(form.start)
    evidence = logsumexp(logs[root] + outer[root])
    if evidence == -np.inf:
        return np.zeros_like(logs), np.full(plan.spans, -np.inf)
    run_kernel(fill_log_outside, parts, plan, tokens, preference, form.visible, logs, outer)
    matters = _reached_by_chains(form, outer) + logs >= evidence - NEGLIGIBLE
    kept = np.where(matters, logs, -np.inf)
    scales = kept.max(axis=1)
    with np.errstate(invalid="ignore"):
        apart = np.where(matters, logs - scales[:, None], 0.0)
    if min(apart.min(), -run_kernel(widest_gap, plan, len(tokens), scales)) < LOWEST / 2:
        raise DataError("the weights of symbols over one span are too far apart for floating-point numbers")
    return np.where(matters, np.exp(apart), 0.0), scales


def _reached_by_chains(form: BinaryForm, outer: np.ndarray) -> np.ndarray:
    """Outside numbers of all nodes of a span: those below the highest are reached by unary rules."""
    if form.closure is None:
        return outer
    top = np.maximum(outer.max(axis=1, keepdims=True), -1e300)
    with np.errstate(divide="ignore"):
        return np.log(np.exp(outer - top) @ form.closure) + top
