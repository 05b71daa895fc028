"""The total weight of all finite trees below each symbol: one, if the grammar is normalised and its trees are finite.

Totals are the least solution of the equations x_A = F_A(x) = sum over rules A -> X of their weights times the totals of X.
They are solved component by component, from the leaves up; within a component every symbol leads to every other. Newton's
method from zero,

    x <- x + (1 - J)^-1 (F(x) - x),    J the derivatives of F at x,

rises to the least solution and doubles its digits at every step. In a critical component, such as S -> S S [1] | 'a' [0.25],
it halves the error at every step, down to the root of the rounding. Where J leads round with a weight of one or more before
that, there is no solution: the total is infinite. Whether one is the solution is looked at first.
"""

from collections.abc import Callable
from graphlib import TopologicalSorter

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from recbayes.checks.kept import kept
from recbayes.discrete.chart.plan import children_of_rules
from recbayes.discrete.model.binary_form import BinaryForm
from recbayes.errors import ModelError

STEPS = 200  # of Newton's method; critical components take about thirty
NEARLY = 1e-13  # relative: what is solved so far is as good as solved where rounding allows no further step
CRITICAL = 1e-9  # a component that leads round with a weight this close to one leads round with one
LEAVING = 1e-14  # a component that is left with less weight than this, each time round, is taken not to be left at all

Rules = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]  # parents, first and second children, weights


@kept
def total_weights(form: BinaryForm) -> np.ndarray:
    """The totals of all useful symbols, zero for the others; made once. An error if some are infinite."""
    return _solve(form)


def _useful_symbols(form: BinaryForm) -> np.ndarray:
    """Which symbols some finite tree of the grammar has: finite trees are below them, and the root leads to them."""
    parents, ones, twos, _ = _rules(form)
    productive = np.zeros(form.symbols + 1, dtype=np.bool_)
    productive[[*form.lexical.parent, form.symbols]] = True
    _spread(productive, lambda: parents[productive[ones] & productive[twos]])
    reached = np.append(form.start > 0, True) & productive
    _spread(
        reached, lambda: np.concatenate([ones, twos])[np.tile(reached[parents] & productive[ones] & productive[twos], 2)]
    )
    return reached[:-1]


def _spread(known: np.ndarray, more: Callable[[], np.ndarray]) -> None:
    count = -1
    while count < (count := int(known.sum())):
        known[more()] = True


def _rules(form: BinaryForm) -> Rules:
    """All rules with children. The second child of a unary rule is one more symbol, nothing, whose total is one."""
    left, right = children_of_rules(form)
    unary = form.unary
    return (
        np.concatenate([form.binary.parent, unary.parent]),
        np.concatenate([left, unary.child]),
        np.concatenate([right, np.full(len(unary.child), form.symbols)]),
        np.concatenate([form.binary.weight, unary.weight]),
    )


def _solve(form: BinaryForm) -> np.ndarray:
    useful = np.append(_useful_symbols(form), True)
    parents, ones, twos, weights = _rules(form)
    used = useful[parents] & useful[ones] & useful[twos]
    parents, ones, twos, weights = parents[used], ones[used], twos[used], weights[used]
    emits = np.bincount(form.lexical.parent, weights=form.lexical.weight, minlength=form.symbols)
    totals = np.zeros(form.symbols + 1)
    totals[-1] = 1.0
    for symbols, mine in _components(parents, ones, twos, form.symbols):
        if useful[symbols].all():
            rules = parents[mine], ones[mine], twos[mine], weights[mine]
            if not _solve_component(symbols, emits[symbols], rules, totals):
                raise ModelError(_infinite(form, symbols))
    return totals[:-1]


