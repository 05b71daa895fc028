"""Leaves as regressions: from a leaf's description and a series to the potentials of spans, column by column.

Derivatives are by a complex step: f(s + i h) = f(s) + i h f'(s) to all digits, as h may be as small as one likes.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from recbayes.checks.series import Series
from recbayes.compiled.compilation import run_kernel
from recbayes.gaussian.emissions.nearest import Expected, by_log_weights, nearest
from recbayes.gaussian.emissions.outliers import states

if TYPE_CHECKING:
    from recbayes.gaussian.emissions.leaf import Leaf
    from recbayes.gaussian.kernels.leaves import Column

MISSING, CLEAN, OUTLIER = 0, 1, 2  # what an observation is, as `kernels.leaves` has it
STEP = 1e-100
UNBOUNDED = 1e150  # whose square is still a number
ANYWHERE = 1e4  # variances of outliers that a mean may vary by
DEVIATIONS = ("noise_std", "start_std", "outlier_std", "trend_std")  # the first numbers that the kernel takes, in its order


def span_count(segments: int, widest: int) -> int:
    """How many spans of at most so many segments there are."""
    return widest * (2 * segments - widest + 1) // 2


def span_places(starts: np.ndarray, ends: np.ndarray, segments: int) -> np.ndarray:
    """Where spans between points stand among all, by width and then by start."""
    widths = ends - starts
    return (widths - 1) * (2 * segments - widths + 2) // 2 + starts


def column_potentials(
    leaf: "Leaf", series: Series, positions: np.ndarray, widest: int, expected: Expected | None
) -> np.ndarray:
    """Heights, modes and precisions of the means of all columns: (3, columns, spans), by width and then by start. Those of a
    leaf that is not Gaussian are the nearest where means are expected."""
    return _potentials(leaf, series, positions, widest, expected, None)


def column_slopes(
    leaf: "Leaf", series: Series, positions: np.ndarray, widest: int, expected: Expected | None, derivatives: np.ndarray
) -> dict:
    """Derivatives with respect to all deviations of the leaf, from those with respect to the columns' potentials."""
    found = {}
    for name in (*DEVIATIONS, "season_std", "regressor_std"):
        value = getattr(leaf, name)
        if value is None or (name == "start_std" and not any(leaf.coefficients)):
            continue
        by_row = [
            (_potentials(leaf, series, positions, widest, expected, (name, row)).imag / STEP * derivatives).sum(axis=(0, 2))
            for row in range(len(np.atleast_2d(value)))
        ]
        found[name] = by_row[0] if np.ndim(value) == 1 else np.array(by_row)
    return found


def _potentials(
    leaf: "Leaf",
    series: Series,
    positions: np.ndarray,
    widest: int,
    expected: Expected | None,
    stepped: tuple[str, int] | None,
) -> np.ndarray:
    if not leaf.each_column:
        return _of_member(leaf, series, positions, widest, expected, stepped)
    assert expected is not None
    return nearest(_of_bank(leaf, series, positions, widest, expected, stepped), _weights(leaf), expected)


def _of_bank(
    leaf: "Leaf",
    series: Series,
    positions: np.ndarray,
    widest: int,
    expected: Expected,
    stepped: tuple[str, int] | None = None,
) -> np.ndarray:
    """The potentials of all members, which every column chooses among: (members, 3, columns, spans)."""
    members: list[Leaf] = [member.emission for member in leaf.bank]  # type: ignore[misc]
    return np.stack([_of_member(one, series, positions, widest, expected, stepped) for one in members])


def _weights(leaf: "Leaf") -> np.ndarray:
    return np.array([member.weight for member in leaf.bank])


def weight_slopes(
    leaf: "Leaf", series: Series, positions: np.ndarray, widest: int, expected: Expected, derivatives: np.ndarray
) -> np.ndarray:
    """Derivatives with respect to the logarithms of the bank's weights, where every column has a member of its own."""
    potentials = _of_bank(leaf, series, positions, widest, expected)
    return by_log_weights(potentials, _weights(leaf), expected, derivatives, STEP)


