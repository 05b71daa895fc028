"""The compiled algebra of Gaussian potentials against NumPy, written from the mathematics.

A potential is a function of x, so products, convolutions and pull-backs are compared as functions, at random points,
whatever representation they choose for what is flat. Every call works on eight different potentials at once.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from recbayes.compiled.adjoints import join_adjoint, mixture_adjoint
from recbayes.compiled.factors import (
    SINGULAR,
    backward_solve,
    choose,
    copy,
    factorise,
    forward_solve,
    invert,
    multiply,
    product,
    root,
    sandwich,
    unpack,
)
from recbayes.compiled.lanes import LANES, load
from recbayes.compiled.layout import packed
from recbayes.compiled.potentials import blur, join, join_mode, pull_back

examples = settings(max_examples=40)
sizes, seeds = st.integers(1, 5), st.integers(0, 2**32 - 1)


# Functions that kernels call cannot be called from Python: a thin wrapper for each


@njit
def run_packed(row, column):
    return packed(row, column)


@njit
def run_factorise(room, size, P, L, pivots, determinant):
    factorise(room, size, P, L, pivots, determinant)


@njit
def run_forward_solve(room, size, L, x):
    forward_solve(room, size, L, x)


@njit
def run_backward_solve(room, size, L, pivots, x):
    backward_solve(room, size, L, pivots, x)


@njit
def run_invert(room, size, L, pivots, C, free):
    invert(room, size, L, pivots, C, free)


@njit
def run_multiply(room, size, P, x, out):
    multiply(room, size, P, x, out)


@njit
def run_copy(room, source, target, count):
    copy(room, source, target, count)


@njit
def run_choose(room, chosen, source, target, count):
    choose(room, load(room, chosen), source, target, count)


@njit
def run_join(room, size, one, two, out, L, pivots, v, free):
    join(room, size, one, two, out, L, pivots, v, free)


@njit
def run_join_mode(room, size, one, out, L, pivots, v):
    join_mode(room, size, one, out, L, pivots, v)


@njit
def run_root(room, size, P, M, pivots):
    root(room, size, P, M, pivots)


@njit
def run_blur(room, size, P, constants, Q, out, free):
    blur(room, size, P, constants, Q, out, free)


@njit
def run_pull_back(room, size, constants, F, P, out, free):
    pull_back(room, size, constants, F, P, out, free)


@njit
def run_unpack(room, size, P, full):
    unpack(room, size, P, full)


@njit
def run_product(room, size, A, B, out):
    product(room, size, A, B, out)


@njit
def run_sandwich(room, size, A, S, out, free):
    sandwich(room, size, A, S, out, free)


@njit
def run_join_adjoint(room, size, one, product, push, t, give):
    join_adjoint(room, size, one, product, push, t, give)


@njit
def run_mixture_adjoint(room, size, share, mode, C, centre, dS, dm, constant, push, T):
    mixture_adjoint(room, size, load(room, share), mode, C, centre, dS, dm, constant, push, T)


class Room:
    """The one array in which kernels work. What nobody wrote is NaN, so that reading it is noticed; and every quantity has a
    margin, so that writing past its end is noticed too."""

    def __init__(self) -> None:
        self.array = np.full(LANES * 2000, np.nan)
        self.end = 0
        self.margins: list[int] = []

    def take(self, count: int, values: np.ndarray | None = None) -> int:
        """The place of a new quantity of so many numbers; `values` are (LANES, count)."""
        place = self.end
        self.margins.append(place + count * LANES)
        self.end += (count + 1) * LANES
        assert self.end <= len(self.array)
        if values is not None:
            self.array[place : place + count * LANES] = np.asarray(values, dtype=np.float64).reshape(LANES, count).T.ravel()
        return place

    def read(self, place: int, count: int) -> np.ndarray:
        assert np.isnan([self.array[margin : margin + LANES] for margin in self.margins]).all(), "written past the end"
        return self.array[place : place + count * LANES].reshape(count, LANES).T.copy()

    def matrices(self, place: int, size: int) -> np.ndarray:
        return symmetric(self.read(place, triangle(size)), size)


def triangle(size: int) -> int:
    return size * (size + 1) // 2


def pack(matrices: np.ndarray) -> np.ndarray:
    return matrices[(..., *np.tril_indices(matrices.shape[-1]))]


def symmetric(numbers: np.ndarray, size: int) -> np.ndarray:
    full = lower(numbers, size)
    return full + np.tril(full, -1).swapaxes(-1, -2)


def lower(numbers: np.ndarray, size: int) -> np.ndarray:
    full = np.zeros((*numbers.shape[:-1], size, size))
    full[(..., *np.tril_indices(size))] = numbers
    return full


class Potential(NamedTuple):
    """Eight potentials x -> exp(height - (x - mode)' precision (x - mode) / 2)."""

    height: np.ndarray
    mode: np.ndarray
    precision: np.ndarray

    def log(self, x: np.ndarray) -> np.ndarray:
        """Its logarithm at points (points, LANES, size)."""
        apart = x - self.mode
        return self.height - 0.5 * np.einsum("pla,lab,plb->pl", apart, self.precision, apart)

    def put(self, room: Room) -> int:
        size = self.mode.shape[1]
        return room.take(
            1 + size + triangle(size), np.concatenate([self.height[:, None], self.mode, pack(self.precision)], axis=1)
        )


def close_functions(found: Potential, x: np.ndarray, expected: np.ndarray, rtol: float, atol: float) -> None:
    """Logarithms at points are as expected. Where a potential is flat in a direction that is no axis, its mode may be far
    away along that direction, and the square of the distance takes digits away."""
    size = x.shape[-1]
    flat = [np.linalg.matrix_rank(P, hermitian=True) < P.any(axis=1).sum() for P in found.precision]
    squares = ((x - found.mode) ** 2).sum(axis=-1) * np.abs(found.precision).max(axis=(1, 2))
    allowance = atol + rtol * np.abs(expected) + np.where(flat, 1e-15 * size * squares, 0.0)
    far = np.abs(found.log(x) - expected) > allowance
    assert not far.any(), (np.argwhere(far)[0], found.log(x)[far], expected[far])


def read_potential(room: Room, place: int, size: int) -> Potential:
    numbers = room.read(place, 1 + size + triangle(size))
    return Potential(numbers[:, 0], numbers[:, 1 : 1 + size], symmetric(numbers[:, 1 + size :], size))


def spread(rng: np.random.Generator, size: int) -> np.ndarray:
    """A covariance or precision that is neither diagonal nor badly conditioned."""
    turn = rng.normal(size=(size, size))
    return turn @ turn.T / size + 0.3 * np.eye(size)


REGULAR, BLANK, OBLIQUE, NOTHING = range(4)  # which directions of a precision are flat


def precision_of(rng: np.random.Generator, size: int, kind: int) -> np.ndarray:
    P = spread(rng, size)
    if kind == BLANK:
        gone = rng.random(size) < 0.5
        P[gone] = P[:, gone] = 0.0
    elif kind == OBLIQUE:
        basis = rng.normal(size=(size, rng.integers(0, size)))
        P = basis @ basis.T
    elif kind == NOTHING:
        P = np.zeros((size, size))
    return P


def precisions(rng: np.random.Generator, size: int, kinds: list[int] | None = None) -> np.ndarray:
    kinds = rng.integers(4, size=LANES).tolist() if kinds is None else kinds
    return np.array([precision_of(rng, size, kind) for kind in kinds])


def random_potential(rng: np.random.Generator, size: int, kinds: list[int] | None = None, offset: float = 0.0) -> Potential:
    """Eight of all kinds. Modes are zero in blank dimensions, as is the convention."""
    P = precisions(rng, size, kinds)
    mode = offset + rng.normal(size=(LANES, size))
    mode[~P.any(axis=2)] = 0.0
    return Potential(rng.normal(size=LANES), mode, P)


def pseudo_log_determinant(P: np.ndarray) -> float:
    """Of what is left without blank dimensions."""
    there = P.any(axis=1)
    return float(np.linalg.slogdet(P[np.ix_(there, there)])[1]) if there.any() else 0.0


class Factor(NamedTuple):
    L: int
    pivots: int
    determinant: int


def factor(room: Room, P: np.ndarray) -> Factor:
    size = P.shape[1]
    found = Factor(room.take(triangle(size)), room.take(size), room.take(2))
    run_factorise(room.array, size, room.take(triangle(size), pack(P)), *found)
    return found


# Factors


def test_packed_entries() -> None:
    rows, columns = np.tril_indices(6)
    assert [run_packed(a, b) for a, b in zip(rows, columns, strict=True)] == list(range(21))
    assert [run_packed(b, a) for a, b in zip(rows, columns, strict=True)] == list(range(21))


@examples
@given(sizes, seeds, st.sampled_from([1e-100, 1e-12, 1.0, 1e12, 1e100]))
def test_factorise(size: int, seed: int, scale: float) -> None:
    """P = L diag(d) L', for flat directions too, with unit lower L; 1 / d is 0 where flat; any scale of numbers will do."""
    P = scale * precisions(np.random.default_rng(seed), size)
    room = Room()
    found = factor(room, P)
    L = lower(room.read(found.L, triangle(size)), size)
    inverse = room.read(found.pivots, size)
    assert (np.diagonal(L, axis1=1, axis2=2) == 1).all()
    d = np.divide(1.0, inverse, out=np.zeros_like(inverse), where=inverse > 0)
    largest = np.abs(P).max(axis=(1, 2), keepdims=True) + 1e-300
    np.testing.assert_allclose((L * d[:, None]) @ L.swapaxes(1, 2) / largest, P / largest, atol=1e-9)
    np.testing.assert_array_equal(
        (inverse > 0).sum(axis=1), [np.linalg.matrix_rank(one / big) for one, big in zip(P, largest, strict=True)]
    )
    regular = (inverse > 0).all(axis=1)
    np.testing.assert_allclose(((L * d[:, None]) @ L.swapaxes(1, 2) / largest)[regular], (P / largest)[regular], atol=1e-14)


@examples
@given(sizes, seeds, st.sampled_from([1e-40, 1.0, 1e40]))
def test_determinants_and_codes(size: int, seed: int, scale: float) -> None:
    """The log determinant of what is not blank; the code is 0 where P is positive definite, and SINGULAR or more where it is
    flat in a direction that is no axis."""
    rng = np.random.default_rng(seed)
    kinds = rng.integers(4, size=LANES).tolist()
    P = scale * precisions(rng, size, kinds)
    room = Room()
    log_determinant, code = room.read(factor(room, P).determinant, 2).T
    for lane in range(LANES):
        there = P[lane].any(axis=1)
        rank = np.linalg.matrix_rank(P[lane] / scale)
        if rank == size:
            assert code[lane] == 0
        elif rank == there.sum():
            assert 0 < code[lane] < SINGULAR
        else:
            assert code[lane] >= SINGULAR
        if rank == there.sum():
            assert log_determinant[lane] == pytest.approx(pseudo_log_determinant(P[lane]), rel=1e-12, abs=1e-11)


def test_every_set_of_blank_dimensions_has_its_own_code() -> None:
    rng = np.random.default_rng(0)
    codes = []
    for first in range(0, 32, LANES):
        P = np.array([spread(rng, 5) for _ in range(LANES)])
        for lane in range(LANES):
            gone = [bool((first + lane) >> bit & 1) for bit in range(5)]
            P[lane][gone] = P[lane][:, gone] = 0.0
        room = Room()
        codes += room.read(factor(room, P).determinant, 2)[:, 1].tolist()
    assert codes[0] == 0
    assert np.diff(np.sort(codes)).min() > 1e-6


def test_factors_without_determinant() -> None:
    room = Room()
    P = room.take(3, pack(np.array([spread(np.random.default_rng(0), 2)] * LANES)))
    L, pivots = room.take(3), room.take(2)
    before = room.array[:LANES].copy()
    run_factorise(room.array, 2, P, L, pivots, -1)
    np.testing.assert_array_equal(room.array[:LANES], before)
    assert np.isfinite(room.read(L, 3)).all()


@examples
@given(sizes, seeds)
def test_solves(size: int, seed: int) -> None:
    """Forward and backward solve P x = b, wherever b is one that P can reach."""
    rng = np.random.default_rng(seed)
    P = precisions(rng, size)
    b = np.einsum("lab,lb->la", P, rng.normal(size=(LANES, size)))
    room = Room()
    found = factor(room, P)
    x = room.take(size, b)
    run_forward_solve(room.array, size, found.L, x)
    L = lower(room.read(found.L, triangle(size)), size)
    np.testing.assert_allclose(np.einsum("lab,lb->la", L, room.read(x, size)), b, atol=1e-10)
    run_backward_solve(room.array, size, found.L, found.pivots, x)
    np.testing.assert_allclose(np.einsum("lab,lb->la", P, room.read(x, size)), b, atol=1e-7)
    regular = (room.read(found.pivots, size) > 0).all(axis=1)
    if regular.any():
        expected = np.linalg.solve(P[regular], b[regular][..., None])[..., 0]
        np.testing.assert_allclose(room.read(x, size)[regular], expected, rtol=1e-9, atol=1e-9)


@examples
@given(sizes, seeds)
def test_invert(size: int, seed: int) -> None:
    """The inverse; of what is not blank, where some dimensions are; and a generalised one in any case: P C P = P."""
    rng = np.random.default_rng(seed)
    kinds = rng.integers(4, size=LANES).tolist()
    P = precisions(rng, size, kinds)
    room = Room()
    found = factor(room, P)
    place = room.take(triangle(size))
    run_invert(room.array, size, found.L, found.pivots, place, room.take(triangle(size)))
    C = room.matrices(place, size)
    np.testing.assert_allclose(P @ C @ P, P, atol=1e-8)
    for lane, kind in enumerate(kinds):
        if kind != OBLIQUE:
            expected = np.zeros((size, size))
            there = np.ix_(P[lane].any(axis=1), P[lane].any(axis=1))
            expected[there] = np.linalg.inv(P[lane][there]) if there[0].size else 0.0
            np.testing.assert_allclose(C[lane], expected, rtol=1e-9, atol=1e-11)


@examples
@given(sizes, seeds)
def test_root(size: int, seed: int) -> None:
    """M M' = P with lower triangular M."""
    P = precisions(np.random.default_rng(seed), size)
    room = Room()
    M = room.take(triangle(size))
    run_root(room.array, size, room.take(triangle(size), pack(P)), M, room.take(size))
    found = lower(room.read(M, triangle(size)), size)
    np.testing.assert_allclose(found @ found.swapaxes(1, 2), P, atol=1e-8)


@examples
@given(sizes, seeds)
def test_plain_algebra(size: int, seed: int) -> None:
    """multiply, sandwich, product, unpack, copy and choose are what NumPy says."""
    rng = np.random.default_rng(seed)
    S = np.array([spread(rng, size) for _ in range(LANES)])
    A, B = rng.normal(size=(2, LANES, size, size))
    x = rng.normal(size=(LANES, size))
    room = Room()
    places = room.take(triangle(size), pack(S)), room.take(size * size, A), room.take(size * size, B), room.take(size, x)
    out, square, free = room.take(size), room.take(size * size), room.take(size * size)
    run_multiply(room.array, size, places[0], places[3], out)
    np.testing.assert_allclose(room.read(out, size), np.einsum("lab,lb->la", S, x), rtol=1e-12, atol=1e-13)
    packed_out = room.take(triangle(size))
    run_sandwich(room.array, size, places[1], places[0], packed_out, free)
    np.testing.assert_allclose(room.matrices(packed_out, size), A.swapaxes(1, 2) @ S @ A, rtol=1e-11, atol=1e-12)
    run_product(room.array, size, places[1], places[2], square)
    np.testing.assert_allclose(room.read(square, size * size).reshape(A.shape), A @ B, rtol=1e-11, atol=1e-12)
    run_unpack(room.array, size, places[0], square)
    np.testing.assert_array_equal(room.read(square, size * size).reshape(S.shape), S)
    run_copy(room.array, places[2], square, size * size)
    np.testing.assert_array_equal(room.read(square, size * size), B.reshape(LANES, -1))
    chosen = rng.choice([-1.0, 0.0, 1.0], size=LANES)
    run_choose(room.array, room.take(1, chosen), places[1], square, size * size)
    expected = np.where((chosen > 0)[:, None], A.reshape(LANES, -1), B.reshape(LANES, -1))
    np.testing.assert_array_equal(room.read(square, size * size), expected)


# Products


def run_whole_join(one: Potential, two: Potential) -> tuple[Potential, np.ndarray]:
    """The product of potentials, mode included, and log determinant and code of its precision."""
    size, room = one.mode.shape[1], Room()
    places = one.put(room), two.put(room)
    out, L, pivots, v, free = (room.take(n) for n in (1 + size + triangle(size), triangle(size), size, size, 2 + 2 * size))
    run_join(room.array, size, *places, out, L, pivots, v, free)
    run_join_mode(room.array, size, places[0], out, L, pivots, v)
    return read_potential(room, out, size), room.read(free, 2)


@examples
@given(sizes, seeds, st.sampled_from([0.0, 1e6]), st.sampled_from([1e-8, 1.0, 1e8]))
def test_join_is_the_product_of_functions(size: int, seed: int, offset: float, scale: float) -> None:
    """At every point, the logarithms add up: for all pairs of flat and other precisions, far from zero, at any scale."""
    rng = np.random.default_rng(seed)
    one, two = (random_potential(rng, size, offset=offset) for _ in range(2))
    if offset == 0.0:
        one, two = (p._replace(precision=p.precision * scale, mode=p.mode / np.sqrt(scale)) for p in (one, two))
    found, _ = run_whole_join(one, two)
    np.testing.assert_array_equal(found.precision, one.precision + two.precision)
    width = 1.0 if offset else 1 / np.sqrt(scale)
    x = offset + width * rng.normal(size=(20, LANES, size))
    expected = one.log(x) + two.log(x)
    # A blank dimension has its mode at zero: the distance to the other mode is the offset, whose square takes digits away.
    apart = (two.mode - one.mode)[~(one.precision.any(axis=2) & two.precision.any(axis=2))]
    atol = 1e-9 + 1e-16 * float((apart**2).max(initial=0.0)) if offset else 1e-9
    close_functions(found, x, expected, rtol=1e-9, atol=atol + (1e-7 if offset else 0.0))


@examples
@given(sizes, seeds)
def test_join_at_its_mode(size: int, seed: int) -> None:
    """Of regular potentials: the height is the largest value, the mode where it is, and the determinant that of the sum."""
    rng = np.random.default_rng(seed)
    one, two = (random_potential(rng, size, [REGULAR] * LANES, offset=1e6) for _ in range(2))
    found, (log_determinant, code) = (lambda p, rest: (p, rest.T))(*run_whole_join(one, two))
    P = one.precision + two.precision
    apart = two.mode - one.mode
    mode = one.mode + np.linalg.solve(P, np.einsum("lab,lb->la", two.precision, apart)[..., None])[..., 0]
    np.testing.assert_allclose(found.mode, mode, rtol=0, atol=2e-9)
    np.testing.assert_allclose(found.height, (one.log(mode[None]) + two.log(mode[None]))[0], rtol=0, atol=1e-8)
    np.testing.assert_allclose(log_determinant, np.linalg.slogdet(P)[1], rtol=1e-12, atol=1e-12)
    assert (code == 0).all()


def test_huge_offsets_keep_all_digits() -> None:
    """Only differences of modes are squared: moving both by a power of two changes nothing but the mode."""
    rng = np.random.default_rng(0)
    one, two = (random_potential(rng, 3, [REGULAR] * LANES) for _ in range(2))
    one, two = (p._replace(mode=np.round(p.mode * 2**20) / 2**20) for p in (one, two))  # so that moving does not round
    far = [p._replace(mode=p.mode + 2.0**30) for p in (one, two)]
    near, moved = run_whole_join(one, two)[0], run_whole_join(*far)[0]
    np.testing.assert_array_equal(moved.height, near.height)
    np.testing.assert_allclose(moved.mode - 2.0**30, near.mode, rtol=0, atol=3e-7)


def test_joined_with_nothing() -> None:
    """A product with a constant only adds its height."""
    rng = np.random.default_rng(1)
    one = random_potential(rng, 4, [REGULAR] * LANES, offset=1e6)
    nothing = Potential(rng.normal(size=LANES), np.zeros((LANES, 4)), np.zeros((LANES, 4, 4)))
    for pair in ((one, nothing), (nothing, one)):
        found, _ = run_whole_join(*pair)
        np.testing.assert_allclose(found.mode, one.mode, rtol=1e-14)
        np.testing.assert_allclose(found.height, one.height + nothing.height, rtol=0, atol=1e-12)


# Links


def run_whole_blur(P: np.ndarray, Q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    size, room = P.shape[1], Room()
    constants = np.concatenate([[np.nan] * 3, Q.ravel(), [np.nan]])
    out = room.take(triangle(size))
    free = room.take(2 + size + size * size + 3 * triangle(size))
    run_blur(room.array, size, room.take(triangle(size), pack(P)), constants, 3, out, free)
    return room.matrices(out, size), room.read(free, 1)[:, 0]


@examples
@given(sizes, seeds, st.sampled_from([1e-6, 1.0, 1e6]), st.integers(0, 2))
def test_blur(size: int, seed: int, scale: float, kind: int) -> None:
    """(P^-1 + Q)^-1 and log det(1 + P Q)^(-1/2), which need no inverse: flat P and singular Q are no special cases."""
    rng = np.random.default_rng(seed)
    kinds = rng.integers(4, size=LANES).tolist()
    P = precisions(rng, size, kinds)
    Q = scale * [spread(rng, size), precision_of(rng, size, OBLIQUE), np.zeros((size, size))][kind]
    found, gain = run_whole_blur(P, Q)
    expected = np.linalg.solve(np.eye(size) + P @ Q, P)
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(gain, -0.5 * np.linalg.slogdet(np.eye(size) + P @ Q)[1], rtol=1e-9, atol=1e-9)
    assert (gain <= 0).all()
    for lane in range(LANES):
        if kinds[lane] == REGULAR and scale <= 1.0:
            np.testing.assert_allclose(found[lane], np.linalg.inv(np.linalg.inv(P[lane]) + Q), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("kind", [REGULAR, BLANK, OBLIQUE])
def test_blur_is_the_limit_of_regular_ones(kind: int) -> None:
    rng = np.random.default_rng(3)
    P, Q = precisions(rng, 3, [kind] * LANES), spread(rng, 3)
    found, _ = run_whole_blur(P, Q)
    near = np.linalg.inv(np.linalg.inv(P + 1e-6 * np.eye(3)) + Q)
    np.testing.assert_allclose(found, near, atol=1e-5)


@examples
@given(st.integers(1, 2), seeds)
def test_blur_is_the_convolution(size: int, seed: int) -> None:
    """The integral of f(x + e) N(e; 0, Q) over e, by Gauss-Hermite quadrature."""
    rng = np.random.default_rng(seed)
    f = random_potential(rng, size, rng.choice([REGULAR, BLANK, OBLIQUE], size=LANES).tolist())
    Q = 0.3 * spread(rng, size)
    precision, gain = run_whole_blur(f.precision, Q)
    found = Potential(f.height + gain, f.mode, precision)
    nodes, weights = np.polynomial.hermite_e.hermegauss(100)
    grid = np.stack(np.meshgrid(*[nodes] * size), axis=-1).reshape(-1, size) @ np.linalg.cholesky(Q).T
    mass = np.prod(np.stack(np.meshgrid(*[weights] * size), axis=-1).reshape(-1, size), axis=1) / (2 * np.pi) ** (size / 2)
    for x in rng.normal(size=(5, LANES, size)):
        integral = mass @ np.exp(f.log(x[None] + grid[:, None]))
        np.testing.assert_allclose(np.exp(found.log(x[None])[0]), integral, rtol=1e-5)


@examples
@given(sizes, seeds, st.sampled_from([0.0, 1e6]), st.booleans())
def test_pull_back_is_the_function_of_the_image(size: int, seed: int, offset: float, whole: bool) -> None:
    """f(F x), as a function of x, where F may lose dimensions and not reach others, and f may be flat."""
    rng = np.random.default_rng(seed)
    f = random_potential(rng, size)
    left, _, right = np.linalg.svd(rng.normal(size=(size, size)))
    values = rng.uniform(0.5, 1.5, size=size)
    F = left @ np.diag(values) @ right
    if not whole:  # padded variables: columns and rows that do not exist
        F[rng.random(size) < 0.3] = 0.0
        F[:, rng.random(size) < 0.3] = 0.0
    origin = np.full(size, offset)
    f = f._replace(mode=np.where(f.precision.any(axis=2), f.mode + F @ origin, 0.0))
    room = Room()
    start = Potential(f.height, f.mode, np.full_like(f.precision, np.nan)).put(room)
    constants = np.concatenate([[np.nan] * 2, F.ravel()])
    free = room.take(2 + 5 * size + size * size + triangle(size))
    run_pull_back(room.array, size, constants, 2, room.take(triangle(size), pack(f.precision)), start, free)
    found = read_potential(room, start, size)
    found = found._replace(height=f.height + room.read(free, 1)[:, 0])
    np.testing.assert_allclose(found.precision, F.T @ f.precision @ F, rtol=1e-10, atol=1e-12)
    x = origin + rng.normal(size=(20, LANES, size))
    close_functions(found, x, f.log(x @ F.T), rtol=1e-8, atol=1e-6 if offset else 1e-8)
    skipped = 2 + 4 * size
    L = lower(room.read(free, skipped + triangle(size))[:, skipped:], size)
    inverse = room.read(free, skipped + triangle(size) + size)[:, skipped + triangle(size) :]
    d = np.divide(1.0, inverse, out=np.zeros_like(inverse), where=inverse > 0)
    np.testing.assert_allclose((L * d[:, None]) @ L.swapaxes(1, 2), found.precision, atol=1e-8)


# Derivatives: functions of all numbers of a potential, differentiated by complex steps (exact to rounding)

STEP = 1e-40


def slopes(function: Callable[..., complex], *arguments: np.ndarray) -> list[np.ndarray]:
    """The derivative of a real analytic function with respect to every entry; those of symmetric matrices along symmetric
    directions E are sum(slope * E)."""
    found = []
    for number, argument in enumerate(arguments):
        slope = np.zeros(argument.shape)
        for place in np.ndindex(argument.shape):
            moved = [np.array(one, dtype=complex) for one in arguments]
            moved[number][place] += 0.5j * STEP
            moved[number][place[::-1] if argument.ndim == 2 else place] += 0.5j * STEP
            slope[place] = function(*moved).imag / STEP
        found.append(slope)
    return found


@examples
@given(sizes, seeds)
def test_join_adjoint(size: int, seed: int) -> None:
    """Against derivatives of the product's height, mode and precision, weighed by random numbers."""
    rng = np.random.default_rng(seed)
    kinds = rng.integers(3, size=LANES).tolist()
    one, two = random_potential(rng, size, kinds), random_potential(rng, size, [REGULAR] * LANES)
    push = Potential(rng.normal(size=LANES), rng.normal(size=(LANES, size)), rng.normal(size=(LANES, size, size)))
    push = push._replace(precision=push.precision + push.precision.swapaxes(1, 2))
    whole, _ = run_whole_join(one, two)
    t = np.linalg.solve(whole.precision, push.mode[..., None])[..., 0]
    for first, second in ((one, two), (two, one)):
        room = Room()
        places = first.put(room), whole.put(room), push.put(room), room.take(size, t)
        give = room.take(1 + size + triangle(size))
        run_join_adjoint(room.array, size, *places, give)
        found = read_potential(room, give, size)
        for lane in range(LANES):

            def weighed(g, m, P, lane=lane, second=second):
                g2, m2, P2 = second.height[lane], second.mode[lane], second.precision[lane]
                mode = np.linalg.solve(P + P2, P @ m + P2 @ m2)
                height = g[()] + g2 - 0.5 * ((mode - m) @ P @ (mode - m) + (mode - m2) @ P2 @ (mode - m2))
                return push.height[lane] * height + push.mode[lane] @ mode + (push.precision[lane] * (P + P2)).sum()

            expected = slopes(weighed, np.array(first.height[lane]), first.mode[lane], first.precision[lane])
            for got, wanted in zip((found.height, found.mode, found.precision), expected, strict=True):
                np.testing.assert_allclose(got[lane], wanted, rtol=1e-8, atol=1e-8)


@examples
@given(sizes, seeds)
def test_mixture_adjoint(size: int, seed: int) -> None:
    """Against derivatives of the log mass, mean and covariance of three Gaussians; a lane without a share receives zeros."""
    rng = np.random.default_rng(seed)
    parts = [random_potential(rng, size, [REGULAR] * LANES) for _ in range(3)]
    covariances = [np.linalg.inv(part.precision) for part in parts]
    masses = np.array([part.height - 0.5 * np.linalg.slogdet(part.precision)[1] for part in parts])
    shares = np.exp(masses - np.logaddexp.reduce(masses))
    centre = sum(share[:, None] * part.mode for share, part in zip(shares, parts, strict=True))
    S = sum(
        share[:, None, None] * (C + np.einsum("la,lb->lab", part.mode - centre, part.mode - centre))
        for share, part, C in zip(shares, parts, covariances, strict=True)
    )
    dmass, dm, dS = rng.normal(size=LANES), rng.normal(size=(LANES, size)), rng.normal(size=(LANES, size, size))
    dS = dS + dS.swapaxes(1, 2)
    constant = dmass - np.einsum("lab,lab->l", dS, S)
    given = shares[0].copy()
    given[3] = 0.0
    mode = parts[0].mode.copy()
    mode[3] = np.nan
    room = Room()
    push = room.take(1 + size + triangle(size))
    run_mixture_adjoint(
        room.array,
        size,
        room.take(1, given),
        room.take(size, mode),
        room.take(triangle(size), pack(covariances[0])),
        room.take(size, centre),
        room.take(triangle(size), pack(dS)),
        room.take(size, dm),
        room.take(1, constant),
        push,
        room.take(size * size),
    )
    found = read_potential(room, push, size)
    for lane in range(LANES):
        if lane == 3:
            assert not any(np.asarray(got[lane]).any() for got in found)
            continue

        def weighed(g, m, P, lane=lane):
            gs, ms, Ps = ([getattr(part, name)[lane] for part in parts] for name in ("height", "mode", "precision"))
            gs[0], ms[0], Ps[0] = g[()], m, P
            weights = np.array([np.exp(h) / np.sqrt(np.linalg.det(one)) for h, one in zip(gs, Ps, strict=True)])
            mean = sum(w * one for w, one in zip(weights, ms, strict=True)) / weights.sum()
            spread = sum(
                w * (np.linalg.inv(one) + np.outer(at - mean, at - mean)) for w, at, one in zip(weights, ms, Ps, strict=True)
            )
            value = dmass[lane] * np.log(weights.sum()) + dm[lane] @ mean
            return value + (dS[lane] * spread).sum() / weights.sum()

        expected = slopes(weighed, np.array(parts[0].height[lane]), parts[0].mode[lane], parts[0].precision[lane])
        for got, wanted in zip(found, expected, strict=True):
            np.testing.assert_allclose(got[lane], wanted, rtol=1e-8, atol=1e-8)


def test_no_lane_looks_at_another() -> None:
    """Each lane by itself, with the others blank, gives the same bits."""
    rng = np.random.default_rng(9)
    one, two = (random_potential(rng, 3, offset=1e3) for _ in range(2))
    together, _ = run_whole_join(one, two)
    for lane in range(LANES):
        alone = np.arange(LANES) == lane
        pair = [
            Potential(
                np.where(alone, p.height, 0.0),
                np.where(alone[:, None], p.mode, 0.0),
                np.where(alone[:, None, None], p.precision, 0.0),
            )
            for p in (one, two)
        ]
        found, _ = run_whole_join(*pair)
        assert found.height[lane] == together.height[lane]
        np.testing.assert_array_equal(found.mode[lane], together.mode[lane])
        assert math.isfinite(found.height.sum())
