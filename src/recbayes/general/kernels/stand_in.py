"""The Gaussian stand-in of a general model as arrays, and its messages.

A cell's message is a function of its value, exp(g + h u - u J u / 2); a discrete variable has one number g for each state.
Over an edge, the messages of its children, each led back through its link, and the edge's site are multiplied; over all
edges of a cell the sum of these is replaced by the Gaussian with the same mean, covariance and integral, all under the
Gaussian of the cell's variable.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from recbayes.compiled.lanes import BORROWING, KERNEL
from recbayes.general.kernels.small import factor, invert, quadratic, solve
from recbayes.general.kernels.structures import Graph, combinations


class StandIn(NamedTuple):
    """A *number* is a cell's state: a place of the graph. D is the highest dimension; others leave the rest of it empty."""

    graph: Graph
    dim: np.ndarray  # (numbers,) of the value: 0 for discrete ones
    variable: np.ndarray  # (numbers,)
    centre: np.ndarray  # (variables, D) Gaussians of variables: mean
    precision: np.ndarray  # (variables, D, D)
    site: np.ndarray  # (E,) where the sites of an edge begin, by states of the parent and then of the children together
    site_J: np.ndarray  # (sites, D, D)
    site_h: np.ndarray
    site_g: np.ndarray
    link: np.ndarray  # (ways, most children, most states of parents) the number of a link; -1: the child is discrete or seen
    child: np.ndarray  # (links,) variable of the child
    A: np.ndarray  # (links, D, D)
    b: np.ndarray  # (links, D)
    Q: np.ndarray  # (links, D, D)
    Q_inverse: np.ndarray
    Q_log: np.ndarray  # (links,) log determinants
    root_mean: np.ndarray  # (D,) of a continuous root
    root_precision: np.ndarray  # (D, D)
    root_log: np.ndarray  # (states,) of a discrete root


class Messages(NamedTuple):
    """Those of all numbers, and the same led back through every link that there is to them."""

    J: np.ndarray  # (numbers, D, D)
    h: np.ndarray
    g: np.ndarray
    back_J: np.ndarray  # (links, numbers, D, D)
    back_h: np.ndarray
    back_g: np.ndarray


class Room(NamedTuple):
    """Small matrices and vectors to work in."""

    matrices: np.ndarray  # (8, D, D)
    vectors: np.ndarray  # (8, D)


@njit(**BORROWING)
def lead_back(
    model: StandIn, link: int, J: np.ndarray, h: np.ndarray, g: float, parent: int, child: int, room: Room,
    to_J: np.ndarray, to_h: np.ndarray,
) -> float:  # fmt: skip
    """A message of `child` dimensions through a link, as a function of a parent's value of `parent` dimensions: its g."""
    P, L, M = room.matrices[0], room.matrices[1], room.matrices[2]
    w, k = room.vectors[0], room.vectors[1]
    for a in range(child):
        for c in range(child):
            P[a, c] = J[a, c] + model.Q_inverse[link, a, c]
    log = factor(P, child, L) + model.Q_log[link]
    for a in range(child):  # M = J - J W J, with W = P^-1, a column at a time
        solve(L, child, J[a], w)
        for c in range(child):
            value = J[a, c]
            for e in range(child):
                value -= J[c, e] * w[e]
            M[a, c] = value
    solve(L, child, h, w)  # W h
    total = g - 0.5 * log
    for a in range(child):
        total += 0.5 * h[a] * w[a]
        k[a] = h[a]
        for c in range(child):
            k[a] -= J[a, c] * w[c]
    total -= 0.5 * quadratic(M, child, model.b[link])
    for a in range(child):
        total += k[a] * model.b[link, a]
    for a in range(child):
        for c in range(child):
            k[a] -= M[a, c] * model.b[link, c]
    for i in range(parent):
        to_h[i] = 0.0
        for a in range(child):
            to_h[i] += model.A[link, a, i] * k[a]
        for j in range(parent):
            value = 0.0
            for a in range(child):
                for c in range(child):
                    value += model.A[link, a, i] * M[a, c] * model.A[link, c, j]
            to_J[i, j] = value
    return total


@njit(**BORROWING)
def gather(
    model: StandIn, messages: Messages, way: int, e: int, p: int, q: int, without: int, d: int, J: np.ndarray, h: np.ndarray
) -> float:
    """The product over an edge of its site and its children's messages, but for one child (-1: all of them)."""
    graph = model.graph
    place = model.site[e] + p * combinations(graph, way) + q
    g = model.site_g[place]
    for i in range(d):
        h[i] = model.site_h[place, i]
        for j in range(d):
            J[i, j] = model.site_J[place, i, j]
    for n in range(graph.below.shape[1] - 1, -1, -1):
        size = graph.sizes[way, n]
        number = graph.below[e, n]
        if number >= 0 and n != without:
            link = model.link[way, n, p]
            if link < 0:
                g += messages.g[number + q % size]
            else:
                g += messages.back_g[link, number]
                for i in range(d):
                    h[i] += messages.back_h[link, number, i]
                    for j in range(d):
                        J[i, j] += messages.back_J[link, number, i, j]
        q //= size
    return g


