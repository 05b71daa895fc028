"""What a run of the study is made of."""

from dataclasses import asdict, dataclass
from typing import Any, Self

from recbayes.errors import StudyError

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
    per_decade: int = 6
    chunk: int = 25

    def __post_init__(self) -> None:
        for name in ("seed", "training", "tuning", "test", "unshifted", "draws", "per_decade", "chunk"):
            value, least = getattr(self, name), 0 if name == "seed" else 1
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise StudyError(f"{name} must be a whole number (int) of at least {least}, got {value!r}")
        levels = self.noise_levels
        fine = isinstance(levels, tuple) and all(
            isinstance(noise, float) and 1e-4 <= noise < float("inf") for noise in levels
        )
        if not fine or not levels or len({round(noise, 6) for noise in levels}) < len(levels):
            raise StudyError(f"noise_levels must be a tuple of different numbers (float) of at least 0.0001, got {levels!r}")

    @classmethod
    def quick(cls, seed: int = 0) -> Self:
        """A glance at everything, in about a minute once the kernels are compiled."""
        return cls(seed, (0.01, 0.1, 0.25), tuning=6, test=30, unshifted=10, draws=300, per_decade=3, chunk=5)

    def to_data(self) -> dict[str, Any]:
        return {**asdict(self), "noise_levels": list(self.noise_levels)}
