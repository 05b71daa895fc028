"""The noise of a segment, between the levels of the bank.

Draws say which members of a bank a segment took. Each stands for its cell: the levels s that are nearer to its own than to
others' (by their logarithms). Within, s is what the residuals of the segment say: with RSS their sum of squares after the
level (trend, season) was fitted by least squares, and n their degrees of freedom, RSS / s^2 is chi-square with n of them if
log s is uniform beforehand. The likelihood of a cell is the mean of s^-n exp(-RSS / 2 s^2) over it, and not what it is at
its member, as in the chart: draws are weighed by the ratio. Cells do not count where residuals say more than them.

All segments may also have the same noise. What a member then says comes from all of the series, and stays as it is.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy.special import gammainc, gammaincc, gammainccinv, gammaincinv

from recbayes.checks.series import Series
from recbayes.gaussian.emissions.leaf import Leaf
from recbayes.gaussian.emissions.regression import ticks_of
from recbayes.gaussian.posterior.leaves import LeafPart, Mixture

POINTS = 32  # equally probable levels that a cell is told by
STEP = 1.36  # from one level to the next, of a bank that has one alone
OPEN, LONG = 1e3, 8  # how far the cells at both ends go, of segments with at least so many degrees of freedom
NARROW = 4.0  # deviations of log s, by what residuals say, that go into a cell which is too wide for them
MOST = 30.0  # logarithm of a likelihood within a cell, by that at its level
ROUNDS = 6  # of least squares, after each of which outliers count less
SHARES = (np.arange(POINTS) + 0.5) / POINTS


class Source(NamedTuple):
    """A part of what is believed of a leaf, the bank that its member is of, whether all leaves of a tree share the member,
    and the series that it is a leaf of."""

    part: LeafPart
    bank: Leaf
    shared: bool
    series: Series


class Residuals(NamedTuple):
    """Their sum of squares, and how many degrees of freedom they have."""

    squares: float
    freedom: float


def noise_of(sources: Iterable[Source], span: tuple[int, int] | None) -> Mixture:
    """The noise of a leaf, column by column; of a leaf without its span, as if its data said nothing more."""
    known: dict[tuple[object, ...], Residuals] = {}
    weights, points = [], []
    for part, bank, shared, series in sources:
        leaf = part.emission
        levels = leaf.noise_std * leaf.noise_levels[0]
        cell = cell_of(bank, leaf)
        own, share = np.empty((POINTS, leaf.columns)), part.probability / POINTS
        for d, level in enumerate(levels.tolist()):
            seen = Residuals(0.0, 0.0)
            if span is not None and part.probability[d] > 0.0:
                key = id(series), d, leaf.coefficients[0], leaf.trend_std is None, level if leaf.outlier_probability else 0.0
                seen = known[key] if key in known else known.setdefault(key, residuals(leaf, d, series, *span))
            if cell.is_wide(len(series) if shared else seen.freedom):
                own[:, d] = within(level, cell.with_neighbours() if shared else cell.without_ends(), seen)
            else:
                own[:, d] = within(level, cell, seen)
                share[d] *= 1.0 if shared else cell.mean_likelihood(level, seen)
        points.append(own)
        weights.append(np.broadcast_to(share, own.shape))
    shares = np.concatenate(weights)
    found = np.concatenate(points)
    return Mixture(shares / shares.sum(axis=0), found, np.zeros_like(found))


def residuals(leaf: Leaf, d: int, series: Series, start: int, end: int) -> Residuals:
    """Of column d of a leaf with one level of noise and one coefficient, over a span; likely outliers hardly count."""
    y, ticks, phi = series.values[start:end, d], ticks_of(series)[start:end], leaf.coefficients[0]
    seen = np.flatnonzero(~np.isnan(y))
    design = np.ones((len(seen), 1))
    if leaf.trend_std is not None and len(seen):
        design = np.column_stack([design, (ticks[seen] - ticks[seen[0]]) / max(ticks[-1] - ticks[0], 1)])
    if leaf.periods:
        design = np.column_stack([design, leaf.harmonics_at(ticks_of(series)[start + seen])])
    rows = np.column_stack([design, y[seen]])
    if phi:
        rho = phi ** np.maximum(np.diff(ticks[seen]), 1)
        rows = (rows[1:] - rho[:, None] * rows[:-1]) / np.sqrt((1.0 - rho**2) / (1.0 - phi**2))[:, None]
    if len(rows) <= design.shape[1]:
        return Residuals(0.0, 0.0)
    member = level = float(leaf.noise_std[d] * leaf.noise_levels[0])
    weights = np.ones(len(rows))
    for _ in range(ROUNDS if leaf.outlier_probability else 1):
        root = np.sqrt(weights)[:, None]
        fit, _, rank, _ = np.linalg.lstsq(root * rows[:, :-1], root[:, 0] * rows[:, -1], rcond=None)
        apart = rows[:, -1] - rows[:, :-1] @ fit
        found = Residuals(float(weights @ apart**2), max(float(weights.sum()) - float(rank), 0.0))
        if leaf.outlier_probability and found.freedom > 0.0:
            weights = _clean(leaf, d, apart, level)
            likely = np.sqrt((weights @ apart**2) / max(weights.sum() - rank, 1.0))
            level = float(np.clip(likely, member / STEP, member * STEP))
    return found


def _clean(leaf: Leaf, d: int, apart: np.ndarray, level: float) -> np.ndarray:
    """The probability of every residual to be none of an outlier's, with a level of noise."""
    assert leaf.outlier_std is not None
    broad, share = float(leaf.outlier_std[d]), leaf.outlier_probability
    odds = np.log(share / (1.0 - share) * level / broad) + 0.5 * apart**2 * (level**-2.0 - broad**-2.0)
    return np.asarray(1.0 / (1.0 + np.exp(np.minimum(odds, 700.0))))


