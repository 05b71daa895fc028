"""The posterior of a general model: trees with the values of their nodes, weighted."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import logsumexp

from recbayes.checks.arrays import number, whole_number
from recbayes.errors import DataError
from recbayes.family.posterior import Latent, Posterior, ScoredTree
from recbayes.family.uncertainty import copies_together
from recbayes.general.chart.joint import Landscape
from recbayes.general.extra import in_doubles
from recbayes.general.kernels.stand_in_draws import NUMBER
from recbayes.general.model.coordinates import from_coordinates, width
from recbayes.general.posterior.decode import GeneralCells
from recbayes.general.posterior.forest import Shown, shown_trees
from recbayes.general.surrogate.stand_in import Structures
from recbayes.tree.forest import Forest
from recbayes.tree.tree import Tree


@dataclass(frozen=True, eq=False)
class Worth:
    """What draws are worth: importance weights log p(X, Y, Z) - log q(X, Z) of a stand-in's trees and values (trees, K); and
    of Gibbs sampling, if that was needed, the effective number of draws and the share of moves that were accepted."""

    log_weights: np.ndarray
    effective: float | None = None
    acceptance: float | None = None


@dataclass(frozen=True, eq=False, repr=False)
class GeneralPosterior(Posterior):
    """Draws of trees and of the values of their nodes; it has all that a `Posterior` has.

    "importance": trees and values are drawn from a Gaussian stand-in of the model, each tree with several values, and
    weighted by the true densities. "gibbs": where these weights are worth little, trees given values and values given trees
    are drawn in turn, and all count equally; the evidence is still that of the weights.

    Attributes:
        landscape: which nodes there may be, with the model and what was observed.
        drawn: the trees, as they were drawn.
        values: (drawn nodes, K, D): K values of every node, in coordinates without bounds.
        worth: the importance weights and, of Gibbs sampling, how many draws its are worth.
        seed: of the draws.
    """

    landscape: Landscape
    drawn: Structures
    values: np.ndarray
    worth: Worth
    seed: int

    @property
    def length(self) -> int:
        return len(self.landscape.observed)

    @property
    def method(self) -> str:
        """How the draws were made: "importance" (weighted) or "gibbs" (equal weights)."""
        return "importance" if self.worth.effective is None else "gibbs"

    @cached_property
    def shown(self) -> Shown:
        """The trees, and which of the drawn nodes theirs are."""
        return shown_trees(self.landscape, self.drawn)

    @property
    def trees(self) -> Forest:  # type: ignore[override]
        """All draws, a sequence of `Tree`s."""
        return self.shown.trees

    @cached_property
    def value_weights(self) -> np.ndarray:
        """(trees, K): the weight of every tree with each of its values; they sum to one."""
        if self.worth.effective is not None:
            return np.full((len(self.drawn.sizes), 1), 1.0 / len(self.drawn.sizes))
        logs = self.worth.log_weights
        weights = np.exp(logs - logs.max())
        return weights / weights.sum()

    @cached_property
    def weights(self) -> np.ndarray:
        return self.value_weights.sum(axis=1)

    @cached_property
    def _log_weights(self) -> np.ndarray:
        """Of the importance draws, tree by tree."""
        logs = self.worth.log_weights
        return logsumexp(logs, axis=1) - np.log(logs.shape[1])

    @cached_property
    def log_evidence(self) -> float:
        """log p(Y), from the mean importance weight, whose expectation is p(Y)."""
        return float(logsumexp(self._log_weights) - np.log(len(self._log_weights)))

    @cached_property
    def log_evidence_error(self) -> float:
        count = len(self._log_weights)
        if count == 1:
            return np.inf
        shares = np.exp(self._log_weights - self.log_evidence)
        return float(np.sqrt(((shares - 1.0) ** 2).sum() / (count - 1) / count))

    @cached_property
    def effective_sample_size(self) -> float:
        """How many independent, equally weighted draws these are worth."""
        if self.worth.effective is not None:
            return self.worth.effective
        return float(1.0 / (self.weights**2).sum())

    def _node_variance(self, p: np.ndarray, squares: np.ndarray) -> np.ndarray:
        """Of Gibbs sampling by what its draws are worth."""
        if self.worth.effective is not None:
            return p * (1.0 - p) / self.effective_sample_size
        return super()._node_variance(p, squares)

    @property
    def efficiency(self) -> float:
        """The effective sample size as a share of the draws."""
        return self.effective_sample_size / len(self.drawn.sizes)

    @property
    def complaint(self) -> str:
        size, draws = self.effective_sample_size, len(self.drawn.sizes)
        if draws >= 100 and size < 50:
            return f"{draws} draws are worth {size:.3g} independent ones; more draws help, and a model that fits the data"
        if self.worth.effective is not None and self.log_evidence_error > 1.0:
            return (
                "trees and values were drawn by Gibbs sampling, as weights were worth little: probabilities are good, but "
                f"the log evidence of {self.log_evidence:.3f} is uncertain, whatever its error bar says"
            )
        return ""

    # Values of nodes

    def latent(self, start: int, end: int, variable: str | None = None) -> Latent:
        """Mean and covariance of a node's value given that the node exists, and how probable that is: a `Latent`.

        Arguments:
            start: the first observation of the node's span.
            end: the observation after its last.
            variable: the node's variable. None will do where all nodes of this span have the same one.
        """
        here = np.flatnonzero(self._nodes_at(start, end, variable) & (self.shown.sources >= 0))
        forest = self.trees
        names = {forest.labels[v] for v in forest.variables[here]}
        if variable is None and len(names) > 1:
            raise DataError(f"there are nodes {start}:{end} of {sorted(names)}; say which variable")
        found = self._latent(here)
        if found is None:
            raise DataError(f"the node {start}:{end} has no value of real numbers; see state_probability")
        return found

    def state_probability(self, start: int, end: int, variable: str | None = None) -> np.ndarray:
        """Probabilities of the states of a discrete variable's node, given that the node exists.

        Arguments:
            start: the first observation of the node's span.
            end: the observation after its last.
            variable: the node's variable. None will do where all nodes of this span have the same one.
        """
        here = np.flatnonzero(self._nodes_at(start, end, variable) & (self.shown.sources >= 0))
        place, cells = self.landscape.graph.place, self.landscape.cells
        numbers = self.drawn.nodes[NUMBER, self.shown.sources[here]]
        cell = self.landscape.cells_of(numbers)
        names = {cells.layers.order[n].variable for n in cells.layer[cell]}
        support = self.landscape.model.parts.variables[min(names)]
        if len(names) > 1 or not support.is_discrete:
            raise DataError(f"there are nodes {start}:{end} of {sorted(names)}; say which discrete variable")
        weights = self.weights[self.trees.owners[here]]
        return np.bincount(numbers - place[cell], weights=weights, minlength=support.states) / weights.sum()

    def _latent(self, here: np.ndarray) -> Latent | None:
        """Of nodes of the same variable, by their numbers in the trees."""
        forest, variables = self.trees, self.landscape.model.parts.variables
        support = variables[forest.labels[forest.variables[here[0]]]]
        weights = self.value_weights[forest.owners[here]]
        probability = min(float(weights.sum()), 1.0)
        if support.is_discrete or probability == 0.0:
            return None
        with in_doubles():
            u = self.values[self.shown.sources[here], :, : width(support)]
            x = np.asarray(from_coordinates(support, u), dtype=np.float64)
        mean = np.einsum("nk,nki->i", weights, x) / weights.sum()
        apart = x - mean
        return Latent(mean, np.einsum("nk,nki,nkj->ij", weights, apart, apart) / weights.sum(), probability)

    def to_xarray(self, least: float = 0.05) -> Any:
        """As of every posterior, and for every variable of numbers the values of its nodes (NaN where there is none).

        Arguments:
            least: how probable a span, or a boundary, must be to be there.
        """
        from recbayes.general.posterior.export import to_xarray

        return to_xarray(self, number(least, "least"))

    # Trees

    @cached_property
    def kinds(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The distinct trees: the first draw of each, the kind of every draw, and each kind's log p(Y, Z) (see `best`)."""
        representatives, kinds = self.trees.distinct()
        discrete = any(one.is_discrete for one in self.landscape.model.parts.variables.values())
        if discrete or self.worth.effective is not None:  # a tree is drawn with states, whose probabilities add up
            with np.errstate(divide="ignore"):
                return representatives, kinds, np.log(np.bincount(kinds, weights=self.weights)) + self.log_evidence
        return representatives, kinds, copies_together(self._log_weights + self.drawn.log_q, kinds)

    @property
    def log_joint_of_trees(self) -> np.ndarray:
        _, kinds, scores = self.kinds
        return scores[kinds]

    def _entropy_variance(self, apart: np.ndarray) -> float:
        if self.worth.effective is not None:
            return float(self.weights @ apart**2) / self.effective_sample_size
        return super()._entropy_variance(apart)

    def best(self, count: int) -> list[ScoredTree]:
        """The most probable distinct trees among the draws, best first.

        Their log p(Y, Z) are estimates, values being integrated out by draws; of Gibbs sampling, and with discrete
        variables, they are from how often a tree was drawn.

        Arguments:
            count: how many, at most.
        """
        count = whole_number(count, "count", least=1, error=DataError)
        representatives, _, scores = self.kinds
        order = np.argsort(-scores, kind="stable")[:count]
        return [
            ScoredTree(
                self.dress(self.trees[int(representatives[t])]),
                float(scores[t]),
                float(np.exp(min(scores[t] - self.log_evidence, 0.0))),
            )
            for t in order
        ]

    @cached_property
    def cells(self) -> GeneralCells:
        return GeneralCells(self.landscape, self.trees)

    def finish(self, tree: Forest) -> Tree:
        """The decoded tree; of steps with the same children, each node takes the one that draws take there most often."""
        forest, ways = self.trees, [edges.way for edges in self.landscape.cells.edges]
        rules = tree.rules.copy()
        for n in np.flatnonzero(rules >= 0).tolist():
            here = (forest.starts == tree.starts[n]) & (forest.ends == tree.ends[n])
            here &= (forest.variables == tree.variables[n]) & (forest.splits == tree.splits[n]) & (forest.rules >= 0)
            totals = np.bincount(forest.rules[here], weights=self.weights[forest.owners[here]], minlength=len(ways))
            alike = [way.children == ways[rules[n]].children for way in ways]
            totals = np.where(alike, totals, 0.0)
            rules[n] = int(totals.argmax()) if totals.any() else rules[n]
        return replace(tree, rules=rules)[0]

    def dress(self, tree: Tree) -> Tree:
        """The tree with the values that its nodes have in the draws, and their probabilities."""
        forest = self.trees
        labels = {name: n for n, name in enumerate(forest.labels)}
        starts, ends = forest.positions[forest.starts], forest.positions[forest.ends]
        nodes = []
        for node in self.with_probabilities(tree):
            here = np.flatnonzero((starts == node.start) & (ends == node.end) & (forest.variables == labels[node.label]))
            found = self._latent(here) if len(here) and node.label else None
            nodes.append(node if found is None else replace(node, value=found.mean, covariance=found.covariance))
        return Tree(nodes, tree.arities)
