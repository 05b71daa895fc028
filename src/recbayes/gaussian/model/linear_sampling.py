"""Drawing trees and series from a linear Gaussian RBN.

As in a Gaussian RBN the structure does not depend on the values: the bare tree is drawn first, again and again until its
length is within bounds, and then the values from the root down. Nothing recurses, so chains of unary rules may be long.
"""

from typing import Any, NamedTuple

import numpy as np

from recbayes.checks.arguments import generator_of
from recbayes.checks.bounds import LONGEST, MOST_NODES, check_bounds
from recbayes.errors import LengthError
from recbayes.gaussian.emissions.emission import Emission
from recbayes.gaussian.emissions.emit import Emit
from recbayes.gaussian.model.linear import OBSERVED, LinearGaussianRBN, Observe, Rule, children_of, name_of_rule
from recbayes.gaussian.model.parts import Split
from recbayes.gaussian.model.sampling import choose, draw_child
from recbayes.tree.tree import Node, Tree


class _Step(NamedTuple):
    """One node of a bare tree in preorder. An observed child has no variable, and its `Observe` for a rule."""

    variable: int
    position: int
    rule: Rule | Observe
    arity: int
    shift: tuple[int, int] = (0, 0)
    length: int = 0  # observations of its own


def sample(
    model: LinearGaussianRBN, *, seed: int | np.random.Generator, min_length: int, max_length: int | None, attempts: int
) -> tuple[np.ndarray, Tree]:
    """A series and its tree, with between `min_length` and `max_length` observations."""
    min_length, max_length, attempts = check_bounds(min_length, max_length, attempts)
    rng = generator_of(seed)
    ceiling = LONGEST if max_length is None else max_length
    tried = nodes = 0
    while tried < attempts and nodes <= MOST_NODES:
        tried += 1
        steps, length, complete = _bare_tree(model, rng, ceiling, MOST_NODES - nodes)
        if complete and length >= min_length:
            return _values(model, rng, steps)
        if not complete and max_length is None:
            break
        nodes += len(steps) + 1
    wanted = f"at least {min_length}" if max_length is None else f"{min_length} to {max_length}"
    raise LengthError(
        f"no tree in {tried} attempts had {wanted} observations. Widen the bounds, or raise the probabilities of rules that "
        "end a tree: it may grow without end, or go round in a cycle of unary rules that is hardly ever left"
    )


def _bare_tree(
    model: LinearGaussianRBN, rng: np.random.Generator, ceiling: int, most_nodes: int
) -> tuple[list[_Step], int, bool]:
    """A tree's rules in preorder, its length and whether it is complete: too long or too large a tree is given up."""
    index = {variable.name: position for position, variable in enumerate(model.variables)}
    rules: list[tuple[Any, ...]] = [variable.rules for variable in model.variables]
    chances = [[rule.probability for rule in owned] for owned in rules]
    waiting: list[int | Observe] = [index[model.prior.variable]]
    steps: list[_Step] = []
    length = 0
    while waiting:
        if length + len(waiting) > ceiling or len(steps) > most_nodes:
            return steps, length, False
        here = waiting.pop()
        if isinstance(here, Observe):
            steps.append(_Step(-1, -1, here, 0, length=1))
            length += 1
            continue
        position = choose(rng, chances[here])
        rule = rules[here][position]
        if isinstance(rule, Emission):
            steps.append(_Step(here, position, rule, 0, length=rule.length.sample(rng)))
            length += steps[-1].length
            continue
        shift = (0, 0)
        if isinstance(rule, Split):
            shift = list(rule.shifts)[choose(rng, list(rule.shifts.values()))]
        children = children_of(rule)
        steps.append(_Step(here, position, rule, len(children), shift))
        waiting += [child if isinstance(child, Observe) else index[child[0]] for child in reversed(children)]
    return steps, length, length <= ceiling


def _values(model: LinearGaussianRBN, rng: np.random.Generator, steps: list[_Step]) -> tuple[np.ndarray, Tree]:
    """Latent values from the root down and the observations, for a bare tree."""
    components = model.prior.components
    component = components[choose(rng, [component.weight for component in components])]
    shift = list(component.shifts)[choose(rng, list(component.shifts.values()))]
    waiting = [
        rng.multivariate_normal(np.roll(component.mean, shift), component.covariance, method="eigh", check_valid="ignore")
    ]
    ends = _ends(steps)
    rows, nodes = np.empty((ends[0], model.observed_dim)), []
    start = 0
    for step, end in zip(steps, ends, strict=True):
        value = waiting.pop()  # of the node; for an observed child, of the node above
        rule = step.rule
        if isinstance(rule, Emission):
            rows[start:end] = rule.sample(rng, value, step.length, rows[:start]).rows
        if isinstance(rule, Observe):
            emission = Emit(1.0, rule.covariance, map=rule.map, offset=rule.offset)
            rows[start:end] = emission.sample(rng, value, 1, rows[:start]).rows
            nodes.append(Node(start, end, rule=OBSERVED))
        else:
            variable = model.variables[step.variable]
            nodes.append(Node(start, end, variable.name, name_of_rule(variable, step.position, step.shift), value))
            if not isinstance(rule, Emission):
                shifts = step.shift if isinstance(rule, Split) else (0,) * step.arity
                below = [
                    value if isinstance(child, Observe) else draw_child(rng, child[1], value, steps_)
                    for child, steps_ in zip(children_of(rule), shifts, strict=True)
                ]
                waiting += below[::-1]
        start += step.length
    return rows, Tree(nodes, [step.arity for step in steps])


def _ends(steps: list[_Step]) -> list[int]:
    """Where each node's span ends: lengths of subtrees, added up from the last node of the preorder to the first."""
    lengths: list[int] = []  # of complete subtrees, the leftmost on top
    total = [0] * len(steps)
    for position in range(len(steps) - 1, -1, -1):
        below = [lengths.pop() for _ in range(steps[position].arity)]
        total[position] = steps[position].length + sum(below)
        lengths.append(total[position])
    starts = np.cumsum([0] + [step.length for step in steps[:-1]]).tolist()
    return [start + length for start, length in zip(starts, total, strict=True)]
