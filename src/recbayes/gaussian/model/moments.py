"""Mass, mean and covariance of several Gaussians together."""

from collections.abc import Sequence

import numpy as np

from recbayes.gaussian.model.parts import Prior

Weighted = tuple[float, np.ndarray, np.ndarray]  # a share, a mean, a covariance


def matched_moments(parts: Sequence[Weighted]) -> tuple[np.ndarray, np.ndarray]:
    """The mean and covariance of a mixture, whose shares sum to one."""
    mean = np.sum([share * m for share, m, _ in parts], axis=0)
    return mean, np.sum([share * (S + np.outer(m - mean, m - mean)) for share, m, S in parts], axis=0)


def moments_of_roots(prior: Prior) -> dict[str, Weighted]:
    """For every variable that may be the root, how probable that is, and the mean and covariance of its value then."""
    found = {}
    for name, total in prior.weights_of_roots.items():
        if total > 0.0:
            parts = [(share / total, mean, covariance) for share, mean, covariance in gaussians_of(prior, name)]
            found[name] = (total, *matched_moments(parts))
    return found


def gaussians_of(prior: Prior, variable: str) -> list[Weighted]:
    """All Gaussians of a prior that are about one variable: its components, each with all its shifts."""
    return [
        (component.weight * weight, np.roll(component.mean, steps), component.covariance)
        for component in prior.components
        if component.variable == variable
        for steps, weight in component.shifts.items()
    ]
