"""A model as a chain of leaves: the same leaves and lengths, one after the other, without a tree.

For every variable A that emits, `A .` is a leaf of A, and `A ...` all that is left of a series of at least two leaves, the
first of which is of A: that leaf and the last one, or the leaf and what is left after it. It has the first leaf's value,
which `A .` copies, and the next value follows from it as values of neighbouring leaves do in large trees. Such a model is
right-linear: its chart has as many cells as there are spans that may be leaves, and the derivatives of its evidence are
probabilities of boundaries.
"""

from dataclasses import dataclass

import numpy as np

from recbayes.gaussian.candidates.depths import through
from recbayes.gaussian.candidates.large_trees import LargeTrees, large_trees
from recbayes.gaussian.candidates.neighbours import Pair, first_leaves, pairs_of
from recbayes.gaussian.chart.references import references_of
from recbayes.gaussian.emissions.emission import Emission
from recbayes.gaussian.model.links import exact_copy
from recbayes.gaussian.model.moments import Weighted, matched_moments, moments_of_roots
from recbayes.gaussian.model.parts import Component, Prior, Split, Variable
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.lengths import Length, LengthTable

TAIL = 1e-10  # probability of lengths that are left out
MOST = 0.999  # probability of a chain to go on


@dataclass(frozen=True, eq=False)
class _First:
    """The first leaf of a series: how probable it is to be of this variable, and its value."""

    weight: float
    variable: int
    mean: np.ndarray
    covariance: np.ndarray


def chain_of(model: GaussianRBN, ticks: int) -> GaussianRBN:
    """The chain of a model, for series that last so many ticks."""
    trees = large_trees(model)
    pairs, firsts = pairs_of(model, trees, _leaves(model, ticks)), _first_leaves(model, trees)
    on = min(trees.growth, MOST)
    variables, references = [], []
    for v, one in enumerate(model.variables):
        leaves = [rule for rule in one.rules if isinstance(rule, Emission) and rule.probability > 0.0]
        if not leaves:
            continue
        total = sum(rule.probability for rule in leaves)
        lengths = {id(rule.length): cut(rule.length, ticks) for rule in leaves}
        alone = [
            rule.replaced({"probability": rule.probability / total, "length": lengths[id(rule.length)]}) for rule in leaves
        ]
        after = [pair for pair in pairs if pair.first == v]
        variables.append(Variable(_leaf(one.name), one.dim, tuple(alone)))
        references.append(references_of(model)[v])
        if after:
            variables.append(Variable(_rest(one.name), one.dim, tuple(_following(model, after, on))))
            references.append(references_of(model)[v])
    names = [variable.name for variable in variables]
    components = []
    for first in firsts:
        name = model.variables[first.variable].name
        shares = ((_leaf(name), 1.0 - on), (_rest(name), on)) if _rest(name) in names else ((_leaf(name), 1.0),)
        components += [Component(first.mean, first.covariance, first.weight * share, variable=at) for at, share in shares]
    return GaussianRBN(tuple(variables), Prior(components[0].variable or "", tuple(components)), tuple(references))


def _following(model: GaussianRBN, pairs: list[Pair], on: float) -> list[Split]:
    """What a leaf is followed by: the last one, or another with more after it."""
    share = sum(pair.weight for pair in pairs)
    found = []
    for pair in pairs:
        first, second = model.variables[pair.first], model.variables[pair.second]
        for name, weight in ((_leaf(second.name), 1.0 - on), (_rest(second.name), on)):
            found.append(Split(weight * pair.weight / share, _leaf(first.name), name, exact_copy(first.dim), pair.link))
    return found


def _first_leaves(model: GaussianRBN, trees: LargeTrees) -> list[_First]:
    names = [variable.name for variable in model.variables]
    found: dict[int, list[Weighted]] = {}
    for name, (weight, mean, covariance) in moments_of_roots(model.prior).items():
        for way in first_leaves(model, trees, names.index(name)):
            part = weight * way.weight, *through(way.link, mean, covariance)
            found.setdefault(way.leaf, []).append(part)
    total = sum(share for parts in found.values() for share, *_ in parts)
    firsts = []
    for v, parts in found.items():
        own = sum(share for share, *_ in parts)
        firsts.append(_First(own / total, v, *matched_moments([(share / own, m, S) for share, m, S in parts])))
    return firsts


def _leaves(model: GaussianRBN, ticks: int) -> float:
    """About how many leaves a series has that lasts so long: by the median of their lengths."""
    emissions = [
        rule for one in model.variables for rule in one.rules if isinstance(rule, Emission) and rule.probability > 0.0
    ]
    lasting = np.arange(1, ticks + 1)
    medians = [np.searchsorted(np.cumsum(np.exp(rule.length.log_probability(lasting))), 0.5) + 1.0 for rule in emissions]
    return float(ticks / np.mean(medians))


def cut(length: Length, ticks: int) -> Length:
    """The length without lengths that are too improbable to matter, if there are any that the series could have."""
    if length.longest is not None:
        return length
    probabilities = np.exp(length.log_probability(np.arange(1, ticks + 1)))
    tail = 1.0 - np.cumsum(probabilities)
    enough = np.flatnonzero(tail < TAIL)
    if not len(enough):
        return length
    kept_ = probabilities[: enough[0] + 1]
    return LengthTable(tuple((kept_ / kept_.sum()).tolist()))


def _rest(name: str) -> str:
    return f"{name} ..."


def _leaf(name: str) -> str:
    return f"{name} ."
