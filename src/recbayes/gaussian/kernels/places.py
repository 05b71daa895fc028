"""What a walk over trees keeps: of every node its cell, rule and split point, and where its messages are in the room."""

from typing import NamedTuple

import numpy as np
from numba import njit

from recbayes.compiled.lanes import BORROWING, INNER
from recbayes.compiled.layout import lanes_room, message_room, nth_message, whole_groups
from recbayes.gaussian.kernels.listing import group_room
from recbayes.gaussian.kernels.room import Room, make_room

# What is kept of a node; rule is -1 - e for emission e, and given the number of a leaf's own potential (0: the chart's)
VARIABLE, START, END, RULE, SPLIT, LEFT, RIGHT, GIVEN = range(8)
FIELDS = 8
DRAW, CHECK, FOLLOW = 0, 1, 2  # choose alternatives; find how probable given ones were to be chosen; only follow them


class Places(NamedTuple):
    """Where things are in the room, after the places of the inside pass."""

    context: int  # the current node's context, as a potential in lanes
    weights: int  # of the alternatives of the current node
    contexts: int  # for every node, one after the other: a density,
    inner: int  # its exact message,
    upward: int  # and that message in its parent's dimensions
    spare: int  # alternatives of a cell that are not kept
    kept: int  # alternatives of the cells visited so far, as long as there is room
    end: int


@njit(**BORROWING)
def make_places(size: int, begin: int, capacity: int, most_alternatives: int, end: int) -> Places:
    groups = whole_groups(most_alternatives)
    weights = begin + message_room(size)
    contexts = weights + lanes_room(groups)
    spare = nth_message(contexts, 3 * capacity, size)
    kept = spare + groups * group_room(size)
    return Places(
        begin,
        weights,
        contexts,
        nth_message(contexts, capacity, size),
        nth_message(contexts, 2 * capacity, size),
        spare,
        kept,
        end,
    )


@njit(**INNER)
def prepare(
    size: int, capacity: int, most_alternatives: int, kept: int, cells: int
) -> tuple[Room, Places, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Room for trees of up to `capacity` nodes, and for `kept` entries of the alternatives of cells that were visited."""
    at = make_room(size)
    end = make_places(size, at.end, capacity, most_alternatives, np.int64(0)).kept + kept
    to = make_places(size, at.end, capacity, most_alternatives, end)
    cache = np.zeros(2 * cells, dtype=np.int64)
    cache[0] = to.kept
    nodes = np.zeros((FIELDS, capacity), dtype=np.int64)
    stack = np.zeros((capacity + 2, 2), dtype=np.int64)
    return at, to, np.zeros(end), cache, nodes, stack, np.zeros(1, dtype=np.uint64)
