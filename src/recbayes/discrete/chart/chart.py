"""Exact charts of discrete RBNs and grammars: inside, outside, the most probable tree."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from recbayes.checks.arguments import whole_span
from recbayes.compiled.compilation import run_kernel
from recbayes.discrete.chart.dense import dense_rules, inside_dense, outside_dense
from recbayes.discrete.chart.logarithms import LOWEST, numbers_by_logarithms
from recbayes.discrete.chart.plan import span_plan
from recbayes.discrete.kernels.best import fill_discrete_best
from recbayes.discrete.kernels.inside import fill_discrete
from recbayes.discrete.kernels.layout import SpanPlan, root_place, span_places
from recbayes.discrete.kernels.outside import fill_discrete_outside
from recbayes.discrete.model.binary_form import Binary, BinaryForm, Lexical, Unary, binary_form
from recbayes.discrete.model.flat import Discrete
from recbayes.errors import DataError, LengthError
from recbayes.family.cost import Cost, refuse_too_large
from recbayes.spans.constraints import FREE, Constraints
from recbayes.spans.table import SpanTable

MOST_PREFERENCE = 300.0  # nats: its exponential is multiplied by numbers that floats must still hold


ADVICE = "divide the sequence, or give a grammar whose trees branch one way"
SECONDS = 2e-9  # for every pair of a split and a rule, about


@dataclass(frozen=True, eq=False)
class DiscreteChart:
    """The inside numbers of all spans of a sequence: weights of its parts as functions of the symbol above them. Exact.

    Attributes:
        model: the model.
        tokens: numbers of the terminals; negative where one is missing.
        log_evidence: log p(Y), exactly.
        form: the model's rules as arrays of numbers.
        plan: which spans there are, and where they are stored.
        allowed: which spans may be nodes.
        preference: (spans,): log weights of spans that are nodes; empty if there are none.
        values: (spans, symbols): inside numbers, scaled; see `log_inside`.
        scales: (spans,): logarithms of the scales.
    """

    model: Discrete
    tokens: np.ndarray
    log_evidence: float
    form: BinaryForm
    plan: SpanPlan
    allowed: np.ndarray
    preference: np.ndarray
    values: np.ndarray
    scales: np.ndarray

    @property
    def length(self) -> int:
        """The number of tokens."""
        return len(self.tokens)

    def log_inside(self, start: int, end: int) -> np.ndarray:
        """log p(tokens from start to end | symbol), for every non-terminal.

        Arguments:
            start: the first token.
            end: the one after the last.
        """
        number = self.span(start, end)
        if number < 0:
            return np.full(self.form.real, -np.inf)
        with np.errstate(divide="ignore"):
            return self.scales[number] + np.log(self.values[number, : self.form.real])

    def span(self, start: int, end: int) -> int:
        """Where a span is stored, or -1 if no tree has it.

        Arguments:
            start: the first token.
            end: the one after the last.
        """
        start, end = whole_span(start, end)
        if not 0 <= start < end <= self.length:
            raise DataError(f"there is no span {start}:{end}; the sequence has {self.length} tokens")
        low, high = self.plan.low[end - start], self.plan.high[end - start]
        return int(span_places(self.plan, start, end - start)) if low <= start <= high else -1

    @cached_property
    def outside(self) -> "DiscreteOutside":
        """What is outside of all spans: a `DiscreteOutside`."""
        return outside_discrete(self)

    def __repr__(self) -> str:
        return f"DiscreteChart({self.length} tokens, log evidence {self.log_evidence:.6g})"


@dataclass(frozen=True, eq=False)
class DiscreteOutside:
    """Exact posteriors: expected numbers of nodes and of uses of rules.

    Attributes:
        chart: the inside chart.
        outer: (spans, symbols): derivatives of the log evidence with respect to the scaled inside numbers.
        arrivals: (spans, symbols): the probability that the highest node of a span is this symbol.
        nodes: (spans, symbols): the expected number of nodes of this symbol, chains of unary rules included.
        rules: the expected number of uses of every rule of the grammar.
    """

    chart: DiscreteChart
    outer: np.ndarray
    arrivals: np.ndarray
    nodes: np.ndarray
    rules: np.ndarray

    @cached_property
    def spans(self) -> SpanTable:
        """The spans that are nodes of some tree, with their probabilities."""
        chart = self.chart
        rows = [np.arange(low, high + 1) for low, high in zip(chart.plan.low, chart.plan.high, strict=True)]
        starts = np.concatenate(rows[1:])
        widths = np.repeat(np.arange(1, len(rows)), [len(row) for row in rows[1:]])
        probability = np.concatenate(
            [
                self.arrivals[span_places(chart.plan, row, width)][:, chart.form.visible].sum(axis=1)
                for width, row in enumerate(rows[1:], start=1)
            ]
        )
        there = probability > 0
        points = np.arange(chart.length + 1)
        return SpanTable.summed(points, starts[there], (starts + widths)[there], probability[there])

    @cached_property
    def node_probability(self) -> np.ndarray:
        """(N + 1, N + 1): the probability that some node spans from the row's to the column's position."""
        return self.spans.dense()

    def symbol_probability(self, start: int, end: int) -> dict[str, float]:
        """Expected numbers of nodes of each symbol over a span (probabilities, unless unary rules lead round).

        Arguments:
            start: the first token of the span.
            end: the one after the last.
        """
        number = self.chart.span(start, end)
        names = self.chart.form.grammar.nonterminals
        return {} if number < 0 else {names[n]: float(p) for n, p in enumerate(self.nodes[number, : len(names)]) if p > 0}


def discrete_cost(model: Discrete, length: int) -> Cost:
    """What the chart of so many tokens takes."""
    form = binary_form(model.flat())
    return _cost(form, span_plan(form, length))


def _cost(form: BinaryForm, plan: SpanPlan) -> Cost:
    splits = np.maximum(plan.high - plan.low + 1, 0) * np.maximum(plan.last_left - plan.first_left + 1, 0)
    cells, pairs = plan.spans * form.symbols, int(splits.sum()) * len(form.binary.parent)
    return Cost(cells, pairs, cells * np.dtype(np.float64).itemsize, SECONDS * pairs)


def inside_discrete(model: Discrete, numbers: np.ndarray, constraints: Constraints = FREE) -> DiscreteChart:
    """The chart of one sequence of tokens, given as numbers of terminals (negative: missing)."""
    if constraints.boundaries is not None:
        raise DataError("charts of discrete models are exact, and know no boundaries; see allowed")
    form = binary_form(model.flat())
    plan = span_plan(form, len(numbers))
    refuse_too_large(_cost(form, plan), len(numbers) + 1, ADVICE)
    mask = constraints.mask(len(numbers)) > 0
    preference = _of_spans(plan, constraints.preference_between(np.arange(len(numbers) + 1), len(numbers)))
    values, scales = scaled_numbers(form, plan, numbers, mask, preference)
    root = root_place(plan)
    weight = float(form.start @ values[root]) if plan.low[-1] <= plan.high[-1] else 0.0
    if weight == 0.0 or scales[root] == -np.inf:
        raise LengthError(f"the grammar generates no tree over these {len(numbers)} tokens; check rules and constraints")
    return DiscreteChart(model, numbers, float(scales[root] + np.log(weight)), form, plan, mask, preference, values, scales)


def _of_spans(plan: SpanPlan, preference: np.ndarray) -> np.ndarray:
    """What is thought of every span of a plan."""
    if not len(preference):
        return np.zeros(0)
    largest = float(np.abs(np.triu(preference, 1)).max())
    if largest > MOST_PREFERENCE:
        raise DataError(
            f"charts of discrete models take preferences from -{MOST_PREFERENCE:g} to {MOST_PREFERENCE:g}, got "
            f"{largest:.6g}; what is ruled out is for allowed="
        )
    found = np.zeros(plan.spans)
    for width in range(1, len(preference)):
        starts = np.arange(plan.low[width], plan.high[width] + 1)
        found[span_places(plan, starts, width)] = preference[starts, starts + width]
    return found


def scaled_numbers(
    form: BinaryForm, plan: SpanPlan, tokens: np.ndarray, allowed: np.ndarray, preference: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Scaled inside numbers of all spans and their scales; by way of logarithms if that loses nothing only there."""
    values = np.zeros((plan.spans, form.symbols))
    scales = np.empty(plan.spans)
    dense = dense_rules(form, plan)
    parts = (form.lexical, form.binary, form.chains)
    if dense is not None:
        smallest = inside_dense(form, dense, plan, tokens, allowed, preference, values, scales)
    else:
        smallest = run_kernel(fill_discrete, parts, plan, tokens, allowed, preference, form.visible, values, scales)
    if smallest + form.lowest > LOWEST or not plan.spans:
        return values, scales
    return numbers_by_logarithms(form, plan, tokens, allowed, preference)


