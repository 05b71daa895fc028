"""Compositions: observations are shares or counts, and the value is their logarithm.

t_j = log(y_j + resolution + pseudo_count) ~ N(H (x + b) + h, R),    b ~ N(0, B) of the leaf's own

What is observed is y, recorded to a `resolution`: that t lies in the step from t(y) to t(y + resolution), of width w. Its
probability, as a function of what t is expected to be, has the mass w, its mean in the middle of the step and the variance
r + w^2 / 12, and so is taken for the Gaussian potential that has the same. Divided by the resolution it is a density of y
where steps are small, and evidences of different pseudo-counts can be compared, or pseudo-counts learnt. (With the
derivative of t instead of steps, zeros, which are many, would be ever more probable the less is added to them. With steps
but without the resolution in t, that of zeros would become so wide that no zero said anything.)
"""

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from recbayes.checks.arrays import covariance, positive
from recbayes.checks.series import Series
from recbayes.errors import DataError, ModelError
from recbayes.gaussian.emissions.emission import OBSERVED, Linear, Sampled
from recbayes.gaussian.emissions.emit import Emit
from recbayes.gaussian.emissions.observations import observe_adjoint
from recbayes.gaussian.emissions.potentials import Potentials
from recbayes.gaussian.emissions.products import Product
from recbayes.gaussian.model.parts import Link, affine_from_data, affine_to_data, array
from recbayes.gaussian.model.roots import root
from recbayes.lengths import ExactlyOne, Length
from recbayes.parameters.quantity import Quantity, Slopes, Values


