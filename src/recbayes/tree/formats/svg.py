"""A tree as a picture: static SVG, for notebooks and pages.

Every node is a band over its span in the row of its level, the root on top; the darker a band, the more probable its node,
and those that are less probable than not have a broken outline. Bands have the colour of the text around them, so that the
picture fits light pages and dark ones. Without a script, a style sheet or ids, it stands in a page any number of times.

Pictures are bounded, whatever the tree: rows become lower where there are many, bands that would lie on top of others within
a pixel are drawn once, and of more than `MOST` those of the longest spans are drawn. The description says how many are not.
"""

from typing import TYPE_CHECKING, NamedTuple

from recbayes.checks.markup import Markup, joined, short_number, tag
from recbayes.tree.formats.names import printable

if TYPE_CHECKING:
    from recbayes.tree.node import Node
    from recbayes.tree.tree import Tree

WIDTH = 760.0  # of the picture, in pixels; it shrinks with its place
MARGIN = 8.0  # on the left and on the right, so that the numbers of the axis have room
TALLEST_ROW = 20.0
ALL_ROWS = 400.0  # pixels of all rows, unless these are few
LEGIBLE = 13.0  # a row that is lower holds no text
LETTER = 6.5  # pixels of a letter, amply
MOST = 800  # bands
OUTLINED = 3.0  # a row that is lower has no outlines, which would be all that one sees
FAINTEST, DARKEST = 0.04, 0.32  # opacity of improbable and of certain nodes: text is legible on both
UNKNOWN = 0.14  # of nodes whose probability is not known


class _Band(NamedTuple):
    left: float
    width: float
    row: int
    node: "Node"


def write_svg(tree: "Tree", title: str = "") -> str:
    """The picture as text; `title` is its name for those who hear it."""
    rows = max(tree.levels) + 1
    height = min(TALLEST_ROW, ALL_ROWS / rows)
    bands = _bands(tree, height)
    bottom = rows * height
    missing = len(tree) - len(bands)
    said = (
        f"A tree over positions {tree.nodes[0].start} to {tree.nodes[0].end}: {len(tree)} nodes, {len(tree.leaves)} leaves, "
    )
    said += f"{rows} levels, the root on top. The darker a band, the more probable its node."
    return tag(
        "svg",
        tag("title", title or f"Tree of {len(tree)} nodes over {tree.length} observations"),
        tag("desc", said + (f" {missing} small nodes are not drawn." if missing else "")),
        tag(
            "g",
            *(_draw(band, height) for band in bands),
            fill="currentColor",
            stroke="currentColor" if height >= OUTLINED else "none",
            stroke_width="0.5",
            stroke_opacity="0.6",
        ),
        tag("g", _axis(tree, bottom), fill="currentColor", stroke="none", font_size="10", opacity="0.75"),
        xmlns="http://www.w3.org/2000/svg",
        role="img",
        viewBox=f"0 0 {WIDTH:g} {bottom + 20:.5g}",
        width=f"{WIDTH:g}",
        style="max-width:100%;height:auto;font-family:system-ui,sans-serif",
    )


def _bands(tree: "Tree", height: float) -> list[_Band]:
    """Where nodes are drawn, in preorder; the longer ones come first where there is no room for all."""
    first, scale = tree.nodes[0].start, (WIDTH - 2 * MARGIN) / tree.length
    levels = tree.levels
    seen: set[tuple[int, int, int]] = set()
    chosen: list[int] = []
    for index in sorted(range(len(tree)), key=lambda index: (-tree.nodes[index].length, levels[index])):
        node = tree.nodes[index]
        pixel = (int((node.start - first) * scale), int((node.end - first) * scale), int(levels[index] * height))
        if pixel not in seen:
            seen.add(pixel)
            chosen.append(index)
            if len(chosen) == MOST:
                break
    return [
        _Band(MARGIN + (node.start - first) * scale, node.length * scale, levels[index], node)
        for index in sorted(chosen)
        for node in (tree.nodes[index],)
    ]


def _draw(band: _Band, height: float) -> Markup:
    node, top = band.node, band.row * height
    p = None if node.probability is None else min(max(node.probability, 0.0), 1.0)
    shade = UNKNOWN if p is None else FAINTEST + (DARKEST - FAINTEST) * p
    rect = tag(
        "rect",
        x=f"{band.left:.5g}",
        y=f"{top:.5g}",
        width=f"{max(band.width - 0.5, 0.3):.4g}",
        height=f"{max(height - 1, 1.0):.4g}",
        fill_opacity=f"{shade:.2g}",
        stroke_dasharray="2" if p is not None and p < 0.5 and height >= OUTLINED else None,
    )
    return tag("g", tag("title", _says(node)), rect, *_label(band, p, top, height))


def _says(node: "Node") -> str:
    """All that is known of a node, in a line."""
    known = "" if node.probability is None else f", probability {node.probability:.2f}"
    names = " ".join(printable(name) for name in (node.label, node.rule) if name)
    return f"{node.start}:{node.end}" + (f" {names}" if names else "") + known


def _label(band: _Band, p: float | None, top: float, height: float) -> list[Markup]:
    """The name of a node and its probability, as far as there is room."""
    room = int((band.width - 4) / LETTER)
    if height < LEGIBLE or room < 3:
        return []
    number = "" if p is None else f"{p:.2f}"
    name = printable(band.node.label)
    name = name if len(name) <= max(len(number), 12) else name[:11] + "…"
    options = [f"{name} {number}".strip(), number or name]
    text = next((option for option in options if option and len(option) <= room), "")
    middle, base = band.left + band.width / 2, top + height / 2 + 3
    place = {"x": f"{middle:.5g}", "y": f"{base:.5g}", "text_anchor": "middle", "font_size": "10", "stroke": "none"}
    return [tag("text", text, **place)] if text else []


def _axis(tree: "Tree", bottom: float) -> Markup:
    """Positions below the tree, at round numbers."""
    first, last = tree.nodes[0].start, tree.nodes[0].end
    scale = (WIDTH - 2 * MARGIN) / tree.length
    step = _round_step(tree.length, most=10)
    places = [first, *range(first + step - first % step, last, step), last]
    room = LETTER * max(len(str(first)), len(str(last))) + 8
    shown = [n for n in places if n in (first, last) or min(n - first, last - n) * scale >= room]
    parts = []
    for n in dict.fromkeys(shown):
        x = MARGIN + (n - first) * scale
        anchor = "start" if n == first else "end" if n == last else "middle"
        edge = {"start": -MARGIN / 2, "end": MARGIN / 2, "middle": 0.0}[anchor]
        parts.append(tag("rect", x=f"{x - 0.25:.5g}", y=f"{bottom:.5g}", width="0.5", height="4"))
        written = str(n) if abs(n) < 10**12 else short_number(float(n))
        parts.append(tag("text", written, x=f"{x + edge:.5g}", y=f"{bottom + 15:.5g}", text_anchor=anchor))
    return joined(parts)


def _round_step(length: int, most: int) -> int:
    """The least of 1, 2, 5, 10, 20, ... that goes at most so often into a length."""
    decade = 1
    while True:
        for factor in (1, 2, 5):
            if length <= most * factor * decade:
                return factor * decade
        decade *= 10
