"""The graphical model of a cell: a variable, its structural variable, and its ways on, as in the paper's figures."""

from collections import Counter
from typing import Any

from recbayes.plot.canvas import axes_of, drawable
from recbayes.plot.colours import BLUE, FAINT
from recbayes.plot.ways import Child, Way, cell_of

RADIUS = 0.26
APART, BESIDE = 1.0, 0.6  # children of a way; what has no place among them, as a share of that
CHARACTER = 0.062  # how wide one is
TOP, CHILDREN, FLOOR, CEILING = 2.0, 0.55, -0.25, 1.3  # heights: the variable, its children, and the gates
MOST = 8  # ways that are drawn
LONGEST = 14  # characters of a name
LATENT = {"facecolor": "white", "edgecolor": "black"}


def cell(model: Any, variable: str | None = None, *, ax: Any = None) -> Any:
    """The graphical model of a cell: a variable x, its structural variable z, and what follows for every value of z.

    Each dashed gate is a way on, which happens if z has its value, with the probability written there. Circles are
    variables, grey ones are observed; a black square is one distribution of several children. Arrows that leave the gates
    lead into the cells of the children. A plate with an n stands for n observations, and τ for a shift of the children's
    dimensions.

    Arguments:
        model: a model of any family. A grammar is drawn as the discrete network that it is.
        variable: the template variable, by its name; None is the root.
        ax: the axes of matplotlib to draw into; None makes a new figure.

    Returns:
        The axes.
    """
    found = cell_of(model, variable)
    ways = found.ways[:MOST]
    widths = [_width(way) for way in ways]
    total = sum(widths)
    ax = axes_of(ax, (min(1.15 * total + 1.2, 12.0), 3.6))
    x, z = (0.5 * total, TOP), (min(0.5 * total - 1.1, 0.0) if total < 2.4 else 0.0, TOP)
    _arrow(ax, (x[0], TOP + 0.8), (x[0], TOP + RADIUS), dotted=True)
    _node(ax, x, found.variable)
    _node(ax, z, "z")
    _arrow(ax, (x[0] - RADIUS, TOP), (z[0] + RADIUS, TOP))
    left = 0.0
    for way, width in zip(ways, widths, strict=True):
        _gate(ax, way, left, width, x, found.variable)
        left += width
    _line(ax, (z[0], TOP - RADIUS), (z[0], CEILING + 0.02) if z[0] >= 0.0 else (0.0, CEILING))
    ax.plot(max(z[0], 0.0), CEILING, "o", color="black", markersize=5, zorder=5)
    note = f"and {len(found.ways) - MOST} more ways" if len(found.ways) > MOST else ""
    ax.text(total, FLOOR - 0.5, note, ha="right", va="top", fontsize="small", color="0.3")
    ax.set_xlim(min(z[0], 0.0) - 0.4, total + 0.2)
    ax.set_ylim(FLOOR - 0.75, TOP + 0.9)
    ax.set_aspect("equal")
    ax.set_axis_off()
    return ax


def _width(way: Way) -> float:
    return max(
        APART * (len(way.children) + BESIDE * (any(way.shifted) + way.several)) + 0.7, 1.7, CHARACTER * len(_what(way))
    )


def _what(way: Way) -> str:
    """The value of z that opens a gate, and how probable it is."""
    name = drawable(_short(way.name))
    return f"z = {name}, {way.probability}" if way.probability[0] == "p" else f"z = {name}, p = {way.probability}"


