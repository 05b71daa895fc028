"""Charts with pseudo-priors, in coordinates: every node's factor is divided by the pseudo-prior of its cell at its value."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from recbayes.general.chart.joint import Landscape
from recbayes.general.extra import jax_module
from recbayes.general.model.coordinates import from_coordinates, log_stretch


class Tilted:
    """Log weights of edges as a function of coordinates (cells, D) of every variable, pseudo-priors and parameters: in JAX.

    A pseudo-prior is, by variable, means, inverse roots of covariances, and constants of all cells.
    """

    def __init__(self, landscape: Landscape) -> None:
        self.landscape = landscape
        variables = landscape.model.parts.variables
        self.blocks: list[tuple[int, str | None, np.ndarray]] = []  # numbers, the variable, and the parents' rows
        for edges, block in zip(landscape.cells.edges, landscape.blocks, strict=True):
            name, count = edges.way.layer.variable, int(np.prod(block.shape))
            if variables[name].is_discrete:
                self.blocks.append((count, None, np.zeros(0, dtype=np.int64)))
            else:
                self.blocks.append((count, name, np.repeat(landscape.rows[edges.parents], count // len(edges.parents))))

    def values(self, u: Mapping[str, Any]) -> dict[str, Any]:
        variables = self.landscape.model.parts.variables
        return {name: from_coordinates(variables[name], one) for name, one in u.items()}

    def log_pseudo(self, u: Mapping[str, Any], pseudo: Mapping[str, Any]) -> dict[str, Any]:
        """Log densities of all cells' pseudo-priors, by variable."""
        jnp = jax_module("jax.numpy")
        found = {}
        for name, one in u.items():
            mean, inverse, constant = pseudo[name]
            z = jnp.einsum("cij,cj->ci", inverse, one - mean)
            found[name] = -0.5 * (z**2).sum(axis=1) - constant
        return found

    def weights(self, u: Mapping[str, Any], pseudo: Mapping[str, Any], parameters: Any) -> Any:
        jnp = jax_module("jax.numpy")
        variables = self.landscape.model.parts.variables
        logs = self.log_pseudo(u, pseudo)
        extra = {name: log_stretch(variables[name], one) - logs[name] for name, one in u.items()}
        more = [jnp.zeros(count) if name is None else extra[name][rows] for count, name, rows in self.blocks]
        plain = self.landscape.weight_function(self.values(u), parameters)
        root = jnp.zeros(len(plain) - sum(count for count, _, _ in self.blocks))
        return plain + jnp.concatenate([*more, root])
