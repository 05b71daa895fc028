"""Exact charts of discrete RBNs and grammars: inside, outside, the most probable tree."""

from collections.abc import Iterable, Mapping, Set, Sized
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from recbayes.checks.many import per_series, run_many
from recbayes.compiled.compilation import run_kernel
from recbayes.discrete.chart.dense import dense_rules, inside_dense, outside_dense
from recbayes.discrete.chart.logarithms import LOWEST, numbers_by_logarithms
from recbayes.discrete.chart.plan import SpanPlan, span_plan
from recbayes.discrete.kernels.sparse import fill_discrete, fill_discrete_best, fill_discrete_outside
from recbayes.discrete.model.binary_form import Binary, BinaryForm, Lexical, Unary, binary_form
from recbayes.discrete.model.flat import Discrete
from recbayes.errors import DataError, LengthError


@dataclass(frozen=True, eq=False)
class DiscreteChart:
    """The inside numbers of all spans of a sequence: weights of its parts as functions of the symbol above them. Exact."""

    model: Discrete
    tokens: np.ndarray
    log_evidence: float
    form: BinaryForm
    plan: SpanPlan
    allowed: np.ndarray
    values: np.ndarray  # (spans, symbols), scaled
    scales: np.ndarray  # (spans,)

    @property
    def length(self) -> int:
        return len(self.tokens)

    def log_inside(self, start: int, end: int) -> np.ndarray:
        """log p(tokens from start to end | symbol), for every non-terminal."""
        number = self.span(start, end)
        if number < 0:
            return np.full(self.form.real, -np.inf)
        with np.errstate(divide="ignore"):
            return self.scales[number] + np.log(self.values[number, : self.form.real])

    def span(self, start: int, end: int) -> int:
        """Where a span is stored, or -1 if no tree has it."""
        if not 0 <= start < end <= self.length:
            raise DataError(f"there is no span {start}:{end}; the sequence has {self.length} tokens")
        low, high = self.plan.low[end - start], self.plan.high[end - start]
        return int(self.plan.place[end - start] + start - low) if low <= start <= high else -1

    @cached_property
    def outside(self) -> "DiscreteOutside":
        return _outside(self)

    def __repr__(self) -> str:
        return f"DiscreteChart({self.length} tokens, log evidence {self.log_evidence:.6g})"


@dataclass(frozen=True, eq=False)
class DiscreteOutside:
    """Exact posteriors: expected numbers of nodes and of uses of rules."""

    chart: DiscreteChart
    outer: np.ndarray  # (spans, symbols): derivatives of the log evidence with respect to the scaled inside numbers
    arrivals: np.ndarray  # (spans, symbols): the highest node of a span is this symbol
    nodes: np.ndarray  # (spans, symbols): expected number of nodes of this symbol, chains of unary rules included
    rules: np.ndarray  # expected number of uses of every rule of the grammar

    @cached_property
    def node_probability(self) -> np.ndarray:
        """(N + 1, N + 1): the probability that some node spans from the row's to the column's position."""
        chart = self.chart
        probability = np.zeros((chart.length + 1, chart.length + 1))
        for width in range(1, chart.length + 1):
            starts = np.arange(chart.plan.low[width], chart.plan.high[width] + 1)
            first = chart.plan.place[width]
            here = self.arrivals[first : first + len(starts), chart.form.visible].sum(axis=1)
            probability[starts, starts + width] = here
        return np.minimum(probability, 1.0)

    def symbol_probability(self, start: int, end: int) -> dict[str, float]:
        """Expected numbers of nodes of each symbol over a span (probabilities, unless unary rules lead round)."""
        number = self.chart.span(start, end)
        names = self.chart.form.grammar.nonterminals
        return {} if number < 0 else {names[n]: float(p) for n, p in enumerate(self.nodes[number, : len(names)]) if p > 0}


def inside_discrete(model: Discrete, tokens: Any, allowed: Any = None) -> DiscreteChart:
    """The chart of one sequence of tokens (names of terminals; None is missing)."""
    form = binary_form(model.flat())
    numbers = token_numbers(form, tokens)
    plan = span_plan(form, len(numbers))
    mask = np.zeros((0, 0), dtype=np.bool_) if allowed is None else _mask(allowed, len(numbers))
    values, scales = scaled_numbers(form, plan, numbers, mask)
    root = int(plan.place[-1])
    weight = float(form.start @ values[root]) if plan.low[-1] <= plan.high[-1] else 0.0
    if weight == 0.0 or scales[root] == -np.inf:
        raise LengthError(f"the grammar generates no tree over these {len(numbers)} tokens; check rules and constraints")
    return DiscreteChart(model, numbers, float(scales[root] + np.log(weight)), form, plan, mask, values, scales)


