"""The colours of all pictures: those of Okabe and Ito, which people with any colour vision tell apart.

In grey they differ less, so no picture says anything by colour alone: lines differ in width or dashes, too, and marks in
shape. Maps of numbers are those whose lightness goes one way.
"""

BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, YELLOW = "#E69F00", "#56B4E9", "#F0E442"
PALETTE = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, YELLOW)

FIT = BLUE  # what was found of the data
CHANGE = VERMILION  # where something changes
OBSERVED = "0.25"  # the data themselves
PALE = "0.94"  # every other segment
FAINT = "0.8"  # what is there, and not meant
PROBABILITIES, VALUES = "Blues", "cividis"  # maps of numbers
MARKS = ("o", "s", "^", "D", "v", "P", "X")  # as many as colours
DASHES = ("-", "--", "-.", ":", (0, (3, 1, 1, 1, 1, 1)), (0, (5, 1)), (0, (1, 1)))


def colour(number: int) -> str:
    """One after the other, and round again."""
    return PALETTE[number % len(PALETTE)]


def dashes(number: int) -> object:
    """The style of a line, which changes with its colour."""
    return DASHES[number % len(DASHES)]


def mark(number: int) -> dict[str, str]:
    """The shape of a mark, which changes with its colour; those of the next round are hollow."""
    hollow = {"markerfacecolor": "none"} if number // len(MARKS) % 2 else {}
    return {"marker": MARKS[number % len(MARKS)], **hollow}


def of_kind(kind: str) -> dict[str, object]:
    """How the line of a segment of this kind is drawn: with a trend or without, and with memory or without."""
    memory = "autoregressive" in kind
    return {"color": GREEN if "trend" in kind else FIT, "linestyle": (0, (4, 1)) if memory else "-"}
