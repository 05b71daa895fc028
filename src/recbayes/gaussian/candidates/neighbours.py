"""How the values of neighbouring leaves hang together in large trees.

Two neighbouring leaves have a lowest common ancestor A -> B C: the first is the last leaf of B, the second the first leaf of
C. Down to either lead some links, x = F x_A + f + noise of covariance Q. With the ancestor's own distribution N(m, S) the
values of both are jointly Gaussian, and the second follows from the first by a regression:

    K = F2 S F1' (F1 S F1' + Q1)^-1,   mean (F2 - K F1) m + f2 - K f1,   covariance F2 S F2' + Q2 - K F1 S F2'.

Pairs are a mixture over ways down: by the variables of both leaves and by relative shifts. Ways that differ only in their
number of links are merged: telling siblings from cousins has not made candidates better, and takes twice as long.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from recbayes.gaussian.candidates.depths import moments_in_large_trees
from recbayes.gaussian.candidates.large_trees import LargeTrees
from recbayes.gaussian.emissions.emission import Emission
from recbayes.gaussian.model.links import compose, shifted
from recbayes.gaussian.model.parts import Link, Split
from recbayes.gaussian.model.rbn import GaussianRBN

DEPTH = 8  # links that ways down have at most
WAYS = 24  # that are told apart
SMALL = 1e-3  # a share of pairs that is left out


@dataclass(frozen=True, eq=False)
class Way:
    """A way from a node down to a leaf: its probability, the leaf's variable, and all links together."""

    weight: float
    leaf: int
    link: Link


@dataclass(frozen=True, eq=False)
class Pair:
    """Two neighbouring leaves: how probable such a pair is, their variables, and how the second value follows."""

    weight: float
    first: int
    second: int
    link: Link


def pairs_of(model: GaussianRBN, trees: LargeTrees, leaves: float) -> list[Pair]:
    """The mixture of pairs in trees with about so many leaves; weights sum to one."""
    first, last = ([_ways(model, trees, v, side) for v in range(len(model.variables))] for side in (0, 1))
    found: dict[tuple, list[Pair]] = {}
    marginals = moments_in_large_trees(model, trees, leaves)
    for v, rule, shift, weight in _splits(model, trees):
        names = [one.name for one in model.variables]
        before = _after(shifted(rule.left_link, shift[0]), last[names.index(rule.left)])
        after = _after(shifted(rule.right_link, shift[1]), first[names.index(rule.right)])
        for one in before:
            for other in after:
                share = weight * one.weight * other.weight
                if share > SMALL * 0.01:
                    link = _regression(*marginals[v], one.link, other.link)
                    key = one.leaf, other.leaf, _turn(one.link), _turn(other.link)
                    found.setdefault(_relative(key), []).append(Pair(share, one.leaf, other.leaf, link))
    merged = [_merged(pairs) for pairs in found.values()]
    merged = [pair for pair in merged if pair.weight > SMALL * sum(one.weight for one in merged)]
    total = sum(pair.weight for pair in merged)
    return [Pair(pair.weight / total, pair.first, pair.second, pair.link) for pair in merged]


def first_leaves(model: GaussianRBN, trees: LargeTrees, v: int) -> list[Way]:
    """The ways from a node to its first leaf."""
    return _ways(model, trees, v, 0)


def _splits(model: GaussianRBN, trees: LargeTrees) -> Iterator[tuple[int, Split, tuple[int, int], float]]:
    for v, variable in enumerate(model.variables):
        for rule, probability in zip(variable.rules, trees.rules[v], strict=True):
            if isinstance(rule, Split) and probability > 0.0:
                for shift, weight in rule.shifts.items():
                    if weight > 0.0:
                        yield v, rule, shift, float(trees.visits[v] * probability * weight)


