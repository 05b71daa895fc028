"""Ancestral sampling: a value, a step, the children, and so on, from the root down.

Trees that are too long or too short are drawn anew, so observations of leaves are drawn only when the tree is known. What
happens at a node is one compiled function of its variable: probabilities of all steps, and children by each of them.
"""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from recbayes.checks.arguments import generator_of
from recbayes.checks.arrays import whole_number
from recbayes.checks.bounds import LONGEST
from recbayes.checks.kept import kept
from recbayes.errors import LengthError, ModelError
from recbayes.general.extra import in_doubles, jax_module
from recbayes.general.model.densities import called, in_arrays, log_structure
from recbayes.general.model.parts import OBSERVED, Parts, Step
from recbayes.general.model.rbn import RBN
from recbayes.tree.tree import Node, Tree

MOST = 100_000  # nodes of a tree


def sample(model: RBN, *, seed: Any, min_length: int, max_length: int | None, attempts: int) -> tuple[Any, Tree]:
    """A sequence and its tree; trees of other lengths are drawn anew, values and all."""
    rng = generator_of(seed)
    least = whole_number(min_length, "min_length", least=1)
    most = LONGEST if max_length is None else whole_number(max_length, "max_length", least=least)
    tries = whole_number(attempts, "attempts", least=1)
    with in_doubles():
        for _ in range(tries):
            grown = _grow(model, rng, most)
            if grown is not None and grown.length >= least:
                return _observed(model, rng, grown)
    bounds = f"{least} observations or more" if max_length is None else f"{least} to {most} observations"
    raise LengthError(
        f"no tree in {tries} attempts had {bounds}; widen the bounds, raise the probabilities of steps that end a tree, "
        "or give more attempts"
    )


class _Grown(NamedTuple):
    """A tree whose leaves are still without observations, and how many these are."""

    nodes: list[Node]
    arities: list[int]
    length: int


def _grow(model: RBN, rng: np.random.Generator, most: int) -> _Grown | None:
    """None if it has become too large."""
    parts, draws = model.parts, draws_of(model)
    nodes: list[Node] = []
    arities: list[int] = []
    position, pending = 0, 1  # each that is still to come has an observation at least
    waiting: list[tuple[Any, ...]] = [(parts.root, draws.root(_seed(rng)))]
    while waiting:
        if position + pending > most or len(nodes) > MOST:
            return None
        name, value = waiting.pop()
        if name is None:  # all below a node is there, and so its end
            nodes[value] = Node(nodes[value].start, position, nodes[value].label, nodes[value].rule, nodes[value].value)
            continue
        pending -= 1
        if name in parts.terminals:
            nodes.append(Node(position, position + 1, "", OBSERVED, value))
            arities.append(0)
            position += 1
            continue
        step_name, children = draws.visit(name, value, rng)
        step = parts.steps[name][step_name]
        count = 0 if children else 1 if step.length is None else step.length.sample(rng)
        nodes.append(Node(position, position + count, name, step_name, value))
        arities.append(len(children))
        position += count
        if children:
            waiting.append((None, len(nodes) - 1))
            waiting += reversed(list(zip(step.children, children, strict=True)))
            pending += len(children)
        if position > most:
            return None
    return _Grown(nodes, arities, position)


def _observed(model: RBN, rng: np.random.Generator, grown: _Grown) -> tuple[Any, Tree]:
    """The observations of all leaves, as the model reads them, and the tree."""
    parts, draws = model.parts, draws_of(model)
    shown: list[tuple[str, Any]] = []
    for node, arity in zip(grown.nodes, grown.arities, strict=True):
        if node.rule == OBSERVED and not node.label:
            shown.append(("", node.value))
        elif arity == 0:
            name = parts.steps[node.label][node.rule].children[0]
            shown += [(name, draws.observation(node.label, node.rule, node.value, _seed(rng))) for _ in range(node.length)]
    tree = Tree(grown.nodes, grown.arities)
    if len(parts.terminals) > 1:
        return [(name or _terminal_at(model, tree, t), value) for t, (name, value) in enumerate(shown)], tree
    rows = np.array([value for _, value in shown])
    return (rows[:, None] if rows.ndim == 1 else rows), tree


