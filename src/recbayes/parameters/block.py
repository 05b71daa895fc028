"""Blocks of free numbers: how each quantity of a model becomes unconstrained numbers, and back.

Probabilities become log odds against the first alternative, positive numbers logarithms, and covariances logarithms of
standard deviations (scalar, diagonal; circulant, along waves) or the rows of a Cholesky factor with a logarithmic diagonal
(full).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from recbayes.checks.arrays import is_positive_definite
from recbayes.parameters.quantity import Quantity

Structure = Literal["keep", "scalar", "diagonal", "circulant", "full"]
Structures = Structure | Mapping[str, Structure]  # of all covariances, or of those whose names are like a pattern
Form = Literal["probabilities", "positive", "deviations", "factor", "numbers"]


@dataclass(frozen=True)
class Block:
    """Some neighbouring numbers of the free vector: one quantity of the model, at one or (if tied) several places."""

    name: str
    form: Form
    quantities: tuple[str, ...]  # their names
    size: int
    to_free: Callable[[Any], np.ndarray]
    from_free: Callable[[np.ndarray], Any]
    pull_back: Callable[[np.ndarray, Any], np.ndarray]  # (free numbers, derivatives of the quantity) -> free derivatives
    unit: Callable[[Any], np.ndarray] | None = None

    @property
    def is_covariance(self) -> bool:
        return self.form not in ("probabilities", "positive", "numbers")

    @property
    def shown(self) -> str:
        """The name under which it is shown: covariances are shown as deviations."""
        return shown_deviation(self.name) if self.is_covariance else self.name


def shown_deviation(name: str) -> str:
    """The name of a covariance's deviations."""
    return name.removesuffix("covariance") + "std" if name.endswith("covariance") else name + ".std"


def block_of(quantity: Quantity, structure: Structure) -> Block | None:
    """How a quantity is free; None if it is not: a single probability, a singular covariance, numbers that are not given."""
    if quantity.kind == "probabilities":
        used = np.asarray(quantity.value) > 0
        return _softmax(quantity, used) if used.sum() > 1 else None
    if quantity.kind == "positive":
        return _logarithm(quantity)
    if quantity.kind == "covariance":
        return _covariance(quantity, structure) if is_positive_definite(quantity.value) else None
    return None if quantity.value is None else _numbers(quantity)


def _logarithm(quantity: Quantity) -> Block:
    shape = np.shape(quantity.value)
    return Block(
        quantity.name,
        "positive",
        (quantity.name,),
        int(np.prod(shape)),
        lambda value: np.log(value).reshape(-1),
        lambda free: np.exp(free).reshape(shape) if shape else float(np.exp(free[0])),
        lambda free, slope: np.exp(free) * np.reshape(slope, -1),
    )


def _numbers(quantity: Quantity) -> Block:
    shape = np.shape(quantity.value)
    return Block(
        quantity.name,
        "numbers",
        (quantity.name,),
        int(np.prod(shape)),
        np.ravel,
        lambda free: free.reshape(shape),
        lambda free, slope: np.ravel(slope),
        quantity.unit,
    )


def _softmax(quantity: Quantity, used: np.ndarray) -> Block:
    """Log odds against the first used alternative; unused ones stay at probability zero."""

    def to_free(probabilities: Any) -> np.ndarray:
        logs = np.log(np.asarray(probabilities)[used])
        return logs[1:] - logs[0]

    def from_free(free: np.ndarray) -> list[float]:
        probabilities = np.zeros(len(used))
        probabilities[used] = _shares(free)
        return probabilities.tolist()

    def pull_back(free: np.ndarray, slope: np.ndarray) -> np.ndarray:
        return slope[used][1:] - _shares(free)[1:] * slope[used].sum()

    return Block(quantity.name, "probabilities", (quantity.name,), int(used.sum()) - 1, to_free, from_free, pull_back)


