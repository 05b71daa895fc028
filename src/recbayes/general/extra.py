"""JAX and numpyro, which are an extra: imported when they are needed, and asked for in one line where they are missing."""

from contextlib import AbstractContextManager
from importlib import import_module
from typing import Any

from recbayes.errors import ModelError


def jax_module(name: str = "jax") -> Any:
    """A module of JAX or numpyro."""
    try:
        return import_module(name)
    except ImportError as problem:
        raise ModelError(f"densities of your own need JAX and numpyro: pip install 'recbayes[jax]' ({problem})") from None


def in_doubles() -> AbstractContextManager[Any]:
    """Where JAX computes with 64 bits, as all of this package does; elsewhere it stays as its users have set it."""
    jax = jax_module()
    if hasattr(jax, "enable_x64"):
        return jax.enable_x64(True)
    return jax_module("jax.experimental").enable_x64()
