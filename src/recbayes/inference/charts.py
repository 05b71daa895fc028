"""`rb.outside`, `rb.best_tree` and `rb.quick_node_probability`: what follows from a filled chart."""

import warnings
from typing import Any, Protocol, TypeVar

import numpy as np

from recbayes.errors import ApproximationWarning
from recbayes.family.family import Charted, family_of_chart
from recbayes.tree.tree import Tree


class NodeProbabilities(Protocol):
    """(N + 1, N + 1): the probability that a node spans from the row's to the column's position; and what else there is."""

    @property
    def node_probability(self) -> np.ndarray: ...


OutsideT = TypeVar("OutsideT")


def outside(chart: Charted[OutsideT]) -> OutsideT:
    """The outside pass over a filled chart, with `node_probability` (N + 1, N + 1).

    For a Gaussian model it is the paper's, one Gaussian per message, and warns where node marginals are no probabilities.
    For a discrete model it is exact.

    Arguments:
        chart: what `rb.inside` has returned.
    """
    return _aloud(family_of_chart(chart).outside(chart))


def best_tree(chart: Charted[Any]) -> Tree:
    """The paper's tree estimate: of a Gaussian model the tree of locally best choices, of a discrete one the most probable.

    Ties go to the emission, then to the smallest split point, then to the first rule.

    Arguments:
        chart: what `rb.inside` has returned.
    """
    return family_of_chart(chart).best_tree(chart)


def quick_node_probability(chart: Charted[Any]) -> NodeProbabilities:
    """An approximation of all node probabilities in one pass: derivatives of the log evidence.

    If the message of a span is multiplied by c, trees with a node there become c times as probable, so the derivative of the
    log evidence with respect to log c is the node's probability. Here it is the derivative of the moment-matched evidence,
    which need not lie between 0 and 1; what sticks out is clipped and reported. `rb.sample_posterior` has no such flaw. The
    result has them as `node_probability` (N + 1, N + 1).

    Arguments:
        chart: what `rb.inside` has returned.
    """
    return _aloud(family_of_chart(chart).quick_node_probability(chart))


def _aloud(found: Any) -> Any:
    """What was found, with its complaint as a warning to the verb's caller."""
    complaint = getattr(found, "complaint", "")
    if complaint:
        warnings.warn(complaint, ApproximationWarning, stacklevel=3)
    return found
