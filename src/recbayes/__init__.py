"""Recursive Bayesian networks: latent trees over sequences, with honest probabilities.

Names are loaded when they are first used, so that importing the package stays fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recbayes.chart.best import best_tree
    from recbayes.chart.inside import Chart, Message, inside
    from recbayes.chart.outside import Outside, outside
    from recbayes.learn.gradient import log_evidence_and_gradient
    from recbayes.learn.parameters import Parameters
    from recbayes.model.gaussian import Component, Emit, GaussianRBN, Link, Prior, Split, Variable
    from recbayes.model.lengths import ExactlyOne, LengthTable, OnePlusPoisson
    from recbayes.model.series import Series
    from recbayes.model.storage import load
    from recbayes.tree.tree import Node, Tree

__version__ = "0.1.0"

_HOMES = {
    "Chart": "recbayes.chart.inside",
    "Component": "recbayes.model.gaussian",
    "Emit": "recbayes.model.gaussian",
    "ExactlyOne": "recbayes.model.lengths",
    "GaussianRBN": "recbayes.model.gaussian",
    "LengthTable": "recbayes.model.lengths",
    "Link": "recbayes.model.gaussian",
    "Message": "recbayes.chart.inside",
    "Node": "recbayes.tree.tree",
    "OnePlusPoisson": "recbayes.model.lengths",
    "Parameters": "recbayes.learn.parameters",
    "log_evidence_and_gradient": "recbayes.learn.gradient",
    "Outside": "recbayes.chart.outside",
    "best_tree": "recbayes.chart.best",
    "outside": "recbayes.chart.outside",
    "Prior": "recbayes.model.gaussian",
    "Series": "recbayes.model.series",
    "Split": "recbayes.model.gaussian",
    "Tree": "recbayes.tree.tree",
    "Variable": "recbayes.model.gaussian",
    "inside": "recbayes.chart.inside",
    "load": "recbayes.model.storage",
}

__all__ = [
    "Chart",
    "Component",
    "Emit",
    "ExactlyOne",
    "GaussianRBN",
    "LengthTable",
    "Link",
    "Message",
    "Node",
    "OnePlusPoisson",
    "Parameters",
    "log_evidence_and_gradient",
    "Outside",
    "best_tree",
    "outside",
    "Prior",
    "Series",
    "Split",
    "Tree",
    "Variable",
    "inside",
    "load",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"recbayes has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*_HOMES, "__version__"])
