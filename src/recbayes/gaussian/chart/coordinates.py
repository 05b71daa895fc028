"""Coordinates in which a chart is computed: x = origin + basis z for every variable.

Messages are precisions, and a precision whose largest and smallest directions differ by 1e12 keeps only four digits of the
smallest one, unless its directions are those of the coordinates: then every entry has its own scale. Most models are
computed as they are given. Ill-conditioned ones, and those with extreme scales or offsets, are computed in coordinates that
suit them (`recbayes.gaussian.chart.conditioning`), and whatever leaves the chart is put back.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from recbayes.checks.kept import keep, kept
from recbayes.gaussian.chart.conditioning import HARD, bases
from recbayes.gaussian.chart.references import references_of
from recbayes.gaussian.emissions.emission import Emission
from recbayes.gaussian.model.parts import Component, Link, Prior, Reference, Split, Variable
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.gaussian.model.roots import EASY, root


class Coordinates(NamedTuple):
    """x = origin + basis z."""

    origin: np.ndarray
    basis: np.ndarray

    def solve(self, x: np.ndarray) -> np.ndarray:
        """basis^-1 x."""
        return np.linalg.solve(self.basis, x)

    def covariance(self, S: np.ndarray) -> np.ndarray:
        """The covariance of z, from that of x, by its root: so small directions keep their digits."""
        R = self.solve(root(S))
        return R @ R.T

    def link(self, link: Link, parent: "Coordinates") -> Link:
        """A link from a parent in its coordinates to a child in these."""
        if link.map is None and np.array_equal(parent.basis, self.basis):
            map_ = None
        else:
            map_ = self.solve(parent.basis if link.map is None else link.map @ parent.basis)
        start = parent.origin if link.map is None else link.map @ parent.origin
        offset = self.solve(start - self.origin + (0.0 if link.offset is None else link.offset))
        return Link(self.covariance(link.covariance), map_, offset if link.offset is not None or offset.any() else None)

    def as_link(self) -> Link:
        """x from z, as a link without noise."""
        plain = np.array_equal(self.basis, np.eye(len(self.basis)))
        return Link(np.zeros_like(self.basis), None if plain else self.basis, self.origin)

    def point(self, z: np.ndarray) -> np.ndarray:
        """x, from z."""
        return self.origin + self.basis @ z

    def spread(self, S: np.ndarray) -> np.ndarray:
        """The covariance of x, from that of z."""
        return self.basis @ S @ self.basis.T

    def weight(self, P: np.ndarray) -> np.ndarray:
        """The precision of x, from that of z; derivatives with respect to covariances change alike."""
        half = np.linalg.solve(self.basis.T, P)
        return np.linalg.solve(self.basis.T, half.T)

    def slope(self, t: np.ndarray) -> np.ndarray:
        """Derivatives with respect to x, from those with respect to z."""
        return np.linalg.solve(self.basis.T, t)


@kept
def coordinates_of(model: GaussianRBN) -> tuple[Coordinates, ...] | None:
    """The coordinates of all variables; None if the model is computed as it is given."""
    return _coordinates(model, HARD)


def _coordinates(model: GaussianRBN, condition: float) -> tuple[Coordinates, ...] | None:
    chosen = bases(model, condition)
    return None if chosen is None else tuple(Coordinates(*one) for one in chosen)


@kept
def otherwise(model: GaussianRBN) -> GaussianRBN:
    """The same model, computed as it is given if it has coordinates, and in coordinates if it has none."""
    same = GaussianRBN(model.variables, model.prior, model.references, model.chain)
    keep(same, coordinates_of, _coordinates(model, EASY) if coordinates_of(model) is None else None)
    return same


@kept
def inner_model(model: GaussianRBN) -> GaussianRBN:
    """The model in its coordinates, which tables are made from."""
    coordinates = coordinates_of(model)
    if coordinates is None:
        return model
    where = {variable.name: place for variable, place in zip(model.variables, coordinates, strict=True)}
    variables = tuple(
        replace(variable, rules=tuple(_rule(rule, variable, where) for rule in variable.rules))
        for variable in model.variables
    )
    components = tuple(_component(one, where) for one in model.prior.components)
    references = tuple(
        Reference(place.solve(one.mean - place.origin), place.covariance(one.covariance))
        for one, place in zip(references_of(model), coordinates, strict=True)
    )
    return GaussianRBN(variables, Prior(model.prior.variable, components), references)


def moments_outside(model: GaussianRBN, v: int, mean: np.ndarray, covariance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance of a variable's value in the model's own coordinates, from those in which charts are computed."""
    coordinates = coordinates_of(model)
    if coordinates is None:
        return mean, covariance
    return coordinates[v].point(mean), coordinates[v].spread(covariance)


def _component(component: Component, where: dict[str, Coordinates]) -> Component:
    assert component.variable is not None
    here = where[component.variable]
    return replace(
        component, mean=here.solve(component.mean - here.origin), covariance=here.covariance(component.covariance)
    )


def _rule(rule: Split | Emission, variable: Variable, where: dict[str, Coordinates]) -> Split | Emission:
    here = where[variable.name]
    if isinstance(rule, Emission):
        return rule.behind(here.as_link())
    return replace(
        rule,
        left_link=where[rule.left].link(rule.left_link, here),
        right_link=where[rule.right].link(rule.right_link, here),
    )
