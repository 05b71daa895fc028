"""Sites of all edges: what a step says of its parent's value beside its continuous children, as a Gaussian of that value.

That is how probable the step is, how probable are the states of discrete children, and the observations. Edges that differ
in none of these share a site. Of discrete parents it is a number, and exact.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from recbayes.general.chart.joint import Landscape
from recbayes.general.chart.layers import Way
from recbayes.general.chart.weights import closure, safe_observations
from recbayes.general.extra import in_doubles, jax_module
from recbayes.general.model.coordinates import from_coordinates, width
from recbayes.general.model.densities import called, in_arrays, log_density, log_prob, log_structure
from recbayes.general.model.parts import Parts, compiled
from recbayes.general.model.rbn import RBN
from recbayes.general.surrogate.cloud import Cloud
from recbayes.general.surrogate.matching import STARTS, matched_moments, sites_of


class Factors(NamedTuple):
    """Sites of all edges: where those of an edge stand, by states of the parent and then of the children together; in as
    many dimensions as any variable has."""

    place: np.ndarray  # (E,)
    J: np.ndarray  # (R, D, D)
    h: np.ndarray  # (R, D)
    g: np.ndarray  # (R,)


class Rows(NamedTuple):
    """The rows of one way: how many, where those of each edge begin, and what their logarithms depend on."""

    way: Way
    total: int
    place: np.ndarray  # (E,)
    data: Any


class SiteMaker:
    """Sites of one sequence as a function of parameters and cloud. Sequences of about the same length share what is
    compiled, as rows come in powers of two."""

    def __init__(self, landscape: Landscape) -> None:
        self.landscape, self.model = landscape, landscape.model
        self.rows = [_rows_of(landscape, n) for n in range(len(landscape.cells.edges))]
        self.first = np.concatenate([[0], np.cumsum([one.total for one in self.rows])])
        self.place = np.concatenate([start + one.place for start, one in zip(self.first, self.rows, strict=False)])

    def factors(self, parameters: Any, cloud: Cloud) -> Factors:
        """Sites of the edges of all ways."""
        parts, total = self.model.parts, self.first[-1]
        dim = max(1, *(width(one) for one in parts.variables.values()))
        J, h, g = np.zeros((total, dim, dim)), np.zeros((total, dim)), np.zeros(total)
        with in_doubles():
            given = in_arrays(parameters)
            for name, support in parts.variables.items():
                own = [n for n, one in enumerate(self.rows) if one.way.layer.variable == name]
                if not own:
                    continue
                ways, data = tuple(self.rows[n].way for n in own), [self.rows[n].data for n in own]
                numbers = np.concatenate([np.arange(self.first[n], self.first[n + 1]) for n in own])
                padded = np.concatenate([[0], np.cumsum([_length(one) for one in data])])
                there = np.concatenate(
                    [begin + np.arange(self.rows[n].total) for n, begin in zip(own, padded, strict=False)]
                )
                rings = self.landscape.cells.layers.rings
                if support.is_discrete:
                    logs = compiled(parts, ("sites", ways), partial(_exact, self.model, rings, ways))(given, data)
                    g[numbers] = np.asarray(logs)[there]
                    continue
                size, around = width(support), cloud.around[name]
                starts = np.concatenate([around.mean[None], cloud.points[name][: STARTS - 1]])
                match = compiled(parts, ("sites", ways), partial(_matched, self.model, rings, ways))
                found = match(given, data, (around.mean, np.linalg.inv(around.covariance)), starts)
                mean, covariance, log_integral = (np.asarray(one)[there] for one in found)
                J[numbers, :size, :size], h[numbers, :size], g[numbers] = sites_of(mean, covariance, log_integral, around)
        return Factors(self.place, J, h, g)


def _exact(model: RBN, rings: Any, ways: Sequence[Way], parameters: Any, data: Any) -> Any:
    given = model.called_with(parameters)
    found = [_logs(model.parts, rings, way, given, None, one) for way, one in zip(ways, data, strict=True)]
    return jax_module("jax.numpy").concatenate(found)


def _matched(
    model: RBN, rings: Any, ways: Sequence[Way], parameters: Any, data: Any, around: Any, starts: Any
) -> tuple[Any, Any, Any]:
    jnp = jax_module("jax.numpy")
    given, support = model.called_with(parameters), model.parts.variables[ways[0].layer.variable]
    edges = np.concatenate([[0], np.cumsum([_length(one) for one in data])])

    def f(u: Any) -> Any:
        x = from_coordinates(support, u)
        logs = [
            _logs(model.parts, rings, way, given, x[begin : begin + _length(one)], one)
            for way, one, begin in zip(ways, data, edges, strict=False)
        ]
        return jnp.concatenate(logs)

    return matched_moments(f, around, starts, int(edges[-1]))


def _length(data: Any) -> int:
    return int(data["states"][0].shape[0])


def _rows_of(landscape: Landscape, number: int) -> Rows:
    """Edges are told apart by their observations; of each, there is a row for all states of parent and children."""
    parts, cells = landscape.model.parts, landscape.cells
    edges, sizes = cells.edges[number], landscape.blocks[number].sizes
    way = edges.way
    support = parts.variables[way.layer.variable]
    step = None if way.step is None else parts.steps[way.layer.variable][way.step]
    shown = [safe_observations(values) for values in landscape.observed.values]
    columns = edges.children[:, [n for n, child in enumerate(way.children) if isinstance(child, str)]]
    if step is not None and step.length is not None:
        columns = np.arange(len(columns))[:, None]  # leaves of several observations are all different
    examples, which = np.zeros(1, dtype=np.int64), np.zeros(len(columns), dtype=np.int64)
    if columns.shape[1] > 0:
        _, examples, which = np.unique(columns, axis=0, return_index=True, return_inverse=True)
    combinations = int(np.prod(sizes)) * support.states
    count = len(examples) * combinations
    padded = np.minimum(np.arange(1 << (count - 1).bit_length()), count - 1)
    states = np.unravel_index(padded % combinations, (support.states, *sizes))
    example = examples[padded // combinations]
    data: dict[str, Any] = {"states": tuple(states)}
    if step is not None and step.length is not None:
        data |= _leaf_data(landscape, edges.parents[example], shown[parts.terminals.index(step.children[0])])
        first, last = cells.points[cells.spans[edges.parents[example]]].T
        data["log_length"] = step.length.log_probability(last - first)
    else:
        data["seen"] = {
            n: tuple(one[edges.children[example, n]] for one in shown[parts.terminals.index(child)])
            for n, child in enumerate(way.children)
            if isinstance(child, str)
        }
    return Rows(way, count, which.reshape(-1) * combinations, data)


def _leaf_data(landscape: Landscape, cells: np.ndarray, shown: tuple[np.ndarray, np.ndarray]) -> dict[str, np.ndarray]:
    """All observations of all leaves, one after the other, with the row of each; those that only fill up count nothing."""
    first, last = landscape.cells.points[landscape.cells.spans[cells]].T
    lengths = last - first
    owner = np.repeat(np.arange(len(lengths)), lengths)
    position = np.arange(len(owner)) - np.repeat(np.cumsum(lengths) - lengths, lengths) + first[owner]
    padded = np.minimum(np.arange(1 << (len(owner) - 1).bit_length()), len(owner) - 1)
    counts = np.arange(len(padded)) < len(owner)
    return {
        "owner": owner[padded],
        "counts": counts,
        "values": shown[0][position[padded]],
        "flags": shown[1][position[padded]],
    }


def _logs(parts: Parts, rings: Any, way: Way, given: Any, x: Any, data: Any) -> Any:
    """What a step says, in all its rows, at the parents' values (rows, size); of discrete parents at their states."""
    jnp = jax_module("jax.numpy")
    variable = way.layer.variable
    if way.step is None:
        return closure(parts, rings, given, way)[data["states"]]
    parents = jnp.asarray(data["states"][0]) if parts.variables[variable].is_discrete else x
    return (_leaves if "owner" in data else _single)(parts, way, given, parents, data)


