"""Random linear Gaussian RBNs, and exact answers about them by writing out every derivation: an oracle without messages."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st
from scipy.special import logsumexp

import recbayes as rb
from recbayes.gaussian.model.linear import children_of, name_of_rule, unary_child
from tests.random_models import spread, turn


class Part(NamedTuple):
    """A node of a derivation with all below it; an observed child has no variable."""

    variable: str
    position: int
    rule: Any
    start: int
    end: int
    shift: tuple[int, int] = (0, 0)
    children: tuple["Part", ...] = ()
    log_probability: float = 0.0


def derivations(
    model: rb.LinearGaussianRBN, variable: str, start: int, end: int, unary: int, used: int = 0
) -> Iterator[Part]:
    """All derivations of a span, with chains of at most `unary` unary rules."""
    for position, rule in enumerate(next(one for one in model.variables if one.name == variable).rules):
        if rule.probability == 0:
            continue
        here, log_rule = (variable, position, rule, start, end), float(np.log(rule.probability))
        if isinstance(rule, rb.Emit):
            log_length = float(rule.length.log_probability(np.array(end - start)))
            if log_length > -np.inf:
                yield Part(*here, log_probability=log_rule + log_length)
            continue
        child = unary_child(rule)
        if child is not None:
            for below in derivations(model, child[0], start, end, unary, used + 1) if used < unary else ():
                yield Part(*here, children=(below,), log_probability=log_rule + below.log_probability)
            continue
        shifts = rule.shifts if isinstance(rule, rb.Split) else {(0, 0): 1.0}
        for parts in sequences(model, children_of(rule), start, end, unary):
            for shift, weight in shifts.items():
                if weight > 0:
                    total = log_rule + float(np.log(weight)) + sum(part.log_probability for part in parts)
                    yield Part(*here, shift, parts, total)


def sequences(model: rb.LinearGaussianRBN, children: tuple, start: int, end: int, unary: int) -> Iterator[tuple[Part, ...]]:
    if not children:
        if start == end:
            yield ()
        return
    first, rest = children[0], children[1:]
    for split in range(start + 1, end - len(rest) + 1):
        if isinstance(first, rb.Observe):
            options = [Part("", -1, first, start, split)] if split == start + 1 else []
        else:
            options = list(derivations(model, first[0], start, split, unary))
        for others in sequences(model, rest, split, end, unary) if options else ():
            for one in options:
                yield (one, *others)


def number_of_derivations(model: rb.LinearGaussianRBN, length: int, unary: int) -> int:
    """How many `derivations` there are for a series of `length` observations."""
    variables = {variable.name: variable for variable in model.variables}

    @cache
    def of_variable(name: str, width: int, used: int) -> int:
        total = 0
        for rule in variables[name].rules:
            child = unary_child(rule)
            if isinstance(rule, rb.Emit):
                total += bool(rule.length.log_probability(np.array(width)) > -np.inf)
            elif child is not None:
                total += of_variable(child[0], width, used + 1) if used < unary else 0
            else:
                shifts = len(rule.shifts) if isinstance(rule, rb.Split) else 1
                total += shifts * of_children(
                    tuple(c if isinstance(c, rb.Observe) else c[0] for c in children_of(rule)), width
                )
        return total

    @cache
    def of_children(children: tuple, width: int) -> int:
        if not children:
            return width == 0
        first, rest = children[0], children[1:]
        if isinstance(first, rb.Observe):
            return of_children(rest, width - 1) if width else 0
        return sum(of_variable(first, w, 0) * of_children(rest, width - w) for w in range(1, width - len(rest) + 1))

    return of_variable(model.prior.variable, length, 0)


def log_density(model: rb.LinearGaussianRBN, part: Part, series: np.ndarray) -> float:
    """log p(Y | derivation): all values as affine functions of independent standard normal numbers."""
    terms = []
    for component in model.prior.components:
        for steps, weight in component.shifts.items():
            root = np.linalg.cholesky(component.covariance)
            used = [root.shape[1]]
            rows = sorted(observations(part, np.roll(component.mean, steps), root, used), key=lambda row: row[0])
            mean = np.concatenate([row[1] for row in rows])
            loadings = np.concatenate([np.pad(row[2], ((0, 0), (0, used[0] - row[2].shape[1]))) for row in rows])
            covariance = loadings @ loadings.T
            off = series.ravel() - mean
            terms.append(
                np.log(component.weight * weight)
                - 0.5 * (off @ np.linalg.solve(covariance, off) + np.linalg.slogdet(2 * np.pi * covariance)[1])
            )
    return float(logsumexp(terms))


def observations(part: Part, mean: np.ndarray, loading: np.ndarray, used: list[int]) -> Iterator[tuple]:
    def noisy(link: Any, map_: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values, vectors = np.linalg.eigh(link.covariance)
        fresh = np.zeros((len(map_), used[0] + len(values)))
        fresh[:, : loading.shape[1]] = map_ @ loading
        fresh[:, used[0] :] = vectors * np.sqrt(np.maximum(values, 0.0))
        used[0] += len(values)
        return map_ @ mean + (0.0 if link.offset is None else link.offset), fresh

    if isinstance(part.rule, rb.Emit | rb.Observe):
        for n in range(part.start, part.end):
            yield n, *noisy(part.rule, np.eye(len(mean)) if part.rule.map is None else part.rule.map)
        return
    turns = part.shift if isinstance(part.rule, rb.Split) else [0] * len(part.children)
    for below, child, steps in zip(part.children, children_of(part.rule), turns, strict=True):
        if isinstance(child, rb.Observe):
            yield from observations(below, mean, loading, used)
        else:
            map_ = np.roll(np.eye(len(mean)), steps, axis=0) if child[1].map is None else child[1].map
            yield from observations(below, *noisy(child[1], map_), used)


def tree_of(model: rb.LinearGaussianRBN, part: Part) -> rb.Tree:
    variables = {variable.name: variable for variable in model.variables}
    nodes, arities, waiting = [], [], [part]
    while waiting:
        here = waiting.pop()
        name = name_of_rule(variables[here.variable], here.position, here.shift) if here.variable else "observe"
        nodes.append(rb.Node(here.start, here.end, here.variable, name))
        arities.append(len(here.children))
        waiting += here.children[::-1]
    return rb.Tree(nodes, arities)


class Joint(NamedTuple):
    """log p(Z) and log p(Y, Z) of a derivation Z."""

    log_probability: float
    log_joint: float


def exact_log_joints(model: rb.LinearGaussianRBN, series: np.ndarray, unary: int) -> dict[rb.Tree, Joint]:
    """Every derivation with chains of at most `unary` unary rules."""
    found = {}
    for part in derivations(model, model.prior.variable, 0, len(series), unary):
        log_joint = part.log_probability + log_density(model, part, series)
        found[tree_of(model, part)] = Joint(part.log_probability, log_joint)
    return found


def exact_log_evidence(model: rb.LinearGaussianRBN, series: np.ndarray, unary: int) -> float:
    """log p(Y), summed over the derivations with chains of at most `unary` unary rules."""
    return float(logsumexp([joint.log_joint for joint in exact_log_joints(model, series, unary).values()]))


@st.composite
def linear_models(draw: st.DrawFn, cycles: bool, unary_share: float) -> rb.LinearGaussianRBN:
    """Two or three variables with branches of one to four children, splits with shifts, and emissions.

    Without cycles unary rules lead to later variables only. `unary_share` bounds the probability of a variable's. All of
    them change the value in ways that do not commute, so that no two chains amount to the same.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    names = "ABC"[: draw(st.integers(2, 3))]
    dims = {name: draw(st.integers(1, 2)) for name in names}
    columns = draw(st.integers(1, 2))

    def link(child: str, parent: str, moves: bool = False) -> rb.Link:
        size = dims[child]
        covariance = spread(rng, size, 0.5) * draw(st.sampled_from([0.0, 1.0, 1.0]))
        map_ = None if size == dims[parent] and not moves and draw(st.booleans()) else turn(rng, size, dims[parent])
        return rb.Link(covariance, map_, rng.normal(size=size) if moves or draw(st.booleans()) else None)

    def observe(parent: str) -> rb.Observe:
        offset = rng.normal(size=columns) if draw(st.booleans()) else None
        return rb.Observe(spread(rng, columns), turn(rng, columns, dims[parent]), offset)

    def branch(parent: str, arity: int) -> tuple:
        pattern = [draw(st.booleans()) for _ in range(arity)]
        children = [str(rng.choice(list(names))) for _ in pattern]
        return tuple(observe(parent) if seen else (c, link(c, parent)) for seen, c in zip(pattern, children, strict=True))

    variables = []
    for number, name in enumerate(names):
        targets = list(names) if cycles else list(names[number + 1 :])
        unary = [str(rng.choice(targets)) for _ in range(draw(st.integers(0, 2)))] if targets else []
        rules: list[Any] = [rb.Branch(0.0, ((target, link(target, name, moves=True)),)) for target in unary]
        if draw(st.booleans()):
            rules.append(rb.Branch(0.0, branch(name, draw(st.integers(2, 4)))))
        if draw(st.booleans()):
            left, right = (str(rng.choice(list(names))) for _ in range(2))
            links = link(left, name), link(right, name)
            plain = all(one.map is None for one in links)
            shifts = {(0, 0): 0.4, (1, 0): 0.6} if plain and dims[name] > 1 else {(0, 0): 1.0}
            rules.append(rb.Split(0.0, left, right, *links, shifts))
        if draw(st.booleans()):
            rules.append(rb.Branch(0.0, (observe(name),)))
        length = rb.LengthTable((0.5, 0.3, 0.2)) if draw(st.booleans()) else rb.ExactlyOne()
        rules.append(rb.Emit(0.0, spread(rng, columns), length, turn(rng, columns, dims[name]), rng.normal(size=columns)))
        share = unary_share * rng.uniform(0.5, 1.0) if unary else 0.0
        weights = np.concatenate(
            [
                share * rng.dirichlet([2.0] * len(unary)) if unary else [],
                (1 - share) * rng.dirichlet([2.0] * (len(rules) - len(unary))),
            ]
        )
        ordered = rng.permutation(len(rules))
        variables.append(rb.Variable(name, dims[name], tuple(weighted(rules[n], weights[n]) for n in ordered)))
    size = dims["A"]
    components = [rb.Component(rng.normal(size=size), spread(rng, size))]
    if draw(st.booleans()):
        components = [
            rb.Component(rng.normal(size=size), spread(rng, size), 0.3),
            rb.Component(rng.normal(size=size), spread(rng, size), 0.7, {0: 0.25, 1: 0.75} if size > 1 else {0: 1.0}),
        ]
    return rb.LinearGaussianRBN(variables, rb.Prior("A", tuple(components)))


def weighted(rule: Any, probability: float) -> Any:
    return replace(rule, probability=probability)
