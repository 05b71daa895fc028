"""The log evidence of a Gaussian model as a function of JAX: compiled charts, called from there, with their gradients."""

from functools import lru_cache
from typing import Any

import numpy as np

from recbayes.checks.arguments import instance
from recbayes.checks.arrays import short
from recbayes.checks.series import as_series
from recbayes.errors import DataError, ModelError
from recbayes.gaussian.chart.gradient import model_gradient
from recbayes.gaussian.chart.inside import inside_one
from recbayes.gaussian.emissions.emission import OBSERVED
from recbayes.gaussian.learn.quantities import slopes
from recbayes.general.extra import jax_module
from recbayes.parameters.parameters import Parameters


def log_evidence(vector: Any, y: Any, *, parameters: Parameters) -> Any:
    """The (moment-matched) log evidence of a series at a free vector, as a function of JAX.

    Derivatives are with respect to both, so that what stands before a model, such as a neural network whose output is y,
    learns with it. `jax.vmap` goes over series of the same length.

    Arguments:
        vector: the free vector, of `parameters.size` numbers; `parameters.vector()` is the model's own.
        y: the series, (N, columns).
        parameters: those of a Gaussian model, `rb.Parameters(model)`, which say what the numbers of the vector mean.
    """
    instance(parameters, Parameters, "parameters", ": rb.Parameters(model)", ModelError)
    vector, y = _array(vector, "vector"), _array(y, "y")
    columns = parameters.model.observed_dim
    if vector.shape != (parameters.size,):
        raise ModelError(f"vector must have the shape ({parameters.size},) of parameters.vector(), got {vector.shape}")
    if y.ndim != 2 or not len(y) or y.shape[1] != columns:
        raise DataError(f"y must have the shape (observations, {columns}), got {y.shape}")
    return _function(parameters)(vector, y)


def _array(given: Any, name: str) -> Any:
    """An array of real numbers, perhaps one that JAX is tracing."""
    jnp = jax_module("jax.numpy")
    try:
        found = jnp.asarray(given)
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"{name} must be an array of numbers, got {short(given)}") from None
    if found.dtype.kind not in "fiu":
        raise DataError(f"{name} must be real numbers, got {found.dtype}")
    return found if found.dtype.kind == "f" else found.astype(jnp.result_type(float))


@lru_cache(maxsize=8)
def _function(parameters: Parameters) -> Any:
    jax, jnp = jax_module(), jax_module("jax.numpy")

    def outside(vector: Any, y: Any) -> tuple[Any, Any, Any]:
        shapes = tuple(jax.ShapeDtypeStruct(shape, vector.dtype) for shape in ((), vector.shape, y.shape))
        return jax.pure_callback(_compute(parameters, vector.dtype), shapes, vector, y, vmap_method="sequential")

    @jax.custom_vjp
    def function(vector: Any, y: Any) -> Any:
        return outside(vector, y)[0]

    def forward(vector: Any, y: Any) -> tuple[Any, Any]:
        value, by_vector, by_y = outside(vector, y)
        return value, (by_vector, by_y)

    def backward(kept: Any, slope: Any) -> tuple[Any, Any]:
        by_vector, by_y = kept
        return slope * by_vector, jnp.asarray(slope * by_y)

    function.defvjp(forward, backward)
    return function


def _compute(parameters: Parameters, kind: Any) -> Any:
    def compute(vector: Any, y: Any) -> tuple[np.ndarray, ...]:
        model = parameters.with_vector(np.asarray(vector, dtype=np.float64))
        chart = inside_one(model, as_series(np.asarray(y, dtype=np.float64), model.observed_dim))
        gradient = model_gradient(chart)
        if any(OBSERVED not in one for one in gradient.emits.values()):
            raise ModelError(
                "inside JAX, leaves must be levels with noise (Emit): others do not tell slopes of observations"
            )
        by_y = sum(one[OBSERVED] for one in gradient.emits.values())
        found = (
            chart.log_evidence,
            parameters.pull_back(model, slopes(model, gradient)),
            np.asarray(by_y).reshape(np.shape(y)),
        )
        return tuple(np.asarray(one, dtype=kind) for one in found)

    return compute
