"""The tree below the score: every node a band over its span, leaves next to the notes, the whole piece at the bottom.

This is how groups are drawn below a score in books on musical form. A node's band lies in the row of its level; a pale veil
of the same colour hangs from it down to the band of its parent, so that one sees what belongs together however far apart.
"""

from collections.abc import Sequence
from html import escape

import numpy as np

from recbayes.music.chords import SIGNS
from recbayes.music.keys import ink_on, key_colour, mixed
from recbayes.music.page.axis import TimeAxis
from recbayes.music.page.nodes import (
    PageNode,
    called,
    doubtful,
    in_words,
    key_in_words,
    last_chord,
    percent,
    pretty,
    uncertain,
)
from recbayes.music.score import Score

LIGHT, DARK = "#fcfbf8", "#1b1c1f"  # the grounds of the tree by day and by night, as in page.css
RULER = 30.0  # pixels above the tree, for the names of bars
_TALLEST, _LOWEST = 32.0, 19.0  # pixels of a row
_ALL_ROWS = 460.0  # pixels that all rows have together, unless they were too low then
_BETWEEN = 5.0  # pixels between a band and the next row
_LETTER = 7.0  # pixels of a letter of the labels, amply
_DIGIT = 5.6  # of the small numbers
_PADDING = 7.0
_PALE = 0.4  # share of the colour of what is doubtful


def row_height(nodes: Sequence[PageNode]) -> float:
    """Pixels of a row: fewer for deep trees."""
    rows = 1 + max((node.level for node in nodes), default=0)
    return float(np.clip(_ALL_ROWS / rows, _LOWEST, _TALLEST))


def tree_height(nodes: Sequence[PageNode]) -> float:
    """Pixels of the ruler and all rows."""
    return RULER + row_height(nodes) * (1 + max((node.level for node in nodes), default=0)) + 8.0


def draw_ruler(score: Score, axis: TimeAxis, height: float) -> str:
    """Lines where bars begin, through the whole tree, and what the bars are called."""
    bars = score.bars.tolist()
    lines = "".join(f"M{axis(bar):.1f} {RULER - 8:g}V{height:g}" for bar in bars)
    parts, free = [f'<path class="grid" d="{lines}"/>'], -np.inf
    for bar, name in zip(bars, score.names, strict=False):
        x = axis(bar)
        if x >= free:
            parts.append(f'<text class="bar-name" x="{x + 4:.1f}" y="{RULER - 12:g}">{escape(name)}</text>')
            free = x + 10 + _LETTER * len(name)
    return "".join(parts)


def draw_tree(nodes: Sequence[PageNode], score: Score, axis: TimeAxis) -> str:
    """The nodes as groups that can be focused and clicked; in the order of the sequence, which `data-node` counts."""
    row = row_height(nodes)
    root = next((place for place, node in enumerate(nodes) if node.parent is None), 0)
    return "".join(_draw(place, node, nodes, score, axis, row, place == root) for place, node in enumerate(nodes))


def draw_overview(nodes: Sequence[PageNode], axis: TimeAxis) -> str:
    """The bands alone, rows one pixel high, for the small picture of the whole piece."""
    parts = []
    for node in nodes:
        left, right = axis(node.start), axis(node.end)
        rows = (nodes[node.parent].level if node.parent is not None else node.level + 1) - node.level
        parts.append(
            f'<rect style="{_colours(node)}" x="{left:.1f}" y="{node.level}" width="{right - left:.1f}" height="{rows}"/>'
        )
    return "".join(parts)


def _draw(
    place: int, node: PageNode, nodes: Sequence[PageNode], score: Score, axis: TimeAxis, row: float, is_first: bool
) -> str:
    left, right = axis(node.start) + 1.0, axis(node.end) - 1.0
    width, height = max(right - left, 1.0), row - _BETWEEN
    top = RULER + row * node.level
    veil = ""
    if node.parent is not None:
        bottom = RULER + row * nodes[node.parent].level
        veil = f'<rect class="veil" x="{left:.1f}" y="{top:g}" width="{width:.1f}" height="{bottom - top:g}"/>'
    return (
        f'<g class="node" data-node="{place}" style="{_colours(node)}" tabindex="{0 if is_first else -1}" role="treeitem"'
        f' aria-level="{node.depth + 1}" aria-selected="false" aria-label="{escape(in_words(node, score))}">{veil}'
        f'<rect class="band" x="{left:.1f}" y="{top:g}" width="{width:.1f}" height="{height:g}" rx="4"/>'
        f"{_writing(node, left, width, top + height / 2)}</g>"
    )


def _writing(node: PageNode, left: float, width: float, middle: float) -> str:
    """What there is room for: first the label, then the chord it ends with, then the probability."""
    label = called(node)
    if _LETTER * len(label) + 2 * _PADDING > width:
        label = _short(node, label)
    used = _LETTER * len(label)
    if not label or used + 4 > width:
        return ""
    parts = [f'<tspan class="name">{escape(label)}</tspan>']
    others = {
        "chord": f"→ {chord}" if (chord := last_chord(node)) else "",
        "certainty": percent(node.probability) if node.probability is not None and uncertain(node) else "",
    }
    for kind, more in others.items():
        wide = _PADDING + (_DIGIT if kind == "certainty" else _LETTER) * len(more)
        if more and used + wide + 2 * _PADDING > width:
            break
        if more:
            parts.append(f'<tspan class="{kind}" dx="{_PADDING:g}">{escape(more)}</tspan>')
            used += wide
    room = max(width - used - 2 * _PADDING, 0.0)  # by which the label can move, to stay in sight
    start = left + min(_PADDING, (width - used) / 2)
    return f'<text x="{start:.1f}" y="{middle:.1f}" data-room="{room:.0f}">{"".join(parts)}</text>'


def _short(node: PageNode, label: str) -> str:
    """A key in a letter, minor ones small, as on the wheel of keys; a diminished seventh without its root in signs."""
    doubt = "?" if label.endswith("?") else ""
    if pretty(node.label) == key_in_words(node):
        name = str(key_in_words(node)).partition(" ")[0]
        return (name[:1].lower() + name[1:] if node.mode == "minor" else name) + doubt
    return SIGNS[node.label] + doubt if node.label in SIGNS else label


def _colours(node: PageNode) -> str:
    """Fill and ink by day and by night: the less probable a node or its name is, the more of the ground shines through."""
    share = 1.0 if node.probability is None else 0.22 + 0.78 * node.probability
    share *= _PALE if doubtful(node) else 1.0
    colour = key_colour(node.key, node.mode)
    day, night = (mixed(colour, ground, share) for ground in (LIGHT, DARK))
    return f"--day:{day};--day-ink:{ink_on(day)};--night:{night};--night-ink:{ink_on(night)}"
