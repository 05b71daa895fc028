"""Recursive Bayesian networks: latent trees over sequences, with honest probabilities.

Names are loaded when they are first used, so that importing the package stays fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recbayes import plot
    from recbayes.chart.best import best_tree
    from recbayes.chart.discrete import DiscreteChart
    from recbayes.chart.inside import Chart, Message, inside
    from recbayes.chart.outside import Outside, outside
    from recbayes.chart.prefix import log_prefix_probability
    from recbayes.chart.states import best_states, filtered_states, smoothed_states
    from recbayes.errors import ApproximationWarning, DataError, FileError, LengthError, ModelError
    from recbayes.learn.compare import Comparison, compare
    from recbayes.learn.em import expected_counts, reestimate
    from recbayes.learn.fit import fit
    from recbayes.learn.gradient import log_evidence_and_gradient
    from recbayes.learn.parameters import Parameters
    from recbayes.learn.record import Fit
    from recbayes.learn.segmenter import HierarchicalSegmenter
    from recbayes.model.chains import HMM, LinearDynamicalSystem, SwitchingLinearDynamicalSystem
    from recbayes.model.discrete import DiscreteRBN
    from recbayes.model.discrete_variables import DiscreteVariable, TerminalVariable, Transition
    from recbayes.model.gaussian import Component, Emit, GaussianRBN, Link, Prior, Split, Variable
    from recbayes.model.grammar_text import Rule, Terminal
    from recbayes.model.lengths import ExactlyOne, LengthTable, OnePlusPoisson
    from recbayes.model.linear_gaussian import Branch, LinearGaussianRBN, Observe
    from recbayes.model.pcfg import PCFG
    from recbayes.model.series import Series
    from recbayes.model.storage import load
    from recbayes.posterior.draws import sample_posterior
    from recbayes.posterior.given_tree import log_joint, smooth
    from recbayes.posterior.posterior import Posterior
    from recbayes.posterior.quick import quick_node_probability
    from recbayes.tree.known import known_spans
    from recbayes.tree.metrics import Scores, boundary_scores, node_scores, probabilistic_node_scores, robinson_foulds
    from recbayes.tree.tree import Node, Tree

__version__ = "0.1.0"

_HOMES = {
    "ApproximationWarning": "recbayes.errors",
    "Branch": "recbayes.model.linear_gaussian",
    "Chart": "recbayes.chart.inside",
    "Comparison": "recbayes.learn.compare",
    "Component": "recbayes.model.gaussian",
    "DataError": "recbayes.errors",
    "DiscreteChart": "recbayes.chart.discrete",
    "DiscreteRBN": "recbayes.model.discrete",
    "DiscreteVariable": "recbayes.model.discrete_variables",
    "Emit": "recbayes.model.gaussian",
    "ExactlyOne": "recbayes.model.lengths",
    "FileError": "recbayes.errors",
    "Fit": "recbayes.learn.record",
    "GaussianRBN": "recbayes.model.gaussian",
    "HMM": "recbayes.model.chains",
    "HierarchicalSegmenter": "recbayes.learn.segmenter",
    "LengthError": "recbayes.errors",
    "LengthTable": "recbayes.model.lengths",
    "LinearDynamicalSystem": "recbayes.model.chains",
    "LinearGaussianRBN": "recbayes.model.linear_gaussian",
    "Link": "recbayes.model.gaussian",
    "Message": "recbayes.chart.inside",
    "ModelError": "recbayes.errors",
    "Node": "recbayes.tree.tree",
    "Observe": "recbayes.model.linear_gaussian",
    "OnePlusPoisson": "recbayes.model.lengths",
    "Outside": "recbayes.chart.outside",
    "PCFG": "recbayes.model.pcfg",
    "Parameters": "recbayes.learn.parameters",
    "Posterior": "recbayes.posterior.posterior",
    "Prior": "recbayes.model.gaussian",
    "Rule": "recbayes.model.grammar_text",
    "Scores": "recbayes.tree.metrics",
    "Series": "recbayes.model.series",
    "Split": "recbayes.model.gaussian",
    "SwitchingLinearDynamicalSystem": "recbayes.model.chains",
    "Terminal": "recbayes.model.grammar_text",
    "TerminalVariable": "recbayes.model.discrete_variables",
    "Transition": "recbayes.model.discrete_variables",
    "Tree": "recbayes.tree.tree",
    "Variable": "recbayes.model.gaussian",
    "best_states": "recbayes.chart.states",
    "best_tree": "recbayes.chart.best",
    "boundary_scores": "recbayes.tree.metrics",
    "compare": "recbayes.learn.compare",
    "expected_counts": "recbayes.learn.em",
    "filtered_states": "recbayes.chart.states",
    "fit": "recbayes.learn.fit",
    "inside": "recbayes.chart.inside",
    "known_spans": "recbayes.tree.known",
    "load": "recbayes.model.storage",
    "log_evidence_and_gradient": "recbayes.learn.gradient",
    "log_joint": "recbayes.posterior.given_tree",
    "log_prefix_probability": "recbayes.chart.prefix",
    "node_scores": "recbayes.tree.metrics",
    "outside": "recbayes.chart.outside",
    "probabilistic_node_scores": "recbayes.tree.metrics",
    "quick_node_probability": "recbayes.posterior.quick",
    "reestimate": "recbayes.learn.em",
    "robinson_foulds": "recbayes.tree.metrics",
    "sample_posterior": "recbayes.posterior.draws",
    "smooth": "recbayes.posterior.given_tree",
    "smoothed_states": "recbayes.chart.states",
}

__all__ = [
    "ApproximationWarning",
    "Branch",
    "Chart",
    "Comparison",
    "Component",
    "DataError",
    "DiscreteChart",
    "DiscreteRBN",
    "DiscreteVariable",
    "Emit",
    "ExactlyOne",
    "FileError",
    "Fit",
    "GaussianRBN",
    "HMM",
    "HierarchicalSegmenter",
    "LengthError",
    "LengthTable",
    "LinearDynamicalSystem",
    "LinearGaussianRBN",
    "Link",
    "Message",
    "ModelError",
    "Node",
    "Observe",
    "OnePlusPoisson",
    "Outside",
    "PCFG",
    "Parameters",
    "Posterior",
    "Prior",
    "Rule",
    "Scores",
    "Series",
    "Split",
    "SwitchingLinearDynamicalSystem",
    "Terminal",
    "TerminalVariable",
    "Transition",
    "Tree",
    "Variable",
    "best_states",
    "best_tree",
    "boundary_scores",
    "compare",
    "expected_counts",
    "filtered_states",
    "fit",
    "inside",
    "known_spans",
    "load",
    "log_evidence_and_gradient",
    "log_joint",
    "log_prefix_probability",
    "node_scores",
    "outside",
    "plot",
    "probabilistic_node_scores",
    "quick_node_probability",
    "reestimate",
    "robinson_foulds",
    "sample_posterior",
    "smooth",
    "smoothed_states",
]


def __getattr__(name: str) -> Any:
    if name == "plot":
        return import_module("recbayes.plot")
    if name not in _HOMES:
        raise AttributeError(f"recbayes has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*_HOMES, "plot", "__version__"])
