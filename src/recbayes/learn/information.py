"""Standard errors: the observed information at the optimum, and what it says about the model's own numbers.

The information is the negative second derivative of what was maximised, by differences of gradients. A direction in which it
is flat says that the data do not determine some parameters; their standard errors are infinite.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import block_diag

from recbayes.learn.here import Here
from recbayes.parameters.block import Block
from recbayes.parameters.parameters import Parameters

STEP = 1e-3  # of the unit of a free number
LOST = 1e-3  # a quantity that has more than this share in such directions is not determined
FLAT = 1e-3  # nats: a direction in which a step of one unit costs less than half of this is not determined


class Row(NamedTuple):
    """One number of the model, as it was learnt.

    Attributes:
        name: of the number.
        estimate: of it; covariances are told as deviations and correlations.
        standard_error: of the estimate; infinite: not determined; NaN: not computed.
    """

    name: str
    estimate: float
    standard_error: float


def observed_information(evaluate: Callable[[np.ndarray], Here], vector: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """Minus the derivative of the gradient, by central differences with steps in the given scales.

    NaN where a step leads to where nothing can be computed: on such an edge there is no curvature.
    """

    def gradient(there: np.ndarray) -> np.ndarray:
        here = evaluate(there)
        return here.gradient if np.isfinite(here.objective) else np.full(len(there), np.nan)

    columns = []
    for number, scale in enumerate(scales):
        step = np.zeros(len(vector))
        step[number] = STEP * scale
        columns.append((gradient(vector - step) - gradient(vector + step)) / (2.0 * STEP * scale))
    information = np.array(columns).reshape(len(vector), len(vector))
    return 0.5 * (information + information.T)


def table(parameters: Parameters, vector: np.ndarray, information: np.ndarray | None, units: np.ndarray) -> list[Row]:
    """All free quantities in the model's own terms, with standard errors by the delta method."""
    names: list[str] = []
    values, jacobians = [np.zeros(0)], [np.zeros((0, 0))]
    for block, part, unit in zip(parameters.blocks, parameters.parts(vector), parameters.parts(units), strict=True):
        described, found = _described(block, part)
        names += described
        values.append(found)
        jacobians.append(_jacobian(block, part, unit) * unit)
    errors = np.full(len(names), np.nan)
    if information is not None and np.isfinite(information).all():
        errors = _standard_errors(information * np.outer(units, units), block_diag(*jacobians))
    rows = zip(names, np.concatenate(values).tolist(), errors.tolist(), strict=True)
    return [Row(*row) for row in rows]


def _standard_errors(information: np.ndarray, jacobian: np.ndarray) -> np.ndarray:
    """Both are with respect to free numbers in their units."""
    eigenvalues, vectors = np.linalg.eigh(information)
    loads = jacobian @ vectors
    determined = eigenvalues > FLAT
    variance = (loads[:, determined] ** 2 / eigenvalues[determined]).sum(axis=1)
    lost = (loads[:, ~determined] ** 2).sum(axis=1) > LOST * (loads**2).sum(axis=1)
    return np.where(lost, np.inf, np.sqrt(variance))


def _described(block: Block, part: np.ndarray) -> tuple[list[str], np.ndarray]:
    """Names and values in the model's own terms: probabilities, rates, standard deviations, correlations, numbers."""
    values = _values(block, part)
    if block.form in ("deviations", "factor"):
        name = block.shown
        if block.form == "deviations":
            return _numbered(name, len(values)), values
        size = len(block.from_free(part))
        below = zip(*np.tril_indices(size, -1), strict=True)
        return _numbered(name, size) + [f"{name}.correlation[{a},{b}]" for a, b in below], values
    return _numbered(block.name, len(values)), values


def _values(block: Block, part: np.ndarray) -> np.ndarray:
    if block.form == "deviations":
        return np.exp(part)
    if block.form == "factor":
        covariance = block.from_free(part)
        std = np.sqrt(np.diag(covariance))
        return np.concatenate([std, (covariance / np.outer(std, std))[np.tril_indices(len(std), -1)]])
    return np.atleast_1d(np.asarray(block.from_free(part), dtype=np.float64)).ravel()


def _numbered(name: str, count: int) -> list[str]:
    return [name] if count == 1 else [f"{name}[{number}]" for number in range(count)]


def _jacobian(block: Block, part: np.ndarray, units: np.ndarray) -> np.ndarray:
    columns = []
    for number, unit in enumerate(units):
        step = np.zeros(block.size)
        step[number] = 1e-6 * unit
        columns.append((_values(block, part + step) - _values(block, part - step)) / (2e-6 * unit))
    return np.array(columns).T.reshape(-1, block.size)
