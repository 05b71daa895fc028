"""Draws of trees of a Gaussian model, with exact weights."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import logsumexp

from recbayes.checks.arrays import MOST_DRAWS, whole_number
from recbayes.compiled.lanes import LANES
from recbayes.errors import DataError
from recbayes.family.posterior import Latent, Posterior, ScoredTree
from recbayes.family.uncertainty import copies_together
from recbayes.gaussian.chart.inside import Chart
from recbayes.gaussian.posterior.corrections import Corrected, corrections
from recbayes.gaussian.posterior.decode import GaussianCells
from recbayes.gaussian.posterior.follow import log_joints
from recbayes.gaussian.posterior.given_tree import smooth
from recbayes.gaussian.posterior.latents import gather_latents
from recbayes.gaussian.posterior.rules import best_rules
from recbayes.spans.candidates import Candidates
from recbayes.tree.forest import Forest
from recbayes.tree.tree import Tree

SUSPICIOUS = 3.0  # nats between the chart's evidence and that of the draws


@dataclass(frozen=True, eq=False, repr=False)
class GaussianPosterior(Posterior):
    """Weighted draws of trees of a Gaussian model; it has all that a `Posterior` has.

    The evidence and the effective sample size come from the weights of importance draws. If these had degenerated, trees
    were resampled and moved, and count equally (`method`).

    Attributes:
        chart: what they were drawn from.
        trees: all draws, a sequence of `Tree`s.
        log_weights: of the importance draws, log p(Y, Z) - log q(Z).
        log_joints: log p(Y, Z) of every tree, with the Gaussian of the prior that it was drawn with.
        prior_components: the number of that Gaussian.
        seed: of the draws.
        acceptance: the share of moves that were accepted. None where there were none.
        enumerated: whether the series is so short that all trees were looked at.
        log_corrections: of the weights, where leaves' potentials are only the nearest Gaussian ones. None where they are
            exact.
    """

    chart: Chart
    trees: Forest
    log_weights: np.ndarray
    log_joints: np.ndarray
    prior_components: np.ndarray
    seed: int
    acceptance: float | None = None
    enumerated: bool = False
    log_corrections: np.ndarray | None = None

    @property
    def length(self) -> int:
        return self.chart.length

    @property
    def candidates(self) -> Candidates | None:
        """Where segments may begin and end, if that was found (`boundaries="auto"`, and by default in long series)."""
        return self.chart.candidates

    @property
    def _restricted(self) -> str:
        return "" if self.candidates is None else f"; {self.candidates!r}"

    @property
    def method(self) -> str:
        """How draws were made: "importance" (weighted), "resample-move", or of short series "enumerated" (equal weights)."""
        if self.enumerated:
            return "enumerated"
        return "importance" if self.acceptance is None else "resample-move"

    @cached_property
    def weights(self) -> np.ndarray:
        """The weight of each tree; they sum to one."""
        if self.acceptance is not None:
            return np.full(len(self.trees), 1.0 / len(self.trees))
        weights = np.exp(self.log_weights - self.log_weights.max())
        return weights / weights.sum()

    @cached_property
    def log_evidence(self) -> float:
        """log p(Y), from the mean weight, whose expectation is p(Y) exactly."""
        return float(logsumexp(self.log_weights) - np.log(len(self.log_weights)))

    @cached_property
    def log_evidence_error(self) -> float:
        """The standard error of `log_evidence` (infinite for a single draw)."""
        count = len(self.log_weights)
        if self.enumerated and self.log_corrections is None:
            return 0.0
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

    def extend(self, draws: int) -> "GaussianPosterior":
        """The posterior with more draws from the same chart, as if all had been drawn at once.

        Arguments:
            draws: how many more.
        """
        from recbayes.gaussian.posterior.draws import draw

        more = whole_number(draws, "draws", least=1, most=MOST_DRAWS, error=DataError)
        posterior = draw(self.chart, len(self.log_weights) + more, self.seed)
        posterior.warn()
        return posterior

    @property
    def gap(self) -> float:
        """The log evidence less that of the chart, both by the potentials of leaves."""
        if self.log_corrections is None:
            return self.log_evidence - self.chart.log_evidence
        logs = self.log_weights - self.log_corrections
        return float(logsumexp(logs) - np.log(len(logs))) - self.chart.log_evidence

    @property
    def complaint(self) -> str:
        """Where the draws are worth little, or the chart was so far off that they may have missed the posterior."""
        size, draws = self.effective_sample_size, len(self.trees)
        gap = self.gap
        more = min(max(4, 2 * self.chart.components), LANES)
        advice = "a model that fits the data makes the draws better"
        if more > self.chart.components:
            advice = f"components={more}, with more Gaussians per message, makes the draws better; so does a model that fits"
        if abs(self.log_evidence) * 1e-15 > 0.01:
            return (
                f"the log evidence is {self.log_evidence:.3g}, so rounding alone changes probabilities; "
                "centre and scale the data"
            )
        if self.enumerated and self.log_corrections is None:
            return ""
        if abs(gap) >= SUSPICIOUS and not self.enumerated:
            return (
                f"the chart's evidence is {abs(gap):.3g} nats {'below' if gap > 0 else 'above'} that of the draws, so they "
                f"may have missed most of the posterior, whatever their error bars say; {advice}"
            )
        if self.acceptance is not None:
            return (
                f"{draws} draws were worth only {size:.3g} independent ones and were resampled and moved ("
                f"{self.acceptance:.0%} of the moves were accepted). Probabilities are as uncertain as {size:.3g} draws "
                f"would make them; {advice}"
            )
        if draws >= 100 and size < 50:
            return f"{draws} draws are worth {size:.3g} independent ones. More draws help; {advice}"
        return ""

    def _node_variance(self, p: np.ndarray, squares: np.ndarray) -> np.ndarray:
        """Draws that were resampled are copies of few: then it is that of as many draws as they were worth."""
        if self.acceptance is not None:
            return p * (1.0 - p) / self.effective_sample_size
        return super()._node_variance(p, squares)

    def latent(self, start: int, end: int, variable: str | None = None) -> Latent:
        """The posterior mean and covariance of a node's value, given that the node exists, and how probable that is: a
        `Latent`.

        They are exact given each drawn tree, and averaged over the draws. If no draw has the node, there is an error.

        Arguments:
            start: the first observation of the node's span.
            end: the observation after its last.
            variable: the node's variable. None takes the prior's.
        """
        cell = self.chart.locate(start, end, variable)
        if cell not in self.latents:
            raise DataError(f"no draw has a node {start}:{end} of {self.chart.model.variables[cell[0]].name}")
        return self.latents[cell]

    @cached_property
    def latents(self) -> dict[tuple[int, ...], Latent]:
        """The values of all nodes in the draws, by variable, first and last point of the chart."""
        return gather_latents(self.chart, self.trees, self.weights, self.prior_components)

    @cached_property
    def corrected(self) -> Corrected:
        """How the draws take leaves whose potentials are not their likelihood; kept, as all that is told of leaves asks."""
        return corrections(self.chart, self.trees, self.prior_components, self.seed)

    @cached_property
    def kinds(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The distinct trees: the first draw of each, the kind of every draw, and the log p(Y, Z) of each kind."""
        representatives, kinds = self.trees.distinct()
        scores = copies_together(self.log_joints, kinds)
        if len(self.chart.log_evidence_by_prior) > 1:
            scores = log_joints(self.chart, self.trees.select(representatives))
            if self.log_corrections is not None:
                scores = scores + copies_together(self.log_corrections, kinds)
        return representatives, kinds, scores

    @property
    def log_joint_of_trees(self) -> np.ndarray:
        _, kinds, scores = self.kinds
        return scores[kinds]

    def _entropy_variance(self, apart: np.ndarray) -> float:
        """Draws that were resampled are copies of few."""
        if self.acceptance is not None:
            return float(self.weights @ apart**2) / self.effective_sample_size + self.log_evidence_error**2
        return super()._entropy_variance(apart)

    def best(self, count: int) -> list[ScoredTree]:
        """The most probable distinct trees among the draws, best first, with their exact log joint probabilities."""
        count = whole_number(count, "count", least=1, error=DataError)
        forest, (representatives, _, scores) = self.trees, self.kinds
        order = np.argsort(-scores, kind="stable")[:count]
        return [
            ScoredTree(
                forest[int(representatives[t])], float(scores[t]), float(np.exp(min(scores[t] - self.log_evidence, 0.0)))
            )
            for t in order
        ]

    @cached_property
    def cells(self) -> GaussianCells:
        return GaussianCells(self.chart, self.trees)

    def finish(self, tree: Forest) -> Tree:
        return best_rules(self.chart, tree, self.trees, self.weights)[0]

    def dress(self, tree: Tree) -> Tree:
        """The tree with values from smoothing on it, and the nodes' probabilities."""
        self._check(tree)
        return self.with_probabilities(smooth(self.chart.model, self.chart.series, tree))
