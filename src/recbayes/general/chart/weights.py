"""The log weights of a chart's edges, as a function of the values of its cells and of the parameters: in JAX."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from recbayes.errors import DataError
from recbayes.general.chart.cells import Cells, Edges
from recbayes.general.chart.layers import Layer, Way
from recbayes.general.data import Observations
from recbayes.general.extra import jax_module
from recbayes.general.model.densities import called, log_density, log_prob, log_structure, safe_log
from recbayes.general.model.parts import Parts, Step
from recbayes.general.model.rbn import RBN


class Block(NamedTuple):
    """The weights of one way: by edges (one for all, if they do not depend on these), parent's and children's states."""

    edges: int
    states: int
    sizes: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.edges, self.states, *self.sizes)


def blocks_of(parts: Parts, cells: Cells) -> list[Block]:
    """How the weights of all ways are laid out, one after the other; those of the prior come last."""
    found = []
    for edges in cells.edges:
        support = parts.variables[edges.way.layer.variable]
        sizes = tuple(_states(parts, child) for child in edges.way.children)
        found.append(Block(1 if _is_constant(parts, edges) else len(edges.parents), support.states, sizes))
    return found


class _Here(NamedTuple):
    """All that weights depend on: the model's parts, what its densities are called with, cells, values by variable, the row
    of each cell's value among those of its variable, and what was observed of every terminal, with what was seen of it."""

    parts: Parts
    given: Any
    cells: Cells
    values: Mapping[str, Any]
    rows: np.ndarray
    shown: list[tuple[np.ndarray, np.ndarray]]


def weight_function(model: RBN, cells: Cells, observed: Observations) -> Callable[[Mapping[str, Any], Any], Any]:
    """All log weights of edges, way by way, and those of the root's states, from values and parameters.

    Values are those of the cells of each continuous variable (cells, numbers).
    """
    jnp = jax_module("jax.numpy")
    parts = model.parts
    rows = rows_of_values(cells)
    root = cells.of(Layer(parts.root))[-1:]
    shown = [safe_observations(values) for values in observed.values]

    def weights(values: Mapping[str, Any], parameters: Any) -> Any:
        given = model.called_with(parameters)
        here = _Here(parts, given, cells, values, rows, shown)
        found = []
        for edges in cells.edges:
            if edges.way.step is None:
                found.append(closure(parts, cells.layers.rings, given, edges.way))
                continue
            step = parts.steps[edges.way.layer.variable][edges.way.step]
            made = _leaf_weights if step.length is not None else _edge_weights
            found.append(made(here, edges, step))
        support = parts.variables[parts.root]
        top = jnp.arange(support.states) if support.is_discrete else values[parts.root][rows[root]]
        prior = called("the prior", parts.prior, given)
        logs = _each(top, lambda x: log_prob(prior, x, None, "the prior", support.size))
        return jnp.concatenate([one.reshape(-1) for one in found] + [logs.reshape(-1)])

    return weights


def rows_of_values(cells: Cells) -> np.ndarray:
    """For every cell, its row among the values of its variable."""
    rows = np.zeros(len(cells.layer), dtype=np.int64)
    for layer in cells.layers.order:
        numbers = cells.of(layer)
        rows[numbers] = np.arange(len(numbers))
    return rows


def _states(parts: Parts, child: Layer | str) -> int:
    return parts.variables[child.variable].states if isinstance(child, Layer) else 1


def _is_discrete(parts: Parts, child: Layer | str) -> bool:
    return isinstance(child, Layer) and parts.variables[child.variable].is_discrete


def _is_constant(parts: Parts, edges: Edges) -> bool:
    """Whether all edges of a way have the same weights: neither values nor observations matter."""
    return all(_is_discrete(parts, one) for one in (edges.way.layer, *edges.way.children))


