"""Series of a small model, for tests of learning."""

from typing import Any

import numpy as np

import recbayes as rb

TRUTH: dict[str, Any] = {
    "dim": 2,
    "prior_std": 1.0,
    "left_std": 0.2,
    "right_std": 0.2,
    "noise_std": 0.05,
    "termination": 0.65,
    "shifts": {0: 0.5, 1: 0.5},
    "extra_observations": 3.0,
}


def samples(count: int, **changes: Any) -> list[np.ndarray]:
    model = rb.GaussianRBN.create(**{**TRUTH, **changes})
    return [model.sample(seed=seed)[0] for seed in range(count)]