@dataclass(frozen=True, eq=False)
class Composition(Product):
    """A rule A -> observations that are not negative: log(y + resolution + pseudo_count) is N(map x + offset, covariance).

    Rows are shares of a whole, or counts.

    Arguments:
        probability: of the rule, among those of its variable.
        covariance: of the logarithms of an observation, a positive definite matrix.
        pseudo_count: added to every entry. It can be learnt.
        length: how many observations a leaf has; exactly one by default.
        resolution: how finely entries are recorded.
        map: a matrix (columns, dimensions of the variable). None is the identity.
        offset: a vector. None is zero.
        own_covariance: with it, x is a value of the leaf's own, which all its observations share, about the node's with this
            covariance. None: x is the node's.
    """

    probability: float
    covariance: np.ndarray
    pseudo_count: float
    length: Length = field(default_factory=ExactlyOne)
    resolution: float = 0.01
    map: np.ndarray | None = None
    offset: np.ndarray | None = None
    own_covariance: np.ndarray | None = None

    name: ClassVar[str] = "composition"

    @property
    def columns(self) -> int:
        return len(self.covariance)

    @property
    def shows_value(self) -> bool:
        return False

    @property
    def noise(self) -> np.ndarray | None:
        return self._level.noise

    @property
    def _added(self) -> float:
        return self.resolution + self.pseudo_count

    @property
    def _level(self) -> Emit:
        """What logarithms are emitted by."""
        return Emit(self.probability, self.covariance, self.length, self.map, self.offset, noise_factor=1.0)

    def checked(self, where: str, dim: int) -> Self:
        level = self._level.checked(where, dim)
        own = (
            None
            if self.own_covariance is None
            else covariance(self.own_covariance, dim, f"{where}.own_covariance", definite=False)
        )
        return replace(
            self,
            **{name: getattr(level, name) for name in ("probability", "covariance", "length", "map", "offset")},
            own_covariance=own,
            pseudo_count=positive(self.pseudo_count, f"{where}.pseudo_count"),
            resolution=positive(self.resolution, f"{where}.resolution"),
        )

    def sample(self, rng: np.random.Generator, value: np.ndarray, count: int, before: np.ndarray) -> Sampled:
        if self.own_covariance is not None:
            value = value + root(self.own_covariance) @ rng.standard_normal(len(value))
        y = np.exp(self._level.sample(rng, value, count, before).rows) - self._added
        return Sampled(np.maximum(np.floor(y / self.resolution), 0.0) * self.resolution, {})

    def quantities(self, variable: int) -> tuple[Quantity, ...]:
        level = self._level.quantities(variable)
        ones = np.ones(self.columns)  # logarithms vary by about one
        own = [replace(one, unit=None if one.name == "map" else lambda units: ones) for one in level[:3]]
        own.append(Quantity("pseudo_count", "positive", self.pseudo_count))
        if self.own_covariance is not None:
            values = np.ones(len(self.own_covariance))
            own.append(Quantity("own_covariance", "covariance", self.own_covariance, lambda units: values))
        return tuple(own)

    def replaced(self, values: Values) -> Self:
        return replace(self, **values)

    def observe(self, series: Series, size: int) -> Potentials:
        height, mode, precision = self._level.observe(self._in_logarithms(series), size)
        return Potentials(height + self._steps(series).log_density.sum(axis=1), mode, precision)

    def observe_slopes(self, series: Series, potentials: Potentials, derivatives: Potentials) -> Slopes:
        """By the pseudo-count, and by y, everything changes in the same way."""
        found = observe_adjoint(self._level, self._in_logarithms(series), potentials, derivatives)
        assert found.variances is not None
        low, high = series.values + self._added, series.values + self._added + self.resolution
        w, dw = np.log(high / low), 1.0 / high - 1.0 / low
        by_entry = found.observed * 0.5 * (1.0 / high + 1.0 / low) + found.variances * w * dw / 6.0
        by_entry = np.nan_to_num(by_entry + derivatives.height[:, None] * dw / w)
        shown = found.map[:, : self.columns if self.map is None else self.map.shape[1]]
        return {
            "covariance": found.covariance,
            "map": shown,
            "offset": found.offset,
            "pseudo_count": float(by_entry.sum()),
            OBSERVED: by_entry,
        }

    def behind(self, link: Link | None) -> Self:
        level = self._level.behind(link)
        if self.own_covariance is None or link is None or link.map is None:
            return replace(self, map=level.map, offset=level.offset)
        back = _inverse(link.map)
        return replace(self, map=level.map, offset=level.offset, own_covariance=back @ self.own_covariance @ back.T)

    def slopes_before(self, link: Link, slopes: Slopes) -> Slopes:
        found = self._level.slopes_before(link, slopes)
        if self.own_covariance is None or link.map is None:
            return found
        back = _inverse(link.map)
        return {**found, "own_covariance": back.T @ slopes["own_covariance"] @ back}

    def linear(self, dim: int, series: Series, start: int, end: int) -> Linear:
        """Of y itself, less what its logarithm differs from it, which is known."""
        logs = self._in_logarithms(series)
        found = self._level.linear(dim, logs, start, end)
        apart = np.nan_to_num(series.values - logs.values)[start:end].ravel()
        density = float(self._steps(series).log_density[start:end].sum())
        spread = found.root
        if self.own_covariance is not None:
            both = np.hstack([spread, found.map @ root(self.own_covariance)])
            spread = np.asarray(np.linalg.qr(both.T, mode="r")).T
        return found._replace(offset=found.offset + apart, root=spread, log_probability=density)

    def to_data(self) -> dict[str, Any]:
        own = {} if self.own_covariance is None else {"own_covariance": self.own_covariance.tolist()}
        return {**affine_to_data(self), "pseudo_count": self.pseudo_count, "resolution": self.resolution, **own}

    @classmethod
    def from_data(cls, data: dict[str, Any], probability: float, length: Length) -> Self:
        own = {name: data[name] for name in ("pseudo_count", "resolution")}
        if "own_covariance" in data:
            own["own_covariance"] = array(data["own_covariance"], 2)
        return cls(probability=probability, length=length, **own, **affine_from_data(data))  # type: ignore[arg-type]

    def _in_logarithms(self, series: Series) -> Series:
        """The middles of steps, with the noise that they have by their widths."""
        if series.noise_covariance is not None:
            raise DataError("a Composition has noise of its own: give the series without noise_covariance")
        negative = series.values < 0.0
        if negative.any():
            row, column = np.argwhere(negative)[0]
            raise DataError(
                f"compositions are shares or counts, which are not negative; row {row}, column {column} is "
                f"{series.values[row, column]:.6g}"
            )
        steps = self._steps(series)
        return Series(steps.middle, steps.variance[:, :, None] * np.eye(self.columns), series.times, series.unit)

    def _steps(self, series: Series) -> "_Steps":
        low = np.log(series.values + self._added)
        width = np.log1p(self.resolution / (series.values + self._added))
        seen = np.where(np.isnan(width), self.resolution, width)
        return _Steps(low + 0.5 * width, seen**2 / 12.0, np.log(seen / self.resolution))


def _inverse(map_: np.ndarray) -> np.ndarray:
    if map_.shape[0] != map_.shape[1]:
        raise ModelError(f"leaves with values of their own need a square map before them, got one of shape {map_.shape}")
    if np.linalg.matrix_rank(map_) < len(map_):
        raise ModelError("leaves with values of their own need a map before them that can be undone; this one is singular")
    return np.linalg.inv(map_)


class _Steps(NamedTuple):
    """Entries of a series in logarithms; of missing ones, densities of one."""

    middle: np.ndarray
    variance: np.ndarray
    log_density: np.ndarray  # of t, for every one of y


def shares_of(emission: Composition, value: np.ndarray) -> np.ndarray:
    """What a value (or rows of them) says of a composition: shares that sum to one."""
    seen = value if emission.map is None else value @ emission.map.T
    y = np.maximum(np.exp(seen if emission.offset is None else seen + emission.offset) - emission._added, 0.0)
    total = y.sum(axis=-1, keepdims=True)
    return np.where(total > 0.0, y / np.where(total > 0.0, total, 1.0), 1.0 / y.shape[-1])
