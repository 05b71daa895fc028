"""Priors: what is known of parameters before any data, so that one series gives a stable estimate.

By default they are weak, and in units of the data: deviations are log-normal about a share of what the data vary by,
probabilities have half a use each counted beforehand, positive numbers and means are about where the model has them, give
or take much. What is maximised is then the posterior density of the free numbers (logarithms of deviations and rates, log
odds, means), a compromise with the likelihood that many series hardly notice.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal

import numpy as np

from recbayes.checks.arrays import frozen, not_negative, positive, short
from recbayes.errors import ModelError
from recbayes.learn.units import covariance_unit, free_scales
from recbayes.parameters.block import Block
from recbayes.parameters.parameters import Parameters

# Deviations by the names of blocks: about which share of what the data vary by, and how widely (in logarithms).
DEVIATIONS = (("prior.*", 1.0, 1.0), ("*link*", 0.5, 2.0), ("*", 0.3, 2.0))
COUNTED = 0.5  # uses of every alternative, beforehand
WIDE = 2.0  # of the logarithms of positive numbers
FAR = 3.0  # units of other numbers


class ParameterPrior(ABC):
    """What is known of the numbers of one block."""

    forms: tuple[str, ...]  # of blocks that it can be the prior of

    @abstractmethod
    def _evaluate(self, block: Block, part: np.ndarray) -> tuple[float, np.ndarray]:
        """The log density at the block's free numbers, but for a constant, and its derivatives."""


@dataclass(frozen=True, eq=False)
class LogNormal(ParameterPrior):
    """Of deviations and positive numbers: their logarithms are normal.

    Arguments:
        median: about which they are: a positive number, or one for each number of the block.
        width: the standard deviation of their logarithms.
    """

    median: Any
    width: float

    forms = ("deviations", "factor", "positive")

    def __post_init__(self) -> None:
        if not (frozen(self.median, "median") > 0).all():
            raise ModelError(f"median must be positive, got {short(self.median)}")
        positive(self.width, "width")

    def _evaluate(self, block: Block, part: np.ndarray) -> tuple[float, np.ndarray]:
        logs = np.ones(len(part), dtype=np.bool_)
        if block.form == "factor":  # the diagonal of the root has logarithms, what is below it has not
            rows, columns = np.tril_indices(len(block.from_free(part)))
            logs = rows == columns
        apart = np.zeros(len(part))
        apart[logs] = (part[logs] - np.log(np.asarray(self.median, dtype=np.float64))) / self.width
        return -0.5 * float(apart @ apart), -apart / self.width


@dataclass(frozen=True, eq=False)
class Normal(ParameterPrior):
    """Of numbers that may have any sign: a normal distribution.

    Arguments:
        mean: of the numbers: one for all, or one for each number of the block.
        std: their standard deviations, likewise.
    """

    mean: Any
    std: Any

    forms = ("numbers",)

    def __post_init__(self) -> None:
        frozen(self.mean, "mean")
        if not (frozen(self.std, "std") > 0).all():
            raise ModelError(f"std must be positive, got {short(self.std)}")

    def _evaluate(self, block: Block, part: np.ndarray) -> tuple[float, np.ndarray]:
        std = np.asarray(self.std, dtype=np.float64)
        apart = (part - np.ravel(self.mean)) / std
        return -0.5 * float(apart @ apart), -apart / std


@dataclass(frozen=True)
class Dirichlet(ParameterPrior):
    """Of probabilities: as if every alternative had been used before.

    Arguments:
        counts: how many times; 0 says nothing.
    """

    counts: float

    forms = ("probabilities",)

    def __post_init__(self) -> None:
        not_negative(self.counts, "counts")

    def _evaluate(self, block: Block, part: np.ndarray) -> tuple[float, np.ndarray]:
        probabilities = np.array(block.from_free(part))
        used = probabilities > 0
        value = self.counts * float(np.log(probabilities[used]).sum())
        return value, block.pull_back(part, np.where(used, self.counts, 0.0))


Priors = Literal["weak"] | Mapping[str, ParameterPrior | None] | None


def priors_of(given: Priors, parameters: Parameters, units: Any) -> dict[str, ParameterPrior]:
    """The prior of every block that has one, by the block's name. Those that are given, by names or patterns, go before the
    weak ones; None switches one off, and all of them off if nothing else is given."""
    if given is None:
        return {}
    weak = isinstance(given, str) and given == "weak"
    if not weak and not isinstance(given, Mapping):
        raise ModelError(f'priors must be "weak", None or a dictionary of priors by name, got {short(given)}')
    found: dict[str, ParameterPrior] = {}
    used: set[str] = set()
    parts = parameters.parts(parameters.vector())
    scales = parameters.parts(free_scales(parameters, units))
    for block, part, scale in zip(parameters.blocks, parts, scales, strict=True):
        prior: ParameterPrior | None = _weak(block, part, scale, units)
        for pattern, one in given.items() if isinstance(given, Mapping) else ():
            if any(fnmatchcase(name, pattern.replace("[", "[[]")) for name in (block.name, block.shown)):
                used.add(pattern)
                prior = one
                _check(one, block)
        if prior is not None:
            found[block.name] = prior
    unknown = [] if weak else [pattern for pattern in given if pattern not in used]
    if unknown:
        raise ModelError(f"priors: no parameter matches {unknown[0]!r}; there are {[b.name for b in parameters.blocks]}")
    return found


def _check(prior: object, block: Block) -> None:
    if prior is not None and (not isinstance(prior, ParameterPrior) or block.form not in prior.forms):
        wanted = {"numbers": "Normal", "probabilities": "Dirichlet"}.get(block.form, "LogNormal")
        raise ModelError(f"the prior of {block.shown} must be a {wanted}(...) or None, got {short(prior)}")
    if prior is not None:
        try:
            _, slope = prior._evaluate(block, np.zeros(block.size))  # type: ignore[union-attr]
        except ValueError as problem:
            raise ModelError(f"the prior of {block.shown} must have one number, or {block.size}") from problem
        if slope.shape != (block.size,):
            raise ModelError(f"the prior of {block.shown} must have one number, or {block.size}")


def _weak(block: Block, part: np.ndarray, scale: np.ndarray, units: Any) -> ParameterPrior:
    if block.form in ("deviations", "factor"):
        share, width = next((share, width) for pattern, share, width in DEVIATIONS if fnmatchcase(block.name, pattern))
        unit = covariance_unit(block, units)
        together = block.form == "deviations" and block.size != len(unit)  # deviations that are not of single dimensions
        return LogNormal(share * (np.exp(np.log(unit).mean()) if together else unit), width)
    if block.form == "probabilities":
        return Dirichlet(COUNTED)
    if block.form == "positive":
        return LogNormal(np.exp(part), WIDE)
    return Normal(part.copy(), FAR * scale)


def log_prior(parameters: Parameters, vector: np.ndarray, priors: Mapping[str, ParameterPrior]) -> tuple[float, np.ndarray]:
    """The log density of a free vector, but for a constant, and its gradient."""
    value, slopes = 0.0, [np.zeros(0)]
    for block, part in zip(parameters.blocks, parameters.parts(vector), strict=True):
        prior = priors.get(block.name)
        more, slope = (0.0, np.zeros(block.size)) if prior is None else prior._evaluate(block, part)
        value += more
        slopes.append(slope)
    return value, np.concatenate(slopes)
