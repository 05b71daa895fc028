"""Recursive Bayesian networks: latent trees over sequences, with honest probabilities.

Names are loaded when they are first used, so that importing the package stays fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recbayes import plot
    from recbayes.chains.models import HMM, LinearDynamicalSystem, SwitchingLinearDynamicalSystem
    from recbayes.chains.states import best_states, filtered_states, smoothed_states
    from recbayes.checks.series import Series
    from recbayes.discrete.chart.chart import DiscreteChart
    from recbayes.discrete.chart.prefix import log_prefix_probability
    from recbayes.discrete.learn.em import expected_counts, reestimate
    from recbayes.discrete.model.grammar_text import Rule, Terminal
    from recbayes.discrete.model.pcfg import PCFG
    from recbayes.discrete.model.rbn import DiscreteRBN
    from recbayes.discrete.model.variables import DiscreteVariable, TerminalVariable, Transition
    from recbayes.errors import ApproximationWarning, DataError, FileError, LengthError, ModelError
    from recbayes.family.posterior import Posterior
    from recbayes.gaussian.chart.best import best_tree
    from recbayes.gaussian.chart.inside import Chart, Message, inside
    from recbayes.gaussian.chart.outside import Outside, outside
    from recbayes.gaussian.learn.parameters import Parameters
    from recbayes.gaussian.model.linear import Branch, LinearGaussianRBN, Observe
    from recbayes.gaussian.model.rbn import Component, Emit, GaussianRBN, Link, Prior, Split, Variable
    from recbayes.gaussian.posterior.draws import sample_posterior
    from recbayes.gaussian.posterior.given_tree import log_joint, smooth
    from recbayes.gaussian.posterior.quick import quick_node_probability
    from recbayes.inference.storage import load
    from recbayes.learn.compare import Comparison, compare
    from recbayes.learn.fit import fit
    from recbayes.learn.gradient import log_evidence_and_gradient
    from recbayes.learn.record import Fit
    from recbayes.learn.segmenter import HierarchicalSegmenter
    from recbayes.lengths.lengths import ExactlyOne, LengthTable, OnePlusPoisson
    from recbayes.tree.known import known_spans
    from recbayes.tree.metrics import Scores, boundary_scores, node_scores, probabilistic_node_scores, robinson_foulds
    from recbayes.tree.tree import Node, Tree

__version__ = "0.1.0"

_HOMES = {
    "ApproximationWarning": "recbayes.errors",
    "Branch": "recbayes.gaussian.model.linear",
    "Chart": "recbayes.gaussian.chart.inside",
    "Comparison": "recbayes.learn.compare",
    "Component": "recbayes.gaussian.model.rbn",
    "DataError": "recbayes.errors",
    "DiscreteChart": "recbayes.discrete.chart.chart",
    "DiscreteRBN": "recbayes.discrete.model.rbn",
    "DiscreteVariable": "recbayes.discrete.model.variables",
    "Emit": "recbayes.gaussian.model.rbn",
    "ExactlyOne": "recbayes.lengths.lengths",
    "FileError": "recbayes.errors",
    "Fit": "recbayes.learn.record",
    "GaussianRBN": "recbayes.gaussian.model.rbn",
    "HMM": "recbayes.chains.models",
    "HierarchicalSegmenter": "recbayes.learn.segmenter",
    "LengthError": "recbayes.errors",
    "LengthTable": "recbayes.lengths.lengths",
    "LinearDynamicalSystem": "recbayes.chains.models",
    "LinearGaussianRBN": "recbayes.gaussian.model.linear",
    "Link": "recbayes.gaussian.model.rbn",
    "Message": "recbayes.gaussian.chart.inside",
    "ModelError": "recbayes.errors",
    "Node": "recbayes.tree.tree",
    "Observe": "recbayes.gaussian.model.linear",
    "OnePlusPoisson": "recbayes.lengths.lengths",
    "Outside": "recbayes.gaussian.chart.outside",
    "PCFG": "recbayes.discrete.model.pcfg",
    "Parameters": "recbayes.gaussian.learn.parameters",
    "Posterior": "recbayes.family.posterior",
    "Prior": "recbayes.gaussian.model.rbn",
    "Rule": "recbayes.discrete.model.grammar_text",
    "Scores": "recbayes.tree.metrics",
    "Series": "recbayes.checks.series",
    "Split": "recbayes.gaussian.model.rbn",
    "SwitchingLinearDynamicalSystem": "recbayes.chains.models",
    "Terminal": "recbayes.discrete.model.grammar_text",
    "TerminalVariable": "recbayes.discrete.model.variables",
    "Transition": "recbayes.discrete.model.variables",
    "Tree": "recbayes.tree.tree",
    "Variable": "recbayes.gaussian.model.rbn",
    "best_states": "recbayes.chains.states",
    "best_tree": "recbayes.gaussian.chart.best",
    "boundary_scores": "recbayes.tree.metrics",
    "compare": "recbayes.learn.compare",
    "expected_counts": "recbayes.discrete.learn.em",
    "filtered_states": "recbayes.chains.states",
    "fit": "recbayes.learn.fit",
    "inside": "recbayes.gaussian.chart.inside",
    "known_spans": "recbayes.tree.known",
    "load": "recbayes.inference.storage",
    "log_evidence_and_gradient": "recbayes.learn.gradient",
    "log_joint": "recbayes.gaussian.posterior.given_tree",
    "log_prefix_probability": "recbayes.discrete.chart.prefix",
    "node_scores": "recbayes.tree.metrics",
    "outside": "recbayes.gaussian.chart.outside",
    "probabilistic_node_scores": "recbayes.tree.metrics",
    "quick_node_probability": "recbayes.gaussian.posterior.quick",
    "reestimate": "recbayes.discrete.learn.em",
    "robinson_foulds": "recbayes.tree.metrics",
    "sample_posterior": "recbayes.gaussian.posterior.draws",
    "smooth": "recbayes.gaussian.posterior.given_tree",
    "smoothed_states": "recbayes.chains.states",
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
