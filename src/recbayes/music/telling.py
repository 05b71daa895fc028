"""An analysis in words: on terminals and in notebooks, as rows of a table, and how it was made."""

from collections.abc import Sequence
from typing import Any

from recbayes.checks.markup import Column, Markup, table, tag
from recbayes.music.bars import bars_in_words, place_names
from recbayes.music.page.nodes import (
    PageNode,
    called,
    chord_in_words,
    counted,
    key_told,
    last_chord,
    percent,
    shift_in_words,
    uncertain,
)
from recbayes.music.score import Score

ENDINGS = "first and second endings are read one after the other; --repeats (in Python, repeats=True) plays them"
DEPTH = 2  # of the passages that are told on terminals
FEW = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def rows(score: Score, nodes: Sequence[PageNode]) -> list[dict[str, Any]]:
    """One row for each node; names of keys and chords are in plain letters, for programs."""
    found = []
    for node in nodes:
        first, last = place_names(score, node.start, node.end)
        found.append(
            {
                "from": first,
                "to": last,
                "start": node.start,
                "end": node.end,
                "depth": node.depth,
                "key": node.in_key or None,
                "key_probability": node.key_probability,
                "chord": node.chord or None,
                "chord_probability": node.chord_probability if node.chord else None,
                "probability": node.probability,
                "transposition": node.shift,
            }
        )
    return found


def in_lines(score: Score, nodes: Sequence[PageNode]) -> list[str]:
    """The whole piece and its largest passages, a line each."""
    return ["  " * node.depth + _line(score, node) for node in nodes if node.depth <= DEPTH]


def headline(score: Score, nodes: Sequence[PageNode]) -> str:
    """What is told of a piece before all else."""
    return f"{score.title}: {counted(len(score.names), 'bar')}, {counted(len(nodes), 'passage')}"


def taken_together(per: str | int, count: int, step: int) -> str:
    """A line that says that slices were taken together; nothing if they were not."""
    if step == 1:
        return ""
    unit = f"{_unit(per)}s" if isinstance(per, str) else "slices"
    across = ", also across bar lines" if unit != "bars" else ""
    return f"{count} {unit}: {_number(step)} are one slice{across}"


def how_made(per: str | int, count: int, step: int, draws: int, seed: int, version: str) -> str:
    """How an analysis can be made again."""
    unit = f"a slice for each {_unit(per)}" if isinstance(per, str) else f"{per} equal slices"
    together = taken_together(per, count, step)
    made = f"Made by recbayes {version}: {unit}, {counted(draws, 'tree')} drawn, seed {seed}."
    return made + (f" {together}." if together else "")


def still(score: Score, nodes: Sequence[PageNode], note: str) -> Markup:
    """A table for notebooks."""
    heads = [Column("bars"), Column("key"), Column("chord, or what it ends with"), Column("passage", True), Column("root")]
    lines = [
        (
            "\u2003" * node.depth + bars_in_words(score, node.start, node.end),
            key_told(node),
            chord_in_words(node),
            percent(node.probability) if node.probability is not None and uncertain(node) else "",
            "" if node.shift is None else shift_in_words(node.shift),
        )
        for node in nodes
    ]
    said = [tag("p", tag("strong", headline(score, nodes)))] + ([tag("p", note)] if note else [])
    return tag("div", *said, table(heads, lines))


def _line(score: Score, node: PageNode) -> str:
    parts = [called(node)]
    if last := last_chord(node):
        parts.append(f"to {last}")
    if node.shift and (last or not (node.chord and node.level)):
        parts.append(shift_in_words(node.shift))
    sure = f" (passage {percent(node.probability)})" if node.probability is not None and uncertain(node) else ""
    return f"{bars_in_words(score, node.start, node.end, ' to ')}: {', '.join(parts)}{sure}"


def _unit(per: str) -> str:
    return per.strip().lower().removesuffix("s")


def _number(value: int) -> str:
    return FEW[value] if value < len(FEW) else str(value)