def _components(
    parents: np.ndarray, ones: np.ndarray, twos: np.ndarray, symbols: int
) -> list[tuple[np.ndarray, np.ndarray]]:
    """The symbols of every component, in ascending order, and its rules; components below others come before them."""
    above, below = np.tile(parents, 2), np.concatenate([ones, twos])
    above, below = above[below < symbols], below[below < symbols]
    graph = csr_array((np.ones(len(above)), (above, below)), shape=(symbols, symbols))
    count, component = connected_components(graph, connection="strong")
    needs: dict[int, set[int]] = {number: set() for number in range(count)}
    for upper, lower in zip(component[above].tolist(), component[below].tolist(), strict=True):
        if upper != lower:
            needs[upper].add(lower)
    members, rules = (_grouped(numbers, count) for numbers in (component, component[parents]))
    return [(members[number], rules[number]) for number in TopologicalSorter(needs).static_order()]


def _grouped(numbers: np.ndarray, count: int) -> list[np.ndarray]:
    """For each of the numbers 0, 1, ... where it stands."""
    order = np.argsort(numbers, kind="stable")
    return np.split(order, np.searchsorted(numbers[order], np.arange(1, count)))


class _Component:
    """The equations of symbols that all lead to each other, given the totals of the symbols below them."""

    def __init__(self, symbols: np.ndarray, emits: np.ndarray, rules: Rules) -> None:
        self._symbols, self._emits, self._rules = symbols, emits, rules
        self._row = np.searchsorted(symbols, rules[0])
        self.rounding = np.finfo(float).eps * (3.0 + np.sqrt(np.bincount(self._row, minlength=len(symbols))))

    def values(self, totals: np.ndarray) -> np.ndarray:
        """F(x)."""
        _, ones, twos, weights = self._rules
        return self._emits + np.bincount(self._row, weights * totals[ones] * totals[twos], len(self._symbols))

    def derivatives(self, totals: np.ndarray) -> np.ndarray:
        """J."""
        _, ones, twos, weights = self._rules
        found = np.zeros((len(self._symbols), len(self._symbols)))
        for children, others in ((ones, twos), (twos, ones)):
            inner = np.isin(children, self._symbols)
            where = self._row[inner], np.searchsorted(self._symbols, children[inner])
            np.add.at(found, where, (weights * totals[others])[inner])
        return found


def _solve_component(symbols: np.ndarray, emits: np.ndarray, rules: Rules, totals: np.ndarray) -> bool:
    """Write the totals of a component's symbols; False if they are infinite. Those of all symbols below must be there."""
    component = _Component(symbols, emits, rules)
    if _are_one(component, symbols, totals):
        return True
    totals[symbols] = 0.0
    nearly = False
    for _ in range(STEPS):
        new = component.values(totals)
        rest = new - totals[symbols]
        if not np.isfinite(rest).all():
            return False
        if (rest <= component.rounding * new).all():
            return True
        nearly = bool((rest <= NEARLY * new).all())
        try:
            step = np.linalg.solve(np.eye(len(symbols)) - component.derivatives(totals), rest)
        except np.linalg.LinAlgError:
            return nearly
        # rest = step - J step, so the weight with which J leads round is at least 1 - max(rest / step) (Collatz, Wielandt).
        if (step < -NEARLY * new).any() or (rest <= LEAVING * step).all():
            return nearly
        totals[symbols] += np.maximum(step, 0.0)
    return nearly


def _are_one(component: _Component, symbols: np.ndarray, totals: np.ndarray) -> bool:
    """Whether the totals, as then written, are one: exact, also where Newton's method loses half of the digits.

    One is a solution if the weights sum to one, and the least if J leads round with no more than that, or (1 - J)^-1 is
    positive.
    """
    totals[symbols] = 1.0
    if (np.abs(component.values(totals) - 1.0) > component.rounding).any():
        return False
    slightly_less = (1.0 - CRITICAL) * component.derivatives(totals)
    return bool((np.linalg.solve(np.eye(len(symbols)) - slightly_less, np.ones(len(symbols))) > 0).all())


def _infinite(form: BinaryForm, symbols: np.ndarray) -> str:
    names = [form.grammar.nonterminals[symbol] for symbol in symbols if symbol < form.real]
    listed = ", ".join(map(repr, names[:5])) + (", ..." if len(names) > 5 else "")
    return (
        f"the weights of all trees below {listed} together are infinite, so prefixes have no probability; normalise the "
        "weights, or give a hidden Markov model a termination"
    )
