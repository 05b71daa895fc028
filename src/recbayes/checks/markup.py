"""HTML and SVG as texts: what comes from users is text, whatever it looks like.

`tag` escapes all that is not `Markup` already, so that nothing has to be remembered: a series called `<script>` is shown as
such. Nothing here needs a script, a style sheet or an id; what is made can stand in any page, any number of times.
"""

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

MOST_ROWS = 60
"""Rows of a table, at most: of longer ones those in the middle are left out, and counted."""

_UNSAFE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
"""What no page may hold, and what turns the direction of the text around it."""


class Markup(str):
    """A text that is HTML or SVG already."""

    __slots__ = ()

    def __add__(self, other: str) -> "Markup":
        return Markup(str.__add__(self, markup(other)))


def markup(content: object) -> Markup:
    """Anything as markup: markup as it is, all else as the text that it shows."""
    if isinstance(content, Markup):
        return content
    return Markup(escape(_UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", str(content))))


def joined(parts: Iterable[object]) -> Markup:
    """All parts, one after the other."""
    return Markup("".join(map(markup, parts)))


def tag(name: str, *content: object, **attributes: object) -> Markup:
    """An element. Attributes that are None are left out; `text_anchor` is written `text-anchor`, and `class_` `class`."""
    given = [
        f' {key.rstrip("_").replace("_", "-")}="{markup(value)}"' for key, value in attributes.items() if value is not None
    ]
    return Markup(f"<{name}{''.join(given)}>{joined(content)}</{name}>")


class Column(NamedTuple):
    """The head of a column of a table, and whether it holds numbers, which stand on the right."""

    name: str
    numbers: bool = False


def table(columns: Sequence[Column], rows: Sequence[Sequence[object]], caption: str = "") -> Markup:
    """A table; the first entry of a row is its head. The middle of long tables is left out, and counted."""
    heads = [tag("th", column.name, scope="col", style=_side(column)) for column in columns]
    body = [_row(columns, row) for row in rows]
    if len(rows) > MOST_ROWS:
        half, left_out = MOST_ROWS // 2, len(rows) - MOST_ROWS
        gap = tag("tr", tag("td", f"… {left_out} more …", colspan=len(columns), style="text-align:center"))
        body = [*body[:half], gap, *body[-half:]]
    named = tag("caption", caption, style="text-align:left") if caption else ""
    return tag("table", named, tag("thead", tag("tr", *heads)), tag("tbody", *body))


def facts(pairs: Sequence[tuple[str, object]], caption: str = "") -> Markup:
    """A table of names and what they stand for."""
    rows = [
        tag("tr", tag("th", name, scope="row", style="text-align:left"), tag("td", value, style="text-align:left"))
        for name, value in pairs
    ]
    named = tag("caption", caption, style="text-align:left") if caption else ""
    return tag("table", named, tag("tbody", *rows))


def more(title: str, *content: object) -> Markup:
    """What opens when its title is clicked."""
    return tag("details", tag("summary", title), *content)


def short_number(value: float, digits: int = 4) -> str:
    """A number for readers: few digits, and a minus that is one."""
    return f"{value:.{digits}g}".replace("-", "−")


def _row(columns: Sequence[Column], row: Sequence[object]) -> Markup:
    first, *others = zip(columns, row, strict=True)
    head = tag("th", first[1], scope="row", style=_side(first[0]))
    return tag("tr", head, *(tag("td", entry, style=_side(column)) for column, entry in others))


def _side(column: Column) -> str:
    return "text-align:right" if column.numbers else "text-align:left"
