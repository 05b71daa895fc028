"""What the one tree that stands for a posterior is to be best at.

An objective chooses a tree; the posterior then adds what is known of its nodes. A new one is a class here, or anywhere else:
`posterior.tree(objective=...)` takes any `Objective`.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from recbayes.checks.arrays import number, short
from recbayes.errors import DataError
from recbayes.tree.tree import Tree

if TYPE_CHECKING:
    from recbayes.family.posterior import Posterior


class Objective(ABC):
    """A way to choose one tree from a posterior: `Posterior.tree` takes any.

    Attributes:
        of_the_model: whether its trees are ones that the model generates, so that nodes can have values.
    """

    of_the_model: ClassVar[bool] = True

    @abstractmethod
    def choose(self, posterior: "Posterior") -> Tree:
        """The best tree, with its rules.

        Arguments:
            posterior: the posterior to choose from.
        """


@dataclass(frozen=True)
class ExpectedF1(Objective):
    """The tree with the highest expected F1 of its nodes, when one of the draws is the truth."""

    def choose(self, posterior: "Posterior") -> Tree:
        return posterior.finish(posterior.expected_f1_tree[0])


@dataclass(frozen=True)
class Threshold(Objective):
    """The tree with the largest sum of node probabilities minus the threshold.

    Arguments:
        threshold: between 0 and 1; low favours recall, high precision.
    """

    threshold: float = 0.5

    def __post_init__(self) -> None:
        if not 0.0 <= number(self.threshold, "threshold") <= 1.0:
            raise DataError(f"threshold must lie between 0 and 1, got {self.threshold:.6g}")

    def choose(self, posterior: "Posterior") -> Tree:
        return posterior.finish(posterior.cells.decode(posterior.cells.gain(posterior.weights), self.threshold))


@dataclass(frozen=True)
class MostProbable(Objective):
    """The most probable tree, see `Posterior.best`."""

    def choose(self, posterior: "Posterior") -> Tree:
        return posterior.best(1)[0].tree


def objective_of(given: Objective | str, threshold: float) -> Objective:
    """An objective, or one by its short name."""
    known = {"f1": ExpectedF1(), "map": MostProbable(), "threshold": Threshold(threshold)}
    if isinstance(given, Objective):
        return given
    if not isinstance(given, str) or given not in known:
        raise DataError(f'objective must be an Objective, "f1", "threshold" or "map", got {short(given)}')
    return known[given]
