"""Draws for other tools, with the values of nodes: xarray, as ArviZ reads it."""

from typing import TYPE_CHECKING, Any

import numpy as np

from recbayes.family import export
from recbayes.general.extra import in_doubles
from recbayes.general.model.coordinates import from_coordinates, width

if TYPE_CHECKING:
    from recbayes.general.posterior.posterior import GeneralPosterior


def to_xarray(posterior: "GeneralPosterior", least: float) -> Any:
    """Trees are chosen with one of their draws of values each."""
    forest, sources, weights = posterior.trees, posterior.shown.sources, posterior.value_weights
    every = export.equal_draws(weights.reshape(-1))  # more than trees: every so many of them count equally, too
    trees, which = np.divmod(every[weights.shape[1] // 2 :: weights.shape[1]], weights.shape[1])
    found = export.to_xarray(posterior, least, trees)
    _, rows = export.rows_of_nodes(posterior, least)
    for name, support in posterior.landscape.model.parts.variables.items():
        if support.is_discrete:
            continue
        values = np.full((1, len(trees), found.sizes["span"], support.size), np.nan)
        own = (rows >= 0) & (sources >= 0) & (forest.variables == forest.labels.index(name))
        for draw, (tree, k) in enumerate(zip(trees.tolist(), which.tolist(), strict=True)):
            nodes = np.arange(forest.first[tree], forest.first[tree + 1])
            nodes = nodes[own[nodes]]
            values[0, draw, rows[nodes], : width(support)] = posterior.values[sources[nodes], k, : width(support)]
        with in_doubles():
            values = np.asarray(from_coordinates(support, values[..., : width(support)]), dtype=np.float64)
        found[name] = (("chain", "draw", "span", f"{name}_dim"), values)
    return found
