"""One leaf of a tree, with one noise level and one coefficient: as a linear function, drawn, and what is known of its own.

Of each column, the observations that are seen are written as B y = a u + A z + k + e, with the column's mean u = (H x +
h)_d, what is the leaf's own as standard normal numbers z, and independent standard normal noise e: B takes from each
observation what the one before says of it. This is the model of `recbayes.gaussian.kernels.leaves`, written a second time,
for one span.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from recbayes.checks.series import Series
from recbayes.errors import ModelError
from recbayes.gaussian.emissions.emission import Linear, Sampled
from recbayes.gaussian.emissions.regression import design_of, numbers_of, states_of_leaf, ticks_of

if TYPE_CHECKING:
    from recbayes.gaussian.emissions.leaf import Leaf


PER_COLUMN = ("noise_std", "trend_std", "season_std", "start_std", "outlier_std")  # deviations that each column has


def one_column(leaf: "Leaf", d: int) -> "Leaf":
    """The leaf of column d alone, which shows its value itself."""
    values = {name: getattr(leaf, name) for name in PER_COLUMN}
    alone: dict[str, Any] = {name: None if value is None else value[d : d + 1] for name, value in values.items()}
    regressors = None if leaf.regressor_std is None else leaf.regressor_std[:, d : d + 1]
    return replace(leaf, each_column=False, regressor_std=regressors, map=None, offset=None, **alone)


class Whitened(NamedTuple):
    """B y = a u + A z + k + e for the entries of a column that are seen.

    B has `scale` on its diagonal and at most one further entry in a row: -`lower` at the row `before` (-1: none).
    """

    seen: np.ndarray  # which rows of the span
    scale: np.ndarray
    before: np.ndarray
    lower: np.ndarray
    a: np.ndarray
    A: np.ndarray
    k: np.ndarray
    log_probability: float  # of which observations are outliers

    def times(self, y: np.ndarray) -> np.ndarray:
        """B y."""
        return self.scale * y - self.lower * np.where(self.before >= 0, y[self.before], 0.0)

    @property
    def matrix(self) -> np.ndarray:
        """B, for leaves that are not long."""
        B = np.diag(self.scale)
        rows = np.flatnonzero(self.before >= 0)
        B[rows, self.before[rows]] -= self.lower[rows]
        return B


def whitened(
    leaf: "Leaf", d: int, series: Series, start: int, end: int, expected: tuple[float, float] | None = None
) -> Whitened:
    """Column d of a span, whose mean is expected somewhere (a mean and a variance)."""
    from recbayes.gaussian.kernels.leaves import BROAD, CLEAN, MISSING, NOISE, START  # here, as kernels know models

    numbers, phi = numbers_of(leaf, d, np.float64), leaf.coefficients[0]
    state = states_of_leaf(leaf, d, series, start, end, expected)
    own = own_columns(leaf, series, d, start, end)
    ticks, y = ticks_of(series), series.values[:, d]
    seen = np.flatnonzero(state[start:end] != MISSING)
    clean = state[start:end][seen] == CLEAN
    noise = numbers[NOISE] ** 2
    stationary = noise / (1.0 - phi**2)
    first = min(max(noise, numbers[START] ** 2), stationary)
    rows = np.flatnonzero(clean)
    earlier = np.flatnonzero(state[:start] == CLEAN)[-1:] if leaf.past == "observed" else np.zeros(0, dtype=np.int64)
    last = np.concatenate([earlier, start + seen[rows]])[:-1]  # the clean observation before
    following = rows[len(rows) - len(last) :]
    variance, rho = np.full(len(seen), numbers[BROAD] ** 2), np.zeros(len(seen))
    share = phi ** (2.0 * (ticks[start + seen[rows]] - ticks[start]))
    variance[rows] = share * first + (1.0 - share) * stationary
    rho[following] = phi ** np.maximum(ticks[start + seen[following]] - ticks[last], 1) if phi else 0.0
    variance[following] = stationary * (1.0 - rho[following] ** 2)
    scale = 1.0 / np.sqrt(variance)
    lower = scale * rho
    a, A, k = scale - lower, scale[:, None] * own[start + seen], np.zeros(len(seen))
    A[following] -= lower[following, None] * own[last]
    before = np.full(len(seen), -1)
    before[following] = np.searchsorted(seen, last - start)
    if len(earlier) and len(following):
        before[following[0]] = -1
        k[following[0]] = lower[following[0]] * y[last[0]]
    outliers = len(seen) - len(rows)
    log_share = np.log(leaf.outlier_probability) if outliers else 0.0
    log_probability = len(rows) * np.log1p(-leaf.outlier_probability) + outliers * log_share
    return Whitened(seen, scale, before, lower, a, A, k, float(log_probability))


def own_columns(leaf: "Leaf", series: Series, d: int, start: int, end: int) -> np.ndarray:
    """What multiplies z at all observations of a series (N, q), for the leaf of a span: trend, then harmonics and
    regressors."""
    from recbayes.gaussian.kernels.leaves import OWN

    ticks = ticks_of(series)
    columns = design_of(leaf, series) * numbers_of(leaf, d, np.float64)[OWN:]
    if leaf.trend_std is None:
        return columns
    length = ticks[end] - ticks[start]
    middle = ticks[start] + 0.5 * (length - 1)
    return np.hstack([(leaf.trend_std[d] * (ticks[:-1] - middle) / length)[:, None], columns])


def linear_form(leaf: "Leaf", dim: int, series: Series, start: int, end: int) -> Linear:
    """All entries of a span, row after row; those that are missing have some distribution or other."""
    count, columns = end - start, leaf.columns
    H = np.eye(dim)[:columns] if leaf.map is None else leaf.map
    offset = np.zeros(columns) if leaf.offset is None else leaf.offset
    maps, offsets, roots = np.zeros((count, columns, dim)), np.zeros((count, columns)), []
    log_probability = 0.0
    for d in range(columns):
        one = whitened(leaf, d, series, start, end)
        inverse = np.linalg.inv(one.matrix)
        maps[one.seen, d] = np.outer(inverse @ one.a, H[d])
        offsets[one.seen, d] = inverse @ (one.a * offset[d] + one.k)
        root = np.zeros((count, columns, one.A.shape[1] + count))
        root[one.seen, d, : one.A.shape[1]] = inverse @ one.A
        root[one.seen, d, one.A.shape[1] : one.A.shape[1] + len(one.seen)] = inverse
        missing = np.setdiff1d(np.arange(count), one.seen)
        root[missing, d, one.A.shape[1] + len(one.seen) + np.arange(len(missing))] = 1.0
        roots.append(root.reshape(count * columns, -1))
        log_probability += one.log_probability
    triangle = np.asarray(np.linalg.qr(np.hstack(roots).T, mode="r"))
    return Linear(maps.reshape(-1, dim), offsets.ravel(), triangle.T, log_probability)


class Own(NamedTuple):
    """What is a leaf's own, given the data: means and covariances of each column's, by what it is called in `own_names`."""

    mean: np.ndarray  # (columns, q)
    covariance: np.ndarray  # (columns, q, q)


def own_names(leaf: "Leaf") -> list[str]:
    """What a leaf has of its own: the rise of its trend, coefficients of harmonics and of regressors."""
    names = ["rise"] if leaf.trend_std is not None else []
    names += [f"season[{n}]" for n in range(leaf.harmonic_columns)]
    return names + [f"regressor[{n}]" for n in range(0 if leaf.regressor_std is None else len(leaf.regressor_std))]


def own_scales(leaf: "Leaf", d: int) -> np.ndarray:
    """The deviations of these, which standard normal numbers are multiplied with."""
    from recbayes.gaussian.kernels.leaves import OWN

    rise = [] if leaf.trend_std is None else [leaf.trend_std[d]]
    return np.concatenate([rise, numbers_of(leaf, d, np.float64)[OWN:]])


def own_given(leaf: "Leaf", series: Series, start: int, end: int, mean: np.ndarray, covariance: np.ndarray) -> Own:
    """What is the leaf's own, where its value has this mean and covariance given all data.

    Given the value it is normal, with a mean that is linear in it; and given the value, the rest of the data says nothing
    more.
    """
    means, covariances = [], []
    for d in range(leaf.columns):
        H = np.eye(len(mean))[d] if leaf.map is None else leaf.map[d]
        u = H @ mean + (0.0 if leaf.offset is None else leaf.offset[d])
        one = whitened(leaf, d, series, start, end, (float(u), float(H @ covariance @ H)))
        inverse = np.linalg.inv(np.eye(one.A.shape[1]) + one.A.T @ one.A)
        target = one.times(series.values[start:end, d][one.seen]) - one.k
        slope = inverse @ one.A.T @ one.a
        scale = own_scales(leaf, d)
        means.append(scale * (inverse @ one.A.T @ target - slope * u))
        spread = inverse + np.outer(slope, slope) * (H @ covariance @ H)
        covariances.append(scale[:, None] * spread * scale)
    return Own(np.array(means), np.array(covariances))


def sample_leaf(leaf: "Leaf", rng: np.random.Generator, value: np.ndarray, count: int, before: np.ndarray) -> Sampled:
    """So many observations of a leaf, after those before; it has one noise level and one coefficient, or each column has."""
    if leaf.each_column:
        return _sample_columns(leaf, rng, value, count, before)
    if leaf.regressor_std is not None:
        raise ModelError("a model with regressors cannot be sampled: it says nothing of where regressors come from")
    from recbayes.gaussian.kernels.leaves import NOISE, START

    begin = len(before)
    ticks = np.arange(max(begin - 1, 0), begin + count)  # from the observation before on, if there is one
    mean = value if leaf.map is None else leaf.map @ value
    mean = mean if leaf.offset is None else mean + leaf.offset
    phi, waves = leaf.coefficients[0], leaf.harmonics_at(ticks)
    rows, own = np.empty((count, leaf.columns)), []
    for d in range(leaf.columns):
        scales, numbers = own_scales(leaf, d), numbers_of(leaf, d, np.float64)
        chosen = scales * rng.standard_normal(len(scales))
        own.append(chosen)
        rise = [] if leaf.trend_std is None else [(ticks - begin - 0.5 * (count - 1)) / count]
        means = mean[d] + np.column_stack([*rise, waves]) @ chosen
        noise = numbers[NOISE] * rng.standard_normal(count)
        first = min(max(numbers[NOISE], numbers[START]), numbers[NOISE] / np.sqrt(1.0 - phi**2))
        deviation = noise[0] * first / numbers[NOISE]
        if leaf.past == "observed" and begin:
            deviation = phi * (before[-1, d] - means[0]) + noise[0]
        here = means[-count:]
        for t in range(count):
            deviation = deviation if t == 0 else phi * deviation + noise[t]
            rows[t, d] = here[t] + deviation
        if leaf.outlier_probability:
            assert leaf.outlier_std is not None
            outliers = rng.random(count) < leaf.outlier_probability
            rows[outliers, d] = here[outliers] + leaf.outlier_std[d] * rng.standard_normal(int(outliers.sum()))
    names = own_names(leaf)
    found = {name: np.array([one[n] for one in own]) for n, name in enumerate(names)}
    return Sampled(rows, found)


def _sample_columns(leaf: "Leaf", rng: np.random.Generator, value: np.ndarray, count: int, before: np.ndarray) -> Sampled:
    """Every column with a member of its own, whose number is told."""
    mean = value if leaf.map is None else leaf.map @ value
    mean = mean if leaf.offset is None else mean + leaf.offset
    which = rng.choice(len(leaf.bank), size=leaf.columns, p=[member.weight for member in leaf.bank])
    drawn = [
        sample_leaf(one_column(leaf.bank[m].emission, d), rng, mean[d : d + 1], count, before[:, d : d + 1])  # type: ignore[arg-type]
        for d, m in enumerate(which.tolist())
    ]
    own = {name: np.concatenate([one.own[name] for one in drawn]) for name in drawn[0].own}
    return Sampled(np.hstack([one.rows for one in drawn]), {**own, "member": which})
