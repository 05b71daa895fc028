"""Exact answers about short series, by enumeration of all derivations: the oracle of the draws."""

from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

import recbayes as rb
from recbayes.gaussian.model.naming import rule_name
from recbayes.reference.enumeration import Derivation, all_derivations, log_density


@dataclass(frozen=True)
class Exact:
    """All trees with their log joint probabilities, the evidence, and the node probabilities."""

    trees: list[rb.Tree]
    log_joints: np.ndarray
    log_evidence: float
    node_probability: np.ndarray


def as_tree(model: rb.GaussianRBN, derivation: Derivation) -> rb.Tree:
    variables = {variable.name: variable for variable in model.variables}
    nodes, arities, waiting = [], [], [derivation]
    while waiting:
        one = waiting.pop()
        variable = variables[one.variable]
        position = next(n for n, rule in enumerate(variable.rules) if rule is one.rule)
        nodes.append(rb.Node(one.start, one.end, one.variable, rule_name(variable, position, one.shift)))
        arities.append(len(one.children))
        waiting += reversed(one.children)
    return rb.Tree(nodes, arities)


def enumerate_all(model: rb.GaussianRBN, y: np.ndarray, most: int = 20_000) -> Exact | None:
    """Everything about a short series; None if the model cannot generate it, or has too many trees."""
    found = []
    for derivation in all_derivations(model, len(y)):
        found.append(derivation)
        if len(found) > most:
            return None
    if not found:
        return None
    trees = [as_tree(model, one) for one in found]
    log_joints = np.array([one.log_probability + log_density(model, one, y) for one in found])
    log_evidence = float(logsumexp(log_joints))
    probability = np.zeros((len(y) + 1, len(y) + 1))
    for tree, share in zip(trees, np.exp(log_joints - log_evidence), strict=True):
        for span in tree.spans:
            probability[span] += share
    return Exact(trees, log_joints, log_evidence, np.minimum(probability, 1.0))
