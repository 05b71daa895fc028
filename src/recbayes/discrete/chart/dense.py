"""Charts of dense grammars by matrix products: all spans of one width at once.

For every span, the products of its children's numbers, summed over split points, are one matrix product; and all rules
together are another, between these sums and the table of rules. Used where most of that table is filled; what it computes is
what the kernels compute by lists of rules.
"""

from typing import NamedTuple

import numpy as np

from recbayes.checks.kept import kept
from recbayes.compiled.compilation import run_kernel
from recbayes.discrete.chart.plan import children_of_rules
from recbayes.discrete.kernels.dense import fill_dense
from recbayes.discrete.kernels.layout import SpanPlan, span_places
from recbayes.discrete.model.binary_form import BinaryForm

FILLED = 0.2  # of the table: below this, lists of rules are faster
SMALLEST, LARGEST = 500, 20_000_000  # entries of the table
CHUNK = 4_000_000  # numbers of sums held at once


class DenseRules(NamedTuple):
    """The table of binary rules over the symbols that occur as left children, right children and parents."""

    left: np.ndarray
    right: np.ndarray
    parent: np.ndarray
    table: np.ndarray  # (left * right, parent)
    place: tuple[np.ndarray, np.ndarray]  # where each rule stands in the table
    closure: np.ndarray | None  # of unary rules


def dense_rules(form: BinaryForm, plan: SpanPlan) -> DenseRules | None:
    """The table, if the grammar is dense and needs all spans."""
    length = len(plan.low) - 1
    return _table(form) if plan.spans == length * (length + 1) // 2 else None


@kept
def _table(form: BinaryForm) -> DenseRules | None:
    left_child, right_child = children_of_rules(form)
    left, right, parent = (np.unique(symbols) for symbols in (left_child, right_child, form.binary.parent))
    entries = len(left) * len(right) * len(parent)
    if not SMALLEST <= entries <= LARGEST or len(left_child) < FILLED * entries:
        return None
    rows = np.searchsorted(left, left_child) * len(right) + np.searchsorted(right, right_child)
    columns = np.searchsorted(parent, form.binary.parent)
    table = np.zeros((len(left) * len(right), len(parent)))
    table[rows, columns] = form.binary.weight
    return DenseRules(left, right, parent, table, (rows, columns), form.closure)


def inside_dense(
    form: BinaryForm,
    rules: DenseRules,
    plan: SpanPlan,
    tokens: np.ndarray,
    allowed: np.ndarray,
    preference: np.ndarray,
    values: np.ndarray,
    scales: np.ndarray,
) -> float:
    """`fill_discrete` by matrix products."""
    symbols = rules.left, rules.right, rules.parent
    closure = np.zeros((0, 0)) if rules.closure is None else rules.closure
    sums = np.empty((min(len(tokens), max(1, CHUNK // len(rules.table))), len(rules.table)))
    data = plan, _emissions(form, tokens), allowed, preference, form.visible
    return run_kernel(fill_dense, symbols, rules.table, closure, *data, values, scales, sums)


def outside_dense(
    form: BinaryForm,
    rules: DenseRules,
    plan: SpanPlan,
    tokens: np.ndarray,
    preference: np.ndarray,
    values: np.ndarray,
    scales: np.ndarray,
    outer: np.ndarray,
    counts: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    """`fill_discrete_outside` by matrix products."""
    lexical_counts, binary_counts, unary_counts = counts
    length = len(tokens)
    table_counts = np.zeros_like(rules.table)
    for width in range(length, 0, -1):
        here = span_places(plan, np.arange(length - width + 1), width)
        row = slice(here[0], here[-1] + 1)  # a dense chart has all spans
        reached = np.where(np.isfinite(scales[row])[:, None], outer[row], 0.0)
        if rules.closure is not None:
            reached = reached @ rules.closure
        reached = np.where(values[row] > 0.0, reached, 0.0)  # what is no node here, as it is not allowed, leads nowhere
        if rules.closure is not None:
            unary = form.unary
            unary_counts += unary.weight * (reached[:, unary.parent] * values[row][:, unary.child]).sum(axis=0)
        if len(preference):
            reached = np.where(form.visible, np.exp(preference[row])[:, None], 1.0) * reached
        if width == 1:
            _emission_counts(form, tokens, reached, scales[here], lexical_counts)
            continue
        for part in _chunks(len(here), rules):
            sums, top, share, left, right = _sums(rules, plan, values, scales, width, part)
            with np.errstate(invalid="ignore"):
                rescale = np.where(np.isfinite(scales[here[part]]), np.exp(top - scales[here[part]]), 0.0)
            mine = reached[part.start : part.stop, rules.parent] * rescale[:, None]
            table_counts += sums.T @ mine
            above = (mine @ rules.table.T).reshape(len(mine), len(rules.left), len(rules.right))
            one = values[left][:, :, rules.left]
            two = values[right][:, :, rules.right] * share[:, :, None]
            outer[left[:, :, None], rules.left] += np.matmul(two, above.transpose(0, 2, 1))
            outer[right[:, :, None], rules.right] += np.matmul(one * share[:, :, None], above)
    binary_counts += (table_counts * rules.table)[rules.place]


def _sums(
    rules: DenseRules, plan: SpanPlan, values: np.ndarray, scales: np.ndarray, width: int, part: range
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """For some spans of one width: sums over split points for every pair of symbols and their log scale; and for every split
    point its share of the scale and the numbers of the children's spans."""
    starts, widths = np.array(part)[:, None], np.arange(1, width)[None, :]
    left = span_places(plan, starts, widths)
    right = span_places(plan, starts + widths, width - widths)
    both = scales[left] + scales[right]
    top = both.max(axis=1)
    safe = np.where(np.isfinite(top), top, 0.0)
    share = np.exp(both - safe[:, None])
    one = values[left][:, :, rules.left] * share[:, :, None]
    two = values[right][:, :, rules.right]
    sums = np.matmul(one.transpose(0, 2, 1), two).reshape(len(starts), -1)
    return sums, safe, share, left, right


def _chunks(count: int, rules: DenseRules) -> list[range]:
    step = max(1, CHUNK // len(rules.table))
    return [range(begin, min(begin + step, count)) for begin in range(0, count, step)]


def _emissions(form: BinaryForm, tokens: np.ndarray) -> np.ndarray:
    by_terminal = np.zeros((len(form.grammar.terminals) + 1, form.symbols))  # the last row is for missing tokens
    np.add.at(by_terminal, (form.lexical.terminal, form.lexical.parent), form.lexical.weight)
    by_terminal[-1] = by_terminal[:-1].sum(axis=0)
    return by_terminal[tokens]


def _emission_counts(
    form: BinaryForm, tokens: np.ndarray, reached: np.ndarray, scales: np.ndarray, counts: np.ndarray
) -> None:
    by_terminal = np.zeros((len(form.grammar.terminals) + 1, form.symbols))
    np.add.at(by_terminal, tokens, reached * np.where(np.isfinite(scales), np.exp(-scales), 0.0)[:, None])
    weights = by_terminal[form.lexical.terminal, form.lexical.parent] + by_terminal[-1, form.lexical.parent]
    counts += form.lexical.weight * weights
