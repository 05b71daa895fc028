"""The layers of a chart: one for each variable, and two for a discrete one whose unary steps lead back to it.

Over one span, unary steps may lead from state to state of discrete variables without end. All these ways together are the
matrix C = (1 - U)^-1, where U has the probabilities of single steps. So such a variable has a layer from which C leads, at
once, to a second one, its *own*, which takes only steps that do not lead back.
"""

from functools import lru_cache
from typing import NamedTuple

from recbayes.general.model.parts import Parts, Step


class Layer(NamedTuple):
    """A variable, and whether this is its own second layer."""

    variable: str
    own: bool = False


class Way(NamedTuple):
    """A kind of edges from a layer: a step of its variable by name, or (None) all unary ways to another layer at once.

    Children are layers, or names of terminals.
    """

    layer: Layer
    step: str | None
    children: tuple[Layer | str, ...]


class Layers(NamedTuple):
    """Layers in an order in which the children of unary edges come first, and their ways."""

    order: tuple[Layer, ...]
    ways: tuple[Way, ...]
    rings: tuple[tuple[str, ...], ...]  # variables that lead back to each other


def layers_of(parts: Parts) -> Layers:
    rings = _rings(parts)
    ring_of = {name: ring for ring in rings for name in ring}
    ways: list[Way] = []
    for name, steps in parts.steps.items():
        ring = ring_of.get(name)
        here = Layer(name, own=ring is not None)
        if ring is not None:
            ways += [Way(Layer(name), None, (Layer(other, own=True),)) for other in ring]
        ways += [
            Way(here, step_name, tuple(Layer(child) if child in parts.variables else child for child in step.children))
            for step_name, step in steps.items()
            if not stays_in(step, ring)
        ]
    unary = {(way.layer, way.children[0]) for way in ways if len(way.children) == 1 and isinstance(way.children[0], Layer)}
    left = list(dict.fromkeys([Layer(name) for name in parts.variables] + [way.layer for way in ways]))
    order: list[Layer] = []
    while left:  # there is always one whose unary children are all there, as rings have been cut open
        ready = next(one for one in left if all(child in order for parent, child in unary if parent == one))
        order.append(ready)
        left.remove(ready)
    return Layers(tuple(order), tuple(ways), rings)


def stays_in(step: Step, ring: tuple[str, ...] | None) -> bool:
    """Whether a step only leads from one variable of a ring to another."""
    return ring is not None and len(step.children) == 1 and step.children[0] in ring


def _rings(parts: Parts) -> tuple[tuple[str, ...], ...]:
    """Groups of variables that unary steps lead from to each other and back."""

    @lru_cache
    def leads_to(name: str) -> frozenset[str]:
        met: set[str] = set()
        waiting = list(parts.unary[name])
        while waiting:
            child = waiting.pop()
            if child not in met:
                met.add(child)
                waiting += parts.unary[child]
        return frozenset(met)

    rings = {
        tuple(other for other in parts.variables if other in leads_to(name) and name in leads_to(other))
        for name in parts.variables
        if name in leads_to(name)
    }
    return tuple(sorted(rings))
