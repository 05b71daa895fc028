"""Leaves by the definition: all observations of a tree are one Gaussian vector, whose mean and covariance are written down.

An oracle for small series: nothing is recursive, nothing is shared with the library but the fields of a model. Outliers are
enumerated, and so are the members of columns that have their own. Times are whole numbers, with a unit of one; noise
remembers as if observations of one time were one tick apart.
"""

from itertools import product

import numpy as np
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

import recbayes as rb
from recbayes.checks.series import Series


def bare_trees(start: int, end: int) -> list[list[tuple[int, int, int]]]:
    """All binary trees over a span, as (start, end, split) in preorder; the split of a leaf is 0."""
    found = [[(start, end, 0)]]
    for split in range(start + 1, end):
        for left in bare_trees(start, split):
            found += [[(start, end, split), *left, *right] for right in bare_trees(split, end)]
    return found


def trees(model: rb.GaussianRBN, length: int) -> list[rb.Tree]:
    """All trees of a model of one variable with one Split and one Leaf, members included."""
    (variable,) = model.variables
    leaf = variable.rules[1]
    names = [f"emit {member.name}".strip() for member in leaf.members]
    found = []
    for bare in bare_trees(0, length):
        leaves = [n for n, (*_, split) in enumerate(bare) if not split]
        if any(leaf.length.log_probability(np.array([bare[n][1] - bare[n][0]]))[0] == -np.inf for n in leaves):
            continue
        for chosen in product(names, repeat=len(leaves)):
            rules = dict(zip(leaves, chosen, strict=True))
            nodes = [rb.Node(i, k, variable.name, rules.get(n, "split")) for n, (i, k, _) in enumerate(bare)]
            found.append(rb.Tree(nodes, [0 if n in rules else 2 for n in range(len(bare))]))
    return found


def log_joint(model: rb.GaussianRBN, series: Series, tree: rb.Tree) -> float:
    """log p(Y, Z) of a tree."""
    (variable,) = model.variables
    split, leaf = variable.rules
    ticks = ticks_of(series)
    by_name = {f"emit {member.name}".strip(): member for member in leaf.members}
    (component,) = model.prior.components
    total, owners, chosen = 0.0, [], []
    covariances = {0: component.covariance}  # of every node's value with the values of leaves: by the path they share
    paths: list[tuple[int, ...]] = []
    waiting: list[tuple[int, ...]] = [(0,)]
    for n, (node, arity) in enumerate(zip(tree.nodes, tree.arities, strict=True)):
        path = waiting.pop()
        if arity:
            total += np.log(split.probability)
            for child, link in ((2 * n + 1, split.left_link), (2 * n + 2, split.right_link)):
                covariances[child] = link.covariance
            waiting += [(*path, 2 * n + 2), (*path, 2 * n + 1)]
            continue
        member = by_name[node.rule]
        total += np.log(leaf.probability * member.weight)
        total += leaf.length.log_probability(np.array([ticks[node.end] - ticks[node.start]]))[0]
        owners += [len(paths)] * node.length
        paths.append(path)
        chosen.append((node, member.emission))
    shared = [[sum(covariances[step] for step in path if step in other) for other in paths] for path in paths]
    y = series.values
    densities = []
    for outliers in product(*[(False, True) if leaf.outlier_probability and s else (False,) for s in ~np.isnan(y.ravel())]):
        given = np.reshape(outliers, y.shape)
        log_density = np.log(leaf.outlier_probability) * given.sum() if given.any() else 0.0
        log_density += np.log1p(-leaf.outlier_probability) * (~given & ~np.isnan(y)).sum()
        for d in range(y.shape[1]):  # links are diagonal: columns are independent
            alternatives = []
            for members in product(*[one.bank if one.each_column else [(None, 1.0, one)] for _, one in chosen]):
                S = np.array([[shared[a][b][d, d] for b in owners] for a in owners])
                for (node, _), (_, _, one) in zip(chosen, members, strict=True):
                    here = slice(node.start, node.end)
                    S[here, here] += _own(one, series, d, node.start, node.end, given[here, d])
                seen = ~np.isnan(y[:, d])
                weight = sum(np.log(member[1]) for member in members)
                if seen.any():
                    mean = np.full(seen.sum(), component.mean[d])
                    weight += multivariate_normal.logpdf(y[seen, d], mean, S[np.ix_(seen, seen)])
                alternatives.append(weight)
            log_density += logsumexp(alternatives)
        densities.append(log_density)
    return total + float(logsumexp(densities))


def ticks_of(series: Series) -> np.ndarray:
    """When observations are, and the last one ends."""
    if series.times is None:
        return np.arange(len(series) + 1)
    return np.append(series.times, series.times[-1] + 1).astype(np.int64)


def _memory(series: Series, d: int, start: int, end: int, outliers: np.ndarray) -> np.ndarray:
    """How long noise has lasted at each observation of a leaf, in ticks, of which there is at least one between any two that
    are seen."""
    found, ticks, last = np.zeros(end - start, dtype=np.int64), ticks_of(series), -1
    for n, t in enumerate(range(start, end)):
        if last < 0:
            found[n] = ticks[t] - ticks[start]
        else:
            found[n] = found[last] + max(ticks[t] - ticks[start + last], 1)
        if not outliers[n] and not np.isnan(series.values[t, d]):
            last = n
    return found


def _own(leaf: rb.Leaf, series: Series, d: int, start: int, end: int, outliers: np.ndarray) -> np.ndarray:
    """The covariance of a leaf's observations about its value."""
    s, phi = leaf.noise_std[d] * leaf.noise_levels[0], leaf.coefficients[0]
    stationary = first = s**2 / (1 - phi**2)
    if leaf.start_std is not None and phi:
        first = min(first, max(leaf.start_std[d], s) ** 2)
    clock = _memory(series, d, start, end, outliers)
    variance = stationary + phi ** (2.0 * clock) * (first - stationary)
    S = np.array(
        [[phi ** abs(float(a - b)) * variance[min(m, n)] for n, b in enumerate(clock)] for m, a in enumerate(clock)]
    )
    for t in np.flatnonzero(outliers):
        S[t], S[:, t] = 0.0, 0.0
        S[t, t] = leaf.outlier_std[d] ** 2
    ticks = ticks_of(series)
    t, lasting = ticks[start:end], ticks[end] - ticks[start]
    if leaf.trend_std is not None:
        line = (t - ticks[start] - 0.5 * (lasting - 1)) / lasting * leaf.trend_std[d]
        S += np.outer(line, line)
    for period in leaf.periods:
        for h in range(1, 1 + max(1, min(leaf.harmonics, int(np.ceil(period / 2)) - 1))):
            for wave in (np.cos, np.sin):
                one = wave(2 * np.pi * h * t / period) * leaf.season_std[d]
                S += np.outer(one, one)
    if leaf.regressor_std is not None:
        for r, deviations in enumerate(leaf.regressor_std):
            one = series.regressors[start:end, r] * deviations[d]
            S += np.outer(one, one)
    return S
