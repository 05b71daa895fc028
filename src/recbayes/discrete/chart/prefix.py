"""The probability that a sequence begins with given tokens, whatever follows (Jelinek and Lafferty).

For the rest of a prefix from position i on, let p_A(i) be the weight with which A generates it and then anything. In the
binary form, either A splits at a point within the prefix, or its left child reaches beyond the end and the right child is
free, with total weight z_C; the second is a linear recursion over left corners, solved once.
"""

from typing import Any

import numpy as np

from recbayes.compiled.compilation import run_kernel
from recbayes.discrete.chart.plan import children_of_rules
from recbayes.discrete.chart.total_weights import total_weights
from recbayes.discrete.kernels.inside import fill_discrete
from recbayes.discrete.kernels.layout import SpanPlan, span_places
from recbayes.discrete.model.binary_form import BinaryForm, binary_form
from recbayes.discrete.model.flat import Discrete
from recbayes.discrete.model.tokens import are_many, listed, token_numbers
from recbayes.errors import DataError


def log_prefix_probability(model: Discrete, tokens: Any) -> float:
    """log p(y_1 ... y_n, and anything or nothing after it)."""
    tokens = listed(tokens)
    if are_many(tokens):
        raise DataError("a prefix is one sequence of tokens, got several; ask for one at a time")
    form = binary_form(model.flat())
    numbers = token_numbers(form.grammar, tokens)
    n = len(numbers)
    z = total_weights(form)
    values, scales, plan = _all_spans(form, numbers)
    left, right = children_of_rules(form)
    solve = np.linalg.inv(np.eye(form.symbols) - _corners(form, z))
    prefix = np.zeros((n, form.symbols))  # scaled by exp(scale)
    scale = np.zeros(n)
    for i in range(n - 1, -1, -1):
        shift = [scales[span_places(plan, i, j - i)] + scale[j] for j in range(i + 1, n)]
        top = max([0.0 if i == n - 1 else -np.inf, *shift])
        begun = np.zeros(form.symbols)
        if i == n - 1:
            rules = (
                slice(form.lexical.first[numbers[i]], form.lexical.first[numbers[i] + 1]) if numbers[i] >= 0 else slice(None)
            )
            np.add.at(begun, form.lexical.parent[rules], form.lexical.weight[rules])
        for j, size in zip(range(i + 1, n), shift, strict=True):
            if size > -np.inf:
                both = values[span_places(plan, i, j - i), left] * prefix[j, right] * np.exp(size - top)
                np.add.at(begun, form.binary.parent, form.binary.weight * both)
        found = np.where(z > 0, solve @ begun, 0.0)
        largest = found.max()
        prefix[i], scale[i] = (found / largest, top + np.log(largest)) if largest > 0 else (found, -np.inf)
    weight = float(form.start @ prefix[0])
    return float(scale[0] + np.log(weight)) if weight > 0 else -np.inf


def _corners(form: BinaryForm, z: np.ndarray) -> np.ndarray:
    """The weight with which A's left corner is B and all the rest of A is free. Symbols that no tree has are left alone."""
    left, right = children_of_rules(form)
    matrix = np.zeros((form.symbols, form.symbols))
    np.add.at(matrix, (form.unary.parent, form.unary.child), form.unary.weight)
    np.add.at(matrix, (form.binary.parent, left), form.binary.weight * z[right])
    return np.where((z[:, None] > 0) & (z > 0), matrix, 0.0)


def _all_spans(form: BinaryForm, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray, SpanPlan]:
    """Inside numbers of every span, whether or not a tree of exactly these tokens needs it."""
    n = len(numbers)
    widths = np.arange(n + 1)
    counts = np.where(widths > 0, n - widths + 1, 0)
    place = np.concatenate([[0], np.cumsum(counts)[:-1]])
    plan = SpanPlan(
        np.where(widths > 0, 0, n),
        np.where(widths > 0, n - widths, -1),
        place,
        np.ones(n + 1, dtype=np.int64),
        widths - 1,
        int(counts.sum()),
    )
    values, scales = np.zeros((plan.spans, form.symbols)), np.empty(plan.spans)
    mask = np.zeros((0, 0), dtype=np.bool_)
    run_kernel(
        fill_discrete,
        (form.lexical, form.binary, form.chains),
        plan,
        numbers,
        mask,
        np.zeros(0),
        form.visible,
        values,
        scales,
    )
    return values, scales, plan
