"""Where things are in the room in which the compiled passes work."""

from typing import NamedTuple

from numba import njit

from recbayes.compiled.lanes import BORROWING, LANES
from recbayes.compiled.layout import lanes_room, message_room, triangle_room

STATE = 10  # entries known of a cell's alternatives


class Room(NamedTuple):
    """Places of potentials, of the state and moments of a cell's alternatives, of a factor, and of free room."""

    one: int  # potentials: two children, their product, the cell's result, the variable's reference
    two: int
    product: int
    result: int
    reference: int
    state: int
    origin: int  # the point about which moments are taken
    mean: int
    square: int
    weight: int  # of the current alternative
    chosen: int  # lanes for which something is done
    move: int  # a vector
    factor: int  # of the current precision
    pivots: int
    vector: int
    covariance: int
    free: int
    end: int


@njit(**BORROWING)
def make_room(size: int) -> Room:
    vector, triangle = lanes_room(size), triangle_room(size)
    potential = message_room(size)
    state = 5 * potential
    origin = state + lanes_room(STATE)
    weight = origin + 2 * vector + triangle
    move = weight + lanes_room(2)
    factor = move + vector
    covariance = factor + triangle + 2 * vector
    free = covariance + triangle
    return Room(
        0,
        potential,
        2 * potential,
        3 * potential,
        4 * potential,
        state,
        origin,
        origin + vector,
        origin + 2 * vector,
        weight,
        weight + LANES,
        move,
        factor,
        factor + triangle,
        factor + triangle + vector,
        covariance,
        free,
        free + lanes_room(16 + 12 * size + 8 * size * size),
    )
