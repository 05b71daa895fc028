"""What pictures are drawn into, and texts as they are drawn."""

from typing import Any

import numpy as np

from recbayes.checks.arrays import short
from recbayes.checks.numbers import numbers
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


def figure_of(figure: Any, size: tuple[float, float], figsize: Any = None) -> Any:
    """The figure to draw into: a new one by default, of a size that may be wished for."""
    if figsize is not None:
        sizes = np.asarray(numbers(figsize, "figsize must be width and height in inches, both above 0"))
        if figure is not None:
            raise DataError("figsize is that of a new figure; leave it out, or figure")
        if sizes.shape != (2,) or not (np.isfinite(sizes) & (sizes > 0)).all():
            raise DataError(f"figsize must be width and height in inches, both above 0, got {short(figsize)}")
        size = float(sizes[0]), float(sizes[1])
    if figure is None:
        import matplotlib.pyplot as plt

        return plt.figure(figsize=size, layout="constrained")
    if not hasattr(figure, "subplots"):
        raise DataError(f"figure must be a figure of matplotlib, or None, got {short(figure)}")
    return figure


def finished(figure: Any, given: Any) -> Any:
    """The figure that is returned. Notebooks show the figures that pyplot still has open at the end of a cell, and what the
    last line returns: a new figure, which is returned, is closed there, and shown once."""
    import matplotlib as mpl

    if given is None and "inline" in mpl.get_backend().lower():
        import matplotlib.pyplot as plt

        plt.close(figure)
    return figure


def drawable(text: str) -> str:
    """The text without halves of characters, which no font has."""
    return text.encode("utf-8", "replace").decode("utf-8")
