"""What is known of the trees of a series: the record that `rb.sample_posterior` returns."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from recbayes.chart.inside import Chart
from recbayes.errors import DataError
from recbayes.posterior.decode import expected_f1_tree, priced_tree
from recbayes.posterior.follow import log_joints
from recbayes.posterior.forest import Forest
from recbayes.posterior.given_tree import smooth
from recbayes.posterior.latents import Latent, gather_latents
from recbayes.posterior.rules import best_rules
from recbayes.tree.tree import Node, Tree


class ScoredTree(NamedTuple):
    """A tree with its exact log p(Y, Z), and the posterior probability that follows with the estimated evidence."""

    tree: Tree
    log_joint: float
    probability: float


@dataclass(frozen=True, eq=False)
class Posterior:
    """Weighted draws of trees, and what follows from them.

    `log_weights` are those of the importance draws, log p(Y, Z) - log q(Z); the evidence and the effective sample size come
    from them. If the weights had degenerated, `trees` were resampled and moved, and count equally (`method`).
    """

    chart: Chart
    trees: Forest
    log_weights: np.ndarray
    log_joints: np.ndarray  # log p(Y, Z) of every tree, with the Gaussian of the prior it was drawn with
    prior_components: np.ndarray
    seed: int
    acceptance: float | None = None  # of the moves, where there were any

    @property
    def method(self) -> str:
        """How the draws were made: "importance" (weighted) or "resample-move" (equal weights)."""
        return "importance" if self.acceptance is None else "resample-move"

    @cached_property
    def weights(self) -> np.ndarray:
        """The weight of each tree; they sum to one."""
        if self.acceptance is not None:
            return np.full(len(self.trees), 1.0 / len(self.trees))
        return np.exp(self.log_weights - logsumexp(self.log_weights))

    @cached_property
    def log_evidence(self) -> float:
        """log p(Y), from the mean weight, whose expectation is p(Y) exactly."""
        return float(logsumexp(self.log_weights) - np.log(len(self.log_weights)))

    @cached_property
    def log_evidence_error(self) -> float:
        """The standard error of `log_evidence` (infinite for a single draw)."""
        count = len(self.log_weights)
        if count == 1:
            return np.inf
        shares = np.exp(self.log_weights - self.log_evidence)
        return float(np.sqrt(((shares - 1.0) ** 2).sum() / (count - 1) / count))

    @cached_property
    def effective_sample_size(self) -> float:
        """How many equally weighted draws the importance draws are worth: 1 / sum of squared weights."""
        weights = np.exp(self.log_weights - self.log_weights.max())
        return float(weights.sum() ** 2 / (weights**2).sum())

    @property
    def efficiency(self) -> float:
        """The effective sample size as a share of the draws; 1 if the chart is exact."""
        return self.effective_sample_size / len(self.log_weights)

    def extend(self, draws: int) -> "Posterior":
        """The posterior with so many more draws from the same chart, as if all had been drawn at once."""
        from recbayes.posterior.draws import check_draws, draw, warn_if_poor

        check_draws(draws)
        posterior = draw(self.chart, len(self.log_weights) + draws, self.seed)
        warn_if_poor(posterior)
        return posterior

    # Nodes

    @cached_property
    def node_probability(self) -> np.ndarray:
        """(N + 1, N + 1): the probability that a node spans from the row's to the column's position."""
        return np.minimum(self._nodes_by_span(self.weights), 1.0)  # rounding of sums

    @cached_property
    def node_probability_error(self) -> np.ndarray:
        """The Monte Carlo standard error of every node probability.

        Draws that were resampled are copies of few: then the error is that of as many draws as they were worth.
        """
        if self.acceptance is not None:
            return np.sqrt(self.node_probability * (1.0 - self.node_probability) / self.effective_sample_size)
        square = self._nodes_by_span(self.weights**2)
        p = self.node_probability  # sum over draws of w^2 (z - p)^2, with z = 1 in `square` and 0 elsewhere
        return np.sqrt(np.maximum(square * (1.0 - 2.0 * p) + p**2 * (self.weights**2).sum(), 0.0))

    def _nodes_by_span(self, values: np.ndarray) -> np.ndarray:
        forest, points = self.trees, self.chart.length + 1
        spans = forest.positions[forest.starts] * points + forest.positions[forest.ends]
        return np.bincount(spans, weights=values[forest.owners], minlength=points**2).reshape(points, points)

    def rule_probability(self, start: int, end: int, variable: str | None = None) -> dict[str, float]:
        """Probabilities of the rules of a node, given that it exists: which shift, or that it emits."""
        v, i, k = self.chart.locate(start, end, variable)
        forest = self.trees
        here = (forest.variables == v) & (forest.starts == i) & (forest.ends == k)
        if not here.any():
            raise DataError(f"no draw has a node {start}:{end} of {self.chart.model.variables[v].name}")
        weights = self.weights[forest.owners[here]]
        totals: dict[str, float] = {}
        for rule in np.unique(forest.rules[here]).tolist():
            totals[forest.rule_of(rule)] = float(weights[forest.rules[here] == rule].sum() / weights.sum())
        return dict(sorted(totals.items(), key=lambda item: -item[1]))

    @cached_property
    def expected_rules(self) -> dict[tuple[str, str], float]:
        """The expected number of uses of every (variable, rule) in the tree."""
        forest = self.trees
        weights = self.weights[forest.owners]
        totals: dict[tuple[str, str], float] = {}
        for v, variable in enumerate(self.chart.model.variables):
            for rule in np.unique(forest.rules[forest.variables == v]).tolist():
                here = (forest.variables == v) & (forest.rules == rule)
                totals[variable.name, forest.rule_of(rule)] = float(weights[here].sum())
        return totals

    def latent(self, start: int, end: int, variable: str | None = None) -> Latent:
        """The posterior mean and covariance of a node's value, given that the node exists, and how probable that is.

        They are exact given each drawn tree, and averaged over the draws.
        """
        cell = self.chart.locate(start, end, variable)
        if cell not in self._latents:
            raise DataError(f"no draw has a node {start}:{end} of {self.chart.model.variables[cell[0]].name}")
        return self._latents[cell]

    @cached_property
    def _latents(self) -> dict[tuple[int, ...], Latent]:
        return gather_latents(self.chart, self.trees, self.weights, self.prior_components)

    # Segments

    @cached_property
    def boundary_probability(self) -> np.ndarray:
        """(N + 1,): the probability that a segment (a leaf) begins or ends at each position; 1 at both ends."""
        forest = self.trees
        leaves = forest.rules < 0
        probability = np.bincount(
            forest.positions[forest.ends[leaves]],
            weights=self.weights[forest.owners[leaves]],
            minlength=self.chart.length + 1,
        )
        probability[0] = 1.0
        return np.minimum(probability, 1.0)

    @cached_property
    def segment_count_probability(self) -> np.ndarray:
        """(N + 1,): the probability of 0, 1, 2, ... segments."""
        counts = (self.trees.sizes + 1) // 2  # every inner node has two children
        return np.bincount(counts, weights=self.weights, minlength=self.chart.length + 1)

    # Trees

    def tree(self, objective: str = "f1", *, threshold: float = 0.5) -> Tree:
        """One tree: "f1" (the highest expected F1), "threshold" (the largest sum of node probabilities minus the threshold:
        low ones favour recall, high ones precision), or "map" (the most probable among the draws, exactly scored).

        Its nodes carry their posterior probabilities, and the means and covariances of their values given this tree.
        """
        if objective == "map":
            return self._dress(self.best(1)[0].tree)
        if objective == "f1":
            found, _ = self._f1_tree
        elif objective == "threshold":
            if not 0.0 <= threshold <= 1.0:
                raise DataError(f"threshold must lie between 0 and 1, got {threshold:.6g}")
            found = priced_tree(self.chart, self.trees, self.weights, threshold)
        else:
            raise DataError(f'objective must be "f1", "threshold" or "map", got {objective!r}')
        return self._dress(best_rules(self.chart, found, self.trees, self.weights)[0])

    @cached_property
    def expected_f1(self) -> float:
        """The expected F1 of `tree()`: how much of the tree one can hope to have right."""
        return self._f1_tree[1]

    @cached_property
    def _f1_tree(self) -> tuple[Forest, float]:
        return expected_f1_tree(self.chart, self.trees, self.weights)

    def best(self, count: int) -> list[ScoredTree]:
        """The most probable distinct trees among the draws, best first, with their exact log joint probabilities."""
        if count < 1:
            raise DataError(f"count must be at least 1, got {count}")
        forest = self.trees
        representatives, _ = forest.distinct()
        scores = self.log_joints[representatives]
        if len(self.chart.log_evidence_by_prior) > 1:
            scores = log_joints(self.chart, forest.select(representatives))
        order = np.argsort(-scores, kind="stable")[:count]
        return [
            ScoredTree(
                forest[int(representatives[t])], float(scores[t]), float(np.exp(min(scores[t] - self.log_evidence, 0.0)))
            )
            for t in order
        ]

    def _dress(self, tree: Tree) -> Tree:
        """The tree with values from smoothing on it, and the nodes' probabilities."""
        smoothed = smooth(self.chart.model, self.chart.series, tree)
        probability = {node.span: 0.0 for node in tree}
        forest = self.trees
        starts, ends = forest.positions[forest.starts], forest.positions[forest.ends]
        codes = starts * (self.chart.length + 1) + ends
        for span in probability:
            here = codes == span[0] * (self.chart.length + 1) + span[1]
            probability[span] = float(min(self.weights[forest.owners[here]].sum(), 1.0))
        nodes: list[Node] = [replace(node, probability=probability[node.span]) for node in smoothed]
        return Tree(nodes, tree.arities)

    def __repr__(self) -> str:
        return (
            f"Posterior({len(self.trees)} draws, {self.method}, worth {self.effective_sample_size:.0f}; "
            f"log evidence {self.log_evidence:.3f} ± {self.log_evidence_error:.3f})"
        )
