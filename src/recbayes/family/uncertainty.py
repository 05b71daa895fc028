"""How uncertain a posterior is about the whole tree: its entropy, and the smallest set of trees that holds most of it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from recbayes.checks.arrays import number, whole_number
from recbayes.errors import DataError

if TYPE_CHECKING:
    from recbayes.family.posterior import ScoredTree

FIRST, FACTOR = 16, 8  # trees that are looked at to begin with, and how many times more when they are too few
ROUNDING = 1e-9


class CredibleTrees(NamedTuple):
    """The most probable trees, as many as it takes to hold a share of the posterior.

    Attributes:
        trees: the trees, best first, each a `ScoredTree`.
        level: the share that was asked for.
        probability: the share that they hold; less than `level` if they are all that is known.
    """

    trees: tuple["ScoredTree", ...]
    level: float
    probability: float

    @property
    def reached(self) -> bool:
        """Whether the trees hold the share that was asked for."""
        return self.probability >= self.level - ROUNDING

    def __str__(self) -> str:
        count = f"{len(self.trees)} tree holds" if len(self.trees) == 1 else f"{len(self.trees)} trees hold"
        said = f"{count} {self.probability:.3g} of the posterior"
        return said if self.reached else f"{said}, less than the {self.level:g} asked for: the rest is in trees not listed"


def credible_trees(best: Callable[[int], "list[ScoredTree]"], level: object, most: object) -> CredibleTrees:
    """The smallest set of the best trees whose probabilities sum to a level, at most so many."""
    level, most = number(level, "level"), whole_number(most, "most", least=1, error=DataError)
    if not 0 < level <= 1:
        raise DataError(f"level must be a probability, above 0 and at most 1, got {level:g}")
    count = min(FIRST, most)
    while True:
        trees = best(count)
        held = np.cumsum([one.probability for one in trees])
        if held[-1] >= level - ROUNDING or len(trees) < count or count == most:
            break
        count = min(count * FACTOR, most)
    size = min(int(np.searchsorted(held, level - ROUNDING)) + 1, len(trees))
    return CredibleTrees(tuple(trees[:size]), level, min(float(held[size - 1]), 1.0))


def copies_together(log_joints: np.ndarray, kinds: np.ndarray) -> np.ndarray:
    """For every kind of tree the log of the mean over its copies of p(Y, Z): each of them estimates it without bias."""
    highest = np.full(kinds.max() + 1, -np.inf)
    np.maximum.at(highest, kinds, log_joints)
    shares = np.exp(log_joints - highest[kinds])
    return np.asarray(highest + np.log(np.bincount(kinds, weights=shares) / np.bincount(kinds)))