def scaled_numbers(
    form: BinaryForm, plan: SpanPlan, tokens: np.ndarray, allowed: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Scaled inside numbers of all spans and their scales; by way of logarithms if that loses nothing only there."""
    values = np.zeros((plan.spans, form.symbols))
    scales = np.empty(plan.spans)
    dense = dense_rules(form, plan)
    parts = (form.lexical, form.binary, form.chains)
    if dense is not None:
        smallest = inside_dense(form, dense, plan, tokens, allowed, values, scales)
    else:
        smallest = run_kernel(fill_discrete, parts, plan, tokens, allowed, form.visible, values, scales)
    if smallest + form.lowest > LOWEST or not plan.spans:
        return values, scales
    return numbers_by_logarithms(form, plan, tokens, allowed)


def inside_tokens(model: Discrete, tokens: Any, allowed: Any = None, executor: Executor | None = None) -> Any:
    """The chart of one sequence, or a list of charts for a list of sequences (in threads)."""
    tokens = listed(tokens)
    if not are_many(tokens):
        return inside_discrete(model, tokens, allowed)
    many = list(tokens)
    masks = per_series(allowed, len(many), "allowed")
    return run_many(inside_numbered, range(len(many)), [model] * len(many), many, masks, executor=executor)


def inside_numbered(number: int, model: Discrete, tokens: Any, allowed: Any = None) -> DiscreteChart:
    """The chart of one sequence of several; errors say which."""
    try:
        return inside_discrete(model, listed(tokens), allowed)
    except (DataError, LengthError) as problem:
        raise type(problem)(f"sequence {number}: {problem}") from problem


def listed(tokens: Any) -> Any:
    """Tokens that can be gone through more than once. A string is a token, never a sequence."""
    single = isinstance(tokens, np.ndarray) and tokens.ndim == 0
    if single or isinstance(tokens, str | bytes | Mapping | Set) or not isinstance(tokens, Iterable):
        raise DataError(f"tokens must be a sequence of terminals, got {tokens!r}; split a sentence into its words")
    return tokens if isinstance(tokens, Sized) else list(tokens)


def are_many(tokens: Any) -> bool:
    """Whether these are several sequences of tokens rather than one."""
    if isinstance(tokens, np.ndarray) and tokens.dtype != object:
        return tokens.ndim > 1
    return any(issubclass(kind, Iterable) and not issubclass(kind, str | bytes) for kind in set(map(type, tokens)))


def token_numbers(form: BinaryForm, tokens: Iterable[Any]) -> np.ndarray:
    """Numbers of terminals; -1 for None and NaN. Every distinct token is looked up once."""
    if isinstance(tokens, np.ndarray) and tokens.dtype.kind in "iuU":
        distinct, which = np.unique(tokens, return_inverse=True)
        numbers = np.array([_token_number(form, token, tokens) for token in distinct.tolist()], dtype=np.int64)[which]
    else:
        given = list(tokens)
        known = {token: _token_number(form, token, given) for token in dict.fromkeys(given)}
        numbers = np.array([known[token] for token in given], dtype=np.int64)
    if not len(numbers):
        raise DataError("the sequence is empty; a tree spans at least one token")
    return numbers


def _token_number(form: BinaryForm, token: Any, tokens: Any) -> int:
    if token is None or _is_not_itself(token):
        return -1
    whole = isinstance(token, float | np.floating) and float(token).is_integer()
    name = token if isinstance(token, str) else str(int(token)) if whole else str(token)
    if name not in form.grammar.terminal_numbers:
        position = next(n for n, other in enumerate(tokens) if other is token or other == token)
        raise DataError(f"token {position} is {token!r}, which is no terminal of the grammar")
    return form.grammar.terminal_numbers[name]


def _is_not_itself(token: Any) -> bool:
    """NaN, NaT and NA: what is missing differs from itself, or cannot say."""
    try:
        return bool(token != token)
    except (TypeError, ValueError):
        return True


def _mask(allowed: Any, length: int) -> np.ndarray:
    mask = np.ascontiguousarray(allowed)
    mask = mask > 0 if mask.dtype == np.int8 else mask
    if mask.dtype != np.bool_ or mask.shape != (length + 1, length + 1):
        raise DataError(
            f"allowed must be a boolean array of shape ({length + 1}, {length + 1}), got {mask.dtype} of shape {mask.shape}"
        )
    return mask


def _outside(chart: DiscreteChart) -> DiscreteOutside:
    form, plan = chart.form, chart.plan
    outer = np.zeros_like(chart.values)
    root = int(plan.place[-1])
    outer[root] = form.start / (form.start @ chart.values[root])
    counts = (np.zeros(len(form.lexical.parent)), np.zeros(len(form.binary.parent)), np.zeros(len(form.unary.parent)))
    parts = (form.lexical, form.binary, form.chains, form.unary)
    dense = dense_rules(form, plan)
    if dense is not None:
        outside_dense(form, dense, plan, chart.tokens, chart.values, chart.scales, outer, counts)
    else:
        run_kernel(fill_discrete_outside, parts, plan, chart.tokens, chart.values, chart.scales, outer, counts)
    rules = np.zeros(len(form.grammar.lefts))
    real = form.rules >= 0  # steps that only unpack are no rules of the grammar
    np.add.at(rules, form.rules[real], np.concatenate(counts)[real])
    arrivals = outer * chart.values
    nodes = arrivals if form.closure is None else (outer @ form.closure) * chart.values
    return DiscreteOutside(chart, outer, arrivals, nodes, rules)


def best_choices(chart: DiscreteChart) -> tuple[np.ndarray, np.ndarray]:
    """For every span and symbol the log weight of its most probable tree, and its rule and split point."""
    form = chart.form
    return _best(chart, form.lexical, form.binary, form.unary, np.zeros_like(chart.values))


def best_gains(chart: DiscreteChart, gain: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Likewise the highest sum of gains of the spans below, whatever the rules weigh.

    `gain` (spans, symbols) is what a symbol gains that is the highest node of a span.
    """
    form = chart.form
    lexical = form.lexical._replace(log_weight=np.zeros_like(form.lexical.weight))
    binary = form.binary._replace(log_weight=np.zeros_like(form.binary.weight))
    unary = form.unary._replace(log_weight=np.zeros_like(form.unary.weight))
    return _best(chart, lexical, binary, unary, gain)


def _best(
    chart: DiscreteChart, lexical: Lexical, binary: Binary, unary: Unary, gain: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    values = np.empty_like(chart.values)
    choices = np.zeros((*chart.values.shape, 2), dtype=np.int64)
    data = chart.plan, chart.tokens, chart.allowed, chart.form.visible
    run_kernel(fill_discrete_best, (lexical, binary, unary), *data, gain, values, choices)
    return values, choices
