"""Gaussian RBNs inside JAX: their log evidence as a function that `jax.grad`, `jax.vmap` and `jax.jit` know."""

from recbayes.jax.evidence import log_evidence

__all__ = ["log_evidence"]