def outside_discrete(chart: DiscreteChart) -> DiscreteOutside:
    """What is outside of all spans; for those who need it once, as what the chart keeps refers back to it."""
    form, plan = chart.form, chart.plan
    outer = np.zeros_like(chart.values)
    root = root_place(plan)
    outer[root] = form.start / (form.start @ chart.values[root])
    counts = (np.zeros(len(form.lexical.parent)), np.zeros(len(form.binary.parent)), np.zeros(len(form.unary.parent)))
    parts = (form.lexical, form.binary, form.chains, form.unary)
    dense = dense_rules(form, plan)
    if dense is not None:
        outside_dense(form, dense, plan, chart.tokens, chart.preference, chart.values, chart.scales, outer, counts)
    else:
        data = chart.tokens, chart.preference, form.visible, chart.values, chart.scales
        run_kernel(fill_discrete_outside, parts, plan, *data, outer, counts)
    rules = np.zeros(len(form.grammar.lefts))
    real = form.rules >= 0  # steps that only unpack are no rules of the grammar
    np.add.at(rules, form.rules[real], np.concatenate(counts)[real])
    arrivals = outer * chart.values
    nodes = arrivals if form.closure is None else (outer @ form.closure) * chart.values
    return DiscreteOutside(chart, outer, arrivals, nodes, rules)


