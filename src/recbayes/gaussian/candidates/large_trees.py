"""How often rules are used in large trees: what is typical of the trees of a long series.

A long series has many leaves, and a tree with many leaves is no typical draw of the model: it is one that happened to grow.
With z for every leaf, the weights of all trees of variable A sum to F_A(z) = e_A z + sum of q F_B(z) F_C(z) over its splits.
The number of trees with m leaves grows as rho^-m, where rho is the largest z for which this is finite, and in a tree that is
known to be large a split has the probability q F_B F_C / F_A, all at rho: every generation is as large as the one before.
"""

from typing import NamedTuple

import numpy as np

from recbayes.checks.kept import kept
from recbayes.gaussian.emissions.emission import Emission
from recbayes.gaussian.model.parts import Split
from recbayes.gaussian.model.rbn import GaussianRBN

LARGEST, STEPS, SWEEPS, HUGE, CLOSE = 1e6, 14, 300, 1e9, 1e-4
GENERATIONS = 30  # in which visits are counted


class LargeTrees(NamedTuple):
    """Probabilities of the rules of every variable in trees that are large, how often each variable is met there, and the
    factor by which the weight of all trees grows for each further leaf."""

    rules: list[np.ndarray]
    visits: np.ndarray
    growth: float


@kept
def large_trees(model: GaussianRBN) -> LargeTrees:
    """Where trees cannot grow without limit, those of the model as it is."""
    index = {variable.name: v for v, variable in enumerate(model.variables)}
    emits = [sum(rule.probability for rule in one.rules if isinstance(rule, Emission)) for one in model.variables]
    splits = [
        (v, index[rule.left], index[rule.right], rule.probability)
        for v, variable in enumerate(model.variables)
        for rule in variable.rules
        if isinstance(rule, Split) and rule.probability > 0.0
    ]
    low = high = 1.0
    while high < LARGEST and _totals(emits, splits, high) is not None:
        low, high = high, 2.0 * high
    if high >= LARGEST:  # trees have no more than so many leaves
        low = high = 1.0
    if low == high and _totals(emits, splits, low) is None:  # trees grow by themselves: fewer leaves than they would have
        while _totals(emits, splits, low) is None:
            low /= 2.0
    for _ in range(STEPS if low < high else 0):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if _totals(emits, splits, middle) is None else (middle, high)
    totals = _totals(emits, splits, low) or [1.0] * len(emits)
    rules = []
    for variable in model.variables:
        weights = [
            rule.probability * (totals[index[rule.left]] * totals[index[rule.right]] if isinstance(rule, Split) else low)
            for rule in variable.rules
        ]
        total = sum(weights)
        rules.append(np.array(weights) / total if total > 0.0 else np.zeros(len(weights)))
    return LargeTrees(rules, _visits(model, rules, index), 1.0 / low)


def _totals(emits: list[float], splits: list[tuple[int, int, int, float]], z: float) -> list[float] | None:
    """The weights of all trees of every variable; None where they have no sum, or take too long to come near it."""
    totals = [0.0] * len(emits)
    for _ in range(SWEEPS):
        before, totals = totals, [emit * z for emit in emits]
        for v, left, right, probability in splits:
            totals[v] += probability * before[left] * before[right]
        if max(totals) > HUGE * z:
            return None
        if all(now - then <= CLOSE * now for now, then in zip(totals, before, strict=True)):
            return totals
    return None


def _visits(model: GaussianRBN, rules: list[np.ndarray], index: dict[str, int]) -> np.ndarray:
    """Expected numbers of nodes of every variable in the first generations."""
    mean = np.zeros((len(rules), len(rules)))
    for v, variable in enumerate(model.variables):
        for rule, probability in zip(variable.rules, rules[v], strict=True):
            if isinstance(rule, Split):
                mean[v, index[rule.left]] += probability
                mean[v, index[rule.right]] += probability
    now = np.zeros(len(rules))
    for name, weight in model.prior.weights_of_roots.items():
        now[index[name]] = weight
    visits = now.copy()
    for _ in range(GENERATIONS):
        now = now @ mean
        visits += now
        now = now / max(now.sum(), 1.0)
    return visits
