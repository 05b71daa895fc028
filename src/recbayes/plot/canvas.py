"""What pictures are drawn into, and texts as they are drawn."""

from typing import Any

from recbayes.checks.arrays import short
from recbayes.errors import DataError


def axes_of(ax: Any, size: tuple[float, float] = (6.4, 4.0)) -> Any:
    """The axes to draw into: by default those of a new figure, so that no other picture is drawn over."""
    from matplotlib.axes import Axes

    if ax is None:
        import matplotlib.pyplot as plt  # here, as it chooses a backend, which who gives axes has done

        return plt.figure(figsize=size, layout="constrained").subplots()
    if not isinstance(ax, Axes):
        raise DataError(f"ax must be axes of matplotlib, such as figure.subplots() makes, or None, got {short(ax)}")
    return ax


def figure_of(figure: Any, size: tuple[float, float]) -> Any:
    """The figure to draw into: a new one by default."""
    if figure is None:
        import matplotlib.pyplot as plt

        return plt.figure(figsize=size, layout="constrained")
    if not hasattr(figure, "subplots"):
        raise DataError(f"figure must be a figure of matplotlib, or None, got {short(figure)}")
    return figure


def drawable(text: str) -> str:
    """The text without halves of characters, which no font has."""
    return text.encode("utf-8", "replace").decode("utf-8")
