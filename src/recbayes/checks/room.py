"""Memory: how much of it something takes, in words, and errors before it is all taken."""

from recbayes.errors import SizeError

MOST_SQUARE = 10**9  # bytes of an array with a number for each start and end, beyond which it is not made


def in_words(size: float) -> str:
    """So many bytes, as people say it."""
    for unit, bytes_ in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= bytes_:
            return f"{size / bytes_:.3g} {unit}"
    return f"{size:.0f} bytes"


def check_square(length: int, item: int, what: str, instead: str) -> None:
    """An error if an array (N + 1, N + 1) of items of so many bytes is too large to be made; it says what to do instead."""
    size = (length + 1) ** 2 * item
    if size > MOST_SQUARE:
        raise SizeError(
            f"{what} of {length} observations would be an array of {length + 1} x {length + 1} numbers, {in_words(size)}; "
            f"{instead}"
        )
