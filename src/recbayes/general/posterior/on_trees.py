"""Hamiltonian steps of the values of given trees, of many trees at once: in JAX.

Tables of factors (`rows`) are filled up to the same numbers of rows for all trees, which only ever grow, so that little is
compiled anew.
"""

from functools import partial
from typing import Any

import numpy as np

from recbayes.general.chart.joint import Landscape
from recbayes.general.extra import in_doubles, jax_module
from recbayes.general.model.densities import in_arrays
from recbayes.general.posterior.rows import tables_of
from recbayes.general.surrogate.stand_in import Structures


class TreeDensity:
    """log p(X, Y, Z) as a function of the values X of the nodes of given trees Z."""

    def __init__(self, landscape: Landscape, parameters: Any) -> None:
        self.landscape, self.parameters = landscape, parameters
        self._sizes: dict[Any, int] = {}
        self._samples: dict[Any, Any] = {}
        self._nodes = 1
        self._factors: dict[Any, Any] = {}
        self._jitted: dict[Any, Any] = {}

    def packed(self, trees: Structures) -> tuple[dict[Any, Any], np.ndarray]:
        """Tables of all trees, filled up (trees, rows, ...), and where their nodes stand (trees, most nodes; -1: none)."""
        jax, count = jax_module(), len(trees.sizes)
        owners, first = trees.owners, trees.first[:-1]
        self._nodes = max(self._nodes, _power(int(trees.sizes.max())))
        nodes = np.full((count, self._nodes), -1)
        nodes[owners, np.arange(len(owners)) - first[owners]] = np.arange(len(owners))
        found: dict[Any, Any] = {}
        for table in tables_of(self.landscape, trees):
            owner = owners[table.nodes]
            order = np.argsort(owner, kind="stable")
            counts = np.bincount(owner, minlength=count)
            within = np.arange(len(owner)) - (np.cumsum(counts) - counts)[owner[order]]
            size = self._sizes[table.name] = max(self._sizes.get(table.name, 1), _power(int(counts.max())))
            self._factors[table.name] = table.factor
            self._samples[table.name] = jax.tree_util.tree_map(lambda one: one[:1], (table.children, table.rest))
            place = owner[order], within

            def fill(one: Any, own: Any, order: np.ndarray = order, place: Any = place, size: int = size) -> np.ndarray:
                full = np.broadcast_to(one[:1], (count, size, *one.shape[1:])).copy()
                full[place] = own[order]
                return full

            counted = np.zeros((count, size))
            counted[place] = 1.0
            local = table.nodes - first[owner]
            below = tuple(fill(np.zeros(1, dtype=np.int64), one - first[owner]) for one in table.children)
            rest = jax.tree_util.tree_map(lambda one, fill=fill: fill(one, one), table.rest)
            found[table.name] = counted, fill(np.zeros(1, dtype=np.int64), local), below, rest
        for name, size in self._sizes.items():  # kinds of factors that these trees have none of
            if name not in found:
                children, rest = self._samples[name]
                empty = np.zeros((count, size), dtype=np.int64)
                filled = jax.tree_util.tree_map(lambda one, s=size: np.broadcast_to(one, (count, s, *one.shape[1:])), rest)
                found[name] = np.zeros((count, size)), empty, tuple(empty for _ in children), filled
        return found, nodes

    def _log_density(self, names: tuple[Any, ...], given: Any, u: Any, tables: Any) -> Any:
        """Of one tree, at values (nodes, D)."""
        jax, jnp = jax_module(), jax_module("jax.numpy")
        total = 0.0
        for name, (counted, own, below, rest) in zip(names, tables, strict=True):
            factor = partial(self._factors[name], given)
            logs = jax.vmap(factor)(u[own], tuple(u[one] for one in below), rest)
            total += jnp.where(counted > 0.0, logs, 0.0).sum()
        return total

    def value_and_slope(self, trees: Structures, u: np.ndarray) -> tuple[float, np.ndarray]:
        """Of one tree, at its nodes' coordinates (nodes, D): log p(X, Y, Z) as a density of values, and its slopes."""
        tables, nodes = self.packed(trees)
        names = tuple(name for name in tables if not (isinstance(name, tuple) and name[0] == "stretch"))
        if "density" not in self._jitted:

            def total(parameters: Any, z: Any, own: Any) -> Any:
                return self._log_density(names, self.landscape.model.called_with(parameters), z, own)

            self._jitted["density"] = jax_module().jit(jax_module().value_and_grad(total, 1))
        full = np.zeros((nodes.shape[1], u.shape[1]))
        full[: len(u)] = u
        with in_doubles():
            own = [jax_module().tree_util.tree_map(lambda one: one[0], tables[name]) for name in names]
            value, slope = self._jitted["density"](in_arrays(self.parameters), full, own)
        return float(value), np.asarray(slope)[: len(u)]

    def move(
        self, trees: Structures, u: np.ndarray, scale: np.ndarray, step: float, leaps: int, seed: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """One Hamiltonian step of every tree's values (nodes, D), whose units are `scale`; new values and acceptances."""
        tables, nodes = self.packed(trees)
        names = tuple(tables)
        key = (names, *(tables[name][0].shape for name in names), nodes.shape)
        if key not in self._jitted:
            self._jitted[key] = jax_module().jit(partial(self._leap, names), static_argnums=(6,))
        used = nodes >= 0
        inner = np.where(used[..., None], u[nodes], 0.0)
        units = np.where(used[..., None], scale[nodes], 1.0)
        with in_doubles():
            made, rates = self._jitted[key](
                in_arrays(self.parameters), inner, units, step, np.uint32(seed), tuple(tables[name] for name in names), leaps
            )
        found = np.array(u)
        found[nodes[used]] = np.asarray(made)[used]
        return found, np.asarray(rates)

    def _leap(
        self, names: tuple[Any, ...], parameters: Any, u: Any, units: Any, step: Any, seed: Any, tables: Any, leaps: int
    ) -> Any:
        jax, jnp = jax_module(), jax_module("jax.numpy")
        given = self.landscape.model.called_with(parameters)
        density = partial(self._log_density, names, given)

        def one(u: Any, units: Any, key: Any, own: Any) -> Any:
            value_and_slope = jax.value_and_grad(lambda z: density(z * units, own))
            first, second, third = jax.random.split(key, 3)
            z = u / units
            momentum = jax.random.normal(first, z.shape)
            size = step * jnp.exp(0.2 * jax.random.normal(third))
            before, slope = value_and_slope(z)
            start = before - 0.5 * (momentum**2).sum()

            def leap(_: int, state: Any) -> Any:
                z, momentum, slope, _ = state
                momentum = momentum + 0.5 * size * slope
                z = z + size * momentum
                value, slope = value_and_slope(z)
                return z, momentum + 0.5 * size * slope, slope, value

            there, momentum, _, value = jax.lax.fori_loop(0, leaps, leap, (z, momentum, slope, before))
            log_rate = value - 0.5 * (momentum**2).sum() - start
            log_rate = jnp.where(jnp.isfinite(log_rate), log_rate, -jnp.inf)
            accepted = jnp.log(jax.random.uniform(second)) < log_rate
            return jnp.where(accepted, there * units, u), jnp.exp(jnp.minimum(log_rate, 0.0))

        keys = jax.random.split(jax.random.PRNGKey(seed), len(u))
        return jax.vmap(one)(u, units, keys, tables)


def _power(count: int) -> int:
    return 1 << max(0, (count - 1).bit_length())