def _terminal_at(model: RBN, tree: Tree, position: int) -> str:
    """Which terminal an observation is of that is a child beside others."""
    number = next(n for n, node in enumerate(tree.nodes) if node.start == position and node.rule == OBSERVED)
    above = tree.parents[number]
    siblings = [n for n, parent in enumerate(tree.parents) if parent == above]
    return model.parts.steps[tree.nodes[above].label][tree.nodes[above].rule].children[siblings.index(number)]


def _seed(rng: np.random.Generator) -> np.uint32:
    return np.uint32(rng.integers(2**32))


class _Draws:
    """The model's distributions, each compiled once."""

    def __init__(self, model: RBN) -> None:
        self._jax, self._model = jax_module(), model
        self._given = model.called_with(in_arrays(model.parameters))
        self._compiled: dict[Any, Any] = {}

    def root(self, seed: np.uint32) -> np.ndarray:
        made = self._once(
            "root", lambda seed: called("the prior", self._model.parts.prior, self._given).sample(self._key(seed))
        )
        return np.asarray(made(seed))

    def visit(self, name: str, value: Any, rng: np.random.Generator) -> tuple[str, list[np.ndarray]]:
        """The step that a node takes, and the values of its children; none, if these are observations alone."""
        steps = self._model.parts.steps[name]

        def all_steps(x: Any, seed: Any) -> Any:
            logs = log_structure(self._model.parts, self._given, name, x)
            keys = self._jax.random.split(self._key(seed), len(steps))
            children = [
                children_of(self._model.parts, self._given, step, x, key)
                for step, key in zip(steps.values(), keys, strict=True)
            ]
            return self._jax.numpy.exp(self._jax.numpy.stack([logs[one] for one in steps])), children

        chances, children = self._once(name, all_steps)(value, _seed(rng))
        number = _chosen(np.asarray(chances), rng)
        if number is None:
            told = dict(zip(steps, np.round(chances, 6).tolist(), strict=True))
            raise ModelError(f"the structure of {name!r} gives {told} at {np.round(value, 6)}, which are no probabilities")
        return list(steps)[number], [np.asarray(one) for one in children[number]]

    def observation(self, name: str, step_name: str, value: Any, seed: np.uint32) -> np.ndarray:
        """One observation of a leaf."""
        step = self._model.parts.steps[name][step_name]

        def draw(x: Any, seed: Any) -> Any:
            density = called(f"step {step_name!r} of {name!r}", step.density, self._given, x)
            return (density[0] if isinstance(density, list | tuple) else density).sample(self._key(seed))

        return np.asarray(self._once((name, step_name), draw)(value, seed))

    def _key(self, seed: Any) -> Any:
        return self._jax.random.PRNGKey(seed)

    def _once(self, name: Any, function: Any) -> Any:
        if name not in self._compiled:
            self._compiled[name] = self._jax.jit(function)
        return self._compiled[name]


def children_of(parts: Parts, given: Any, step: Step, x: Any, key: Any) -> list[Any]:
    """Values of a node's children, drawn: in JAX. None for a step to one terminal alone, whose observations come later."""
    jax = jax_module()
    if len(step.children) == 1 and step.children[0] in parts.terminals:
        return []
    density = called(f"a step to {' '.join(step.children)}", step.density, given, x)
    if isinstance(density, list | tuple):
        keys = jax.random.split(key, len(density))
        return [one.sample(k) for one, k in zip(density, keys, strict=True)]
    drawn = density.sample(key)
    if isinstance(drawn, list | tuple):
        return list(drawn)
    if len(step.children) == 1:
        return [drawn]
    edges = np.cumsum([0, *(parts.variables[child].size for child in step.children)])
    return [drawn[a:b] for a, b in pairwise(edges)]


def _chosen(chances: np.ndarray, rng: np.random.Generator) -> int | None:
    """One of several by their probabilities; None if they are none."""
    if not (np.isfinite(chances).all() and (chances >= -1e-9).all() and abs(chances.sum() - 1.0) < 1e-6):
        return None
    edges = np.cumsum(np.maximum(chances, 0.0))
    return min(int(np.searchsorted(edges, rng.random() * edges[-1], side="right")), len(chances) - 1)


@kept
def draws_of(model: RBN) -> _Draws:
    """The compiled distributions of a model."""
    return _Draws(model)
