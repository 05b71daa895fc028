"""What Gaussian RBNs are made of: links, splits, variables, and the prior. Emissions have a folder of their own.

split  A -> B C     x_B ~ N(F x_A + f, Q_L),  x_C ~ N(G x_A + g, Q_R)
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from recbayes.errors import FileError

Shift = tuple[int, int]
NO_SHIFT: Mapping[Shift, float] = {(0, 0): 1.0}


@dataclass(frozen=True, eq=False)
class Link:
    """How a child's value comes from its parent's: x_child ~ N(map x_parent + offset, covariance).

    Arguments:
        covariance: a square matrix, which may be singular or zero: a zero link copies the parent's value.
        map: a matrix (dimensions of the child, of the parent). None is the identity (after a shift, if the rule has shifts),
            and stays so when the model is trained.
        offset: a vector. None is zero, and stays so.
    """

    covariance: np.ndarray
    map: np.ndarray | None = None
    offset: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Split:
    """A rule A -> left right.

    Arguments:
        probability: of the rule, among those of its variable.
        left: the name of the left child's variable.
        right: that of the right child's.
        left_link: how the left child's value comes about.
        right_link: how the right child's does.
        shifts: probabilities of shifting the dimensions of (left, right) by so many steps; a whole number means left. A
            validated model holds pairs only, each between zero and the dimension.
    """

    probability: float
    left: str
    right: str
    left_link: Link
    right_link: Link
    shifts: Mapping[Any, float] = field(default_factory=lambda: dict(NO_SHIFT))


@dataclass(frozen=True, eq=False)
class Variable:
    """A template variable, and what may become of it.

    Arguments:
        name: which trees show as the label of its nodes.
        dim: the dimension of its values.
        rules: those that lead on from it: `Split`s and emissions (`Emit`, `Leaf`, `Composition`), in a `LinearGaussianRBN`
            also `Branch`es. Their probabilities sum to one.
    """

    name: str
    dim: int
    rules: tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Component:
    """One Gaussian of the prior, possibly spread over shifts (as the music model's prior is over all transpositions).

    Arguments:
        mean: of the root's value.
        covariance: of it, a matrix.
        weight: the component's probability; those of a prior sum to one.
        shifts: probabilities of shifting the mean by so many steps.
        variable: the root that it is about. None is the prior's; a validated model has names only.
    """

    mean: np.ndarray
    covariance: np.ndarray
    weight: float = 1.0
    shifts: Mapping[Any, float] = field(default_factory=lambda: {0: 1.0})
    variable: str | None = None


@dataclass(frozen=True, eq=False)
class Prior:
    """The root: which variable it is and the mixture its value comes from.

    Arguments:
        variable: its name.
        components: the Gaussians of the mixture, each a `Component`. They may be about other variables: then their weights
            say how probably each of these is the root.
    """

    variable: str
    components: tuple[Component, ...]

    @property
    def weights_of_roots(self) -> dict[str, float]:
        """How probable each variable is as the root."""
        found: dict[str, float] = {}
        for one in self.components:
            name = one.variable or self.variable
            found[name] = found.get(name, 0.0) + one.weight
        return found


@dataclass(frozen=True, eq=False)
class Reference:
    """A broad Gaussian over a variable's values, under which potentials that are flat in different directions are mixed.

    Arguments:
        mean: of the values.
        covariance: of them, a matrix.
    """

    mean: np.ndarray
    covariance: np.ndarray


class Affine(Protocol):
    """A linear map with an offset and noise: links and emissions."""

    @property
    def covariance(self) -> np.ndarray: ...
    @property
    def map(self) -> np.ndarray | None: ...
    @property
    def offset(self) -> np.ndarray | None: ...


def affine_to_data(link: Affine) -> dict[str, Any]:
    """As plain data."""
    return {
        "covariance": link.covariance.tolist(),
        "map": None if link.map is None else link.map.tolist(),
        "offset": None if link.offset is None else link.offset.tolist(),
    }


def affine_from_data(data: dict[str, Any]) -> dict[str, np.ndarray | None]:
    """Covariance, map and offset from what `affine_to_data` wrote."""
    known = {name: (data[name], ndim) for name, ndim in (("covariance", 2), ("map", 2), ("offset", 1))}
    return {name: None if values is None else array(values, ndim) for name, (values, ndim) in known.items()}


def array(values: Any, ndim: int) -> np.ndarray:
    """Numbers of a file, all of them: one that stood for a whole matrix could stand for one that no memory holds."""
    found = np.array(values, dtype=np.float64)
    if found.ndim != ndim:
        raise FileError(f"damaged: a {('number', 'vector', 'matrix')[ndim]} has {found.ndim} dimensions")
    return found
