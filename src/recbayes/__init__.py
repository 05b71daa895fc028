"""Recursive Bayesian networks: latent trees over sequences, with honest probabilities.

Names are loaded when they are first used, so that importing the package stays fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recbayes.chart.best import best_tree
    from recbayes.chart.inside import Chart, Message, inside
    from recbayes.chart.outside import Outside, outside
    from recbayes.errors import ApproximationWarning, DataError, FileError, LengthError, ModelError
    from recbayes.learn.gradient import log_evidence_and_gradient
    from recbayes.learn.parameters import Parameters
    from recbayes.model.gaussian import Component, Emit, GaussianRBN, Link, Prior, Split, Variable
    from recbayes.model.lengths import ExactlyOne, LengthTable, OnePlusPoisson
    from recbayes.model.series import Series
    from recbayes.model.storage import load
    from recbayes.posterior.draws import sample_posterior
    from recbayes.posterior.given_tree import log_joint, smooth
    from recbayes.posterior.posterior import Posterior
    from recbayes.posterior.quick import quick_node_probability
    from recbayes.tree.metrics import Scores, boundary_scores, node_scores, probabilistic_node_scores, robinson_foulds
    from recbayes.tree.tree import Node, Tree

__version__ = "0.1.0"

_HOMES = {
    "ApproximationWarning": "recbayes.errors",
    "Chart": "recbayes.chart.inside",
    "Component": "recbayes.model.gaussian",
    "DataError": "recbayes.errors",
    "Emit": "recbayes.model.gaussian",
    "ExactlyOne": "recbayes.model.lengths",
    "FileError": "recbayes.errors",
    "GaussianRBN": "recbayes.model.gaussian",
    "LengthError": "recbayes.errors",
    "LengthTable": "recbayes.model.lengths",
    "Link": "recbayes.model.gaussian",
    "Message": "recbayes.chart.inside",
    "ModelError": "recbayes.errors",
    "Node": "recbayes.tree.tree",
    "OnePlusPoisson": "recbayes.model.lengths",
    "Outside": "recbayes.chart.outside",
    "Parameters": "recbayes.learn.parameters",
    "Posterior": "recbayes.posterior.posterior",
    "Prior": "recbayes.model.gaussian",
    "Scores": "recbayes.tree.metrics",
    "Series": "recbayes.model.series",
    "Split": "recbayes.model.gaussian",
    "Tree": "recbayes.tree.tree",
    "Variable": "recbayes.model.gaussian",
    "best_tree": "recbayes.chart.best",
    "boundary_scores": "recbayes.tree.metrics",
    "inside": "recbayes.chart.inside",
    "load": "recbayes.model.storage",
    "log_evidence_and_gradient": "recbayes.learn.gradient",
    "log_joint": "recbayes.posterior.given_tree",
    "node_scores": "recbayes.tree.metrics",
    "outside": "recbayes.chart.outside",
    "probabilistic_node_scores": "recbayes.tree.metrics",
    "quick_node_probability": "recbayes.posterior.quick",
    "robinson_foulds": "recbayes.tree.metrics",
    "sample_posterior": "recbayes.posterior.draws",
    "smooth": "recbayes.posterior.given_tree",
}

__all__ = [
    "ApproximationWarning",
    "Chart",
    "Component",
    "DataError",
    "Emit",
    "ExactlyOne",
    "FileError",
    "GaussianRBN",
    "LengthError",
    "LengthTable",
    "Link",
    "Message",
    "ModelError",
    "Node",
    "OnePlusPoisson",
    "Outside",
    "Parameters",
    "Posterior",
    "Prior",
    "Scores",
    "Series",
    "Split",
    "Tree",
    "Variable",
    "best_tree",
    "boundary_scores",
    "inside",
    "load",
    "log_evidence_and_gradient",
    "log_joint",
    "node_scores",
    "outside",
    "probabilistic_node_scores",
    "quick_node_probability",
    "robinson_foulds",
    "sample_posterior",
    "smooth",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"recbayes has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*_HOMES, "__version__"])
