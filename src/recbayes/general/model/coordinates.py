"""Values in coordinates that may be any real numbers: logarithms of positive ones, log ratios of probabilities.

Densities of values become densities of coordinates by the logarithm of |dx/du|.
"""

from typing import Any

import numpy as np

from recbayes.general.extra import jax_module
from recbayes.general.model.supports import Positive, Simplex, Support

LEAST = 1e-300  # of a number whose logarithm is taken


def width(support: Support) -> int:
    """How many coordinates a value has."""
    return support.size - 1 if isinstance(support, Simplex) else support.size


def from_coordinates(support: Support, u: Any) -> Any:
    """Values (..., size) of coordinates (..., width): in JAX."""
    jax, jnp = jax_module(), jax_module("jax.numpy")
    if isinstance(support, Positive):
        return jnp.exp(u)
    if isinstance(support, Simplex):
        return jax.nn.softmax(jnp.concatenate([u, jnp.zeros((*u.shape[:-1], 1))], axis=-1), axis=-1)
    return u


def log_stretch(support: Support, u: Any) -> Any:
    """log |dx/du| at coordinates (..., width): in JAX."""
    jax, jnp = jax_module(), jax_module("jax.numpy")
    if isinstance(support, Positive):
        return u.sum(axis=-1)
    if isinstance(support, Simplex):
        full = jnp.concatenate([u, jnp.zeros((*u.shape[:-1], 1))], axis=-1)
        return jax.nn.log_softmax(full, axis=-1).sum(axis=-1)
    return jnp.zeros(u.shape[:-1])


def to_coordinates(support: Support, x: np.ndarray) -> np.ndarray:
    """Coordinates of values (..., size)."""
    if isinstance(support, Positive):
        return np.log(np.maximum(x, LEAST))
    if isinstance(support, Simplex):
        logs = np.log(np.maximum(x, LEAST))
        return logs[..., :-1] - logs[..., -1:]
    return np.asarray(x, dtype=np.float64)
