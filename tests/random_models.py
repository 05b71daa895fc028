"""Random models and series for property-based tests: structure from hypothesis, numbers from a seed it draws."""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

import recbayes as rb
from recbayes.lengths import Length


def spread(rng: np.random.Generator, size: int, scale: float = 1.0) -> np.ndarray:
    """A random covariance that is neither diagonal nor badly conditioned."""
    root = rng.normal(size=(size, size))
    return scale * (root @ root.T / size + 0.3 * np.eye(size))


def turn(rng: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    """A random map with singular values between 1/2 and 3/2, so that what is flat and what is not stays clear."""
    left, _, right = np.linalg.svd(rng.normal(size=(rows, columns)), full_matrices=False)
    return left @ np.diag(rng.uniform(0.5, 1.5, size=left.shape[1])) @ right


def _length(rng: np.random.Generator, kind: int) -> Length:
    if kind == 0:
        return rb.ExactlyOne()
    if kind == 1:
        return rb.OnePlusPoisson(float(rng.uniform(0.5, 3.0)))
    if kind == 2:
        return rb.LengthTable(tuple(rng.dirichlet([1, 1, 1])))
    return rb.OnePlusNegativeBinomial(float(rng.uniform(0.5, 3.0)), float(rng.uniform(0.2, 2.0)))


@st.composite
def one_variable(draw: st.DrawFn, max_dim: int = 3) -> rb.GaussianRBN:
    """One variable: shifts of either child, offsets, maps, full covariances, several rules, mixture priors."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    dim = draw(st.integers(1, max_dim))
    shifts: dict[tuple[int, int], float] = {(0, 0): 1.0}
    if dim > 1 and draw(st.booleans()):
        weights = rng.dirichlet([1.0] * 3)
        shifts = {(0, 0): weights[0], (1, 0): weights[1], (dim - 1, 1): weights[2]}
    splits = draw(st.integers(1, 2))
    weights = rng.dirichlet([2.0] * (splits + 1))
    rules: list[rb.Split | rb.Emit] = []
    for number in range(splits):
        maps = [None, None]
        if draw(st.booleans()) and (number or len(shifts) == 1):
            maps = [turn(rng, dim, dim), None]
        offsets = [rng.normal(size=dim), rng.normal(size=dim)] if draw(st.booleans()) else [None, None]
        rules.append(
            rb.Split(
                weights[number],
                "x",
                "x",
                rb.Link(spread(rng, dim), maps[0], offsets[0]),
                rb.Link(spread(rng, dim), maps[1], offsets[1]),
                shifts if number == 0 else {0: 1.0},
            )
        )
    whole = bool(draw(st.booleans()))
    rules.append(
        rb.Emit(
            weights[-1],
            spread(rng, dim),
            _length(rng, draw(st.integers(0, 3))),
            None if whole else turn(rng, dim, dim),
            None if whole else rng.normal(size=dim),
        )
    )
    components = [rb.Component(rng.normal(size=dim), spread(rng, dim))]
    if draw(st.booleans()):
        components = [
            rb.Component(rng.normal(size=dim), spread(rng, dim), 0.3),
            rb.Component(rng.normal(size=dim), spread(rng, dim), 0.7, {0: 0.25, 1 % dim: 0.75} if dim > 1 else {0: 1.0}),
        ]
    return rb.GaussianRBN((rb.Variable("x", dim, tuple(rules)),), rb.Prior("x", tuple(components)))


@st.composite
def two_variables(draw: st.DrawFn) -> rb.GaussianRBN:
    """Two variables of different dimensions that split into each other; either may be the root, and one emission may show
    only part of a variable."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    a, b, columns = draw(st.integers(1, 3)), draw(st.integers(1, 3)), draw(st.integers(1, 2))

    def link(child: int, parent: int) -> rb.Link:
        offset = rng.normal(size=child) if draw(st.booleans()) else None
        return rb.Link(spread(rng, child), turn(rng, child, parent), offset)

    first = rng.dirichlet([2.0, 2.0, 2.0])
    second = rng.dirichlet([2.0, 3.0])
    variables = (
        rb.Variable(
            "a",
            a,
            (
                rb.Split(first[0], "a", "b", link(a, a), link(b, a)),
                rb.Split(first[1], "b", "b", link(b, a), link(b, a)),
                rb.Emit(first[2], spread(rng, columns), _length(rng, draw(st.integers(0, 3))), turn(rng, columns, a)),
            ),
        ),
        rb.Variable(
            "b",
            b,
            (
                rb.Split(second[0], "b", "a", link(b, b), link(a, b)),
                rb.Emit(second[1], spread(rng, columns), _length(rng, draw(st.integers(0, 1))), turn(rng, columns, b)),
            ),
        ),
    )
    weight = draw(st.sampled_from([0.0, 0.3]))
    components = [rb.Component(rng.normal(size=a), spread(rng, a), 1.0 - weight)]
    if weight:
        components.insert(draw(st.integers(0, 1)), rb.Component(rng.normal(size=b), spread(rng, b), weight, variable="b"))
    return rb.GaussianRBN(variables, rb.Prior("a", tuple(components)))


@st.composite
def long_leaves(draw: st.DrawFn) -> rb.GaussianRBN:
    """Models whose leaves have two observations or more, of every emission its own fewest."""
    model = draw(st.one_of(one_variable(max_dim=2), two_variables()))
    lengths = st.one_of(
        st.builds(rb.Geometric, st.floats(4.5, 9.0), st.integers(2, 4)),
        st.sampled_from([rb.LengthTable((0.0, 0.0, 0.6, 0.4)), rb.LengthTable((0.0, 0.5, 0.0, 0.0, 0.5))]),
    )
    variables = [
        replace(
            one,
            rules=tuple(replace(rule, length=draw(lengths)) if isinstance(rule, rb.Emit) else rule for rule in one.rules),
        )
        for one in model.variables
    ]
    return rb.GaussianRBN(tuple(variables), model.prior)


@st.composite
def series_for(draw: st.DrawFn, columns: int, max_length: int = 5, missing: bool = True) -> np.ndarray:
    """A short series, possibly with missing entries and rows."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    values = rng.normal(size=(draw(st.integers(1, max_length)), columns))
    if missing and draw(st.booleans()):
        values[rng.random(values.shape) < 0.25] = np.nan
        if draw(st.booleans()):
            values[rng.integers(len(values))] = np.nan
    return values
