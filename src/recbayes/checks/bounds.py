"""Bounds on the lengths of what is drawn from models, and on the work of drawing it."""

from typing import NamedTuple

from recbayes.checks.arrays import whole_number
from recbayes.errors import LengthError

LONGEST = 1_000_000  # observations beyond which a tree without an upper bound is taken to be infinite
MOST_NODES = 2_000_000  # nodes drawn in all attempts together, some seconds of work, before the search is given up


class Bounds(NamedTuple):
    """The shortest and longest that may be drawn, and how often that is tried."""

    min_length: int
    max_length: int | None
    attempts: int


def check_bounds(min_length: int, max_length: int | None, attempts: int) -> Bounds:
    """The bounds as whole numbers; an error if nothing lies between them."""
    shortest = whole_number(min_length, "min_length", error=LengthError)
    longest = None if max_length is None else whole_number(max_length, "max_length", error=LengthError)
    if shortest < 1 or (longest is not None and longest < shortest):
        raise LengthError(f"lengths must satisfy 1 <= min_length <= max_length, got {shortest} and {longest}")
    if shortest > LONGEST:
        raise LengthError(f"min_length must be at most {LONGEST}, the longest that is drawn, got {shortest}")
    return Bounds(shortest, longest, whole_number(attempts, "attempts", least=1, error=LengthError))
