"""The models that are learnt, and what is done with them: the one place of the study that knows what they are made of.

Another model is another `MusicModel` in the list.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from recbayes.errors import ApproximationWarning, DataError
from recbayes.gaussian.model.parts import Split
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.gaussian.posterior.posterior import GaussianPosterior
from recbayes.inference.charts import outside
from recbayes.inference.draws import sample_posterior
from recbayes.inference.inside import inside

LEAST = 0.03  # what is added to proportions before logarithms are taken
ROUNDS = 5  # of turning profiles to agree with their mean


@dataclass(frozen=True)
class MusicModel:
    """What is learnt from which observations; functions are of the module level, so that they can be sent to processes.

    `per` says what an observation is: a slice or a bar ("slices", "bars"). `start` makes the model that a climb begins
    with, from the counts (N, 12) of the pieces and the number of the start. `settings` are those of `rb.fit`.
    """

    name: str
    title: str
    per: str
    start: Callable[[Sequence[np.ndarray], int], GaussianRBN]
    values: Callable[[np.ndarray], np.ndarray]
    settings: Mapping[str, Any] = field(default_factory=dict)


def log_proportions(counts: np.ndarray) -> np.ndarray:
    """(N, 12): logarithms of proportions; where nothing sounds, nothing is observed (NaN)."""
    total = counts.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        return np.log(counts / total + LEAST)


def to_proportions(values: np.ndarray) -> np.ndarray:
    """Proportions of the values of a node."""
    found = np.maximum(np.exp(values) - LEAST, 0.0)
    return found / found.sum(axis=-1, keepdims=True)


def start_model(counts: Sequence[np.ndarray], number: int) -> GaussianRBN:
    """Starts differ in what is thought of transpositions: fifths are frequent, all are equal, there are hardly any."""
    weights = (
        np.array([0.6, *[0.006] * 4, 0.13, 0.006, 0.21, *[0.006] * 4]),
        np.ones(12),
        np.array([0.945, *[0.005] * 11]),
    )[number % 3]
    mean = np.log(mean_profile(counts) + LEAST)
    if number >= 3:
        mean = mean + np.random.default_rng(number).normal(0.0, 0.2, 12)
    return GaussianRBN.create(
        12,
        prior_mean=mean,
        prior_std=0.1,
        left_std=0.26,
        right_std=0.05,
        noise_std=0.41,
        termination=0.51,
        shifts={(shift, 0): float(weight) for shift, weight in enumerate(weights / weights.sum())},
        prior_shifts=dict.fromkeys(range(12), 1.0 / 12),
    )


def mean_profile(counts: Sequence[np.ndarray]) -> np.ndarray:
    """(12,): proportions of all pieces, each turned so that it agrees best with the others."""
    profiles = [one.sum(axis=0) / one.sum() for one in counts]
    mean = profiles[0]
    for _ in range(ROUNDS):
        mean = np.mean([max(_turned(one), key=lambda turned: float(turned @ mean)) for one in profiles], axis=0)
    return mean


def _turned(profile: np.ndarray) -> list[np.ndarray]:
    return [np.roll(profile, steps) for steps in range(len(profile))]


def posterior_of(
    named: MusicModel, model: GaussianRBN, counts: np.ndarray, draws: int, seed: int, allowed: np.ndarray | None = None
) -> GaussianPosterior:
    """Draws of trees of a piece."""
    return sample_posterior(model, named.values(counts), draws=draws, seed=seed, allowed=allowed)


def log_evidence(named: MusicModel, model: GaussianRBN, counts: np.ndarray, allowed: np.ndarray) -> float:
    """log p of a piece and of what is known of its tree; -inf if the model has no such tree."""
    try:
        return inside(model, named.values(counts), allowed=allowed).log_evidence
    except DataError:
        return -np.inf


def node_means(named: MusicModel, model: GaussianRBN, counts: np.ndarray) -> np.ndarray:
    """(N + 1, N + 1, 12): what every span's value would be, if it were a node, as the paper has it; NaN if it cannot be."""
    means = np.full((len(counts) + 1, len(counts) + 1, 12), np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ApproximationWarning)  # of its probabilities, which are not used
        found = outside(inside(model, named.values(counts)))
    for start in range(len(counts)):
        for end in range(start + 1, len(counts) + 1):
            try:
                means[start, end] = found.node(start, end).mean
            except DataError:
                continue
    return means


def shift_weights(model: GaussianRBN) -> np.ndarray:
    """(12,): how probable it is that a left part is turned by so many semitones, if something splits."""
    weights = np.zeros(12)
    for rule in model.variables[0].rules:
        if isinstance(rule, Split):
            for (left, _), weight in rule.shifts.items():
                weights[left] += rule.probability * weight
    return weights / weights.sum() if weights.any() else weights


def prior_means(model: GaussianRBN) -> list[np.ndarray]:
    """The means of what a piece may begin with, the most probable first."""
    components = sorted(model.prior.components, key=lambda one: -one.weight)
    return [one.mean for one in components]


MODELS = (
    MusicModel("slices", "slices", "slices", start_model, log_proportions, {"exact": None, "covariance": "scalar"}),
    MusicModel("bars", "bars", "bars", start_model, log_proportions, {"exact": None, "covariance": "scalar"}),
)
