"""Leaves for real series: a level, and of their own a trend, a season, coefficients of regressors, noise and its memory.

y_t = (H x + h) + rise (t - middle) / L + harmonics' a + regressors' b + e_t,    e_t = phi e_{t-1} + s N(0, 1)

The rise over the leaf, a and b are normal, belong to the leaf alone and are integrated out. The noise level s and the
coefficient phi are from a *bank*: a finite grid with weights, whose members are alternatives of their own, so that the
mixture is exact and a tree says which one each of its leaves took. Columns are independent of each other given x, and share
the member, or have one each (see `each_column`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, Self

import numpy as np

from recbayes.checks.arrays import check_probabilities, frozen, number, short, vector, whole_number
from recbayes.checks.series import Series
from recbayes.compiled.layout import HEIGHT, unpack_messages
from recbayes.errors import DataError, ModelError
from recbayes.gaussian.emissions.emission import Emission, Linear, Member, Rows, Sampled, check_length
from recbayes.gaussian.emissions.nearest import Expected
from recbayes.gaussian.emissions.one_leaf import PER_COLUMN, linear_form, sample_leaf
from recbayes.gaussian.emissions.potentials import Potentials
from recbayes.gaussian.emissions.regression import column_potentials, column_slopes, span_count, weight_slopes
from recbayes.gaussian.emissions.through import Means, through, through_adjoint
from recbayes.gaussian.model.links import compose
from recbayes.gaussian.model.parts import Link, array
from recbayes.lengths import ExactlyOne, Length
from recbayes.parameters.quantity import Quantity, Slopes, Values

Past = Literal["restart", "observed"]
PLAIN = ("harmonics", "past", "outlier_probability", "each_column")


@dataclass(frozen=True, eq=False)
class Leaf(Emission):
    """A rule A -> observations about the mean map x + offset: a level, and of the leaf's own a trend, seasons, regressors,
    noise.

        y_t = map x + offset + rise (t - middle) / L + harmonics' a + regressors' b + e_t,    e_t = phi e_{t-1} + s N(0, 1)

    The rise over the leaf, a and b are normal and integrated out. The noise level s and the coefficient phi are a member of
    a bank: a finite grid, so that the mixture is exact and a tree says which member each of its leaves took. Deviations are
    one per column, or one for all.

    Arguments:
        probability: of the rule, among those of its variable.
        noise_std: deviation of the noise.
        length: how many observations a leaf has; exactly one by default.
        noise_levels: factors of `noise_std`, of which every leaf takes one.
        coefficients: of which every leaf takes one, as its autoregressive phi, between -1 and 1. Of a series with times it
            is phi to the power of the ticks between observations; those of one tick count as one tick apart.
        weights: probabilities (levels, coefficients) of the bank's members. None: all equal.
        trend_std: deviation of the rise over the leaf, whatever its length; x is the mean at its middle. None: there is no
            trend.
        periods: lengths of seasons, in observations or ticks.
        harmonics: how many sines and cosines each of the periods has, as far as it has room for them.
        season_std: deviation of each of their coefficients. None where there are no periods.
        regressor_std: (regressors, columns): deviations of the coefficients of the series' own regressors. None: there are
            none.
        past: "restart": noise begins anew at each leaf; "observed": it is given the observation before the leaf.
        start_std: the largest deviation of a leaf's first noise that begins anew, where phi is not zero. None: that of the
            noise in the long run.
        outlier_probability: with it, an observation is an outlier: N(mean, outlier_std^2).
        outlier_std: how broad outliers are. None where there are none.
        each_column: whether every column takes a member of the bank for itself. Then, and with outliers, the leaf's
            potential is only the nearest Gaussian one, and draws of trees are weighed by the likelihood itself.
        map: a matrix (columns, dimensions of the variable). None is the identity.
        offset: a vector. None is zero.
    """

    probability: float
    noise_std: np.ndarray
    length: Length = field(default_factory=ExactlyOne)
    noise_levels: Sequence[float] = (1.0,)
    coefficients: Sequence[float] = (0.0,)
    weights: np.ndarray | None = None
    trend_std: np.ndarray | None = None
    periods: Sequence[float] = ()
    harmonics: int = 2
    season_std: np.ndarray | None = None
    regressor_std: np.ndarray | None = None
    past: Past = "restart"
    start_std: np.ndarray | None = None
    outlier_probability: float = 0.0
    outlier_std: np.ndarray | None = None
    each_column: bool = False
    map: np.ndarray | None = None
    offset: np.ndarray | None = None

    name: ClassVar[str] = "leaf"

    @property
    def columns(self) -> int:
        return len(self.noise_std)

    @property
    def regressors(self) -> int:
        return 0 if self.regressor_std is None else len(self.regressor_std)

    @property
    def shows_value(self) -> bool:
        return self.map is None

    @property
    def kind(self) -> str:
        """What the leaf has of its own, in words."""
        parts = ["trend" if self.trend_std is not None else "level"]
        parts += ["season"] if self.periods else []
        parts += ["regressors"] if self.regressor_std is not None else []
        parts += ["autoregressive"] if any(self.coefficients) else []
        return " + ".join(parts)

    @property
    def members(self) -> tuple[Member, ...]:
        return (Member("", 1.0, self),) if self.each_column else self.bank

    @property
    def is_gaussian(self) -> bool:
        return not self.each_column and not self.outlier_probability

    @cached_property
    def bank(self) -> tuple[Member, ...]:
        """The members that leaves, or their columns, choose among."""
        if len(self.noise_levels) * len(self.coefficients) == 1:
            return (Member("", 1.0, self),)
        weights = self._weights.ravel()
        found = []
        for place, i, j in zip(self._places, *np.unravel_index(self._places, self._shape), strict=True):
            level, phi = self.noise_levels[i], self.coefficients[j]
            names = [f"noise x{level:.4g}"] if len(self.noise_levels) > 1 else []
            names += [f"phi {phi:.4g}"] if len(self.coefficients) > 1 else []
            one = replace(self, noise_levels=(level,), coefficients=(phi,), weights=None, each_column=False)
            found.append(Member(" ".join(names), float(weights[place]), one))
        return tuple(found)

    @property
    def _shape(self) -> tuple[int, int]:
        return len(self.noise_levels), len(self.coefficients)

    @cached_property
    def _places(self) -> np.ndarray:
        """Of the members, among all levels and coefficients: what has no probability is no member."""
        return np.flatnonzero(self._weights.ravel() > 0.0)

    @property
    def _weights(self) -> np.ndarray:
        shape = self._shape
        return np.full(shape, 1.0 / (shape[0] * shape[1])) if self.weights is None else self.weights

    def checked(self, where: str, dim: int) -> Self:
        map_ = None if self.map is None else frozen(self.map, f"{where}.map")
        if map_ is not None and (map_.ndim != 2 or not len(map_) or map_.shape[1] != dim):
            raise ModelError(f"{where}.map must have shape (observed dimensions, {dim}), got {map_.shape}")
        size = dim if map_ is None else len(map_)
        deviations = {name: _deviations(getattr(self, name), size, f"{where}.{name}") for name in PER_COLUMN}
        if deviations["noise_std"] is None:
            raise ModelError(f"{where}.noise_std must be given: standard deviations of the noise")
        periods = _numbers(self.periods, f"{where}.periods", least=0.0)
        if bool(periods) != (self.season_std is not None):
            raise ModelError(f"{where}: a season needs both periods and season_std")
        levels = _numbers(self.noise_levels, f"{where}.noise_levels", least=0.0)
        coefficients = _numbers(self.coefficients, f"{where}.coefficients", least=-1.0, most=1.0)
        for what, given in (("noise_levels", levels), ("coefficients", coefficients)):
            if len({f"{one:.4g}" for one in given}) < len(given) or not given:
                raise ModelError(f"{where}.{what} must be some different numbers, got {short(given)}")
        if not isinstance(self.past, str) or self.past not in ("restart", "observed"):
            raise ModelError(f"{where}.past must be 'restart' or 'observed', got {short(self.past)}")
        share = number(self.outlier_probability, f"{where}.outlier_probability")
        if not 0.0 <= share < 1.0 or (share > 0.0) != (self.outlier_std is not None):
            raise ModelError(
                f"{where}: outliers need an outlier_std and an outlier_probability between 0 and 1, got {short(share)}"
            )
        if share > 0.0 and self.past == "observed":
            raise ModelError(
                f"{where}: with outliers, past must be 'restart': which observation before the leaf is one is unknown"
            )
        if not isinstance(self.each_column, bool | np.bool_):
            raise ModelError(f"{where}.each_column must be True or False, got {short(self.each_column)}")
        checked = replace(
            self,
            probability=number(self.probability, f"{where}.probability"),
            length=check_length(self.length, where),
            noise_levels=levels,
            coefficients=coefficients,
            periods=periods,
            harmonics=whole_number(self.harmonics, f"{where}.harmonics", least=1),
            regressor_std=_per_regressor(self.regressor_std, size, f"{where}.regressor_std"),
            outlier_probability=share,
            each_column=bool(self.each_column) and size > 1 and len(levels) * len(coefficients) > 1,
            map=map_,
            offset=None if self.offset is None else vector(self.offset, size, f"{where}.offset"),
            **deviations,  # type: ignore[arg-type]
        )
        return replace(checked, weights=_checked_weights(checked, f"{where}.weights"))

    @property
    def harmonic_columns(self) -> int:
        """How many columns the seasons have: a sine and a cosine for every harmonic that a period has room for."""
        return 2 * sum(self._harmonics_of(period) for period in self.periods)

    def _harmonics_of(self, period: float) -> int:
        return max(1, min(self.harmonics, int(np.ceil(period / 2.0)) - 1))

    def harmonics_at(self, ticks: np.ndarray) -> np.ndarray:
        """Sines and cosines of all seasons (ticks, columns).

        Arguments:
            ticks: when.
        """
        angles = [
            2.0 * np.pi * h / period * ticks for period in self.periods for h in range(1, 1 + self._harmonics_of(period))
        ]
        parts = [wave(angle) for angle in angles for wave in (np.cos, np.sin)]
        return np.stack(parts, axis=1) if parts else np.zeros((len(ticks), 0))

    def regressors_of(self, series: Series) -> np.ndarray:
        """The regressors of a series, as many as the leaf has coefficients for; an error if it has others.

        Arguments:
            series: the series.
        """
        assert self.regressor_std is not None
        given = series.regressors
        if given is None or given.shape[1] != self.regressors:
            found = "none" if given is None else f"{given.shape[1]}"
            raise DataError(
                f"the model has coefficients for {len(self.regressor_std)} regressors and the series has {found}; "
                "give Series(values, regressors=...)"
            )
        return given

    def sample(self, rng: np.random.Generator, value: np.ndarray, count: int, before: np.ndarray) -> Sampled:
        return sample_leaf(self, rng, value, count, before)

    def own(self, drawn: Mapping[str, np.ndarray], ticks: float) -> Mapping[str, Any]:
        slope = {"slope": drawn["rise"] / ticks} if "rise" in drawn else {}
        deviation = {"slope_std": drawn["rise_std"] / ticks} if "rise_std" in drawn else {}
        drawn, which = dict(drawn), drawn.get("member", np.zeros(self.columns, dtype=np.int64))
        drawn.pop("member", None)
        level, phi = np.unravel_index(self._places[which], self._shape)
        noise = self.noise_std * np.array(self.noise_levels)[level]
        coefficient = np.array(self.coefficients)[phi] if self.each_column else self.coefficients[0]
        return {"kind": self.kind, "noise": noise, "coefficient": coefficient, **slope, **deviation, **drawn}

    def quantities(self, variable: int) -> tuple[Quantity, ...]:
        free = [Quantity("weights", "probabilities", self._weights.ravel().tolist())]
        for name in ("noise_std", "trend_std", "season_std", "regressor_std", "outlier_std"):
            if getattr(self, name) is not None:
                free.append(Quantity(name, "positive", getattr(self, name)))
        free.append(
            Quantity("map", "numbers", self.map, lambda units: (units.columns[:, None] / units.variables[variable]).ravel())
        )
        free.append(Quantity("offset", "numbers", self.offset, lambda units: units.columns))
        return tuple(free)

    def replaced(self, values: Values) -> Self:
        if "weights" in values:
            weights = np.reshape(values["weights"], (len(self.noise_levels), len(self.coefficients)))
            values = {**values, "weights": weights}
        return replace(self, **values)

    @property
    def _means(self) -> Means:
        return Means(self.map, self.offset)

    def fill(self, series: Series, positions: np.ndarray, rows: Rows) -> None:
        segments = len(positions) - 1
        widest = _widest(rows, segments)
        columns = column_potentials(self, _plain(series), positions, widest, rows.expected)
        packed = through(self._means, columns, rows.size)
        for width, spans in _by_width(segments, widest):
            block = rows.block(rows.messages, width)
            block[HEIGHT] = -np.inf
            block[:, : spans.stop - spans.start] = packed[:, spans]

    def slopes(self, series: Series, positions: np.ndarray, rows: Rows, derivatives: np.ndarray) -> Slopes:
        segments = len(positions) - 1
        widest = _widest(rows, segments)
        columns = column_potentials(self, series, positions, widest, rows.expected)
        packed = np.empty((rows.block(derivatives, 1).shape[0], columns.shape[2]))
        for width, spans in _by_width(segments, widest):
            packed[:, spans] = rows.block(derivatives, width)[:, : spans.stop - spans.start]
        found = through_adjoint(self._means, columns, packed, rows.size)
        own = column_slopes(self, series, positions, widest, rows.expected, found.columns)
        if self.each_column:
            assert rows.expected is not None
            by_member = weight_slopes(self, series, positions, widest, rows.expected, found.columns)
            own["weights"] = self._of_all(by_member)
        return {**own, "map": found.map, "offset": found.offset}

    def of_members(self, slopes: Sequence[Slopes], counts: Sequence[float]) -> Slopes:
        total = super().of_members(slopes, counts)
        return total if self.each_column else {**total, "weights": self._of_all(counts)}

    def _of_all(self, by_member: Sequence[float] | np.ndarray) -> np.ndarray:
        """What members have, with zeros for what is none."""
        found = np.zeros(self._weights.size)
        found[self._places] = by_member
        return found

    def of_leaves(self, series: Series, positions: np.ndarray, size: int, expected: Expected | None) -> Potentials:
        packed = through(self._means, column_potentials(self, _plain(series), positions, 1, expected), size)
        return Potentials(*unpack_messages(packed.T, size))

    def behind(self, link: Link | None) -> Self:
        mean = compose(link, Link(np.zeros((self.columns, self.columns)), self.map, self.offset))
        return replace(self, map=mean.map, offset=mean.offset)

    def slopes_before(self, link: Link, slopes: Slopes) -> Slopes:
        """With H' = H T and h' = h + H c, where z leads to x = T z + c."""
        map_ = slopes["map"] if link.map is None else slopes["map"] @ link.map.T
        moved = map_ if link.offset is None else map_ + np.outer(slopes["offset"], link.offset)
        return {**slopes, "map": moved}

    def linear(self, dim: int, series: Series, start: int, end: int) -> Linear:
        if self.each_column:
            raise DataError("an ill-conditioned model cannot be checked where leaves have each_column=True; leave it out")
        return linear_form(self, dim, _plain(series), start, end)

    @property
    def noise(self) -> np.ndarray | None:
        return np.diag((self.noise_std * min(self.noise_levels)) ** 2) if self.map is None else None

    def to_data(self) -> dict[str, Any]:
        arrays = (*PER_COLUMN, "regressor_std", "weights", "map", "offset")
        found = {name: None if getattr(self, name) is None else getattr(self, name).tolist() for name in arrays}
        for name in ("noise_levels", "coefficients", "periods"):
            found[name] = list(getattr(self, name))
        return {**found, **{name: getattr(self, name) for name in PLAIN}}

    @classmethod
    def from_data(cls, data: dict[str, Any], probability: float, length: Length) -> Self:
        dimensions = {**dict.fromkeys((*PER_COLUMN, "offset"), 1), "regressor_std": 2, "weights": 2, "map": 2}
        arrays = {name: None if data[name] is None else array(data[name], ndim) for name, ndim in dimensions.items()}
        others = ("noise_levels", "coefficients", "periods", *PLAIN)
        return cls(probability, length=length, **arrays, **{name: data[name] for name in others})  # type: ignore[arg-type]


def _plain(series: Series) -> Series:
    if series.noise_covariance is not None:
        raise DataError("a Leaf has noise of its own: give the series without noise_covariance, or use Emit")
    return series


def _widest(rows: Rows, segments: int) -> int:
    """The largest width that has a row."""
    widths = np.flatnonzero(rows.rows[0]["length"][: segments + 1])
    return int(widths[-1]) if len(widths) else 0


def _by_width(segments: int, widest: int) -> list[tuple[int, slice]]:
    edges = [span_count(segments, width) for width in range(widest + 1)]
    return [(width, slice(edges[width - 1], edges[width])) for width in range(1, widest + 1)]


def _deviations(given: object, size: int, name: str) -> np.ndarray | None:
    if given is None:
        return None
    found = vector(given, size, name)
    if not (found > 0).all():
        raise ModelError(f"{name} must be positive, got {short(given)}")
    return found


def _per_regressor(given: object, size: int, name: str) -> np.ndarray | None:
    if given is None:
        return None
    found = np.atleast_1d(frozen(given, name))
    found = np.repeat(found[:, None], size, axis=1) if found.ndim == 1 else found
    if found.ndim != 2 or not len(found) or found.shape[1] != size or not (found > 0).all():
        raise ModelError(
            f"{name} must be positive numbers, one for each regressor (or regressors x {size}), got {short(given)}"
        )
    return frozen(found, name)


def _numbers(given: object, name: str, *, least: float, most: float = np.inf) -> tuple[float, ...]:
    found = frozen(given, name)
    if found.ndim != 1 or not ((found > least) & (found < most)).all():
        raise ModelError(
            f"{name} must be a list of numbers greater than {least:g} and less than {most:g}, got {short(given)}"
        )
    return tuple(found.tolist())


def _checked_weights(leaf: Leaf, name: str) -> np.ndarray | None:
    shape = len(leaf.noise_levels), len(leaf.coefficients)
    if leaf.weights is None:
        return None
    found = frozen(leaf.weights, name)
    if found.size != shape[0] * shape[1]:
        raise ModelError(f"{name} must be {shape[0]} x {shape[1]} probabilities (levels, coefficients), got {found.shape}")
    check_probabilities(found.ravel(), name)
    return frozen(found.reshape(shape), name)