def _single(parts: Parts, way: Way, given: Any, parents: Any, data: Any) -> Any:
    variable, step_name = way.layer.variable, way.step or ""
    step, name = parts.steps[variable][step_name], f"step {step_name!r} of {variable!r}"
    known: list[Any] = []
    for n, child in enumerate(step.children):
        if child in parts.terminals:
            known.append(data["seen"][n])
        else:
            known.append(data["states"][1 + n] if parts.variables[child].is_discrete else None)

    def one(x: Any, values: Any) -> Any:
        total = log_structure(parts, given, variable, x)[step_name]
        if all(value is None for value in values):
            return total
        density = called(name, step.density, given, x)
        if all(value is not None for value in values):
            return total + log_density(parts, density, step.children, values, name)
        if not isinstance(density, list | tuple):
            return total  # of one distribution for all children, only the continuous ones are looked at
        for child, own, value in zip(step.children, density, values, strict=True):
            if value is not None and child in parts.terminals:
                total += log_prob(own, value[0], value[1], name, None)
            elif value is not None:
                total += log_prob(own, value, None, name, 0)
        return total

    return jax_module().vmap(one)(parents, known)


def _leaves(parts: Parts, way: Way, given: Any, parents: Any, data: Any) -> Any:
    jax, jnp = jax_module(), jax_module("jax.numpy")
    variable, step_name = way.layer.variable, way.step or ""
    step, name = parts.steps[variable][step_name], f"step {step_name!r} of {variable!r}"

    def of_one(x: Any, y: Any, flags: Any) -> Any:
        density = called(name, step.density, given, x)
        return log_prob(density[0] if isinstance(density, list | tuple) else density, y, flags, name, None)

    logs = jax.vmap(of_one)(parents[data["owner"]], data["values"], data["flags"])
    rows = _length(data)
    total = jax.ops.segment_sum(jnp.where(data["counts"], logs, 0.0), data["owner"], rows, indices_are_sorted=True)
    chances = jax.vmap(lambda x: log_structure(parts, given, variable, x)[step_name])(parents)
    return total + chances + data["log_length"]
