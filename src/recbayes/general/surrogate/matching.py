"""Gaussians nearest to functions: the mode by damped Newton steps, then mean and covariance by quadrature, of many at once.

Every function f is compared with a Gaussian r, that of its variable: mean, covariance and integral of r(u) exp f(u) are
found, and divided by r they are a *site*, exp(g + h u - u J u / 2), which stands for exp f(u). (Curvature at the mode alone
is bad for heavy tails.)
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri
from scipy.stats import qmc

from recbayes.general.extra import jax_module
from recbayes.general.surrogate.cloud import Normal

STEPS = 8  # of Newton's method, before and after neighbours are looked at
ROUNDS = 3  # of quadrature, each around what the one before found
STARTS = 16  # values at which functions are looked at first
GRID = {1: 21, 2: 9, 3: 5}  # points of quadrature along every axis
SCATTERED = 256  # points of quadrature in more dimensions


class Sites(NamedTuple):
    """exp(g + h u - u J u / 2), many of them."""

    J: np.ndarray  # (R, D, D)
    h: np.ndarray  # (R, D)
    g: np.ndarray  # (R,)


def quadrature(dim: int) -> tuple[np.ndarray, np.ndarray]:
    """Points and weights of a normal distribution: a grid, or scattered points of which mean and covariance are right."""
    if dim in GRID:
        points, weights = np.polynomial.hermite_e.hermegauss(GRID[dim])
        mesh = np.stack(np.meshgrid(*[points] * dim, indexing="ij"), axis=-1).reshape(-1, dim)
        every = np.stack(np.meshgrid(*[weights / weights.sum()] * dim, indexing="ij"), axis=-1).reshape(-1, dim)
        return mesh, every.prod(axis=1)
    half = ndtri(qmc.Sobol(dim, seed=0).random(SCATTERED // 2))
    both = np.concatenate([half, -half])
    root = np.linalg.cholesky(both.T @ both / len(both))
    return np.linalg.solve(root, both.T).T, np.full(len(both), 1.0 / len(both))


def matched_moments(f: Callable[[Any], Any], around: tuple[Any, Any], starts: Any, rows: int) -> tuple[Any, Any, Any]:
    """Means, covariances and log integrals of r(u) exp f(u), for `rows` functions: f takes and gives all of them at once.

    In JAX; `around` has mean and precision of r, whose highest value is taken to be one."""
    jax, jnp = jax_module(), jax_module("jax.numpy")
    centre, precision = around
    dim = len(centre)
    points, weights = (jnp.asarray(one) for one in quadrature(dim))
    unit = jnp.eye(dim)

    def target(u: Any) -> Any:
        apart = u - centre
        values = f(u) - 0.5 * jnp.einsum("ri,ij,rj->r", apart, precision, apart)
        return jnp.where(jnp.isnan(values), -jnp.inf, values)

    slope = jax.grad(lambda u: target(u).sum())

    def curvature(u: Any) -> Any:
        columns = jax.vmap(lambda e: jax.jvp(slope, (u,), (jnp.broadcast_to(e, u.shape),))[1])(unit)
        return -0.5 * (columns.transpose(1, 0, 2) + columns.transpose(1, 2, 0))

    def step(_: int, state: Any) -> Any:
        u, damping, value = state
        push = jnp.linalg.solve(curvature(u) + damping[:, None, None] * precision, slope(u)[..., None])[..., 0]
        there = u + push
        other = target(jnp.where(jnp.isfinite(there), there, u))
        better = (other > value) & jnp.isfinite(there).all(axis=1)
        damping = jnp.where(better, damping * 0.1, jnp.maximum(damping, 1e-3) * 10.0)
        return jnp.where(better[:, None], there, u), damping, jnp.where(better, other, value)

    def measured(mean: Any, covariance: Any) -> tuple[Any, Any, Any]:
        root = jnp.linalg.cholesky(covariance)
        bad = ~jnp.isfinite(root).all(axis=(1, 2))
        root = jnp.where(bad[:, None, None], jnp.linalg.cholesky(jnp.linalg.inv(precision)), root)
        places = mean[None] + jnp.einsum("rij,pj->pri", root, points)
        logs = jax.lax.map(target, places) + (jnp.log(weights) + 0.5 * (points**2).sum(axis=1))[:, None]
        highest = jnp.max(logs, axis=0)
        shares = jnp.exp(logs - jnp.where(jnp.isfinite(highest), highest, 0.0))
        total = shares.sum(axis=0)
        shares = shares / jnp.where(total > 0.0, total, 1.0)
        found = jnp.einsum("pr,pri->ri", shares, places)
        apart = places - found
        spread = jnp.einsum("pr,pri,prj->rij", shares, apart, apart)
        log_integral = highest + jnp.log(total) + jnp.log(jnp.abs(jnp.diagonal(root, axis1=1, axis2=2))).sum(axis=1)
        return found, spread + 1e-10 * covariance, log_integral

    first = jax.lax.map(lambda c: target(jnp.broadcast_to(c, (rows, dim))), starts)
    state = starts[jnp.argmax(first, axis=0)], jnp.full(rows, 1e-3), jnp.max(first, axis=0)
    state = jax.lax.fori_loop(0, STEPS, step, state)
    for there in (1, -1):  # rows side by side are of spans that have most observations in common
        others = jnp.roll(state[0], there, axis=0)
        value = target(others)
        better = value > state[2]
        chosen = jnp.where(better[:, None], others, state[0])
        state = chosen, jnp.where(better, 1e-3, state[1]), jnp.where(better, value, state[2])
    mode, _, _ = jax.lax.fori_loop(0, STEPS, step, state)
    bent = curvature(mode)
    fine = jnp.isfinite(jnp.linalg.cholesky(bent)).all(axis=(1, 2))
    covariance = jnp.linalg.inv(jnp.where(fine[:, None, None], bent, precision))
    return jax.lax.fori_loop(0, ROUNDS, lambda _, now: measured(now[0], now[1]), (mode, covariance, jnp.zeros(rows)))


def sites_of(mean: np.ndarray, covariance: np.ndarray, log_integral: np.ndarray, around: Normal) -> Sites:
    """What is left of matched Gaussians when they are divided by that of their variable."""
    R = np.linalg.inv(around.covariance)
    size = len(around.mean)
    log_integral = log_integral - 0.5 * np.linalg.slogdet(around.covariance)[1]  # r has the integral one
    precision = np.linalg.inv(covariance)
    J = lifted(0.5 * (precision + np.swapaxes(precision, 1, 2)) - R, R)
    h = np.einsum("rij,rj->ri", J + R, mean) - R @ around.mean
    g = log_integral - log_overlap(J, h, around)
    dead = ~np.isfinite(log_integral)
    J[dead], h[dead], g[dead] = np.zeros((size, size)), 0.0, -np.inf
    return Sites(J, h, g)


def lifted(J: np.ndarray, R: np.ndarray) -> np.ndarray:
    """Precisions made positive: where they are not, a site would be wider than the Gaussian that it multiplies."""
    root = np.linalg.cholesky(R)
    inverse = np.linalg.inv(root)
    values, vectors = np.linalg.eigh(inverse @ J @ inverse.T)
    values = np.maximum(values, 0.0)
    return root @ (vectors * values[..., None, :]) @ np.swapaxes(vectors, -1, -2) @ root.T


def log_overlap(J: np.ndarray, h: np.ndarray, around: Normal) -> np.ndarray:
    """log of the integral of r(u) exp(h u - u J u / 2)."""
    R = np.linalg.inv(around.covariance)
    precision = J + R
    eta = h + R @ around.mean
    mean = np.linalg.solve(precision, eta[..., None])[..., 0]
    return 0.5 * (
        np.einsum("...i,...i->...", eta, mean)
        - around.mean @ R @ around.mean
        + np.linalg.slogdet(R)[1]
        - np.linalg.slogdet(precision)[1]
    )
