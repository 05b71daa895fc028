"""Bounds on the lengths of what is drawn from models, and on the work of drawing it."""

from recbayes.errors import LengthError

LONGEST = 1_000_000  # observations beyond which a tree without an upper bound is taken to be infinite
MOST_NODES = 2_000_000  # nodes drawn in all attempts together, some seconds of work, before the search is given up


def check_bounds(min_length: int, max_length: int | None, attempts: int) -> None:
    if min_length < 1 or (max_length is not None and max_length < min_length):
        raise LengthError(f"lengths must satisfy 1 <= min_length <= max_length, got {min_length} and {max_length}")
    if attempts < 1:
        raise LengthError(f"attempts must be at least 1, got {attempts}")
