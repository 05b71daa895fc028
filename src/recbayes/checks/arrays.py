"""Checked, read-only float64 arrays: what models and series are made of."""

import operator
from collections.abc import Callable

import numpy as np

from recbayes.errors import ModelError

MOST_DRAWS = 1_000_000_000  # of one series; more is a mistake


def frozen(
    values: object,
    name: str,
    error: Callable[[str], Exception] = ModelError,
    expected: str = "numbers, in rows of one length",
) -> np.ndarray:
    """A read-only float64 copy of `values`; infinite, NaN or non-numeric entries are an error that names the field."""
    try:
        given = np.asarray(values)
        if given.dtype.kind not in "fiubO":  # texts and complex numbers would be converted in silence
            raise TypeError("not real numbers")
        if given.dtype.kind == "O" and any(entry is None for entry in given.flat):
            raise TypeError("nothing at all")
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as problem:
        raise error(f"{name} must be {expected}, got {short(values)}") from problem
    if not np.isfinite(array).all():
        raise error(f"{name} must be finite, got {short(values)}")
    array.setflags(write=False)
    return array


def number(value: object, name: str) -> float:
    """One finite number."""
    array = frozen(value, name, expected="one number")
    if array.ndim:
        raise ModelError(f"{name} must be one number, got shape {array.shape}")
    return float(array)


def positive(value: object, name: str, advice: str = "") -> float:
    """One positive number; the advice follows the complaint."""
    found = number(value, name)
    if found <= 0:
        raise ModelError(f"{name} must be positive, got {found:.3g}{advice}")
    return found


def not_negative(value: object, name: str) -> float:
    """One finite number that is not negative."""
    found = number(value, name)
    if found < 0:
        raise ModelError(f"{name} must be a finite number and not negative, got {value!r}")
    return found


def whole_number(
    value: object,
    name: str,
    *,
    least: int | None = None,
    most: int | None = None,
    error: Callable[[str], Exception] = ModelError,
) -> int:
    """A whole number of any type, 3, 3.0 and numpy's integers, but not True; within the bounds that are given."""
    limits = "" if least is None else f" of at least {least}" if most is None else f" from {least} to {most}"
    try:
        if isinstance(value, bool | np.bool_):
            raise TypeError("a truth value")
        whole = isinstance(value, float | np.floating) and float(value).is_integer()
        found = int(value) if whole else operator.index(value)  # type: ignore[arg-type, call-overload]
    except TypeError as problem:
        raise error(f"{name} must be a whole number{limits}, got {short(value)}") from problem
    if (least is not None and found < least) or (most is not None and found > most):
        raise error(f"{name} must be a whole number{limits}, got {short(value)}")
    return found


def check_probabilities(values: np.ndarray, name: str) -> None:
    """Probabilities are not negative and sum to one."""
    if (values < 0).any():
        raise ModelError(f"{name} must not be negative, got {values.min():.6g}")
    if abs(values.sum() - 1.0) > 1e-9:
        raise ModelError(f"{name} must sum to one, they sum to {values.sum():.12g}")


def vector(values: object, size: int, name: str) -> np.ndarray:
    """A vector of `size` entries; one number is repeated."""
    array = frozen(values, name)
    if array.ndim == 0:
        array = np.full(size, float(array))
        array.setflags(write=False)
    if array.shape != (size,):
        raise ModelError(f"{name} must have shape ({size},), got {array.shape}")
    return array


def matrix(values: object, shape: tuple[int, int], name: str) -> np.ndarray:
    """A matrix of the given shape."""
    array = frozen(values, name)
    if array.shape != shape:
        raise ModelError(f"{name} must have shape {shape}, got {array.shape}")
    return array


def covariance(values: object, size: int, name: str, *, definite: bool) -> np.ndarray:
    """A covariance matrix: one variance, a vector of variances or a full matrix; symmetric, positive (semi)definite."""
    array = frozen(values, name)
    if array.ndim == 0:
        array = float(array) * np.eye(size)
    elif array.shape == (size,):
        array = np.diag(array)
    if array.shape != (size, size):
        raise ModelError(f"{name} must be a variance, {size} variances or a {size} x {size} matrix, got {array.shape}")
    scale = np.abs(array).max(initial=0.0)
    if not np.allclose(array, array.T, rtol=0.0, atol=1e-10 * scale):
        raise ModelError(f"{name} must be symmetric; the largest difference is {np.abs(array - array.T).max():.3g}")
    array = 0.5 * (array + array.T)
    lowest = float(np.linalg.eigvalsh(array)[0]) if size else 0.0
    if definite and not is_positive_definite(array):
        raise ModelError(f"{name} must be positive definite; its smallest eigenvalue is {lowest:.3g}")
    if not definite and lowest < -1e-12 * scale:
        raise ModelError(f"{name} must not have negative variances; its smallest eigenvalue is {lowest:.3g}")
    array.setflags(write=False)
    return array


def is_positive_definite(array: np.ndarray) -> bool:
    """Whether a Cholesky factor with clearly positive pivots exists, whatever the units of the single dimensions."""
    variances = np.diag(array)
    if not (variances > 0).all():
        return False
    deviations = np.sqrt(variances)
    correlation = array / deviations[:, None] / deviations[None, :]
    try:
        return bool((np.diag(np.linalg.cholesky(correlation)) > 1e-7).all())
    except np.linalg.LinAlgError:
        return False


def square(deviation: object, size: int, name: str, *, definite: bool) -> np.ndarray:
    """The covariance whose square root is given: a standard deviation, one per dimension, or a root matrix S with S S'."""
    array = frozen(deviation, name)
    if np.abs(array).max(initial=0.0) > 1e150:
        raise ModelError(f"{name} has entries beyond 1e150, whose squares overflow; rescale the data")
    if array.ndim == 2:
        root = matrix(array, (size, size), name)
        return covariance(root @ root.T, size, name, definite=definite)
    deviations = vector(array, size, name)
    if (deviations < 0).any():
        raise ModelError(f"{name} must not be negative, got {deviations.min():.3g}")
    return covariance(deviations**2, size, name, definite=definite)


def short(values: object) -> str:
    """A value in a message: one line, and not long."""
    text = repr(values).replace("\n", " ")
    return text if len(text) <= 60 else text[:57] + "..."
