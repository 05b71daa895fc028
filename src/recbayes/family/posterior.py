"""What is known of the trees of a sequence: what `rb.sample_posterior` returns, for models of every family."""

import warnings
from abc import ABC, abstractmethod
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from recbayes.checks.arguments import instance, text, whole_span
from recbayes.checks.arrays import number, short
from recbayes.errors import ApproximationWarning, DataError
from recbayes.family.decode import Cells, expected_f1_tree
from recbayes.family.objectives import Objective, objective_of
from recbayes.family.shown import posterior_html
from recbayes.family.uncertainty import CredibleTrees, credible_trees
from recbayes.spans.table import SpanTable
from recbayes.tree.forest import Forest
from recbayes.tree.tree import Tree


class ScoredTree(NamedTuple):
    """A tree, and how probable it is.

    Attributes:
        tree: the tree.
        log_joint: its exact log p(Y, Z).
        probability: of the tree, given the observations.
    """

    tree: Tree
    log_joint: float
    probability: float


class Latent(NamedTuple):
    """The value of a node, given that it exists.

    Attributes:
        mean: of the value.
        covariance: of the value, a matrix.
        probability: of the node.
    """

    mean: np.ndarray
    covariance: np.ndarray
    probability: float


class Posterior(ABC):
    """Weighted draws of trees, and what follows from them.

    Attributes:
        trees: all draws: a sequence of `Tree`s, which are made when they are looked at.
    """

    trees: Forest

    @property
    @abstractmethod
    def length(self) -> int:
        """The number of observations."""

    @property
    @abstractmethod
    def weights(self) -> np.ndarray:
        """The weight of each tree; they sum to one."""

    @property
    @abstractmethod
    def log_evidence(self) -> float:
        """log p(Y): the log evidence, trees and values summed and integrated out."""

    @property
    @abstractmethod
    def log_evidence_error(self) -> float:
        """The standard error of `log_evidence`."""

    @property
    @abstractmethod
    def effective_sample_size(self) -> float:
        """How many equally weighted draws the draws are worth."""

    @property
    @abstractmethod
    def method(self) -> str:
        """How the draws were made."""

    @property
    def complaint(self) -> str:
        """What is poor about the draws, and what to do about it; nothing if they are good."""
        return ""

    def warn(self, name: str = "") -> None:
        """Warn where the draws are poor.

        Arguments:
            name: how the warning begins.
        """
        name = text(name, "name")
        if self.complaint:
            warnings.warn(name + self.complaint, ApproximationWarning, stacklevel=3)

    @abstractmethod
    def best(self, count: int) -> list[ScoredTree]:
        """The most probable distinct trees, best first, with their exact log joint probabilities: `ScoredTree`s.

        Arguments:
            count: how many, at most.
        """

    @property
    @abstractmethod
    def log_joint_of_trees(self) -> np.ndarray:
        """log p(Y, Z) of the tree of every draw: exact, or, where values can only be drawn, estimated."""

    @property
    @abstractmethod
    def cells(self) -> Cells:
        """The draws in terms of the chart's cells, for decoding."""

    @abstractmethod
    def finish(self, tree: Forest) -> Tree:
        """A decoded tree with its rules chosen.

        Arguments:
            tree: the tree, as a forest of one.
        """

    # Nodes

    @cached_property
    def nodes(self) -> SpanTable:
        """The spans that nodes of some draw have, with their probabilities and the Monte Carlo standard errors of these.

        Where (nearly) all draws or none have a node, the error is what two draws more or less would change.
        """
        forest, weights = self.trees, self.weights
        top = forest.is_top
        spans = forest.positions[forest.starts[top]], forest.positions[forest.ends[top]]
        found = SpanTable.summed(forest.positions, *spans, weights[forest.owners[top]])
        squares = SpanTable.summed(forest.positions, *spans, weights[forest.owners[top]] ** 2).probability
        unseen = min(2.0 / self.effective_sample_size, 1.0)
        least = np.where((found.starts == 0) & (found.ends == self.length), 0.0, unseen)  # the root exists
        variance = self._node_variance(found.probability, squares)
        return replace(found, error=np.maximum(np.sqrt(np.maximum(variance, 0.0)), least), unseen=unseen)

    def _node_variance(self, p: np.ndarray, squares: np.ndarray) -> np.ndarray:
        """Variances of node probabilities p: the sum over draws of w^2 (z - p)^2, where z is 1 in draws that have the node,
        whose squared weights sum to `squares`, and 0 in others."""
        return squares * (1.0 - 2.0 * p) + p**2 * (self.weights**2).sum()

    @cached_property
    def node_probability(self) -> np.ndarray:
        """(N + 1, N + 1): the probability that a node spans from the row's to the column's position.

        Of long series that is too large, and an error: see `nodes`.
        """
        return self.nodes.dense()

    @cached_property
    def node_probability_error(self) -> np.ndarray:
        """(N + 1, N + 1): the Monte Carlo standard error of every node probability (see `nodes`)."""
        return self.nodes.dense_error()

    def rule_probability(self, start: int, end: int, variable: str | None = None) -> dict[str, float]:
        """Probabilities of the rules of a node, given that it exists: which shift, or that it emits.

        If no draw has the node, there is an error.

        Arguments:
            start: the first observation of the node's span.
            end: the observation after its last.
            variable: the node's variable. None takes nodes of any.
        """
        here = self._nodes_at(start, end, variable)
        rules = self.trees.rules[here]
        weights = self.weights[self.trees.owners[here]]
        totals: dict[str, float] = {}
        for rule in np.unique(rules).tolist():
            totals[self.trees.rule_names[rule]] = float(weights[rules == rule].sum() / weights.sum())
        return dict(sorted(totals.items(), key=lambda item: -item[1]))

    def _nodes_at(self, start: int, end: int, variable: str | None) -> np.ndarray:
        """Which nodes of the draws have this span and, if given, this label; an error if none does."""
        forest, (start, end) = self.trees, whole_span(start, end)
        if variable is not None and (not isinstance(variable, str) or variable not in forest.labels):
            raise DataError(f"there is no variable {short(variable)}; there are {sorted(set(forest.labels))}")
        here = (forest.positions[forest.starts] == start) & (forest.positions[forest.ends] == end)
        if variable is not None:
            here &= np.isin(forest.variables, [n for n, label in enumerate(forest.labels) if label == variable])
        if not here.any():
            raise DataError(f"no draw has a node {start}:{end}" + (f" of {variable}" if variable else ""))
        return here

    @cached_property
    def expected_rules(self) -> dict[tuple[str, str], float]:
        """The expected number of uses of every (variable, rule) in the tree."""
        forest = self.trees
        weights = self.weights[forest.owners]
        pairs, which = np.unique(np.stack([forest.variables, forest.rules]), axis=1, return_inverse=True)
        totals = np.bincount(which.reshape(-1), weights=weights)
        return {
            (forest.labels[v], forest.rule_names[rule]): float(total)
            for (v, rule), total in zip(pairs.T.tolist(), totals, strict=True)
        }

    # Segments

    @cached_property
    def boundary_probability(self) -> np.ndarray:
        """(N + 1,): the probability that a segment (a leaf) begins or ends at each position; 1 at both ends."""
        forest = self.trees
        leaves = forest.arities == 0
        probability = np.bincount(
            forest.positions[forest.ends[leaves]], weights=self.weights[forest.owners[leaves]], minlength=self.length + 1
        )
        probability[0] = 1.0
        return np.minimum(probability, 1.0)

    @cached_property
    def segment_count_probability(self) -> np.ndarray:
        """(N + 1,): the probability of 0, 1, 2, ... segments."""
        counts = np.add.reduceat((self.trees.arities == 0).astype(np.int64), self.trees.first[:-1])
        return np.bincount(counts, weights=self.weights, minlength=self.length + 1)

    # The whole tree

    @property
    def entropy(self) -> float:
        """The entropy of the trees in nats: 0 if there is only one, log n if n trees are equally probable.

        It is -E[log p(Z | Y)] = log p(Y) - E[log p(Y, Z)], the mean over draws of exact joint probabilities, and so known
        well even where no tree is drawn twice. Rules count, not only spans; of an average over models, so does the model.
        """
        return float(max(self.log_evidence - self._mean_log_joint, 0.0))

    @cached_property
    def entropy_error(self) -> float:
        """The standard error of `entropy`: 0 where it is exact."""
        if not np.isfinite(self.log_evidence_error):
            return np.inf
        apart = np.where(self.weights > 0.0, self.log_joint_of_trees - self._mean_log_joint, 0.0)
        return float(np.sqrt(self._entropy_variance(apart)))

    @property
    def _mean_log_joint(self) -> float:
        """E[log p(Y, Z)]."""
        worth = self.weights > 0.0
        return float(self.weights[worth] @ self.log_joint_of_trees[worth])

    def _entropy_variance(self, apart: np.ndarray) -> float:
        """By the influence of every draw on the evidence and on the mean of log joints, from which they are so far apart."""
        influence = -self.weights * apart
        if self.log_evidence_error > 0.0:
            influence += self.weights - self._even_weights
        return float((influence**2).sum())

    @property
    def _even_weights(self) -> np.ndarray:
        """What weights would be if all draws were worth the same."""
        return np.full(len(self.trees), 1.0 / len(self.trees))

    def credible_trees(self, level: float = 0.95, *, most: int = 1000) -> CredibleTrees:
        """The smallest set of trees that holds so much of the posterior, best first: a `CredibleTrees`.

        Probabilities are those of `best`: of Gaussian models those of drawn trees, which may hold less than was asked for;
        of discrete models all trees are known. Where no tree is probable, `nodes` say more than any set of trees.

        Arguments:
            level: the probability that the set is to have.
            most: how many trees, at most.
        """
        return credible_trees(self.best, level, most)

    def to_xarray(self, least: float = 0.05) -> Any:
        """The draws as an xarray Dataset with dimensions chain and draw, as ArviZ reads them.

        For every span that is probable it says whether it is a node (`exists`), for every position whether a segment begins
        or ends there (`boundary`), and of the tree the number of `segments` and its `log_joint`. Coordinates have the
        probabilities. Weighted draws are repeated by their weights, so that all count equally.

        Arguments:
            least: how probable a span, or a boundary, must be to be there.
        """
        from recbayes.family.export import to_xarray

        return to_xarray(self, number(least, "least"))

    # Trees

    def tree(self, objective: Objective | str = "f1", *, threshold: float = 0.5) -> Tree:
        """One tree that stands for all.

        Its nodes carry their posterior probabilities and, where they have values, the values' means and covariances.

        Arguments:
            objective: what it is to be best at: "f1" or `ExpectedF1()`, "map" or `MostProbable()`, `Threshold(t)`, or
                "threshold", with the argument of this name.
            threshold: of the objective "threshold".
        """
        chosen = objective_of(objective, threshold)
        tree = chosen.choose(self)
        return self.dress(tree) if chosen.of_the_model else self.with_probabilities(tree)

    def _check(self, tree: Tree) -> None:
        """An error if this is no tree over the same observations."""
        first, last = instance(tree, Tree, "tree").spans[0]
        if (first, last) != (0, self.length):
            raise DataError(f"the tree covers {first}:{last}, there are {self.length} observations")

    def with_probabilities(self, tree: Tree) -> Tree:
        """A tree whose nodes have the probabilities of their spans.

        Arguments:
            tree: a tree over the same observations, of any form.
        """
        self._check(tree)
        pairs = zip(tree, self._probabilities(tree), strict=True)
        return Tree([replace(node, probability=probability) for node, probability in pairs], tree.arities)

    @cached_property
    def expected_f1(self) -> float:
        """The expected F1 of `tree()`: how much of the tree one can hope to have right."""
        return self.expected_f1_tree[1]

    @cached_property
    def expected_f1_tree(self) -> tuple[Forest, float]:
        """The tree of highest expected F1, as a forest of one without its rules, and its expected F1."""
        return expected_f1_tree(self.cells, self.weights)

    @abstractmethod
    def dress(self, tree: Tree) -> Tree:
        """A tree with all that is known of its nodes.

        Arguments:
            tree: a tree over the same observations that the model can generate.
        """

    def _probabilities(self, tree: Tree) -> list[float]:
        """The probabilities of a tree's spans."""
        return self.nodes.of(*np.array(tree.spans).T).tolist()

    def _repr_html_(self) -> str:
        return posterior_html(self)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({len(self.trees)} draws, {self.method}, worth {self.effective_sample_size:.0f}; "
            f"log evidence {self.log_evidence:.3f} ± {self.log_evidence_error:.3f}{self._restricted})"
        )

    @property
    def _restricted(self) -> str:
        """What is to be said of the trees that may be drawn."""
        return ""
