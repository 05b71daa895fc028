"""The level: every observation of a leaf is its node's value, through a linear map, with noise.

y_j ~ N(H x + h, R)
"""

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from scipy.linalg import block_diag

from recbayes.checks.arrays import covariance, frozen, number, positive, vector
from recbayes.checks.series import Series
from recbayes.errors import ModelError
from recbayes.gaussian.emissions.emission import OBSERVED, Linear, Sampled, check_length
from recbayes.gaussian.emissions.observations import noise_of, observe, observe_adjoint
from recbayes.gaussian.emissions.potentials import Potentials
from recbayes.gaussian.emissions.products import Product
from recbayes.gaussian.model.links import compose, mean_of
from recbayes.gaussian.model.parts import Link, affine_from_data, affine_to_data
from recbayes.gaussian.model.roots import root
from recbayes.lengths import ExactlyOne, Length
from recbayes.parameters.quantity import Quantity, Slopes, Values


@dataclass(frozen=True, eq=False)
class Emit(Product):
    """A rule A -> observations: each is N(map x + offset, covariance).

    Arguments:
        probability: of the rule, among those of its variable.
        covariance: of an observation, a positive definite matrix. Noise that a series has of its own
            (`Series.noise_covariance`) replaces it.
        length: how many observations a leaf has; exactly one by default.
        map: a matrix (columns, dimensions of the variable). None is the identity.
        offset: a vector. None is zero.
        noise_factor: with it, noise of a series' own is multiplied by this, and the covariance is added. None: it replaces
            the covariance.
    """

    probability: float
    covariance: np.ndarray
    length: Length = field(default_factory=ExactlyOne)
    map: np.ndarray | None = None
    offset: np.ndarray | None = None
    noise_factor: float | None = None

    name: ClassVar[str] = "level"

    @property
    def columns(self) -> int:
        return len(self.covariance)

    @property
    def shows_value(self) -> bool:
        return self.map is None

    def checked(self, where: str, dim: int) -> Self:
        length = check_length(self.length, where)
        map_ = None if self.map is None else frozen(self.map, f"{where}.map")
        if map_ is not None and (map_.ndim != 2 or not len(map_) or map_.shape[1] != dim):
            raise ModelError(f"{where}.map must have shape (observed dimensions, {dim}), got {map_.shape}")
        size = dim if map_ is None else len(map_)
        return replace(
            self,
            probability=number(self.probability, f"{where}.probability"),
            covariance=covariance(self.covariance, size, f"{where}.covariance", definite=True),
            length=length,
            map=map_,
            offset=None if self.offset is None else vector(self.offset, size, f"{where}.offset"),
            noise_factor=None if self.noise_factor is None else positive(self.noise_factor, f"{where}.noise_factor"),
        )

    def sample(self, rng: np.random.Generator, value: np.ndarray, count: int, before: np.ndarray) -> Sampled:
        mean = value if self.map is None else self.map @ value
        mean = mean if self.offset is None else mean + self.offset
        return Sampled(rng.multivariate_normal(mean, self.covariance, size=count, method="eigh", check_valid="ignore"), {})

    def quantities(self, variable: int) -> tuple[Quantity, ...]:
        factor = () if self.noise_factor is None else (Quantity("noise_factor", "positive", self.noise_factor),)
        return (
            Quantity("covariance", "covariance", self.covariance, lambda units: units.columns),
            Quantity("map", "numbers", self.map, lambda units: (units.columns[:, None] / units.variables[variable]).ravel()),
            Quantity("offset", "numbers", self.offset, lambda units: units.columns),
            *factor,
        )

    def replaced(self, values: Values) -> Self:
        return replace(self, **values)

    def observe(self, series: Series, size: int) -> Potentials:
        return observe(self, series, size)

    def observe_slopes(self, series: Series, potentials: Potentials, derivatives: Potentials) -> Slopes:
        found = observe_adjoint(self, series, potentials, derivatives)
        shown = found.map[:, : self.columns if self.map is None else self.map.shape[1]]  # without blank dimensions
        slopes = {"covariance": found.covariance, "map": shown, "offset": found.offset, OBSERVED: found.observed}
        return slopes if self.noise_factor is None else {**slopes, "noise_factor": found.noise_factor}

    def behind(self, link: Link | None) -> Self:
        mean = compose(link, mean_of(self))
        return replace(self, map=mean.map, offset=mean.offset)

    def slopes_before(self, link: Link, slopes: Slopes) -> Slopes:
        """With H' = H T and h' = h + H c, where z leads to x = T z + c."""
        map_ = slopes["map"] if link.map is None else slopes["map"] @ link.map.T
        moved = map_ if link.offset is None else map_ + np.outer(slopes["offset"], link.offset)
        return {**slopes, "map": moved}

    def linear(self, dim: int, series: Series, start: int, end: int) -> Linear:
        map_ = np.eye(dim) if self.map is None else self.map
        offset = np.zeros(self.columns) if self.offset is None else self.offset
        if series.noise_covariance is None:
            R = np.kron(np.eye(end - start), root(self.covariance))
        else:
            R = block_diag(*(root(one) for one in noise_of(self, series)[start:end]))
        return Linear(np.tile(map_, (end - start, 1)), np.tile(offset, end - start), R)

    @property
    def noise(self) -> np.ndarray | None:
        return self.covariance if self.map is None else None

    def to_data(self) -> dict[str, Any]:
        factor = {} if self.noise_factor is None else {"noise_factor": self.noise_factor}
        return {**affine_to_data(self), **factor}

    @classmethod
    def from_data(cls, data: dict[str, Any], probability: float, length: Length) -> Self:
        factor = data.get("noise_factor")
        return cls(probability=probability, length=length, noise_factor=factor, **affine_from_data(data))  # type: ignore[arg-type]
