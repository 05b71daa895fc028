"""Many Gaussian potentials at once, and products of those between neighbouring points."""

from typing import NamedTuple

import numpy as np


class Potentials(NamedTuple):
    """Log heights, modes and precisions of many potentials (or derivatives with respect to them)."""

    height: np.ndarray  # (n,)
    mode: np.ndarray  # (n, D)
    precision: np.ndarray  # (n, D, D)


def merge(potentials: Potentials, positions: np.ndarray) -> Potentials:
    """The products of the potentials between neighbouring points."""
    starts = positions[:-1]
    precision = np.add.reduceat(potentials.precision, starts)
    diagonal = np.einsum("naa->na", potentials.precision)
    total = np.einsum("naa->na", precision)
    centre = np.add.reduceat(diagonal * potentials.mode, starts) / np.where(total > 0, total, 1.0)
    owner = np.repeat(np.arange(len(starts)), np.diff(positions))
    pull = np.add.reduceat(apply(potentials.precision, potentials.mode - centre[owner]), starts)
    mode = centre + apply(generalised_inverse(precision), pull)
    apart = potentials.mode - mode[owner]
    cost = 0.5 * (apart * apply(potentials.precision, apart)).sum(axis=1)
    return Potentials(np.add.reduceat(potentials.height - cost, starts), mode, precision)


def merge_adjoint(potentials: Potentials, positions: np.ndarray, merged: Potentials, derivatives: Potentials) -> Potentials:
    """Derivatives with respect to the single potentials, from those with respect to their products."""
    owner = np.repeat(np.arange(len(positions) - 1), np.diff(positions))
    t = apply(generalised_inverse(merged.precision), derivatives.mode)[owner]
    g = derivatives.height[owner][:, None]
    apart = potentials.mode - merged.mode[owner]
    bend = outer(t, apart) - 0.5 * outer(g * apart, apart)
    return Potentials(
        derivatives.height[owner],
        apply(potentials.precision, t - g * apart),
        derivatives.precision[owner] + 0.5 * (bend + bend.swapaxes(1, 2)),
    )


def generalised_inverse(P: np.ndarray) -> np.ndarray:
    """The inverse where P is informative, zero in flat directions, judged after scaling every dimension to one."""
    diagonal = np.einsum("naa->na", P)
    scale = np.where(diagonal > 0, 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0)), 0.0)
    scales = scale[:, :, None] * scale[:, None, :]
    return scales * np.linalg.pinv(P * scales, rcond=1e-12, hermitian=True)


def apply(matrices: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Each vector times its matrix (or the one matrix)."""
    return (matrices @ vectors[:, :, None])[:, :, 0]


def outer(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return x[:, :, None] * y[:, None, :]
