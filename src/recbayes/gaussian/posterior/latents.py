"""Values of nodes: posterior means and covariances, exact given each drawn tree and averaged over the draws."""

import numpy as np

from recbayes.compiled.layout import MODE, pack_symmetric, precision_from, triangle_entries, unpack_symmetric
from recbayes.family.posterior import Latent
from recbayes.gaussian.chart.coordinates import moments_outside
from recbayes.gaussian.chart.inside import Chart
from recbayes.gaussian.posterior.follow import node_values
from recbayes.tree.forest import Forest

CHUNK = 1 << 16  # nodes whose densities are held at once


def gather_latents(
    chart: Chart,
    forest: Forest,
    weights: np.ndarray,
    components: np.ndarray,
    by_rule: bool = False,
    wanted: np.ndarray | None = None,
) -> dict[tuple[int, ...], Latent]:
    """The values of all nodes that occur in the draws, by variable, start and end (chart points), and perhaps by rule; or of
    those whose start and end are `wanted` (spans, 2).

    A node's value is a mixture over the trees that have it, each contributing one Gaussian (Rao and Blackwell): total mean
    and covariance follow from sums of weights, means and squares, taken about the first mean met to keep all digits.
    """
    representatives, weights, components = merge_equal(forest, weights, components)
    trees = forest.select(representatives)
    unique, cell_of = _distinct([trees.variables, trees.starts, trees.ends, *([trees.rules] if by_rule else [])])
    size = max(variable.dim for variable in chart.model.variables)
    total = np.zeros(len(unique))
    centre, mean = np.zeros((len(unique), size)), np.zeros((len(unique), size))
    square = np.zeros((len(unique), triangle_entries(size)))
    seen = np.zeros(len(unique), dtype=bool)
    begin = 0
    while begin < len(trees):
        end = begin + 1
        while end < len(trees) and trees.first[end + 1] - trees.first[begin] <= CHUNK:
            end += 1
        part = trees.select(np.arange(begin, end))
        values = node_values(chart, part, components[begin:end])
        means, triangles = values[:, MODE : precision_from(size)], values[:, precision_from(size) :]
        cell = cell_of[trees.first[begin] : trees.first[end]]
        fresh, where = np.unique(cell, return_index=True)
        new = ~seen[fresh]
        centre[fresh[new]] = means[where[new]]
        seen[fresh] = True
        share = weights[begin:end][part.owners]
        apart = means - centre[cell]
        np.add.at(total, cell, share)
        np.add.at(mean, cell, share[:, None] * apart)
        np.add.at(square, cell, share[:, None] * (triangles + _squares(apart)))
        begin = end
    known = np.where(total > 0, total, 1.0)  # trees of weight zero say nothing
    mean /= known[:, None]
    square = square / known[:, None] - _squares(mean)
    latents = {}
    known_spans = None if wanted is None else set(map(tuple, wanted.tolist()))
    for number, cell in enumerate(unique.tolist()):
        if total[number] > 0 and (known_spans is None or (cell[1], cell[2]) in known_spans):
            dim = chart.model.variables[cell[0]].dim
            covariance = unpack_symmetric(square[number], size)
            value = (centre[number] + mean[number])[:dim]
            moments = moments_outside(chart.model, cell[0], value, covariance[:dim, :dim].copy())
            latents[tuple(cell)] = Latent(*moments, float(min(total[number], 1.0)))
    return latents


def _distinct(columns: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The distinct rows of columns of whole numbers, in order, and which of them each row is: by one number for a row."""
    keys = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        least = int(column.min())
        keys = keys * (int(column.max()) - least + 1) + (column - least)
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    return np.stack([column[first] for column in columns], axis=1), which.reshape(-1)


def _squares(vectors: np.ndarray) -> np.ndarray:
    """The packed outer products of vectors with themselves."""
    return pack_symmetric(vectors[:, :, None] * vectors[:, None, :])


def merge_equal(forest: Forest, weights: np.ndarray, components: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One of each kind of tree and prior component, with the total weight of its kind."""
    _, kinds = forest.distinct()
    pairs = kinds * (components.max() + 1) + components
    _, representatives, numbers = np.unique(pairs, return_index=True, return_inverse=True)
    return representatives, np.bincount(numbers.reshape(-1), weights=weights), components[representatives]
