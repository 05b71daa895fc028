"""Draws for other tools: xarray, as ArviZ reads it."""

from typing import TYPE_CHECKING, Any

import numpy as np

from recbayes.errors import ModelError
from recbayes.general.extra import in_doubles
from recbayes.general.model.coordinates import from_coordinates, width

if TYPE_CHECKING:
    from recbayes.general.posterior.posterior import GeneralPosterior


def to_xarray(posterior: "GeneralPosterior", least: float) -> Any:
    try:
        import xarray
    except ImportError:
        raise ModelError("this needs xarray: pip install 'recbayes[xarray]'") from None
    forest, sources = posterior.trees, posterior.shown.sources
    weights = posterior.value_weights
    rng, count = np.random.default_rng(posterior.seed), len(forest)
    chosen = rng.choice(weights.size, count, p=weights.reshape(-1)) if posterior.method == "importance" else np.arange(count)
    trees, which = np.divmod(chosen, weights.shape[1])
    likely = posterior.nodes.at_least(least)
    spans = np.stack([likely.starts, likely.ends], axis=1)
    place = {tuple(span): n for n, span in enumerate(spans.tolist())}
    starts, ends = forest.positions[forest.starts].tolist(), forest.positions[forest.ends].tolist()
    rows = np.array([place.get((a, b), -1) for a, b in zip(starts, ends, strict=True)])
    exists = np.zeros((1, count, len(spans)), dtype=np.bool_)
    variables = posterior.landscape.model.parts.variables
    values = {
        name: np.full((1, count, len(spans), support.size), np.nan)
        for name, support in variables.items()
        if not support.is_discrete
    }
    for draw, (tree, k) in enumerate(zip(trees.tolist(), which.tolist(), strict=True)):
        nodes = np.arange(forest.first[tree], forest.first[tree + 1])
        nodes = nodes[rows[nodes] >= 0]
        exists[0, draw, rows[nodes]] = True
        for name, found in values.items():
            own = nodes[(forest.variables[nodes] == forest.labels.index(name)) & (sources[nodes] >= 0)]
            found[0, draw, rows[own], : width(variables[name])] = posterior.values[sources[own], k, : width(variables[name])]
    with in_doubles():
        for name, found in values.items():
            coordinates = found[..., : width(variables[name])]
            values[name] = np.asarray(from_coordinates(variables[name], coordinates), dtype=np.float64)
    names = [f"{start}:{end}" for start, end in spans.tolist()]
    return xarray.Dataset(
        {
            "exists": (("chain", "draw", "span"), exists),
            **{name: (("chain", "draw", "span", f"{name}_dim"), found) for name, found in values.items()},
        },
        coords={"chain": [0], "draw": np.arange(count), "span": names},
        attrs={"method": posterior.method, "effective_sample_size": posterior.effective_sample_size},
    )
