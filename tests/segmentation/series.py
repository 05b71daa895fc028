"""Series whose changes are known, for the tests of `rb.segment`."""

from collections.abc import Sequence
from functools import cache

import numpy as np

import recbayes as rb

NOISE = 0.3


def steps(levels: Sequence[float], lengths: int | Sequence[int], *, seed: int = 0, noise: float = NOISE) -> np.ndarray:
    """Levels one after the other, with white noise."""
    clean = np.repeat(np.asarray(levels, dtype=np.float64), lengths)
    return clean + noise * np.random.default_rng(seed).normal(size=len(clean))


JUMP = steps([0.0, 2.0], 20)
JUMP.setflags(write=False)


@cache
def jump() -> rb.Segmentation:
    """Of the series with one change, as users get it."""
    return rb.segment(JUMP, seed=0)


def starts(found: rb.Segmentation) -> list[int]:
    """Where segments begin, and the end."""
    return [0, *(change.position for change in found.changes), len(found.data)]


def quick(data: object, **settings: object) -> rb.Segmentation:
    """With levels alone, for tests that are about something else."""
    return rb.segment(data, **{"kinds": "level", "draws": 100, "seed": 0, **settings})  # type: ignore[arg-type]
