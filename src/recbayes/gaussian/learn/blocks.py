"""Blocks of free numbers: how each quantity of a model becomes unconstrained numbers, and back."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from recbayes.checks.arrays import is_positive_definite
from recbayes.errors import ModelError
from recbayes.gaussian.chart.tables import LEFT, RIGHT
from recbayes.gaussian.learn.quantities import Path, read_quantities
from recbayes.gaussian.model.rbn import GaussianRBN

Covariance = Literal["keep", "scalar", "diagonal", "full"]
Kind = Literal["probabilities", "rate", "deviations", "factor", "numbers"]


@dataclass(frozen=True)
class Block:
    """Some neighbouring numbers of the free vector: one quantity of the model, at one or (if tied) several places."""

    name: str
    kind: Kind
    paths: tuple[Path, ...]
    size: int
    to_free: Callable[[Any], np.ndarray]
    from_free: Callable[[np.ndarray], Any]
    pull_back: Callable[[np.ndarray, Any], np.ndarray]  # (free numbers, derivatives of the quantity) -> free derivatives


def probability_blocks(model: GaussianRBN) -> list[Block]:
    blocks = []
    values = read_quantities(model)
    names: dict[str, str] = {
        "weights": "prior.weights",
        "prior shifts": "prior.components[{}].shifts",
        "rules": "{}.rules",
        "shifts": "{}.rules[{}].shifts",
        "lengths": "{}.rules[{}].length.probabilities",
        "rate": "{}.rules[{}].length.rate",
    }
    for path, value in values.items():
        if path[0] not in names or _unused(model, path):
            continue
        name = names[path[0]].format(*_labels(model, path))
        if path[0] == "rate":
            blocks.append(Block(name, "rate", (path,), 1, _log, _exp, lambda free, slope: np.exp(free) * slope))
        elif np.count_nonzero(value) > 1:
            blocks.append(_softmax_block(name, path, np.asarray(value) > 0))
    return blocks


def covariance_blocks(model: GaussianRBN, structure: Covariance, tied: bool) -> list[Block]:
    blocks = []
    values = read_quantities(model)
    names = {
        "prior covariance": "prior.components[{}].covariance",
        "covariance": "{}.rules[{}].{}_link.covariance",
        "emit covariance": "{}.rules[{}].covariance",
    }
    for path, value in values.items():
        if path[0] not in names or _unused(model, path) or not is_positive_definite(value):
            continue
        paths: tuple[Path, ...] = (path,)
        name = names[path[0]].format(*_labels(model, path))
        if path[0] == "covariance" and tied:
            left, right = (*path[:3], LEFT), (*path[:3], RIGHT)
            if len(values[left]) != len(values[right]):
                raise ModelError(f"tied: {name} and its other link have different dimensions")
            if is_positive_definite(values[left]) and is_positive_definite(values[right]):
                if path[3] == RIGHT:
                    continue
                paths, name = (left, right), name.replace("left_link", "links")
        blocks.append(_covariance_block(name, paths, value, structure))
    return blocks


def real_blocks(model: GaussianRBN) -> list[Block]:
    names = {
        "prior mean": "prior.components[{}].mean",
        "map": "{}.rules[{}].{}_link.map",
        "offset": "{}.rules[{}].{}_link.offset",
        "emit map": "{}.rules[{}].map",
        "emit offset": "{}.rules[{}].offset",
    }
    blocks = []
    for path, value in read_quantities(model).items():
        if path[0] in names and value is not None and not _unused(model, path):
            name, shape = names[path[0]].format(*_labels(model, path)), np.shape(value)
            restore = lambda free, shape=shape: free.reshape(shape)  # noqa: E731
            ravel = lambda free, slope: np.ravel(slope)  # noqa: E731
            blocks.append(Block(name, "numbers", (path,), int(np.prod(shape)), np.ravel, restore, ravel))
    return blocks


def _labels(model: GaussianRBN, path: Path) -> list[Any]:
    if path[0].startswith("prior"):
        return [path[1]]
    labels = list(path[1:])
    if labels:
        labels[0] = model.variables[path[1]].name
    if len(labels) == 3:
        labels[2] = "left" if path[3] == LEFT else "right"
    return labels


def _unused(model: GaussianRBN, path: Path) -> bool:
    """Whether the quantity belongs to a rule that is never used."""
    return len(path) > 2 and model.variables[path[1]].rules[path[2]].probability == 0


def _log(value: Any) -> np.ndarray:
    return np.atleast_1d(np.log(value))


def _exp(free: np.ndarray) -> float:
    return float(np.exp(free[0]))


def _softmax_block(name: str, path: Path, used: np.ndarray) -> Block:
    """Log odds against the first used alternative; unused ones stay at probability zero."""

    def to_free(probabilities: Any) -> np.ndarray:
        logs = np.log(np.asarray(probabilities)[used])
        return logs[1:] - logs[0]

    def from_free(free: np.ndarray) -> list[float]:
        probabilities = np.zeros(len(used))
        probabilities[used] = _softmax(free)
        return probabilities.tolist()

    def pull_back(free: np.ndarray, slope: np.ndarray) -> np.ndarray:
        return slope[used][1:] - _softmax(free)[1:] * slope[used].sum()

    return Block(name, "probabilities", (path,), int(used.sum()) - 1, to_free, from_free, pull_back)


def _softmax(free: np.ndarray) -> np.ndarray:
    logits = np.concatenate([[0.0], free])
    weights = np.exp(logits - logits.max())
    return weights / weights.sum()


def _covariance_block(name: str, paths: tuple[Path, ...], value: np.ndarray, structure: Covariance) -> Block:
    size = len(value)
    if structure == "keep":
        is_diagonal = np.array_equal(value, np.diag(np.diag(value)))
        structure = "full" if not is_diagonal else "scalar" if np.ptp(np.diag(value)) == 0 else "diagonal"
    if structure == "scalar":
        return Block(
            name,
            "deviations",
            paths,
            1,
            lambda S: 0.5 * np.log(np.atleast_1d(np.trace(S) / size)),
            lambda free: np.exp(2.0 * free[0]) * np.eye(size),
            lambda free, slope: np.atleast_1d(2.0 * np.exp(2.0 * free[0]) * np.trace(slope)),
        )
    if structure == "diagonal":
        return Block(
            name,
            "deviations",
            paths,
            size,
            lambda S: 0.5 * np.log(np.diag(S)),
            lambda free: np.diag(np.exp(2.0 * free)),
            lambda free, slope: 2.0 * np.exp(2.0 * free) * np.diag(slope),
        )
    rows, columns = np.tril_indices(size)
    on_diagonal = rows == columns

    def to_free(S: np.ndarray) -> np.ndarray:
        factor = np.linalg.cholesky(S)[rows, columns]
        return np.where(on_diagonal, np.log(np.where(on_diagonal, factor, 1.0)), factor)

    def factor_of(free: np.ndarray) -> np.ndarray:
        factor = np.zeros((size, size))
        factor[rows, columns] = np.where(on_diagonal, np.exp(np.where(on_diagonal, free, 0.0)), free)
        return factor

    def pull_back(free: np.ndarray, slope: np.ndarray) -> np.ndarray:
        factor = factor_of(free)
        by_factor = ((slope + slope.T) @ factor)[rows, columns]
        return np.where(on_diagonal, by_factor * factor[rows, columns], by_factor)

    from_free = lambda free: factor_of(free) @ factor_of(free).T  # noqa: E731
    return Block(name, "factor", paths, len(rows), to_free, from_free, pull_back)