def _ways(model: GaussianRBN, trees: LargeTrees, v: int, side: int) -> list[Way]:
    """From a variable down its first (side 0) or last (1) children to a leaf."""
    names = [variable.name for variable in model.variables]
    dim = model.variables[v].dim
    here, found = [Way(1.0, v, Link(np.zeros((dim, dim))))], []
    for _ in range(DEPTH):
        further = []
        for way in here:
            for rule, probability in zip(model.variables[way.leaf].rules, trees.rules[way.leaf], strict=True):
                if probability == 0.0:
                    continue
                if isinstance(rule, Emission):
                    found.append(Way(way.weight * probability, way.leaf, way.link))
                    continue
                child, link = (rule.left, rule.left_link) if side == 0 else (rule.right, rule.right_link)
                for shift, weight in rule.shifts.items():
                    step = compose(way.link, shifted(link, shift[side]))
                    further.append(Way(way.weight * probability * weight, names.index(child), step))
        here = _fewer(further)
    return _fewer(found)


def _after(link: Link, ways: list[Way]) -> list[Way]:
    return [Way(way.weight, way.leaf, compose(link, way.link)) for way in ways]


def _fewer(ways: list[Way]) -> list[Way]:
    """Ways with the same map and offset to the same variable as one, with the mean of their covariances; the likeliest."""
    alike: dict[tuple, list[Way]] = {}
    for way in ways:
        offset = b"" if way.link.offset is None else np.round(way.link.offset, 9).tobytes()
        alike.setdefault((way.leaf, _turn(way.link), offset), []).append(way)
    found = []
    for some in alike.values():
        total = sum(way.weight for way in some)
        if total > 0.0:
            covariance = np.sum([way.weight * way.link.covariance for way in some], axis=0) / total
            link = Link(covariance, some[0].link.map, some[0].link.offset)
            found.append(Way(total, some[0].leaf, link))
    return sorted(found, key=lambda way: -way.weight)[:WAYS]


def _turn(link: Link) -> bytes:
    """The map, as what it can be told by; the identity by nothing."""
    F = link.map
    if F is None or (F.shape[0] == F.shape[1] and np.array_equal(F, np.eye(len(F)))):
        return b""
    return np.round(F, 9).tobytes()


def _relative(key: tuple) -> tuple:
    """Pairs both of whose maps are shifts differ only by the shift from the first to the second."""
    first, second, before, after = key
    steps = [_steps(one) for one in (before, after)]
    if None in steps:
        return key
    dim = max(dim for dim, _ in steps)  # type: ignore[misc]
    return first, second, (steps[1][1] - steps[0][1]) % max(dim, 1)  # type: ignore[index]


def _steps(turn: bytes) -> tuple[int, int] | None:
    """The dimension (0 of the identity) and the steps of a shift."""
    if not turn:
        return 0, 0
    entries = np.frombuffer(turn)
    dim = int(np.sqrt(len(entries)))
    if dim * dim != len(entries):
        return None
    steps = int(np.argmax(entries.reshape(dim, dim)[:, 0]))
    return (dim, steps) if np.array_equal(entries.reshape(dim, dim), np.roll(np.eye(dim), steps, axis=0)) else None


def _regression(mean: np.ndarray, covariance: np.ndarray, first: Link, second: Link) -> Link:
    F, G = (np.eye(len(mean)) if link.map is None else link.map for link in (first, second))
    f, g = (np.zeros(len(link.covariance)) if link.offset is None else link.offset for link in (first, second))
    cross = G @ covariance @ F.T
    own = F @ covariance @ F.T + first.covariance
    own = own + 1e-9 * (np.trace(own) / len(own) + 1e-300) * np.eye(len(own))
    K = np.linalg.solve(own, cross.T).T
    rest = G @ covariance @ G.T + second.covariance - K @ cross.T
    return Link(0.5 * (rest + rest.T), K, (G - K @ F) @ mean + g - K @ f)


def _merged(pairs: list[Pair]) -> Pair:
    total = sum(pair.weight for pair in pairs)
    K, offset, covariance = (
        np.sum([pair.weight * getattr(pair.link, name) for pair in pairs], axis=0) / total
        for name in ("map", "offset", "covariance")
    )
    return Pair(total, pairs[0].first, pairs[0].second, Link(covariance, K, offset))
