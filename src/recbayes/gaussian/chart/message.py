"""Messages as users see them."""

from dataclasses import dataclass

import numpy as np

from recbayes.errors import DataError


@dataclass(frozen=True)
class Message:
    """A Gaussian function of a node's value, c N(x; mean, covariance), with log_coefficient = log c.

    A message may be flat: then the precision is singular, and the coefficient and the covariance are infinite.
    `log_height` is the logarithm of its largest value, which is always finite.
    """

    log_height: float
    mean: np.ndarray
    precision: np.ndarray

    @property
    def covariance(self) -> np.ndarray:
        if np.linalg.matrix_rank(self.precision, hermitian=True) < len(self.mean):
            flat = np.full_like(self.precision, np.nan)
            np.fill_diagonal(flat, np.inf)
            return flat
        return np.linalg.inv(self.precision)

    @property
    def log_coefficient(self) -> float:
        sign, log_determinant = np.linalg.slogdet(self.precision)
        if sign <= 0:
            return np.inf
        return self.log_height + 0.5 * (len(self.mean) * np.log(2 * np.pi) - float(log_determinant))


def matched(parts: tuple[Message, ...], span: str) -> Message:
    """One Gaussian with the mass, mean and covariance of several."""
    log_masses = np.array([part.log_coefficient for part in parts])
    if not np.isfinite(log_masses).all():
        raise DataError(f"the message of {span} has several Gaussians, some of them flat; see chart.mixture")
    total = np.logaddexp.reduce(log_masses)
    shares = np.exp(log_masses - total)
    mean = np.sum([share * part.mean for share, part in zip(shares, parts, strict=True)], axis=0)
    spread = np.sum(
        [
            share * (part.covariance + np.outer(part.mean - mean, part.mean - mean))
            for share, part in zip(shares, parts, strict=True)
        ],
        axis=0,
    )
    log_height = float(total - 0.5 * np.linalg.slogdet(2 * np.pi * spread)[1])
    return Message(log_height, mean, np.linalg.inv(spread))
