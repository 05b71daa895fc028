"""How the values of nodes are distributed in large trees: deep down, many links spread what the prior gives the root."""

import numpy as np

from recbayes.gaussian.candidates.large_trees import LargeTrees
from recbayes.gaussian.chart.references import first_marginals
from recbayes.gaussian.model.links import shifted
from recbayes.gaussian.model.moments import Weighted, matched_moments, moments_of_roots
from recbayes.gaussian.model.parts import Link, Split
from recbayes.gaussian.model.rbn import GaussianRBN

DEEPEST = 40  # generations that are looked at
WIDE = 1e4  # times the prior's variance, beyond which values no longer spread

Moments = tuple[np.ndarray, np.ndarray]


def moments_in_large_trees(model: GaussianRBN, trees: LargeTrees, leaves: float) -> list[Moments]:
    """Mean and covariance of every variable, over all generations alike that a tree with so many leaves has: a random large
    tree has a depth of about sqrt(pi leaves)."""
    names = [variable.name for variable in model.variables]
    first = first_marginals(model)
    widest = WIDE * max(float(np.trace(covariance)) for _, covariance in first)
    now = {names.index(name): moments for name, moments in moments_of_roots(model.prior).items()}
    seen: list[list[Weighted]] = [[] for _ in names]
    for _ in range(1 + min(DEEPEST, int(np.sqrt(np.pi * leaves)))):
        total = sum(weight for weight, *_ in now.values())
        if not total > 0.0 or max(float(np.trace(covariance)) for *_, covariance in now.values()) > widest:
            break
        for v, (weight, mean, covariance) in now.items():
            seen[v].append((weight / total, mean, covariance))
        now = _next(model, trees, now, names)
    found = []
    for v, parts in enumerate(seen):
        share = sum(weight for weight, *_ in parts)
        found.append(matched_moments([(w / share, m, S) for w, m, S in parts]) if share > 0.0 else first[v])
    return found


def _next(model: GaussianRBN, trees: LargeTrees, now: dict[int, Weighted], names: list[str]) -> dict[int, Weighted]:
    """The children of a generation."""
    parts: dict[int, list[Weighted]] = {}
    for v, (weight, mean, covariance) in now.items():
        for rule, probability in zip(model.variables[v].rules, trees.rules[v], strict=True):
            if not isinstance(rule, Split) or probability == 0.0:
                continue
            for shift, share in rule.shifts.items():
                for name, link, steps in ((rule.left, rule.left_link, shift[0]), (rule.right, rule.right_link, shift[1])):
                    if share > 0.0:
                        moved = through(shifted(link, steps), mean, covariance)
                        parts.setdefault(names.index(name), []).append((weight * probability * share, *moved))
    found = {}
    for v, some in parts.items():
        total = sum(weight for weight, *_ in some)
        found[v] = (total, *matched_moments([(w / total, m, S) for w, m, S in some]))
    return found


def through(link: Link, mean: np.ndarray, covariance: np.ndarray) -> Moments:
    """The moments of what a value leads to through a link."""
    if link.map is not None:
        mean, covariance = link.map @ mean, link.map @ covariance @ link.map.T
    return mean if link.offset is None else mean + link.offset, covariance + link.covariance
