"""What is maximised: the joint density of all values, with the structure summed out, and its slopes.

With pseudo-priors psi it is the density of all cells' values, sum of log psi(u) plus the chart in which nodes' factors are
divided by psi: it has the same meaning whatever the number of nodes and the units. The raw form is the paper's, log p(X, Y).
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from recbayes.compiled.compilation import run_kernel
from recbayes.general.chart.joint import JointChart, Landscape
from recbayes.general.chart.tilted import Tilted
from recbayes.general.extra import in_doubles, jax_module
from recbayes.general.kernels.structures import share_structures, sum_structures
from recbayes.general.model.densities import in_arrays
from recbayes.general.posterior.pseudo import PseudoPrior


class Here(NamedTuple):
    value: float
    slopes: dict[str, np.ndarray]  # with respect to coordinates
    of_parameters: Any


class Objective:
    """Of one sequence; `raw` leaves pseudo-priors out."""

    def __init__(self, landscape: Landscape, pseudo: PseudoPrior, raw: bool) -> None:
        self.landscape, self.pseudo, self.raw = landscape, pseudo, raw
        self.tilted = tilted = Tilted(landscape)
        jax = jax_module()

        def weights(u: Any, parameters: Any) -> tuple[Any, Any]:
            if raw:
                return landscape.weight_function(tilted.values(u), parameters), 0.0
            logs = tilted.log_pseudo(u, pseudo.arrays)
            return tilted.weights(u, pseudo.arrays, parameters), sum(one.sum() for one in logs.values())

        def pulled(u: Any, parameters: Any, shares: Any) -> Any:
            return jax.vjp(weights, u, parameters)[1]((shares, 0.0 if raw else 1.0))

        self._weights, self._pulled = jax.jit(weights), jax.jit(pulled)

    def chart(self, u: Mapping[str, np.ndarray], parameters: Any) -> JointChart:
        """Structures at these values; with pseudo-priors, each as probable as it is given all values."""
        with in_doubles():
            weights = np.array(self._weights(dict(u), in_arrays(parameters))[0], dtype=np.float64)
            values = {name: np.asarray(one) for name, one in self.tilted.values(u).items()}
        inside = np.empty(self.landscape.graph.place[-1])
        run_kernel(sum_structures, self.landscape.graph, weights, inside)
        return JointChart(self.landscape, values, parameters, weights, inside)

    def value_and_slopes(self, u: Mapping[str, np.ndarray], parameters: Any) -> Here:
        jax, graph = jax_module(), self.landscape.graph
        with in_doubles():
            given = in_arrays(parameters)
            weights, more = self._weights(dict(u), given)
            weights = np.array(weights, dtype=np.float64)
            inside, states = np.empty(graph.place[-1]), int(graph.place[-1] - graph.place[-2])
            if np.isnan(weights).any():
                return Here(-np.inf, {}, None)
            run_kernel(sum_structures, graph, weights, inside)
            root = weights[len(weights) - states :] + inside[graph.place[-2] :]
            total = float(np.logaddexp.reduce(root))
            if not np.isfinite(total):
                return Here(-np.inf, {}, None)
            outside, entered, shares = np.zeros_like(inside), np.zeros_like(inside), np.zeros_like(weights)
            outside[graph.place[-2] :] = shares[len(shares) - states :] = np.exp(root - total)
            run_kernel(share_structures, graph, weights, inside, outside, entered, shares)
            slopes, of_parameters = self._pulled(dict(u), given, shares)
            found = {name: np.asarray(one) for name, one in slopes.items()}
            return Here(total + float(more), found, jax.tree_util.tree_map(np.asarray, of_parameters))
