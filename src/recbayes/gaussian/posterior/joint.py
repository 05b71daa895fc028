"""log p(Y, Z) of a given tree: exact where leaves have Gaussian likelihoods, and estimated closely elsewhere."""

import numpy as np
from scipy.special import logsumexp

from recbayes.checks.series import Series
from recbayes.gaussian.chart.inside import inside_one
from recbayes.gaussian.emissions.emission import Emission
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.gaussian.posterior.careful import checked_log_joint
from recbayes.gaussian.posterior.corrections import corrections
from recbayes.gaussian.posterior.follow import log_joints_by_prior
from recbayes.gaussian.posterior.forest import gaussian_forest
from recbayes.gaussian.posterior.given_tree import check_cover, encode
from recbayes.spans.constraints import Constraints
from recbayes.tree.tree import Tree

COPIES = 1000  # of the tree, with members, outliers and values drawn, always the same


def log_joint(model: GaussianRBN, series: Series, tree: Tree) -> float:
    """The log probability of a series and a tree. Where leaves have outliers or columns with members of their own, it is the
    mean over draws of these, usually known to a hundredth."""
    rules = [rule for variable in model.variables for rule in variable.rules]
    if all(rule.is_gaussian for rule in rules if isinstance(rule, Emission)):
        return checked_log_joint(model, series, tree)
    check_cover(series, tree)
    numbers, variables, edges = encode(model, tree)
    chart = inside_one(model, series, Constraints(boundaries=np.array(edges[1:-1], dtype=np.int64)))
    places = np.array([[np.searchsorted(edges, node.start), np.searchsorted(edges, node.end)] for node in tree.nodes])
    columns = np.stack([variables, places[:, 0], places[:, 1], numbers]).astype(np.int32)
    forest = gaussian_forest(model, chart.plan.positions, columns, np.array([0, len(tree)]))
    joints = log_joints_by_prior(chart, forest)[0]
    copies = forest.select(np.zeros(COPIES, dtype=np.int64))
    parts = []
    for component in np.flatnonzero(np.isfinite(joints)):
        found = corrections(chart, copies, np.full(COPIES, component), 0).log_means
        parts.append(joints[component] + logsumexp(found) - np.log(COPIES))
    return float(logsumexp(parts)) if parts else -np.inf