class Cell(NamedTuple):
    """How far the cell of a level goes, in multiples of it, and whether it is the lowest or the highest of its bank."""

    low: float
    high: float
    lowest: bool
    highest: bool

    def is_wide(self, freedom: float) -> bool:
        """Whether so many degrees of freedom say more than that it is this cell."""
        return np.log(self.high / self.low) > NARROW / np.sqrt(max(2.0 * freedom, 1e-9))

    def with_neighbours(self) -> "Cell":
        """As far as the next levels."""
        return self._replace(low=self.low**2, high=self.high**2)

    def without_ends(self) -> "Cell":
        return Cell(1.0 / OPEN, OPEN, False, False)

    def mean_likelihood(self, level: float, seen: Residuals) -> float:
        """Of the cell, as multiples of what it is at its level."""
        if not (seen.freedom > 0.0 and seen.squares > 0.0):
            return 1.0
        x = np.exp(np.linspace(np.log(self.low), np.log(self.high), POINTS + 1))
        logs = -seen.freedom * np.log(x) - 0.5 * seen.squares / level**2 * (x**-2.0 - 1.0)
        return float(np.exp(np.clip(logs, -MOST, MOST)).mean())


def cell_of(bank: Leaf, leaf: Leaf) -> Cell:
    """The cell of the one level of a leaf, among those that a bank has with its coefficient."""
    phi, level = leaf.coefficients[0], leaf.noise_levels[0]
    members = [one.emission for one in bank.bank if isinstance(one.emission, Leaf)]
    levels = sorted({one.noise_levels[0] for one in members if one.coefficients[0] == phi})
    here = int(np.argmin(np.abs(np.log(np.array(levels) / level))))
    below = level / levels[here - 1] if here else levels[1] / level if len(levels) > 1 else STEP
    above = levels[here + 1] / level if here + 1 < len(levels) else below
    return Cell(below**-0.5, above**0.5, here == 0, here + 1 == len(levels))


def within(level: float, cell: Cell, seen: Residuals) -> np.ndarray:
    """Equally probable levels of a cell."""
    low, high = level * cell.low, level * cell.high
    if not (seen.freedom > 0.0 and seen.squares > 0.0):
        return np.asarray(low * (high / low) ** SHARES)
    if seen.freedom >= LONG:
        low, high = low / OPEN**cell.lowest, high * OPEN**cell.highest
    half, least, most = 0.5 * seen.freedom, 0.5 * seen.squares / high**2, 0.5 * seen.squares / low**2
    if least > half:
        first, last = gammaincc(half, least), gammaincc(half, most)
        halves = gammainccinv(half, last + SHARES * (first - last))
    else:
        first, last = gammainc(half, least), gammainc(half, most)
        halves = gammaincinv(half, last + SHARES * (first - last))
    if not abs(first - last) > 1e-250:  # they are as good as certain that it is beyond
        return np.full(POINTS, high if least > half else low)
    return np.sort(np.clip(np.sqrt(0.5 * seen.squares / np.maximum(halves, 1e-300)), low, high))
