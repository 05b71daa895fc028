"""log p(X, Y, Z) of drawn trees and values, by the model's true densities, and its slopes with respect to parameters."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from recbayes.general.chart.joint import Landscape
from recbayes.general.extra import in_doubles, jax_module
from recbayes.general.model.densities import in_arrays
from recbayes.general.model.parts import compiled
from recbayes.general.model.rbn import RBN
from recbayes.general.posterior.rows import Table, tables_of
from recbayes.general.surrogate.stand_in import Structures

CHUNK = 1 << 16  # rows evaluated at once


def log_joint(landscape: Landscape, parameters: Any, trees: Structures, values: np.ndarray) -> np.ndarray:
    """(trees, K) of values (nodes, K, D) in coordinates; the density is that of coordinates."""
    model, count = landscape.model, values.shape[1]
    total = np.zeros((len(trees.sizes), count))
    owners = trees.owners
    with in_doubles():
        given = in_arrays(parameters)
        for table in tables_of(landscape, trees):
            run = compiled(model.parts, ("log joint", table.name), partial(_many, table.factor, model))
            logs = np.concatenate([np.asarray(run(given, *rows))[:size] for rows, size in _chunks(table, values)])
            np.add.at(total, owners[table.nodes], logs.reshape(-1, count))
    return total


def slopes(landscape: Landscape, parameters: Any, trees: Structures, values: np.ndarray, shares: np.ndarray) -> Any:
    """Derivatives with respect to the parameters of the sum of `shares` (trees, K) times `log_joint`."""
    jax, model = jax_module(), landscape.model
    owners = trees.owners
    with in_doubles():
        given = in_arrays(parameters)
        total = jax.tree_util.tree_map(np.zeros_like, given)
        for table in tables_of(landscape, trees):
            run = compiled(model.parts, ("slopes", table.name), partial(_pulled, table.factor, model))
            own, begin = shares[owners[table.nodes]].reshape(-1), 0
            for rows, size in _chunks(table, values):
                weights = np.zeros(len(rows[0]))
                weights[:size] = own[begin : begin + size]
                total = jax.tree_util.tree_map(np.add, total, run(given, *rows, weights))
                begin += size
    return jax.tree_util.tree_map(np.asarray, total)


def _many(factor: Any, model: RBN, parameters: Any, u: Any, children: Any, rest: Any) -> Any:
    return jax_module().vmap(partial(factor, model.called_with(parameters)))(u, children, rest)


def _pulled(factor: Any, model: RBN, parameters: Any, u: Any, children: Any, rest: Any, weights: Any) -> Any:
    jax, jnp = jax_module(), jax_module("jax.numpy")

    def total(free: Any) -> Any:
        return jnp.where(weights > 0.0, weights * _many(factor, model, free, u, children, rest), 0.0).sum()

    return jax.grad(total)(parameters)


def _chunks(table: Table, values: np.ndarray) -> Iterator[tuple[tuple[Any, Any, Any], int]]:
    """Parts of a table, every row with all its values, of a power of two of rows, the last one repeated; and how many are
    new."""
    jax, count = jax_module(), values.shape[1]
    total = len(table) * count
    size = min(CHUNK, 1 << max(6, (total - 1).bit_length()))
    for begin in range(0, total, size):
        chosen = np.minimum(np.arange(begin, begin + size), total - 1)
        row, which = chosen // count, chosen % count
        u = values[table.nodes[row], which]
        children = tuple(values[one[row], which] for one in table.children)
        yield (u, children, jax.tree_util.tree_map(lambda one, row=row: one[row], table.rest)), min(size, total - begin)
