"""Potentials of the means of columns, as potentials of the value that they are linear functions of; and the adjoint of that.

The columns are independent of each other: column c says that its mean u_c = (H x + h)_c has the potential (g_c, u_c, w_c),
its log height, mode and precision. Without a map, H is the identity.
"""

from typing import NamedTuple

import numpy as np

from recbayes.compiled.layout import HEIGHT, MODE, lower, message_entries, pack_messages, precision_from, unpack_messages
from recbayes.gaussian.emissions.potentials import apply, generalised_inverse


class Means(NamedTuple):
    """Where the columns' means come from."""

    map: np.ndarray | None
    offset: np.ndarray | None


class MeansSlopes(NamedTuple):
    """Derivatives with respect to the columns' potentials (3, columns, n), the map and the offset."""

    columns: np.ndarray
    map: np.ndarray
    offset: np.ndarray


def through(means: Means, columns: np.ndarray, size: int) -> np.ndarray:
    """Packed potentials (entries, n) in `size` dimensions, of columns' ones (3, columns, n)."""
    height, mode, precision = columns
    count = len(mode)
    if means.map is None:
        packed = np.zeros((message_entries(size), mode.shape[1]))
        packed[HEIGHT] = height.sum(axis=0)
        packed[MODE : MODE + count] = mode if means.offset is None else mode - means.offset[:, None]
        packed[precision_from(size) + lower(np.arange(count), np.arange(count))] = precision
        return packed
    H, target, W = _padded(means.map, size), _target(means, mode), precision.T
    P = np.einsum("ca,nc,cb->nab", H, W, H)
    inverse = generalised_inverse(P)
    x = apply(inverse, (W * target) @ H)
    x += apply(inverse, (W * (target - x @ H.T)) @ H)  # the second time refines
    rest = target - x @ H.T
    return pack_messages(height.sum(axis=0) - 0.5 * (W * rest * rest).sum(axis=1), x, P).T


def through_adjoint(means: Means, columns: np.ndarray, derivatives: np.ndarray, size: int) -> MeansSlopes:
    """Given those with respect to the packed potentials."""
    _, mode, precision = columns
    count = len(mode)
    g, by_mode, by_precision = unpack_messages(derivatives.T, size)
    H = _padded(np.eye(count) if means.map is None else means.map, size)
    W, target = precision.T, _target(means, mode)
    if means.map is None:
        x, t = np.zeros_like(by_mode), by_mode @ H.T / np.where(W > 0, W, 1.0)
        x[:, :count] = target
        Ht, rest = np.where(W > 0, t, 0.0), np.zeros_like(target)
        t = Ht @ H
    else:
        inverse = generalised_inverse(np.einsum("ca,nc,cb->nab", H, W, H))
        x = apply(inverse, (W * target) @ H)
        x += apply(inverse, (W * (target - x @ H.T)) @ H)
        t, rest = apply(inverse, by_mode), target - x @ H.T
        Ht = t @ H.T
    g = g[:, None]
    by_weight = Ht * rest - 0.5 * g * rest * rest + np.einsum("ca,nab,cb->nc", H, by_precision, H)
    by_target = W * (Ht - g * rest)
    by_map = (W * rest).T @ t - (W * Ht).T @ x + (g * W * rest).T @ x + 2.0 * np.einsum("nc,cb,nab->ca", W, H, by_precision)
    dim = count if means.map is None else means.map.shape[1]
    heights = np.broadcast_to(g.T, by_target.T.shape)
    return MeansSlopes(np.stack([heights, by_target.T, by_weight.T]), by_map[:, :dim], -by_target.sum(axis=0))


def _padded(map_: np.ndarray, size: int) -> np.ndarray:
    """The map with zeros for blank dimensions."""
    return np.hstack([map_, np.zeros((len(map_), size - map_.shape[1]))])


def _target(means: Means, mode: np.ndarray) -> np.ndarray:
    return mode.T if means.offset is None else mode.T - means.offset
