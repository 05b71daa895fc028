"""What pictures are drawn into, and texts as they are drawn."""

from typing import Any

from recbayes.checks.arrays import short
from recbayes.errors import DataError


def axes_of(ax: Any) -> Any:
    """The axes to draw into: the current ones by default."""
    import matplotlib.pyplot as plt
    from matplotlib.axes import Axes

    if ax is None:
        return plt.gca()
    if not isinstance(ax, Axes):
        raise DataError(f"ax must be axes of matplotlib, such as figure.subplots() makes, or None, got {short(ax)}")
    return ax


def drawable(text: str) -> str:
    """The text without halves of characters, which no font has."""
    return text.encode("utf-8", "replace").decode("utf-8")
