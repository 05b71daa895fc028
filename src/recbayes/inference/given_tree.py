"""`rb.log_joint` and `rb.smooth`: what follows from a tree that is given."""

from typing import Any

from recbayes.checks.arguments import instance
from recbayes.family.family import Model
from recbayes.inference.reading import OneSequence, read_one
from recbayes.tree.tree import Tree

ABOUT = "a tree is over"


def log_joint(model: Model[Any, Any, Any], series: OneSequence, tree: Tree) -> float:
    """log p(Y, Z): the exact log probability of the data and a tree, all continuous variables integrated out.

    Where a `Leaf` has outliers, or columns with members of their own, it is estimated, usually to a hundredth, from draws
    that are always the same.

    Arguments:
        model: a model of any family but `RBN`.
        series: one series, as for `rb.inside`.
        tree: a tree over it. Its nodes must say which rule they use (as sampled and inferred trees do) wherever the model
            leaves a choice; for a discrete model their labels and the tokens say so. For a bare bracketing, sum over the
            rules with `sample_posterior(model, series, allowed=tree.span_mask())`.
    """
    sequence = read_one(model, series, ABOUT)
    return model.family.log_joint(model, sequence, instance(tree, Tree, "tree"))


def smooth(model: Model[Any, Any, Any], series: OneSequence, tree: Tree) -> Tree:
    """The tree with the posterior mean and covariance of each node's value, given all data and this tree.

    That is exact, but for leaves with outliers or columns with members of their own, which count with their nearest Gaussian
    potentials.

    Arguments:
        model: a Gaussian model.
        series: one series, as for `rb.inside`.
        tree: a tree over it, whose nodes say which rule they use, as for `rb.log_joint`.
    """
    sequence = read_one(model, series, ABOUT)
    return model.family.smooth(model, sequence, instance(tree, Tree, "tree"))