def safe_observations(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Observations with some that were seen in the place of those that are missing, and which were seen."""
    seen = ~np.isnan(values)
    first = [column[flags][0] if flags.any() else 0.0 for column, flags in zip(values.T, seen.T, strict=True)]
    return np.where(seen, values, np.array(first)), seen


def _each(many: Any, function: Callable[..., Any]) -> Any:
    return jax_module().vmap(function)(many)


def _edge_weights(here: _Here, edges: Edges, step: Step) -> Any:
    """Weights of edges to several children, or to one: (edges, parent's states, children's states)."""
    jax, jnp = jax_module(), jax_module("jax.numpy")
    parts, given = here.parts, here.given
    name, way = _name(edges), edges.way
    assert way.step is not None
    step_name = way.step
    nodes: tuple[Layer | str, ...] = (way.layer, *way.children)
    discrete = [_is_discrete(parts, one) for one in nodes]
    columns: list[Any] = []  # of every node that is not discrete, its values or observations, edge by edge
    for number, (node, cell) in enumerate(zip(nodes, (edges.parents, *edges.children.T), strict=True)):
        if isinstance(node, str):
            safe, seen = here.shown[parts.terminals.index(node)]
            columns.append((jnp.asarray(safe)[cell], jnp.asarray(seen)[cell]))
        elif not discrete[number]:
            columns.append(here.values[node.variable][here.rows[cell]])

    def one(some: Sequence[Any], states: Sequence[Any]) -> Any:
        """The weight of one edge, with the states of its discrete nodes."""
        left, chosen = iter(some), iter(states)
        parent, *children = [next(chosen) if flag else next(left) for flag in discrete]
        total = log_structure(parts, given, way.layer.variable, parent)[step_name]
        return total + log_density(parts, called(name, step.density, given, parent), step.children, children, name)

    def all_states(some: Sequence[Any]) -> Any:
        function: Any = lambda *states: one(some, states)  # noqa: E731
        ranges = [jnp.arange(_states(parts, node)) for node, flag in zip(nodes, discrete, strict=True) if flag]
        for n in range(len(ranges) - 1, -1, -1):
            function = jax.vmap(function, in_axes=tuple(0 if m == n else None for m in range(len(ranges))))
        return function(*ranges)

    if not columns:
        return all_states(())
    return jax.vmap(all_states)(tuple(columns))


def _leaf_weights(here: _Here, edges: Edges, step: Step) -> Any:
    """Weights of edges to leaves of several observations: (edges, parent's states)."""
    jax, jnp = jax_module(), jax_module("jax.numpy")
    parts, given, cells = here.parts, here.given, here.cells
    way, name = edges.way, _name(edges)
    assert step.length is not None
    assert way.step is not None
    step_name = way.step
    support = parts.variables[way.layer.variable]
    safe, seen = here.shown[parts.terminals.index(way.children[0])]  # type: ignore[arg-type]
    first, last = cells.points[cells.spans[edges.parents]].T
    lengths = last - first
    owner = np.repeat(np.arange(len(lengths)), lengths)
    position = np.arange(len(owner)) - np.repeat(np.cumsum(lengths) - lengths, lengths) + first[owner]

    def of_one(x: Any, y: Any, flags: Any) -> Any:
        return log_density(parts, called(name, step.density, given, x), step.children, [(y, flags)], name)

    def structure(x: Any) -> Any:
        return log_structure(parts, given, way.layer.variable, x)[step_name]

    if support.is_discrete:
        states = jnp.arange(support.states)
        table = jax.vmap(jax.vmap(of_one, (0, None, None)), (None, 0, 0))(states, jnp.asarray(safe), jnp.asarray(seen))
        logs, chances = table[position], jax.vmap(structure)(states)
    else:
        x = here.values[way.layer.variable][here.rows[edges.parents]]
        logs = jax.vmap(of_one)(x[owner], jnp.asarray(safe)[position], jnp.asarray(seen)[position])[:, None]
        chances = jax.vmap(structure)(x)[:, None]
    total = jax.ops.segment_sum(logs, owner, len(lengths), indices_are_sorted=True)
    return total + chances + jnp.asarray(step.length.log_probability(lengths))[:, None]


def closure(parts: Parts, rings: tuple[tuple[str, ...], ...], given: Any, way: Way) -> Any:
    """Log probabilities of all unary ways within a ring, from one variable's states to another's: log (1 - U)^-1."""
    jax, jnp = jax_module(), jax_module("jax.numpy")
    target = way.children[0]
    assert isinstance(target, Layer)
    ring = next(one for one in rings if way.layer.variable in one)
    first = dict(zip(ring, np.cumsum([0, *(parts.variables[one].states for one in ring)]), strict=False))
    size = sum(parts.variables[one].states for one in ring)
    U = jnp.zeros((size, size))
    for name in ring:
        for step_name, step in parts.steps[name].items():
            if len(step.children) == 1 and step.children[0] in ring:
                child = step.children[0]

                def chance(
                    a: Any, b: Any, name: str = name, step_name: str = step_name, step: Step = step, child: str = child
                ) -> Any:
                    log = log_structure(parts, given, name, a)[step_name]
                    where = f"step {step_name!r} of {name!r}"
                    return jnp.exp(log + log_density(parts, called(where, step.density, given, a), (child,), [b], where))

                states = jnp.arange(parts.variables[name].states), jnp.arange(parts.variables[child].states)
                block = jax.vmap(jax.vmap(chance, (None, 0)), (0, None))(*states)
                U = U.at[first[name] : first[name] + len(states[0]), first[child] : first[child] + len(states[1])].add(block)
    C = jnp.linalg.inv(jnp.eye(size) - U)
    rows = slice(first[way.layer.variable], first[way.layer.variable] + parts.variables[way.layer.variable].states)
    columns = slice(first[target.variable], first[target.variable] + parts.variables[target.variable].states)
    return safe_log(C[rows, columns])


def _name(edges: Edges) -> str:
    return f"step {edges.way.step!r} of {edges.way.layer.variable!r}"


def check_weights(parts: Parts, cells: Cells, blocks: Sequence[Block], weights: np.ndarray) -> None:
    """An error that says which density is no number, and where."""
    if not (np.isnan(weights) | (weights == np.inf)).any():
        return
    first = 0
    for edges, block in zip(cells.edges, blocks, strict=True):
        count = int(np.prod(block.shape))
        own = weights[first : first + count].reshape(block.edges, -1)
        bad = np.flatnonzero(np.isnan(own).any(axis=1) | (own == np.inf).any(axis=1))
        if len(bad):
            start, end = cells.points[cells.spans[edges.parents[bad[0]]]]
            raise DataError(
                f"the density of {_name(edges)} is not a number at the node {start}:{end}; check it there, and whether "
                "an observation is missing in part, of which only normal distributions and those of single numbers know, "
                "or probabilities of steps do not sum to one"
            )
        first += count
    raise DataError("the density of the prior is not a number at the root's value")
