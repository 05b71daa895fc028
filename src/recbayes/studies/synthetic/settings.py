"""What a run of the study is made of."""

from dataclasses import asdict, dataclass
from typing import Any, Self

NOISE_LEVELS = (0.01, 0.05, 0.1, 0.15, 0.2, 0.25)


@dataclass(frozen=True)
class Settings:
    """Numbers of sequences are per noise level. `unshifted` sequences have no transpositions; see `testing`.

    `per_decade` is the number of penalties per factor of ten, `chunk` the number of sequences in one piece of work.
    """

    seed: int = 0
    noise_levels: tuple[float, ...] = NOISE_LEVELS
    training: int = 10
    tuning: int = 100
    test: int = 500
    unshifted: int = 100
    draws: int = 1000
    per_decade: int = 8
    chunk: int = 25

    @classmethod
    def quick(cls, seed: int = 0) -> Self:
        """A glance at everything, in about a minute once the kernels are compiled."""
        return cls(seed, (0.01, 0.1, 0.25), tuning=10, test=30, unshifted=10, draws=300, per_decade=3, chunk=5)

    def to_data(self) -> dict[str, Any]:
        return {**asdict(self), "noise_levels": list(self.noise_levels)}
