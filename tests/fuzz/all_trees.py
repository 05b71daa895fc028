"""All derivations of short series from Gaussian models, and exact answers given each, in numbers of sixty digits.

Written from the definition alone: the joint Gaussian of all nodes and observations of a tree, conditioned on what is seen.
"""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import mpmath
import numpy as np

import recbayes as rb

exact = mpmath.mp.clone()
exact.dps = 60


class Derivation(NamedTuple):
    """A subtree: its span, its variable, the rule with its name, and its children."""

    start: int
    end: int
    variable: rb.Variable
    rule: Any
    name: str
    shift: tuple[int, int]
    children: tuple["Derivation", ...]


def names_of(variable: rb.Variable, position: int, shift: tuple[int, int]) -> str:
    rule = variable.rules[position]
    alike = [one for one in variable.rules if type(one) is type(rule)]
    name = "split" if isinstance(rule, rb.Split) else "emit"
    name += f" {[one is rule for one in alike].index(True) + 1}" if len(alike) > 1 else ""
    if isinstance(rule, rb.Split) and (len(rule.shifts) > 1 or shift != (0, 0)):
        name += f" shift {shift[0]}" + (f",{shift[1]}" if shift[1] else "")
    return name


def derivations(model: rb.GaussianRBN, name: str, start: int, end: int, allowed: Any = None) -> Iterator[Derivation]:
    variable = next(one for one in model.variables if one.name == name)
    here = 2 if allowed is None else int(allowed[start, end])
    if not here:
        return
    for position, rule in enumerate(variable.rules):
        if rule.probability == 0:
            continue
        if isinstance(rule, rb.Emit):
            if (allowed is None or here == 1) and rule.length.log_probability(np.array([end - start]))[0] > -np.inf:
                yield Derivation(start, end, variable, rule, names_of(variable, position, (0, 0)), (0, 0), ())
            continue
        for middle in range(start + 1, end):
            for left in derivations(model, rule.left, start, middle, allowed):
                for right in derivations(model, rule.right, middle, end, allowed):
                    for shift, chance in rule.shifts.items():
                        if chance > 0:
                            label = names_of(variable, position, shift)
                            yield Derivation(start, end, variable, rule, label, shift, (left, right))


def preorder(one: Derivation) -> Iterator[Derivation]:
    yield one
    for child in one.children:
        yield from preorder(child)


def tree_of(one: Derivation) -> rb.Tree:
    nodes = list(preorder(one))
    return rb.Tree([rb.Node(n.start, n.end, n.variable.name, n.name) for n in nodes], [len(n.children) for n in nodes])


def log_structure(one: Derivation) -> float:
    """Logarithm of the probability of all discrete choices."""
    total = 0.0
    for node in preorder(one):
        total += math.log(node.rule.probability)
        if node.children:
            total += math.log(node.rule.shifts[node.shift])
        else:
            total += float(node.rule.length.log_probability(np.array([node.end - node.start]))[0])
    return total


class Given(NamedTuple):
    """log p(Y, Z), and means and covariances of the nodes' values given the data, by preorder (one prior Gaussian only)."""

    log_joint: float
    means: list[np.ndarray]
    covariances: list[np.ndarray]


def given_tree(model: rb.GaussianRBN, y: np.ndarray, one: Derivation, noise: Any = None, jitter: Any = None) -> Given:
    """Exact answers given a derivation; `jitter` is a generator that changes all numbers in their last digits."""
    terms = []
    for component in model.prior.components:
        for steps, chance in component.shifts.items():
            if component.weight * chance > 0:
                mean = np.roll(component.mean, steps)
                log_density, means, covariances = _gaussian(mean, component.covariance, y, one, noise, jitter)
                terms.append(exact.log(component.weight * chance) + log_density)
    top = max(terms)
    total = top + exact.log(sum(exact.exp(term - top) for term in terms))
    return Given(log_structure(one) + float(total), means, covariances)


