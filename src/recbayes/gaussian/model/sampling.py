"""Drawing trees and series from a model (the generative process of the paper's Definition section).

In a Gaussian RBN the structure does not depend on the latent values, so the bare tree is drawn first, rejected as often
as its length is out of bounds, and only then are the values drawn from the root down.
"""

from typing import NamedTuple

import numpy as np

from recbayes.checks.arguments import generator_of
from recbayes.checks.bounds import LONGEST, MOST_NODES, check_bounds
from recbayes.errors import LengthError, ModelError
from recbayes.gaussian.emissions.emission import Emission
from recbayes.gaussian.model.naming import rule_name
from recbayes.gaussian.model.parts import Link, Split
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.tree.tree import Node, Tree


class _Step(NamedTuple):
    """One node of a bare tree in preorder: its variable, its rule, the shifts of its children or the length it emits."""

    variable: int
    position: int  # of the rule among the variable's
    rule: Split | Emission
    shift: tuple[int, int] = (0, 0)
    length: int = 0
    member: int = 0


def sample(
    model: GaussianRBN, *, seed: int | np.random.Generator, min_length: int, max_length: int | None, attempts: int
) -> tuple[np.ndarray, Tree]:
    """A series and its tree, with between `min_length` and `max_length` observations."""
    min_length, max_length, attempts = check_bounds(min_length, max_length, attempts)
    rng = generator_of(seed)
    ceiling = LONGEST if max_length is None else max_length
    tried = too_long = nodes = 0
    while tried < attempts and nodes <= MOST_NODES:
        tried += 1
        steps, length = _bare_tree(model, rng, ceiling)
        if length > ceiling:
            too_long += 1
            if max_length is None:
                break
        elif length >= min_length:
            return _values(model, rng, steps)
        nodes += len(steps)
    raise LengthError(_complaint(model, min_length, max_length, tried, too_long))


def _complaint(model: GaussianRBN, shortest: int, longest: int | None, attempts: int, too_long: int) -> str:
    growth = expected_growth(model)
    regime = (
        f"a node has {growth:.3g} children on average, so trees grow without end with positive probability"
        if growth > 1
        else f"a node has {growth:.3g} children on average"
    )
    if longest is None:
        if too_long:
            return f"a tree grew beyond {LONGEST} observations; {regime}. Give max_length, or raise the emit probability"
        return f"no tree in {attempts} attempts had at least {shortest} observations; {regime}. Lower min_length"
    return (
        f"no tree in {attempts} attempts had {shortest} to {longest} observations ({too_long} were longer, "
        f"{attempts - too_long} shorter), so the bounds have a probability of less than about {3 / attempts:.1g}; {regime}. "
        "Widen the bounds, change the emit probability or the length distribution, or raise `attempts`"
    )


def expected_growth(model: GaussianRBN) -> float:
    """The largest eigenvalue of the expected numbers of children: the tree is finite for certain only if it is <= 1."""
    names = [variable.name for variable in model.variables]
    offspring = np.zeros((len(names), len(names)))
    for row, variable in enumerate(model.variables):
        for rule in variable.rules:
            if isinstance(rule, Split):
                offspring[row, names.index(rule.left)] += rule.probability
                offspring[row, names.index(rule.right)] += rule.probability
    return float(np.abs(np.linalg.eigvals(offspring)).max())


def _bare_tree(model: GaussianRBN, rng: np.random.Generator, ceiling: int) -> tuple[list[_Step], int]:
    """A tree's rules in preorder and its length, at least: drawing ends when that must be more than `ceiling`."""
    index = {variable.name: position for position, variable in enumerate(model.variables)}
    chances = [[rule.probability for rule in variable.rules] for variable in model.variables]
    roots = model.prior.weights_of_roots
    waiting = [index[list(roots)[choose(rng, list(roots.values()))]]]
    steps: list[_Step] = []
    length = 0
    while waiting:
        if length + len(waiting) > ceiling:
            break
        position = waiting.pop()
        number = choose(rng, chances[position])
        rule = model.variables[position].rules[number]
        if isinstance(rule, Emission):
            member = choose(rng, [one.weight for one in rule.members])
            steps.append(_Step(position, number, rule, length=rule.length.sample(rng), member=member))
            length += steps[-1].length
        else:
            shifts = list(rule.shifts)
            shift = shifts[choose(rng, list(rule.shifts.values()))]
            steps.append(_Step(position, number, rule, shift=shift))
            waiting += [index[rule.right], index[rule.left]]
    return steps, length + len(waiting)


def choose(rng: np.random.Generator, weights: list[float]) -> int:
    if len(weights) == 1:
        return 0
    threshold = rng.random() * sum(weights)
    for position, weight in enumerate(weights):
        threshold -= weight
        if threshold < 0 and weight > 0:
            return position
    return max(position for position, weight in enumerate(weights) if weight > 0)


def _values(model: GaussianRBN, rng: np.random.Generator, steps: list[_Step]) -> tuple[np.ndarray, Tree]:
    """Latent values from the root down and the observations, for a bare tree."""
    root_name = model.variables[steps[0].variable].name
    components = [component for component in model.prior.components if component.variable == root_name]
    component = components[choose(rng, [component.weight for component in components])]
    steps_of_root = list(component.shifts)[choose(rng, list(component.shifts.values()))]
    root = rng.multivariate_normal(
        np.roll(component.mean, steps_of_root), component.covariance, method="eigh", check_valid="ignore"
    )

    ends = _ends(steps)
    rows, nodes = np.empty((ends[0], model.observed_dim)), []
    waiting = [root]
    start = 0
    for step, end in zip(steps, ends, strict=True):
        value = waiting.pop()
        variable = model.variables[step.variable]
        name = rule_name(variable, step.position, step.shift, step.member)
        if isinstance(step.rule, Emission):
            emission = step.rule.members[step.member].emission
            drawn = emission.sample(rng, value, step.length, rows[:start])
            rows[start:end] = drawn.rows
            nodes.append(Node(start, end, variable.name, name, value, own=emission.own(drawn.own, end - start)))
            start = end
        else:
            left = draw_child(rng, step.rule.left_link, value, step.shift[0])
            right = draw_child(rng, step.rule.right_link, value, step.shift[1])
            nodes.append(Node(start, end, variable.name, name, value))
            waiting += [right, left]
    return rows, Tree(nodes, [0 if isinstance(step.rule, Emission) else 2 for step in steps])


def draw_child(rng: np.random.Generator, link: Link, parent: np.ndarray, shift: int) -> np.ndarray:
    mean = np.roll(parent, shift) if link.map is None else link.map @ parent
    mean = mean if link.offset is None else mean + link.offset
    return rng.multivariate_normal(mean, link.covariance, method="eigh", check_valid="ignore")


def _ends(steps: list[_Step]) -> list[int]:
    """Where each node's span ends: lengths of subtrees, added up from the last node of the preorder to the first."""
    lengths: list[int] = [0] * len(steps)
    complete: list[int] = []  # positions of complete subtrees, the leftmost on top
    for position in range(len(steps) - 1, -1, -1):
        if isinstance(steps[position].rule, Emission):
            lengths[position] = steps[position].length
        else:
            lengths[position] = lengths[complete.pop()] + lengths[complete.pop()]
        complete.append(position)
    if len(complete) != 1:
        raise ModelError("the bare tree is not one tree")
    ends, start = [], 0
    for step, length in zip(steps, lengths, strict=True):
        ends.append(start + length)
        start += step.length
    return ends
