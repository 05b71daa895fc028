"""The binary normal form of a linear Gaussian RBN (appendix "Transformation to CNF" of the paper): a `GaussianRBN`.

1. An observed child beside others becomes a variable that holds the observation's mean H x + h, exactly, and emits it.
2. Of more than two children the first is split off, and the rest follow from a variable that is a copy of the parent's
   value, made by a link without noise. The paper's new variable is the tuple of all remaining children; but given their
   parent they are independent in a linear Gaussian RBN, so its value is all they need.
3. Cycles of unary rules become weighted links (`recbayes.gaussian.model.unary_chains`), and so do
4. unary rules of any kind. Their noise is shared by all that comes below, so it must not be put into the rules below (as it
   may be where one single observation follows). One of two ways is taken, both exact:

   *Arriving elsewhere*: whoever leads to A leads, with the probability of a chain from A to B, directly to B, through its
   own link followed by the chain's. A rule whose two children arrive in m and n ways becomes m n rules.

   *Holding the noise*: A becomes a variable that holds (x_A, e), e standard normal. A chain to B with the link (F, f, L L')
   then is the deterministic x_B = F x_A + f + L e, which composes with the rules of B. Only one chain is ever taken, so all
   share one e. That makes the dimension larger and leaves the number of rules as it is.

   The second is for variables that arrive in many ways, and for a root that arrives in several, as the prior has but one
   variable; without noise nothing need be held, and it is the better way too.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from recbayes.checks.arrays import is_positive_definite, number
from recbayes.errors import ModelError
from recbayes.gaussian.emissions.emission import Emission
from recbayes.gaussian.emissions.emit import Emit
from recbayes.gaussian.model.linear import (
    OBSERVED,
    Child,
    LinearGaussianRBN,
    Observe,
    Rule,
    children_of,
    name_of_rule,
    unary_child,
)
from recbayes.gaussian.model.links import compose, exact_copy, mean_of, moved, noise_root, shifted
from recbayes.gaussian.model.naming import rule_name
from recbayes.gaussian.model.normal_form_trees import Outline, Recipe, restored
from recbayes.gaussian.model.parts import Link, Prior, Split, Variable
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.gaussian.model.unary_chains import Ending, Endings, Path, endings, stopping
from recbayes.tree.tree import Tree

FEW = 8  # ways to arrive that are listed in every rule that leads to a variable

Shift = tuple[int, int]
Written = tuple[Split | Emission, Mapping[Shift, Recipe]]  # a rule, and by shift how its nodes are restored


@dataclass(frozen=True, eq=False)
class NormalForm:
    """A `GaussianRBN` with the distribution of a linear Gaussian RBN, and the way back for its trees.

    Attributes:
        model: the `GaussianRBN`.
        error: a bound of what was truncated: the largest probability, from any one node, of all the chains of unary rules
            that were left out (zero if none were; the probabilities of the others are scaled up to sum to one). Over trees
            of at most n nodes the two distributions differ, in total variation, by at most n times that; for a series that
            only such rare chains explain, lower the tolerance.
        recipes: how nodes are restored, by their label and rule.
        root: unary nodes above the root.
    """

    model: GaussianRBN
    error: float
    recipes: Mapping[tuple[str, str], Recipe] = field(repr=False)
    root: Path

    def restore(self, tree: Tree) -> Tree:
        """The tree of the original model that a tree of the normal form stands for.

        Values that were integrated out (of nodes within a chain of unary rules) are None. Where several chains amount to the
        same link they are one in the normal form, and the most probable of them is restored.

        Arguments:
            tree: a tree of the normal form, as it was drawn or found.
        """
        return restored(tree, self.recipes, self.root)


def normal_form(rbn: LinearGaussianRBN, cycle_tolerance: float) -> NormalForm:
    """The normal form of an RBN; cycles of unary rules are left when less than `cycle_tolerance` remains inside."""
    tolerance = number(cycle_tolerance, "cycle_tolerance")
    if not 0.0 <= tolerance < 1.0:
        raise ModelError(f"cycle_tolerance must be at least 0 and below 1, got {tolerance:.6g}")
    return _Writer(rbn, tolerance).write()


class _Arrival(NamedTuple):
    """One way to arrive: at which variable of the normal form, how probably, through which further link, by which chain."""

    weight: float
    variable: str
    link: Link | None
    path: Path


class _Writer:
    """Writes the variables of the normal form as they are asked for, from the root on: the others are never written.

    A variable is known by its purpose: ("own", A) has the rules of A that are not unary, ("held", A) holds A's value and
    noise, ("rest", A, rule, n) generates the children of a rule from number n on, ("observed", covariance) emits its value.
    """

    def __init__(self, rbn: LinearGaussianRBN, tolerance: float) -> None:
        self._rbn = rbn
        self._tolerance = tolerance
        self._originals = {variable.name: variable for variable in rbn.variables}
        self._endings: dict[str, Endings] = {}
        self._roots: dict[str, list[np.ndarray]] = {}
        self._names: dict[tuple, str] = {}
        self._waiting: list[tuple] = []

    def write(self) -> NormalForm:
        prior, path = self._prior()
        variables: list[Variable] = []
        recipes: dict[tuple[str, str], Recipe] = {}
        while self._waiting:
            purpose = self._waiting.pop(0)
            dim, written = self._variable(*purpose)
            variable = Variable(self._names[purpose], dim, tuple(rule for rule, _ in written))
            variables.append(variable)
            for position, (_, by_shift) in enumerate(written):
                for shift, recipe in by_shift.items():
                    recipes[variable.name, rule_name(variable, position, shift)] = recipe
        error = max(found.error for found in self._endings.values())
        return NormalForm(GaussianRBN(tuple(variables), prior), error, recipes, path)

    def _name(self, kind: str, *about: Any) -> str:
        """The name of the variable for a purpose, which is put on the list of those to be written."""
        purpose = (kind, *about)
        if purpose not in self._names:
            name = {"own": "{0}", "held": "{0}+", "rest": "{0}:{1}:{2}", "observed": "y"}[kind].format(*about)
            while kind != "own" and (name in self._originals or name in self._names.values()):
                name += "'"
            self._names[purpose] = name
            self._waiting.append(purpose)
        return self._names[purpose]

    def _prior(self) -> tuple[Prior, Path]:
        """The prior of the variable at which the root arrives; of the one that holds all if there are several.

        A chain into more dimensions may leave no density there: then the root holds what the chain starts from.
        """
        given = self._rbn.prior
        ways = self._ways(given.variable)
        if len(ways) == 1:
            components = moved(given.components, ways[0].link)
            if all(is_positive_definite(component.covariance) for component in components):
                return Prior(self._name("own", ways[0].variable), components), ways[0].path
        held = self._held(given.variable)
        return Prior(held.variable, moved(given.components, held.link)), None

    def _ways(self, original: str) -> tuple[Ending, ...]:
        if original not in self._endings:
            self._endings[original] = endings(self._rbn, original, self._tolerance)
        return self._endings[original].ways

    def _noise(self, original: str) -> list[np.ndarray]:
        """For each way from a variable the root L of its covariance L L', all with as many columns as the largest needs."""
        if original not in self._roots:
            roots = [noise_root(way.link, self._originals[way.variable].dim) for way in self._ways(original)]
            columns = max(root.shape[1] for root in roots)
            self._roots[original] = [np.pad(root, ((0, 0), (0, columns - root.shape[1]))) for root in roots]
        return self._roots[original]

    def _arrivals(self, original: str) -> list[_Arrival]:
        ways = self._ways(original)
        if len(ways) > FEW or (len(ways) > 1 and not self._noise(original)[0].shape[1]):
            return [self._held(original)]
        return [_Arrival(way.weight, self._name("own", way.variable), way.link, way.path) for way in ways]

    def _held(self, original: str) -> _Arrival:
        """Arriving at a variable that holds the value x and the noise e: (x, e) ~ N((x, 0), diag(0, 1))."""
        dim, columns = self._originals[original].dim, self._noise(original)[0].shape[1]
        lift = Link(np.diag([0.0] * dim + [1.0] * columns), np.eye(dim + columns, dim)) if columns else None
        return _Arrival(1.0, self._name("held", original), lift, None)

    def _variable(self, kind: str, *about: Any) -> tuple[int, list[Written]]:
        """The dimension of a variable with a purpose, and its rules."""
        if kind == "observed":
            covariance = np.array(about[0])
            return len(covariance), [(Emit(1.0, covariance), {(0, 0): Recipe((Outline("", OBSERVED, 0),))})]
        original = self._originals[about[0]]
        if kind == "own":
            return original.dim, list(self._rules(original, 1.0, Recipe()))
        if kind == "rest":
            branch: Any = original.rules[about[1]]
            return original.dim, list(self._pairs(branch.children, about, 1.0, Recipe()))
        written: list[Written] = []
        roots = self._noise(original.name)
        for way, root in zip(self._ways(original.name), roots, strict=True):
            target = self._originals[way.variable]
            value = None
            if way.link is not None or root.shape[1]:
                map_ = np.eye(target.dim) if way.link is None or way.link.map is None else way.link.map
                offset = None if way.link is None else way.link.offset
                value = Link(np.zeros((target.dim, target.dim)), np.hstack([map_, root]), offset)
            written += self._rules(target, way.weight, Recipe((), way.path, value, original.dim))
        return original.dim + roots[0].shape[1], written

    def _rules(self, owner: Variable, weight: float, start: Recipe) -> Iterator[Written]:
        """The rules of `owner` that are not unary, for a variable from which the owner's value follows as `start` says."""
        rules: tuple[Any, ...] = owner.rules
        share = weight / stopping(owner)
        for position, rule in enumerate(rules):
            if unary_child(rule) is not None or rule.probability == 0.0:
                continue
            probability = share * rule.probability
            outline = Outline(owner.name, name_of_rule(owner, position), len(_children(rule)))
            recipe = replace(start, outlines=(outline,))
            if isinstance(rule, Split):
                yield from self._splits(owner, position, probability, start)
            elif len(_children(rule)) > 1:
                yield from self._pairs(rule.children, (owner.name, position, 0), probability, recipe)
            elif isinstance(rule, Emission):
                changed = {"probability": probability}
                yield rule.behind(recipe.value).replaced(changed), {(0, 0): recipe}
            else:
                recipe = replace(start, outlines=(outline, Outline("", OBSERVED, 0)))
                shown = rule.children[0]
                emission = Emit(probability, shown.covariance, map=shown.map, offset=shown.offset)
                yield emission.behind(recipe.value), {(0, 0): recipe}

    def _splits(self, owner: Variable, position: int, probability: float, start: Recipe) -> Iterator[Written]:
        """A split as it was, if nothing comes before it or follows it; otherwise its shifts become rules with maps."""
        rule: Any = owner.rules[position]
        recipes = {
            shift: replace(start, outlines=(Outline(owner.name, name_of_rule(owner, position, shift), 2),))
            for shift in rule.shifts
        }
        left, right = self._arrivals(rule.left), self._arrivals(rule.right)
        if start.value is None and all(arrival.link is None for arrival in left + right):
            split = Split(probability, left[0].variable, right[0].variable, rule.left_link, rule.right_link, rule.shifts)
            yield split, {shift: replace(recipe, below=(left[0].path, right[0].path)) for shift, recipe in recipes.items()}
            return
        for shift, weight in rule.shifts.items():
            if weight > 0.0:
                children = (rule.left, shifted(rule.left_link, shift[0])), (rule.right, shifted(rule.right_link, shift[1]))
                yield from self._pairs(children, (owner.name, position, 0), probability * weight, recipes[shift])

    def _pairs(
        self, children: tuple[Child, ...], place: tuple[str, int, int], probability: float, recipe: Recipe
    ) -> Iterator[Written]:
        """The children of a rule from the number in `place` on: the first, and the second or a variable for the rest."""
        owner, position, first = place
        left = self._entrances(children[first], recipe.value)
        if first + 2 == len(children):
            right = self._entrances(children[first + 1], recipe.value)
        else:
            rest = _Arrival(1.0, self._name("rest", owner, position, first + 1), None, None)
            right = [(rest, compose(recipe.value, exact_copy(self._originals[owner].dim)))]
        for (one, link), (other, other_link) in product(left, right):
            weight = probability * one.weight * other.weight
            split = Split(weight, one.variable, other.variable, link, other_link)
            yield split, {(0, 0): replace(recipe, below=(one.path, other.path))}

    def _entrances(self, child: Child, before: Link | None) -> list[tuple[_Arrival, Link]]:
        """The ways to arrive at a child, and the links to there from a value that leads to its parent's through `before`."""
        if isinstance(child, Observe):
            covariance = tuple(map(tuple, child.covariance.tolist()))
            arrival = _Arrival(1.0, self._name("observed", covariance), None, None)
            return [(arrival, compose(before, mean_of(child)))]
        name, link = child
        return [(arrival, compose(compose(before, link), arrival.link)) for arrival in self._arrivals(name)]


def _children(rule: Rule) -> tuple[Child, ...]:
    return () if isinstance(rule, Emission) else children_of(rule)
