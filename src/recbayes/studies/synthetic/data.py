"""Sequences of the paper's synthetic model (appendix, "Details for Quantitative Evaluation").

Every sequence has a seed of its own, which follows from the seed of the study; `true_model(noise, role).sample(seed=...,
min_length=50, max_length=55)` makes it again.
"""

import hashlib

import numpy as np

from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.studies.synthetic.settings import Settings
from recbayes.tree.tree import Tree

SHORTEST, LONGEST = 50, 55
SHIFTS = {0: 0.5, 1: 0.5}
ROLES = ("training", "tuning", "test", "unshifted")


def paper_model(noise: float, shifts: dict[int, float] | None = None) -> GaussianRBN:
    """Three dimensions; the left child is its parent, or its parent turned by one dimension, plus noise."""
    return GaussianRBN.create(
        dim=3,
        prior_mean=0.0,
        prior_std=1.0,
        left_std=0.1,
        right_std=0.1,
        noise_std=noise,
        termination=0.6,
        shifts=SHIFTS if shifts is None else shifts,
        extra_observations=5.0,
    )


def paper_parameters(noise: float) -> dict[str, float]:
    """What there is to learn of it, by the names of `Fit.table`."""
    return {
        "x.rules[1]": 0.6,
        "x.rules[0].shifts[0]": 0.5,
        "x.rules[1].length.rate": 5.0,
        "prior.components[0].std": 1.0,
        "x.rules[0].left_link.std": 0.1,
        "x.rules[0].right_link.std": 0.1,
        "x.rules[1].std": noise,
        **{f"prior.components[0].mean[{n}]": 0.0 for n in range(3)},
    }


def true_model(noise: float, role: str) -> GaussianRBN:
    """What the sequences of a role are drawn from."""
    return paper_model(noise, {0: 1.0} if role == "unshifted" else None)


def sequence_seed(settings: Settings, noise: float, role: str, number: int) -> int:
    """Independent of how many other sequences there are."""
    entropy = (settings.seed, round(noise * 1e6), ROLES.index(role), number)
    return int(np.random.SeedSequence(entropy).generate_state(1, np.uint64)[0])


def make_sequence(settings: Settings, noise: float, role: str, number: int) -> tuple[np.ndarray, Tree]:
    """The observations and the true tree; lengths outside the range are rejected."""
    seed = sequence_seed(settings, noise, role, number)
    return true_model(noise, role).sample(seed=seed, min_length=SHORTEST, max_length=LONGEST)


def make_sequences(settings: Settings, noise: float, role: str, numbers: range) -> list[tuple[np.ndarray, Tree]]:
    return [make_sequence(settings, noise, role, number) for number in numbers]


def checksum(values: np.ndarray) -> str:
    """Of the observations to nine digits, to see whether another machine or version has made the same."""
    return hashlib.sha256(np.round(values, 9).tobytes()).hexdigest()[:16]
