"""Messages as users see them."""

from dataclasses import dataclass

import numpy as np

from recbayes.errors import DataError


@dataclass(frozen=True)
class Message:
    """A Gaussian function of a node's value, c N(x; mean, covariance), with log_coefficient = log c.

    A message may be flat: then the precision is singular, and the coefficient and the covariance are infinite.

    Attributes:
        log_height: the logarithm of its largest value, which is always finite.
        mean: where that is.
        precision: the inverse of the covariance.
    """

    log_height: float
    mean: np.ndarray
    precision: np.ndarray

    @property
    def covariance(self) -> np.ndarray:
        """The inverse of the precision; infinite variances, and NaN beside them, if the message is flat."""
        scales, correlation = self._scaled()
        if correlation is None:
            flat = np.full_like(self.precision, np.nan)
            np.fill_diagonal(flat, np.inf)
            return flat
        return np.linalg.inv(correlation) / scales[:, None] / scales

    @property
    def log_coefficient(self) -> float:
        """log c: the logarithm of the integral over all values; infinite if the message is flat."""
        scales, correlation = self._scaled()
        if correlation is None:
            return np.inf
        log_determinant = float(np.linalg.slogdet(correlation)[1]) + 2.0 * np.log(scales).sum()
        return self.log_height + 0.5 * (len(self.mean) * np.log(2 * np.pi) - log_determinant)

    def _scaled(self) -> tuple[np.ndarray, np.ndarray | None]:
        """The precision as scales and a matrix with ones on its diagonal, whatever the units; None if it is singular."""
        scales = np.sqrt(np.maximum(np.diag(self.precision), 0.0))
        if not scales.all():
            return scales, None
        correlation = self.precision / scales[:, None] / scales
        values = np.linalg.eigvalsh(correlation)
        return scales, correlation if values[0] > len(scales) * np.finfo(float).eps * values[-1] else None


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
    scales = np.sqrt(np.diag(spread))
    correlation = spread / scales[:, None] / scales
    log_determinant = np.linalg.slogdet(2 * np.pi * correlation)[1] + 2.0 * np.log(scales).sum()
    precision = np.linalg.inv(correlation) / scales[:, None] / scales
    return Message(float(total - 0.5 * log_determinant), mean, precision)
