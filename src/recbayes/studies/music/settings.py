"""What a run of the study is made of."""

from dataclasses import asdict, dataclass
from typing import Any, Self

from recbayes.errors import StudyError


@dataclass(frozen=True)
class Settings:
    """`slices` are those of a piece, `starts` the climbs of each model, `draws` those of each posterior.

    `drawn` of the trees drawn are compared with annotations one by one, beside `random_trees` random ones with the leaves
    of each tree; `rivals` are random trees whose probabilities are compared with an analyst's. `evaluations` are the most
    that a climb may have, and `pieces` the most pieces, those with few bars first; None is no limit.
    """

    seed: int = 0
    slices: int = 70
    starts: int = 5
    draws: int = 1000
    drawn: int = 20
    random_trees: int = 50
    rivals: int = 1000
    evaluations: int | None = None
    pieces: int | None = None

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            least = {"seed": 0, "slices": 2}.get(name, 1)
            if value is None and name in ("evaluations", "pieces"):
                continue
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise StudyError(f"{name} must be a whole number (int) of at least {least}, got {value!r}")

    @classmethod
    def quick(cls, seed: int = 0) -> Self:
        """A glance at everything, in about a minute once the kernels are compiled; nothing is learnt in so few steps."""
        return cls(seed, slices=20, starts=1, draws=50, drawn=5, random_trees=5, rivals=50, evaluations=3, pieces=3)

    def to_data(self) -> dict[str, Any]:
        return asdict(self)