def _of_member(
    leaf: "Leaf",
    series: Series,
    positions: np.ndarray,
    widest: int,
    expected: Expected | None,
    stepped: tuple[str, int] | None,
) -> np.ndarray:
    """Of a leaf that has one noise level and one coefficient."""
    from recbayes.gaussian.kernels.leaves import leaf_potentials  # here, as kernels know models, and models emissions
    from recbayes.gaussian.kernels.outlier_sets import followed_potentials

    dtype = np.float64 if stepped is None else np.complex128
    out = np.empty((3, leaf.columns, span_count(len(positions) - 1, widest)), dtype)
    for d, column in enumerate(columns_of(leaf, series, positions)):
        one, numbers = np.empty((3, out.shape[2]), dtype), numbers_of(leaf, d, dtype, stepped)
        if leaf.outlier_probability:
            assert expected is not None
            where = float(expected.mean[d]), float(expected.variance[d])
            run_kernel(followed_potentials, column, numbers, *where, widest, one)
        else:
            run_kernel(leaf_potentials, column, numbers, widest, one)
        out[:, d] = one
    return out


def states_of_leaf(
    leaf: "Leaf", d: int, series: Series, start: int, end: int, expected: tuple[float, float] | None
) -> np.ndarray:
    """What column d of a leaf takes all observations as, with one noise level and one coefficient: with the likeliest set of
    outliers, where its mean is expected (a mean and a variance; None: anywhere)."""
    from recbayes.gaussian.kernels.outlier_sets import likeliest_set

    column = list(columns_of(leaf, series, np.arange(len(series) + 1)))[d]
    state = np.minimum(column.state, CLEAN)
    if leaf.outlier_probability:
        assert leaf.outlier_std is not None
        mean, variance = expected or (float(column.y[start]), ANYWHERE * leaf.outlier_std[d] ** 2)
        run_kernel(likeliest_set, column, numbers_of(leaf, d, np.float64), mean, variance, start, end, state)
    return state


def columns_of(leaf: "Leaf", series: Series, positions: np.ndarray) -> Iterator["Column"]:
    """The columns of a series, as the kernel takes them; the leaf has one noise level and one coefficient."""
    from recbayes.gaussian.kernels.leaves import Column  # likewise

    design = design_of(leaf, series)
    ticks = np.asarray(ticks_of(series), dtype=np.float64)
    positions = np.ascontiguousarray(positions, dtype=np.int64)
    phi = float(leaf.coefficients[0])
    for d, y in enumerate(series.values.T):
        state = states(leaf, d, y, design)
        yield Column(
            np.nan_to_num(y), state, design, ticks, positions, phi, leaf.past == "observed", leaf.outlier_probability
        )


def ticks_of(series: Series) -> np.ndarray:
    """When observations begin, and the last one ends."""
    return np.arange(len(series) + 1) if series.ticks is None else series.ticks


def design_of(leaf: "Leaf", series: Series) -> np.ndarray:
    """The further columns of the regression: (N, q), harmonics and then regressors."""
    parts = [leaf.harmonics_at(ticks_of(series)[:-1])]
    if leaf.regressor_std is not None:
        parts.append(leaf.regressors_of(series))
    return np.ascontiguousarray(np.hstack(parts), dtype=np.float64)


def numbers_of(leaf: "Leaf", d: int, dtype: type, stepped: tuple[str, int] | None = None) -> np.ndarray:
    """The deviations of a column as the kernel takes them, one kind of them moved a little along the imaginary axis."""

    def of(name: str, row: int = 0) -> complex:
        value = getattr(leaf, name)
        number = (UNBOUNDED if name == "start_std" else -1.0) if value is None else np.atleast_2d(value)[row, d]
        return number + 1j * STEP if stepped == (name, row) else number

    noise = of("noise_std") * leaf.noise_levels[0]
    numbers = [noise, *(of(name) for name in DEVIATIONS[1:])]
    numbers += [of("season_std")] * leaf.harmonic_columns
    if leaf.regressor_std is not None:
        numbers += [of("regressor_std", row) for row in range(len(leaf.regressor_std))]
    return np.array(numbers) if dtype is np.complex128 else np.array(numbers).real.astype(np.float64)