def _gate(ax: Any, way: Way, left: float, width: float, x: tuple[float, float], variable: str) -> None:
    """A way on, in its dashed frame."""
    from matplotlib.patches import Rectangle

    frame: dict[str, Any] = {
        "fill": False,
        "edgecolor": "0.25",
        "linestyle": "--",
        "linewidth": 1.0,
        "gid": f"gate {way.name}",
    }
    ax.add_patch(Rectangle((left, FLOOR), width, CEILING - FLOOR, **frame))
    style = {"ha": "left", "va": "bottom", "fontsize": 7.5, "parse_math": False, "zorder": 4}
    box = {"boxstyle": "round,pad=0.1", "facecolor": "white", "linewidth": 0}
    ax.text(left + 0.08, FLOOR + 0.06, _what(way), bbox=box, **style)
    before = BESIDE * APART * any(way.shifted)
    room = width - before - BESIDE * APART * way.several
    first = left + before + 0.5 * room - 0.5 * APART * (len(way.children) - 1)
    counts = Counter[str]()
    places = [(first + APART * n, CHILDREN) for n in range(len(way.children))]
    joint = len(places) > 1
    if joint:
        middle = (0.5 * (places[0][0] + places[-1][0]), CHILDREN + 0.5)
        ax.plot(*middle, "s", color="black", markersize=6, zorder=4)
        _line(ax, _rim(x, middle), middle)
    for child, place in zip(way.children, places, strict=True):
        start = middle if joint else _rim(x, place)
        _arrow(ax, start, _rim(place, start))
        _node(ax, place, _name_of(child, variable, counts), child.observed)
        if not child.observed:
            _arrow(ax, (place[0], CHILDREN - RADIUS), (place[0], FLOOR - 0.45), dotted=True)
    if way.several:
        _plate(ax, places[0], (left + width - 0.4, CHILDREN))
    if any(way.shifted):
        tau = (places[0][0] - 0.85, CHILDREN + 0.3)
        _node(ax, tau, "τ")
        for place, moved in zip(places, way.shifted, strict=True):
            if moved:
                _arrow(ax, _rim(tau, place), _rim(place, tau))


def _plate(ax: Any, place: tuple[float, float], number: tuple[float, float]) -> None:
    """The frame of several observations, and how many they are."""
    from matplotlib.patches import FancyBboxPatch

    half = RADIUS + 0.08
    style: dict[str, Any] = {
        "boxstyle": "round,pad=0.04",
        "fill": False,
        "edgecolor": "black",
        "linewidth": 1.0,
        "gid": "plate",
    }
    ax.add_patch(FancyBboxPatch((place[0] - half, place[1] - half), 2 * half, 2 * half, **style))
    _node(ax, number, "n")
    _line(ax, (number[0] - RADIUS, number[1]), (place[0] + half + 0.04, place[1]))
    ax.plot(place[0] + half + 0.04, place[1], "o", color="black", markersize=4, zorder=5)


def _name_of(child: Child, variable: str, counts: Counter[str]) -> str:
    """The name of a child, with as many primes as it takes to tell it from others of its name."""
    known = counts[child.name] + (child.name == variable)
    counts[child.name] += 1
    return child.name + "′" * known


def _node(ax: Any, place: tuple[float, float], name: str, observed: bool = False) -> None:
    from matplotlib.patches import Circle

    look = {**LATENT, "facecolor": FAINT if observed else "white", "linewidth": 1.2}
    ax.add_patch(Circle(place, RADIUS, zorder=3, gid=f"{'y' if observed else 'x'} {name}", **look))
    size = 11 if len(name) <= 3 else 8 if len(name) <= 6 else 6.5
    style = {"ha": "center", "va": "center", "zorder": 4, "fontsize": size, "parse_math": False}
    ax.text(*place, drawable(_short(name)), style="italic" if len(name) <= 3 else "normal", **style)


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def _rim(place: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    """The point of a node's circle that is nearest to another point."""
    across, up = other[0] - place[0], other[1] - place[1]
    share = RADIUS / max((across**2 + up**2) ** 0.5, RADIUS)
    return place[0] + share * across, place[1] + share * up


def _arrow(ax: Any, start: tuple[float, float], end: tuple[float, float], dotted: bool = False) -> None:
    look = {"arrowstyle": "-|>", "linewidth": 1.2, "shrinkA": 0, "shrinkB": 0, "mutation_scale": 10, "color": "black"}
    style = {**look, "linestyle": ":" if dotted else "-", "color": BLUE if dotted else "black"}
    ax.annotate("", xy=end, xytext=start, arrowprops=style, zorder=2)


def _line(ax: Any, start: tuple[float, float], end: tuple[float, float]) -> None:
    ax.plot([start[0], end[0]], [start[1], end[1]], color="black", linewidth=1.2, zorder=2)
