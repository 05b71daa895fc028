"""Discrete RBNs and grammars as a family: what the verbs find when a model names it. Everything is exact."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from recbayes.checks.many import named
from recbayes.discrete.chart.chart import ADVICE, DiscreteChart, DiscreteOutside, discrete_cost, inside_discrete
from recbayes.discrete.chart.prefix import log_prefix_probability
from recbayes.discrete.chart.states import best_states, filtered_states, smoothed_states
from recbayes.discrete.chart.trees import best_discrete_tree
from recbayes.discrete.learn.maximise import expected_counts, free_numbers, maximised
from recbayes.discrete.model.flat import Discrete
from recbayes.discrete.model.grammar_text import rule_names
from recbayes.discrete.model.tokens import are_many, listed, token_numbers
from recbayes.discrete.posterior.given_tree import log_weight
from recbayes.discrete.posterior.posterior import DiscretePosterior, draw_trees_of
from recbayes.errors import DataError, ModelError
from recbayes.family.cost import Cost
from recbayes.family.family import Counts, Family, Read
from recbayes.spans.constraints import Constraints
from recbayes.tree.tree import Tree

COUNTED = "a discrete model is trained by reestimate, from expected counts of its rules"


class DiscreteFamily(Family[DiscreteChart, DiscreteOutside, DiscretePosterior]):
    """Symbols and weighted rules; messages are tables over symbols."""

    name = "a discrete model"
    noun = "sequence"
    advice = ADVICE
    reasons: ClassVar[Mapping[str, str]] = {
        "smooth": "the nodes of a discrete model have labels, but no values to smooth",
        "quick_node_probability": "node probabilities of a discrete model need no approximation: see "
        "outside(chart).node_probability",
        "quantities": COUNTED,
        "slopes": COUNTED,
        "draw_around": COUNTED,
        "candidates": "charts of discrete models are exact, and know no boundaries; see allowed",
    }

    def read(self, model: Discrete, data: Any) -> Read:
        tokens, grammar = listed(data), model.flat()
        if not are_many(tokens):
            return Read([token_numbers(grammar, tokens)], True)
        many = [named(f"sequence {n}", lambda one: token_numbers(grammar, listed(one)), one) for n, one in enumerate(tokens)]
        return Read(many, False)

    def inside(self, model: Discrete, sequence: np.ndarray, constraints: Constraints, components: int) -> DiscreteChart:
        if components != 1:
            raise DataError("charts of discrete models are exact: they know no components")
        return inside_discrete(model, sequence, constraints)

    def cost(self, model: Discrete, length: int, constraints: Constraints, components: int) -> Cost:
        return discrete_cost(model, length)

    def outside(self, chart: DiscreteChart) -> DiscreteOutside:
        return chart.outside

    def best_tree(self, chart: DiscreteChart) -> Tree:
        return best_discrete_tree(chart)[0]

    def draw(self, chart: DiscreteChart, draws: int, seed: int) -> DiscretePosterior:
        return draw_trees_of(chart, draws, seed)

    def log_joint(self, model: Discrete, sequence: np.ndarray, tree: Tree) -> float:
        return log_weight(model, sequence, tree)

    def parameters(self, model: Discrete, given: Any) -> tuple[str, ...]:
        """The rules: what is free are their log weights."""
        if given is not None:
            raise ModelError("parameters are for Gaussian models; what is free in a discrete one are its rules")
        return rule_names(model.flat())

    def evidence_and_gradient(
        self, model: Discrete, sequence: np.ndarray, constraints: Constraints, parameters: Any
    ) -> tuple[float, np.ndarray]:
        counts = expected_counts(model, sequence, constraints)
        return counts.log_evidence, counts.rules

    def expected_counts(self, model: Discrete, sequence: np.ndarray, constraints: Constraints) -> Counts:
        return expected_counts(model, sequence, constraints)

    def maximised(self, model: Discrete, counts: Counts, pseudo_count: float) -> Any:
        return maximised(model, counts, pseudo_count)

    def free_numbers(self, model: Discrete) -> int:
        return free_numbers(model)

    def filtered_states(self, chart: DiscreteChart) -> np.ndarray:
        return filtered_states(chart)

    def smoothed_states(self, chart: DiscreteChart) -> np.ndarray:
        return smoothed_states(chart)

    def best_states(self, chart: DiscreteChart) -> tuple[np.ndarray, float]:
        return best_states(chart)

    def log_prefix_probability(self, model: Discrete, sequence: Any) -> float:
        return log_prefix_probability(model, sequence)


DISCRETE = DiscreteFamily()
