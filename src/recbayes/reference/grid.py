"""Inside and outside on a grid of values: exact, as far as the grid is fine, for any densities of one-dimensional values.

With x on a grid g with the distances w, integrals are sums: the inside probability of a span at every x is a vector, and
with the matrices L[g, h] = p_left(h | g) w(h) and R likewise

    inside(i, k) = emit(g) p(y_i ... y_k | g) + split(g) sum over j of (L inside(i, j)) (R inside(j, k)),

and outside probabilities follow from the top (paper, section Inference). For models with one continuous variable that splits
in two, each child by itself, or emits: those that are written as a class.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logsumexp

from recbayes.errors import ModelError
from recbayes.general.data import read_observations
from recbayes.general.extra import in_doubles, jax_module
from recbayes.general.model.densities import in_arrays, log_prob, log_structure
from recbayes.general.model.rbn import RBN


@dataclass(frozen=True, eq=False)
class GridChart:
    """Log evidence, the probability of every span to be a node, and of every node the mean of its value (NaN: no node)."""

    log_evidence: float
    node_probability: np.ndarray  # (N + 1, N + 1)
    mean: np.ndarray  # (N + 1, N + 1)


def grid_chart(model: RBN, data: Any, grid: np.ndarray) -> GridChart:
    """All of a sequence, with values on a grid."""
    tables = _tables(model, data, grid)
    count = len(tables.leaf)
    inside = np.full((count, count, len(grid)), -np.inf)
    lifted = np.full((2, count, count, len(grid)), -np.inf)  # through the left and the right link
    for width in range(1, count):
        for i in range(count - width):
            k = i + width
            below = [lifted[0, i, j] + lifted[1, j, k] for j in range(i + 1, k)]
            split = tables.split + logsumexp(below, axis=0) if below else np.full(len(grid), -np.inf)
            inside[i, k] = np.logaddexp(tables.leaf[i, k], split)
            for side in (0, 1):
                lifted[side, i, k] = _through(tables.links[side], inside[i, k])
    outside = np.full_like(inside, -np.inf)
    outside[0, count - 1] = tables.prior
    for width in range(count - 1, 1, -1):
        for i in range(count - width):
            k = i + width
            above = outside[i, k] + tables.split
            for j in range(i + 1, k):
                left = _through(tables.back[0], above + lifted[1, j, k])
                right = _through(tables.back[1], above + lifted[0, i, j])
                outside[i, j] = np.logaddexp(outside[i, j], left)
                outside[j, k] = np.logaddexp(outside[j, k], right)
    widths = np.log(_widths(grid))
    log_evidence = float(logsumexp(tables.prior + widths + inside[0, count - 1]))
    joint = np.exp(inside + outside + widths - log_evidence)
    probability = joint.sum(axis=2)
    with np.errstate(invalid="ignore"):
        mean = np.where(probability > 0.0, joint @ grid / probability, np.nan)
    return GridChart(log_evidence, probability, mean)


@dataclass(frozen=True, eq=False)
class _Tables:
    """In logarithms: leaves of all spans, splitting, the prior, links upwards with the grid's distances, and downwards."""

    leaf: np.ndarray
    split: np.ndarray
    prior: np.ndarray
    links: list[np.ndarray]
    back: list[np.ndarray]


def _tables(model: RBN, data: Any, grid: np.ndarray) -> _Tables:
    parts = model.parts
    name = parts.root
    if list(parts.steps) != [name] or set(parts.steps[name]) != {"split", "emit"} or parts.variables[name].size != 1:
        raise ModelError("the grid is for one one-dimensional variable that splits in two or emits")
    jax, jnp = jax_module(), jax_module("jax.numpy")
    observed = read_observations(parts, data)
    values, steps = observed.values[0], parts.steps[name]
    seen = ~np.isnan(values)
    with in_doubles():
        given = model.called_with(in_arrays(model.parameters))
        x = jnp.asarray(grid)[:, None]
        structure = jax.vmap(lambda one: log_structure(parts, given, name, one))(x)

        def link(side: int) -> Any:
            def density(parent: Any, child: Any) -> Any:
                return log_prob(steps["split"].density(given, parent)[side], child, None, "split", 1)

            return jax.vmap(lambda parent: jax.vmap(lambda child: density(parent, child))(x))(x)

        def shown(parent: Any, y: Any, flags: Any) -> Any:
            one = steps["emit"].density(given, parent)
            return log_prob(one[0] if isinstance(one, list) else one, y, flags, "emit", None)

        safe = jnp.asarray(np.where(seen, values, np.nanmax(values) if seen.any() else 0.0))
        single = np.asarray(
            jax.vmap(lambda y, flags: jax.vmap(lambda one: shown(one, y, flags))(x))(safe, jnp.asarray(seen))
        )
        prior = np.asarray(jax.vmap(lambda one: log_prob(parts.prior(given), one, None, "prior", 1))(x))
        links = [np.asarray(link(side)) for side in (0, 1)]
        chances = {step: np.asarray(logs) for step, logs in structure.items()}
    widths = np.log(_widths(grid))
    sums = np.concatenate([np.zeros((1, len(grid))), np.cumsum(single, axis=0)])
    count = len(sums)
    leaf = np.full((count, count, len(grid)), -np.inf)
    length = steps["emit"].length
    for i in range(count):
        for k in range(i + 1, count):
            if length is None and k - i > 1:
                continue
            log_length = 0.0 if length is None else float(length.log_probability(np.array([k - i]))[0])
            leaf[i, k] = chances["emit"] + log_length + sums[k] - sums[i]
    return _Tables(leaf, chances["split"], prior, [one + widths for one in links], [one.T + widths for one in links])


def _widths(grid: np.ndarray) -> np.ndarray:
    """How much of the line each point stands for."""
    return np.gradient(grid)


def _through(logs: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """The logarithm of a matrix times a vector, both in logarithms."""
    highest = vector.max()
    if highest == -np.inf:
        return np.full(len(logs), -np.inf)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.exp(logs) @ np.exp(vector - highest)) + highest)
