"""Algebra of linear Gaussian links: what one link and then another amount to."""

from dataclasses import replace
from typing import overload

import numpy as np

from recbayes.gaussian.model.parts import Affine, Component, Link


@overload
def compose(first: Link | None, second: Link) -> Link: ...
@overload
def compose(first: Link, second: Link | None) -> Link: ...
@overload
def compose(first: None, second: None) -> None: ...
def compose(first: Link | None, second: Link | None) -> Link | None:
    """The link that leads through `first` and then `second`; None is the identity without noise.

    With x' ~ N(F x + f, Q) and x'' ~ N(G x' + g, R), x'' ~ N(G F x + G f + g, G Q G' + R).
    """
    if first is None or second is None:
        return second if first is None else first
    map_, offset, covariance = first.map, first.offset, first.covariance
    if second.map is not None:
        map_ = second.map if map_ is None else second.map @ map_
        offset = None if offset is None else second.map @ offset
        covariance = second.map @ covariance @ second.map.T
        covariance = 0.5 * (covariance + covariance.T)
    if second.offset is not None:
        offset = second.offset if offset is None else offset + second.offset
    return Link(covariance + second.covariance, map_, offset)


def exact_copy(dim: int) -> Link:
    """The link that copies a value without noise."""
    return Link(np.zeros((dim, dim)))


def mean_of(leaf: Affine) -> Link:
    """The link without noise that leads from a value to the mean of what it emits."""
    return Link(np.zeros_like(leaf.covariance), leaf.map, leaf.offset)


def shifted(link: Link, steps: int) -> Link:
    """A link without a map after a shift of the parent's dimensions."""
    return link if steps == 0 else replace(link, map=np.roll(np.eye(len(link.covariance)), steps, axis=0))


def noise_root(link: Link | None, dim: int) -> np.ndarray:
    """L with L L' the covariance of a link into `dim` dimensions, with as few columns as possible."""
    if link is None:
        return np.zeros((dim, 0))
    values, vectors = np.linalg.eigh(link.covariance)
    kept = values > 1e-15 * values[-1]
    return vectors[:, kept] * np.sqrt(values[kept])


def moved(components: tuple[Component, ...], link: Link | None) -> tuple[Component, ...]:
    """The components of a prior after a link, about whatever variable that leads to; their shifts become components of their
    own."""
    if link is None:
        return tuple(replace(component, variable=None) for component in components)
    result = []
    for component in components:
        for steps, share in component.shifts.items():
            mean = np.roll(component.mean, steps)
            mean = mean if link.map is None else link.map @ mean
            mean = mean if link.offset is None else mean + link.offset
            covariance = compose(Link(component.covariance), link).covariance
            result.append(Component(mean, covariance, component.weight * share))
    return tuple(result)