def best_choices(chart: DiscreteChart) -> tuple[np.ndarray, np.ndarray]:
    """For every span and symbol the log weight of its most probable tree, and its rule and split point."""
    form = chart.form
    return _best(chart, form.lexical, form.binary, form.unary, np.zeros_like(chart.values), chart.preference)


def best_gains(chart: DiscreteChart, gain: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Likewise the highest sum of gains of the spans below, whatever the rules weigh.

    `gain` (spans, symbols) is what a symbol gains that is the highest node of a span.
    """
    form = chart.form
    lexical = form.lexical._replace(log_weight=np.zeros_like(form.lexical.weight))
    binary = form.binary._replace(log_weight=np.zeros_like(form.binary.weight))
    unary = form.unary._replace(log_weight=np.zeros_like(form.unary.weight))
    return _best(chart, lexical, binary, unary, gain, np.zeros(0))


def _best(
    chart: DiscreteChart, lexical: Lexical, binary: Binary, unary: Unary, gain: np.ndarray, preference: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    values = np.empty_like(chart.values)
    choices = np.zeros((*chart.values.shape, 2), dtype=np.int64)
    data = chart.plan, chart.tokens, chart.allowed, preference, chart.form.visible
    run_kernel(fill_discrete_best, (lexical, binary, unary), *data, gain, values, choices)
    return values, choices