@njit(**BORROWING)
def under(
    J: np.ndarray, h: np.ndarray, mean: np.ndarray, P: np.ndarray, d: int, L: np.ndarray, eta: np.ndarray, x: np.ndarray
) -> float:
    """log of the integral of exp(h u - u J u / 2) under a Gaussian (mean, precision P), without the log determinant of P.

    L gets the factor of P + J, and x the mean of the product."""
    total = -0.5 * quadratic(P, d, mean)
    for i in range(d):
        eta[i] = h[i]
        for j in range(d):
            L[i, j] = P[i, j] + J[i, j]
            eta[i] += P[i, j] * mean[j]
    log = factor(L, d, L)
    solve(L, d, eta, x)
    for i in range(d):
        total += 0.5 * eta[i] * x[i]
    return total - 0.5 * log


@njit(**KERNEL)
def fill_messages(model: StandIn, messages: Messages, room: Room) -> None:
    """Messages of all cells, children first."""
    graph = model.graph
    D = model.centre.shape[1]
    J, L, C, square = room.matrices[3], room.matrices[4], room.matrices[5], room.matrices[6]
    h, eta, x, sums = room.vectors[2], room.vectors[3], room.vectors[4], room.vectors[5]
    for cell in range(len(graph.place) - 1):
        for p in range(graph.place[cell + 1] - graph.place[cell]):
            number = graph.place[cell] + p
            d, v = model.dim[number], model.variable[number]
            mean, P = model.centre[v], model.precision[v]
            P_log = factor(P, d, L)
            highest, total = -math.inf, 0.0
            for i in range(D):
                sums[i] = 0.0
                for j in range(D):
                    square[i, j] = 0.0
            for way in range(len(graph.first)):
                begin, end = graph.first[way, cell], graph.first[way, cell + 1]
                count = combinations(graph, way)
                for e in range(begin, end):
                    for q in range(count):
                        g = gather(model, messages, way, e, p, q, -1, d, J, h)
                        if d > 0:
                            g += 0.5 * P_log + under(J, h, mean, P, d, L, eta, x)
                        if not g > -math.inf:
                            continue
                        if g > highest:
                            scale = math.exp(highest - g) if highest > -math.inf else 0.0
                            highest = g
                            total *= scale
                            for i in range(d):
                                sums[i] *= scale
                                for j in range(d):
                                    square[i, j] *= scale
                        share = math.exp(g - highest)
                        total += share
                        if d > 0:
                            invert(L, d, C)
                            for i in range(d):
                                sums[i] += share * (x[i] - mean[i])
                            for i in range(d):
                                for j in range(d):
                                    square[i, j] += share * (C[i, j] + (x[i] - mean[i]) * (x[j] - mean[j]))
            messages.g[number] = highest + math.log(total) if total > 0.0 else -math.inf
            if d > 0 and total > 0.0:
                for i in range(d):
                    x[i] = sums[i] / total
                for i in range(d):
                    for j in range(d):
                        square[i, j] = square[i, j] / total - x[i] * x[j]
                factor(square, d, L)
                invert(L, d, C)
                _divide(model, messages, number, C, x, P_log, room)
                for link in range(len(model.child)):
                    if model.child[link] == v:
                        messages.back_g[link, number] = lead_back(
                            model, link, messages.J[number], messages.h[number], messages.g[number], D, d, room,
                            messages.back_J[link, number], messages.back_h[link, number],
                        )  # fmt: skip
            elif d > 0:
                for link in range(len(model.child)):
                    if model.child[link] == v:
                        messages.back_g[link, number] = -math.inf


@njit(**BORROWING)
def _divide(
    model: StandIn, messages: Messages, number: int, C: np.ndarray, apart: np.ndarray, P_log: float, room: Room
) -> None:
    """The message of a number, from the precision C of its product with the Gaussian of its variable, and the product's mean
    less that Gaussian's. Where it would be wider than that, it is made narrower."""
    d, v = model.dim[number], model.variable[number]
    mean, P = model.centre[v], model.precision[v]
    J, h, L = messages.J[number], messages.h[number], room.matrices[4]
    eta, x = room.vectors[3], room.vectors[6]
    more = 0.0
    while True:
        for i in range(d):
            for j in range(d):
                J[i, j] = C[i, j] - (1.0 - more) * P[i, j]
        if more >= 1.0 or factor(J, d, L) > -math.inf:
            break
        more = 1e-3 if more == 0.0 else 2.0 * more
    for i in range(d):
        h[i] = 0.0
        for j in range(d):
            h[i] += J[i, j] * mean[j] + (J[i, j] + P[i, j]) * apart[j]
    messages.g[number] -= 0.5 * P_log + under(J, h, mean, P, d, L, eta, x)
