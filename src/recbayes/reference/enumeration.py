"""Exact answers by enumerating all trees: for very short series only, as the last word on what is right."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from recbayes.checks.series import Series, as_series
from recbayes.gaussian.emissions.emission import Emission
from recbayes.gaussian.emissions.emit import Emit
from recbayes.gaussian.model.parts import Split
from recbayes.gaussian.model.rbn import GaussianRBN


@dataclass(frozen=True)
class Derivation:
    """A node of one tree: its variable, span, rule, shifts and children."""

    variable: str
    start: int
    end: int
    rule: Split | Emission
    shift: tuple[int, int] = (0, 0)
    children: tuple["Derivation", ...] = ()
    log_probability: float = 0.0  # of the whole subtree's rules, shifts and lengths


def derivations(model: GaussianRBN, variable: str, start: int, end: int) -> Iterator[Derivation]:
    """All trees with which a variable can generate the observations from start to end."""
    for rule in next(one for one in model.variables if one.name == variable).rules:
        if rule.probability == 0:
            continue
        if isinstance(rule, Emission):
            log_length = float(rule.length.log_probability(np.array(end - start)))
            if log_length > -np.inf:
                yield Derivation(variable, start, end, rule, log_probability=np.log(rule.probability) + log_length)
            continue
        for split in range(start + 1, end):
            rights = list(derivations(model, rule.right, split, end))
            for left in derivations(model, rule.left, start, split) if rights else ():
                for right in rights:
                    for shift, weight in rule.shifts.items():
                        if weight > 0:
                            total = np.log(rule.probability * weight) + left.log_probability + right.log_probability
                            yield Derivation(variable, start, end, rule, shift, (left, right), total)  # type: ignore[arg-type]


def all_derivations(model: GaussianRBN, length: int) -> Iterator[Derivation]:
    """All trees with which any root can generate so many observations."""
    for root in model.prior.weights_of_roots:
        yield from derivations(model, root, 0, length)


def log_density(model: GaussianRBN, tree: Derivation, data: object) -> float:
    """log p(Y | tree), all latent values integrated out: the joint Gaussian of all observations, written out in full.

    Every value is an affine function of independent standard normal numbers; the observations' covariance follows.
    """
    series = as_series(data, model.observed_dim)
    terms = []
    for component in model.prior.components:
        if component.variable != tree.variable:
            continue
        for steps, weight in component.shifts.items():
            if component.weight * weight > 0:
                root = np.roll(component.mean, steps), np.linalg.cholesky(component.covariance)
                rows = sorted(_observations(tree, *root, [root[1].shape[1]], series))
                width = max(loading.shape[1] for _, _, loading in rows)
                mean = np.concatenate([m for _, m, _ in rows])
                loadings = np.concatenate([np.pad(L, ((0, 0), (0, width - L.shape[1]))) for _, _, L in rows])
                values = series.values.ravel()
                seen = ~np.isnan(values)
                covariance = (loadings @ loadings.T)[np.ix_(seen, seen)]
                log_weight = np.log(component.weight * weight)
                if seen.any():
                    log_weight += multivariate_normal(mean[seen], covariance).logpdf(values[seen])
                terms.append(log_weight)
    return float(logsumexp(terms))


def _observations(
    tree: Derivation, mean: np.ndarray, loading: np.ndarray, used: list[int], series: Series
) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Position, mean and loadings of each observation below a node. `used` counts the random numbers taken so far."""

    def noisy(loadings: np.ndarray, covariance: np.ndarray) -> np.ndarray:
        values, vectors = np.linalg.eigh(covariance)
        fresh = np.zeros((len(loadings), used[0] + len(covariance)))
        fresh[:, : loadings.shape[1]] = loadings
        fresh[:, used[0] :] = vectors * np.sqrt(np.maximum(values, 0.0))
        used[0] += len(covariance)
        return fresh

    if isinstance(tree.rule, Emission):
        assert isinstance(tree.rule, Emit), "enumeration knows levels only"
        H = np.eye(len(mean)) if tree.rule.map is None else tree.rule.map
        offset = 0.0 if tree.rule.offset is None else tree.rule.offset
        for n in range(tree.start, tree.end):
            R = tree.rule.covariance if series.noise_covariance is None else series.noise_covariance[n]
            yield n, H @ mean + offset, noisy(H @ loading, R)
        return
    for child, link, steps in zip(tree.children, (tree.rule.left_link, tree.rule.right_link), tree.shift, strict=True):
        F = np.roll(np.eye(len(link.covariance)), steps, axis=0) if link.map is None else link.map
        offset = 0.0 if link.offset is None else link.offset
        yield from _observations(child, F @ mean + offset, noisy(F @ loading, link.covariance), used, series)


def exact_log_evidence(model: GaussianRBN, data: object) -> float:
    """log p(Y), summed over all trees."""
    length = len(as_series(data, model.observed_dim))
    trees = all_derivations(model, length)
    return float(logsumexp([tree.log_probability + log_density(model, tree, data) for tree in trees]))
