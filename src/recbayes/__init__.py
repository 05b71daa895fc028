"""Recursive Bayesian networks: latent trees over sequences, with honest probabilities.

Names are loaded when they are first used, so that importing the package stays fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recbayes import plot
    from recbayes.chains.hmm import HMM
    from recbayes.chains.linear import LinearDynamicalSystem, SwitchingLinearDynamicalSystem
    from recbayes.checks.series import Series
    from recbayes.discrete.chart.chart import DiscreteChart
    from recbayes.discrete.model.grammar_text import Rule, Terminal
    from recbayes.discrete.model.pcfg import PCFG
    from recbayes.discrete.model.rbn import DiscreteRBN
    from recbayes.discrete.model.variables import DiscreteVariable, TerminalVariable, Transition
    from recbayes.errors import ApproximationWarning, DataError, FileError, LengthError, ModelError
    from recbayes.family.chain import Chain
    from recbayes.family.objectives import ExpectedF1, MostProbable, Threshold
    from recbayes.family.posterior import Posterior
    from recbayes.gaussian.chart.inside import Chart, Message
    from recbayes.gaussian.chart.outside import Outside
    from recbayes.gaussian.emissions.emit import Emit
    from recbayes.gaussian.model.linear import Branch, LinearGaussianRBN, Observe
    from recbayes.gaussian.model.parts import Component, Link, Prior, Split, Variable
    from recbayes.gaussian.model.rbn import GaussianRBN
    from recbayes.inference.charts import best_tree, outside, quick_node_probability
    from recbayes.inference.draws import sample_posterior
    from recbayes.inference.given_tree import log_joint, smooth
    from recbayes.inference.inside import inside
    from recbayes.inference.load import load
    from recbayes.inference.prefix import log_prefix_probability
    from recbayes.inference.states import best_states, filtered_states, smoothed_states
    from recbayes.learn.climb import Adam, QuasiNewton
    from recbayes.learn.compare import Comparison, compare
    from recbayes.learn.fit import fit
    from recbayes.learn.gradient import log_evidence_and_gradient
    from recbayes.learn.penalty import Penalty
    from recbayes.learn.record import Fit
    from recbayes.learn.reestimate import expected_counts, reestimate
    from recbayes.learn.segmenter import HierarchicalSegmenter
    from recbayes.learn.settings import Work
    from recbayes.lengths import ExactlyOne, LengthTable, OnePlusNegativeBinomial, OnePlusPoisson
    from recbayes.parameters.parameters import Parameters
    from recbayes.tree.known import known_spans
    from recbayes.tree.metrics import Scores, boundary_scores, node_scores, probabilistic_node_scores, robinson_foulds
    from recbayes.tree.tree import Node, Tree

__version__ = "0.1.0"

_HOMES = {
    "Adam": "recbayes.learn.climb",
    "ApproximationWarning": "recbayes.errors",
    "Branch": "recbayes.gaussian.model.linear",
    "Chain": "recbayes.family.chain",
    "Chart": "recbayes.gaussian.chart.inside",
    "Comparison": "recbayes.learn.compare",
    "Component": "recbayes.gaussian.model.parts",
    "DataError": "recbayes.errors",
    "DiscreteChart": "recbayes.discrete.chart.chart",
    "DiscreteRBN": "recbayes.discrete.model.rbn",
    "DiscreteVariable": "recbayes.discrete.model.variables",
    "Emit": "recbayes.gaussian.emissions.emit",
    "ExactlyOne": "recbayes.lengths",
    "ExpectedF1": "recbayes.family.objectives",
    "FileError": "recbayes.errors",
    "Fit": "recbayes.learn.record",
    "GaussianRBN": "recbayes.gaussian.model.rbn",
    "HMM": "recbayes.chains.hmm",
    "HierarchicalSegmenter": "recbayes.learn.segmenter",
    "LengthError": "recbayes.errors",
    "LengthTable": "recbayes.lengths",
    "LinearDynamicalSystem": "recbayes.chains.linear",
    "LinearGaussianRBN": "recbayes.gaussian.model.linear",
    "Link": "recbayes.gaussian.model.parts",
    "Message": "recbayes.gaussian.chart.inside",
    "ModelError": "recbayes.errors",
    "MostProbable": "recbayes.family.objectives",
    "Node": "recbayes.tree.tree",
    "Observe": "recbayes.gaussian.model.linear",
    "OnePlusNegativeBinomial": "recbayes.lengths",
    "OnePlusPoisson": "recbayes.lengths",
    "Outside": "recbayes.gaussian.chart.outside",
    "PCFG": "recbayes.discrete.model.pcfg",
    "Parameters": "recbayes.parameters.parameters",
    "Penalty": "recbayes.learn.penalty",
    "Posterior": "recbayes.family.posterior",
    "Prior": "recbayes.gaussian.model.parts",
    "QuasiNewton": "recbayes.learn.climb",
    "Rule": "recbayes.discrete.model.grammar_text",
    "Scores": "recbayes.tree.metrics",
    "Series": "recbayes.checks.series",
    "Split": "recbayes.gaussian.model.parts",
    "SwitchingLinearDynamicalSystem": "recbayes.chains.linear",
    "Terminal": "recbayes.discrete.model.grammar_text",
    "TerminalVariable": "recbayes.discrete.model.variables",
    "Threshold": "recbayes.family.objectives",
    "Transition": "recbayes.discrete.model.variables",
    "Tree": "recbayes.tree.tree",
    "Variable": "recbayes.gaussian.model.parts",
    "Work": "recbayes.learn.settings",
    "best_states": "recbayes.inference.states",
    "best_tree": "recbayes.inference.charts",
    "boundary_scores": "recbayes.tree.metrics",
    "compare": "recbayes.learn.compare",
    "expected_counts": "recbayes.learn.reestimate",
    "filtered_states": "recbayes.inference.states",
    "fit": "recbayes.learn.fit",
    "inside": "recbayes.inference.inside",
    "known_spans": "recbayes.tree.known",
    "load": "recbayes.inference.load",
    "log_evidence_and_gradient": "recbayes.learn.gradient",
    "log_joint": "recbayes.inference.given_tree",
    "log_prefix_probability": "recbayes.inference.prefix",
    "node_scores": "recbayes.tree.metrics",
    "outside": "recbayes.inference.charts",
    "probabilistic_node_scores": "recbayes.tree.metrics",
    "quick_node_probability": "recbayes.inference.charts",
    "reestimate": "recbayes.learn.reestimate",
    "robinson_foulds": "recbayes.tree.metrics",
    "sample_posterior": "recbayes.inference.draws",
    "smooth": "recbayes.inference.given_tree",
    "smoothed_states": "recbayes.inference.states",
}

__all__ = [
    "Adam",
    "ApproximationWarning",
    "Branch",
    "Chain",
    "Chart",
    "Comparison",
    "Component",
    "DataError",
    "DiscreteChart",
    "DiscreteRBN",
    "DiscreteVariable",
    "Emit",
    "ExactlyOne",
    "ExpectedF1",
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
    "MostProbable",
    "Node",
    "Observe",
    "OnePlusNegativeBinomial",
    "OnePlusPoisson",
    "Outside",
    "PCFG",
    "Parameters",
    "Penalty",
    "Posterior",
    "Prior",
    "QuasiNewton",
    "Rule",
    "Scores",
    "Series",
    "Split",
    "SwitchingLinearDynamicalSystem",
    "Terminal",
    "TerminalVariable",
    "Threshold",
    "Transition",
    "Tree",
    "Variable",
    "Work",
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