def _shares(free: np.ndarray) -> np.ndarray:
    logits = np.concatenate([[0.0], free])
    weights = np.exp(logits - logits.max())
    return weights / weights.sum()


def _covariance(quantity: Quantity, structure: Structure) -> Block:
    value = quantity.value
    if structure == "keep":
        is_diagonal = np.array_equal(value, np.diag(np.diag(value)))
        structure = "full" if not is_diagonal else "scalar" if np.ptp(np.diag(value)) == 0 else "diagonal"
    if structure == "scalar":
        return _scalar(quantity, len(value))
    if structure == "circulant":
        return _circulant(quantity, len(value))
    return _diagonal(quantity, len(value)) if structure == "diagonal" else _full(quantity, len(value))


def _scalar(quantity: Quantity, size: int) -> Block:
    return Block(
        quantity.name,
        "deviations",
        (quantity.name,),
        1,
        lambda S: 0.5 * np.log(np.atleast_1d(np.trace(S) / size)),
        lambda free: np.exp(2.0 * free[0]) * np.eye(size),
        lambda free, slope: np.atleast_1d(2.0 * np.exp(2.0 * free[0]) * np.trace(slope)),
        quantity.unit,
    )


def _diagonal(quantity: Quantity, size: int) -> Block:
    return Block(
        quantity.name,
        "deviations",
        (quantity.name,),
        size,
        lambda S: 0.5 * np.log(np.diag(S)),
        lambda free: np.diag(np.exp(2.0 * free)),
        lambda free, slope: 2.0 * np.exp(2.0 * free) * np.diag(slope),
        quantity.unit,
    )


def _circulant(quantity: Quantity, size: int) -> Block:
    """A covariance that is the same whatever dimensions are shifted by: sums over waves of n to the circle, n = 0, 1, ...,
    each with a deviation of its own."""
    around = 2.0 * np.pi * np.arange(size) / size
    count = size // 2 + 1
    waves = []  # for each n, the projection on its sine and cosine
    for n in range(count):
        basis = np.stack([np.cos(n * around), np.sin(n * around)])
        lengths = np.linalg.norm(basis, axis=1)
        basis = basis[lengths > 1e-6] / lengths[lengths > 1e-6, None]
        waves.append(basis.T @ basis)
    along = np.array(waves)
    dimensions = np.einsum("naa->n", along)

    return Block(
        quantity.name,
        "deviations",
        (quantity.name,),
        count,
        lambda S: 0.5 * np.log(np.einsum("nab,ab->n", along, S) / dimensions),
        lambda free: np.einsum("n,nab->ab", np.exp(2.0 * free), along),
        lambda free, slope: 2.0 * np.exp(2.0 * free) * np.einsum("nab,ab->n", along, slope),
        quantity.unit,
    )


def _full(quantity: Quantity, size: int) -> Block:
    rows, columns = np.tril_indices(size)
    on_diagonal = rows == columns

    def to_free(S: np.ndarray) -> np.ndarray:
        factor = np.linalg.cholesky(S)[rows, columns]
        return np.where(on_diagonal, np.log(np.where(on_diagonal, factor, 1.0)), factor)

    def factor_of(free: np.ndarray) -> np.ndarray:
        factor = np.zeros((size, size))
        factor[rows, columns] = np.where(on_diagonal, np.exp(np.where(on_diagonal, free, 0.0)), free)
        return factor

    def from_free(free: np.ndarray) -> np.ndarray:
        return factor_of(free) @ factor_of(free).T

    def pull_back(free: np.ndarray, slope: np.ndarray) -> np.ndarray:
        factor = factor_of(free)
        by_factor = ((slope + slope.T) @ factor)[rows, columns]
        return np.where(on_diagonal, by_factor * factor[rows, columns], by_factor)

    return Block(quantity.name, "factor", (quantity.name,), len(rows), to_free, from_free, pull_back, quantity.unit)