def _gaussian(mean: Any, covariance: Any, y: np.ndarray, one: Derivation, noise: Any, jitter: Any) -> tuple:
    def big(values: Any) -> np.ndarray:
        values = np.asarray(values, dtype=np.float64)
        shaken = values if jitter is None else values * (1.0 + 1e-15 * jitter.normal(size=values.shape))
        shaken = (
            (shaken + shaken.T) / 2
            if jitter is not None and values.ndim == 2 and np.array_equal(values, values.T)
            else shaken
        )
        return np.vectorize(exact.mpf, otypes=[object])(shaken) if values.size else shaken.astype(object)

    means, blocks = [big(mean)], [[big(covariance)]]

    def append(parent: int, factor: np.ndarray, constant: Any, more: np.ndarray) -> None:
        row = [factor @ blocks[parent][other] for other in range(len(means))]
        means.append(factor @ means[parent] + constant)
        for other, block in enumerate(row):
            blocks[other].append(block.T)
        blocks.append([*row, row[parent] @ factor.T + more])

    stack, shown, order = [(one, 0)], [], []
    while stack:
        node, place = stack.pop()
        if node.children:
            todo = []
            for child, link, steps in zip(
                node.children, (node.rule.left_link, node.rule.right_link), node.shift, strict=True
            ):
                factor = np.roll(np.eye(node.variable.dim), steps, axis=0) if link.map is None else link.map
                append(place, big(factor), 0 if link.offset is None else big(link.offset), big(link.covariance))
                todo.append((child, len(means) - 1))
            stack += todo[::-1]
        else:
            shown.append((node, place))
        order.append(place)
    values = len(means)
    for node, place in shown:
        rule = node.rule
        factor = np.eye(node.variable.dim) if rule.map is None else rule.map
        for row in range(node.start, node.end):
            own = rule.covariance if noise is None else noise[row]
            append(place, big(factor), 0 if rule.offset is None else big(rule.offset), big(own))
    seen = ~np.isnan(y)
    everything = np.block([[blocks[a][b] for b in range(values, len(means))] for a in range(values, len(means))])
    keep = seen.reshape(-1)
    S = everything[np.ix_(keep, keep)]
    data = big(y[seen]) - np.concatenate(means[values:])[keep]
    factor = _cholesky(S)
    white = _solve(factor, data[:, None])
    log_density = -sum(white[:, 0] ** 2) / 2 - sum(exact.log(factor[n, n]) for n in range(len(S)))
    log_density -= len(S) * exact.log(2 * exact.pi) / 2
    found_means, found_covariances = [], []
    for place in order:
        cross = np.concatenate([blocks[place][b] for b in range(values, len(means))], axis=1)[:, keep]
        half = _solve(factor, cross.T)
        found_means.append((means[place] + (half.T @ white)[:, 0] if len(S) else means[place]).astype(np.float64))
        found_covariances.append(
            (blocks[place][place] - half.T @ half if len(S) else blocks[place][place]).astype(np.float64)
        )
    return log_density, found_means, found_covariances


def _cholesky(S: np.ndarray) -> np.ndarray:
    L = np.full(S.shape, exact.mpf(0), dtype=object)
    for i in range(len(S)):
        for j in range(i + 1):
            rest = S[i, j] - sum((L[i, k] * L[j, k] for k in range(j)), exact.mpf(0))
            L[i, j] = exact.sqrt(rest) if i == j else rest / L[j, j]
    return L


def _solve(L: np.ndarray, right: np.ndarray) -> np.ndarray:
    out = np.array(right, dtype=object)
    for i in range(len(L)):
        for k in range(i):
            out[i] = out[i] - L[i, k] * out[k]
        out[i] = out[i] / L[i, i]
    return out


def log_sum(values: list[float]) -> float:
    return float(np.logaddexp.reduce(values)) if values else -math.inf
