"""The top of the chart: messages of roots under the Gaussians of the prior, the evidence, and where derivatives begin."""

import math

import numpy as np
from numba import njit

from recbayes.compiled.adjoints import join_adjoint
from recbayes.compiled.factors import invert
from recbayes.compiled.lanes import BORROWING, LANES, Lanes, get, lanes_exp, load, put, splat, store, where_greater
from recbayes.compiled.layout import (
    HEIGHT,
    MODE,
    cell_place,
    entry_place,
    in_lane,
    lower,
    message_entries,
    precision_from,
    triangle_entries,
)
from recbayes.compiled.potentials import join, join_mode
from recbayes.gaussian.chart.plan import Plan
from recbayes.gaussian.chart.tables import Tables
from recbayes.gaussian.kernels.derivatives import Derivatives
from recbayes.gaussian.kernels.room import Room


@njit(**BORROWING)
def meet_prior(
    tables: Tables, plan: Plan, messages: np.ndarray, first: int, c: int, room: np.ndarray, size: int, at: Room
) -> None:
    """The products of eight Gaussians of the prior, in at.two, with the messages of the roots that they are about, in
    at.one: in at.product. A chart may begin at a place `first` of the messages; a root may have no message there."""
    prior, columns = tables.prior, tables.prior.shape[1]
    for lane in range(LANES):
        column = min(c + lane, columns - 1)
        row = plan.rows[tables.roots[column], len(plan.positions) - 1]
        place = first + cell_place(plan.inside_base[tables.roots[column]], row, 0)
        there = messages[place] != -math.inf
        for entry in range(prior.shape[0]):
            room[in_lane(at.two, entry, lane)] = prior[entry, column]
            room[in_lane(at.one, entry, lane)] = messages[entry_place(place, row.length, entry)] if there else 0.0
        if not there:
            room[in_lane(at.one, HEIGHT, lane)] = -math.inf
    join(room, size, at.one, at.two, at.product, at.factor, at.pivots, at.vector, at.free)
    join_mode(room, size, at.one, at.product, at.factor, at.pivots, at.vector)


@njit(**BORROWING)
def log_masses(room: np.ndarray, size: int, at: Room) -> Lanes:
    """The log masses of the products in at.product, eight at once: a height lacks (2 pi)^(1/2) for each known dimension."""
    dimension = splat(0.0)
    for a in range(size):
        known = get(room, at.product, precision_from(size) + lower(a, a))
        dimension += where_greater(known, splat(0.0), splat(1.0), splat(0.0))
    log_mass = load(room, at.product) - splat(0.5) * load(room, at.free)
    return log_mass + dimension * splat(0.5 * math.log(2.0 * math.pi))


@njit(**BORROWING)
def root_evidence(
    tables: Tables, plan: Plan, messages: np.ndarray, evidence: np.ndarray, room: np.ndarray, at: Room
) -> None:
    """The log evidence by each Gaussian of the prior."""
    size = tables.shifts.shape[1]
    for c in range(0, tables.prior.shape[1], LANES):
        meet_prior(tables, plan, messages, np.int64(0), c, room, size, at)
        store(evidence, c, log_masses(room, size, at))


@njit(**BORROWING)
def root_adjoint(
    tables: Tables,
    plan: Plan,
    messages: np.ndarray,
    evidence: np.ndarray,
    derivatives: np.ndarray,
    prior: np.ndarray,
    room: np.ndarray,
    at: Room,
    to: Derivatives,
) -> None:
    """Derivatives of the log evidence with respect to the roots' messages and the prior's potentials."""
    size = tables.shifts.shape[1]
    entries = message_entries(size)
    highest = -np.inf
    for c in range(len(evidence)):
        highest = max(highest, evidence[c])
    total = 0.0
    for c in range(len(evidence)):
        total += np.exp(evidence[c] - highest)
    for c in range(0, len(evidence), LANES):
        meet_prior(tables, plan, messages, np.int64(0), c, room, size, at)
        share = lanes_exp(load(evidence, c) - splat(highest)) / splat(total)
        invert(room, size, at.factor, at.pivots, at.covariance, at.free)
        store(room, to.push, share)
        for a in range(size):
            put(room, to.push, MODE + a, splat(0.0))
            put(room, to.t, a, splat(0.0))
        for entry in range(triangle_entries(size)):
            put(room, to.push, precision_from(size) + entry, splat(-0.5) * share * get(room, at.covariance, entry))
        join_adjoint(room, size, at.one, at.product, to.push, to.t, to.give)
        for lane in range(LANES):
            if evidence[c + lane] > -math.inf:
                row = plan.rows[tables.roots[c + lane], len(plan.positions) - 1]
                place = cell_place(plan.inside_base[tables.roots[c + lane]], row, 0)
                for entry in range(entries):
                    derivatives[entry_place(place, row.length, entry)] += room[in_lane(to.give, entry, lane)]
        join_adjoint(room, size, at.two, at.product, to.push, to.t, to.give)
        for entry in range(entries):
            for lane in range(LANES):
                prior[entry, c + lane] = room[in_lane(to.give, entry, lane)]
