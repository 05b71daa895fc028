"""A segmentation without a script: what was found in words, a still picture of series, segments and tree, and the table."""

from typing import Any

from recbayes.checks.markup import Column, Markup, joined, short_number, table, tag
from recbayes.report.picture import FEW, picture
from recbayes.report.rounding import to_extent
from recbayes.report.series import names_of
from recbayes.report.words import sentence
from recbayes.segmentation.result import Segmentation
from recbayes.segmentation.texts import headline, told_changes, told_method

LISTED = 12  # lines about changes
NOTHING = Markup("–")


def still(found: Segmentation) -> Markup:
    """What notebooks show, and pages to those who run no scripts."""
    return tag("div", tag("p", tag("strong", sentence(headline(found)))), *_changes(found), picture(found), *_table(found))


def _changes(found: Segmentation) -> list[Markup]:
    """As `print(found)` says them."""
    lines: list[str] = []
    for line in told_changes(found)[1:]:
        if line.startswith("    "):  # goes on
            lines[-1] += f"; {line.strip()}"
        else:
            lines.append(line.strip())
    more = [f"and {len(lines) - LISTED} more: print(found) tells them"] if len(lines) > LISTED + 1 else []
    shown = lines[:LISTED] if more else lines
    return [tag("ul", *(tag("li", line) for line in (*shown, *more)))] if shown else []


def _table(found: Segmentation) -> list[Markup]:
    """Segments with their levels and noise, as `found.table()` has them; of many columns the levels alone."""
    rows, names = found.rows(groups=False), names_of(found.data)
    several = len(names) > 1
    trends = any(row["kind"].startswith("trend") for row in rows)
    told = ("level", "slope", "noise") if trends else ("level", "noise")
    heads = [Column("segment"), Column("observations", True), Column("probability", True), Column("kind")]
    heads += [Column(name, True) for name in (names if several else told)]
    columns = [key.removeprefix("level") for key in rows[0] if key.split(" ")[0] == "level"]
    body = []
    for row, node in zip(rows, found.tree.leaves, strict=True):
        first, last = (found.data.place(place).removeprefix("row ") for place in (node.start, node.end - 1))
        each = [[_number(row, what, column) for what in told] for column in columns]
        numbers = [_together(told, one, len(names) <= FEW) for one in each] if several else each[0]
        span = _whole(first if first == last else f"{first} to {last}")
        body.append([span, node.length, f"{row['probability']:.2f}", row["kind"], *numbers])
    logarithms = "; noise and slopes are those of the logarithms" if found.logarithms else ""
    caption = f"Segments{', with the levels of columns' if several else ''}, with intervals of 80 %{logarithms}"
    scrolls = {"role": "region", "aria_label": "Table of segments", "tabindex": "0", "style": "overflow-x:auto"}
    return [tag("div", table(heads, body, caption), **scrolls), tag("p", tag("small", "; ".join(told_method(found))))]


def _together(told: tuple[str, ...], numbers: list[Markup], all_: bool) -> Markup:
    """The quantities of one column in one cell: its level, and smaller the others."""
    others = [
        tag("div", tag("small", f"{what} ", number), style="white-space:nowrap")
        for what, number in zip(told[1:], numbers[1:], strict=True)
        if all_ and number != NOTHING
    ]
    return joined([numbers[0], *others])


def _whole(text: str) -> Markup:
    """A text that stays in one line."""
    return tag("span", text, style="white-space:nowrap")


def _number(row: dict[str, Any], what: str, column: str) -> Markup:
    """A quantity of a segment with its interval; slopes are those of trends."""
    value, low, high = (row[f"{what}{end}{column}"] for end in ("", "_low", "_high"))
    if value is None or (what == "slope" and not row["kind"].startswith("trend")):
        return NOTHING
    if low is None or not low < high:
        return Markup(short_number(value))
    extent = high - low
    return _whole(f"{to_extent(value, extent, 4)} ({to_extent(low, extent)} to {to_extent(high, extent)})")
