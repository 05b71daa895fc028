"""Pictures in characters: dots where values are, gaps where they are missing, changes and bars in their places."""

import codecs

import numpy as np
import pytest

from recbayes.cli.characters import draw
from recbayes.cli.running import in_ascii
from recbayes.data.frames import read_table
from recbayes.tree.tree import Tree

STEP = np.repeat([0.0, 10.0], 30)


def dots(line: str) -> list[bool]:
    """Which columns of characters have dots."""
    return ["\u2800" < sign <= "\u28ff" for sign in line]


def panel(lines: tuple[str, ...], margin: int) -> list[str]:
    return [line.ljust(80)[margin:] for line in lines if len(line) > margin - 1 and line[margin - 1] in "│┤"]


@pytest.mark.parametrize("width", [40, 80, 120])
def test_a_step_is_drawn_where_it_is(width: int) -> None:
    probability = np.zeros(61)
    probability[[0, 30, 60]] = 1.0
    tree = Tree.from_spans([(0, 60), (0, 30), (30, 60)])
    drawn = draw(read_table(STEP), [30], probability, tree, width)
    assert max(map(len, drawn.lines)) <= width
    rows = panel(drawn.lines, drawn.margin)
    size = width - drawn.margin
    low, high = np.flatnonzero(dots(rows[-1])), np.flatnonzero(dots(rows[0]))
    assert abs(low.max() - size / 2) <= 1
    assert abs(high.min() - size / 2) <= 1
    assert set(low) == set(range(low.max() + 1))
    axis = next(line for line in drawn.lines if "└" in line)
    assert axis.index("┴") == drawn.margin + drawn.edges[0]
    change = drawn.lines[drawn.kinds.index("change")]
    assert change.index("█") == drawn.margin + drawn.edges[0]
    bars = drawn.lines[drawn.kinds.index("tree")]
    assert bars.count("├") == bars.count("┤") == 2
    assert bars.rindex("├") == drawn.margin + drawn.edges[0]


def test_missing_values_leave_a_gap() -> None:
    values = np.sin(np.arange(60.0))
    values[20:40] = np.nan
    drawn = draw(read_table(values), [], np.zeros(61), None, 80)
    there = np.any([dots(row) for row in panel(drawn.lines, drawn.margin)], axis=0)
    size = 80 - drawn.margin
    assert there[: size // 3 - 1].all()
    assert not there[size // 3 + 2 : 2 * size // 3 - 2].any()
    assert there[2 * size // 3 + 2 : size - 1].all()


def test_a_spike_of_a_long_series_is_seen() -> None:
    """Of many observations in a dot the smallest and the largest are drawn."""
    values = np.zeros(100_000)
    values[70_000] = 5.0
    drawn = draw(read_table(values), [], np.zeros(100_001), None, 80)
    top = np.flatnonzero(dots(panel(drawn.lines, drawn.margin)[0]))
    assert top.tolist() == [int(0.7 * (80 - drawn.margin))]


def test_odd_series() -> None:
    """All alike, all missing, one value, huge ones; at any width."""
    for values in ([3.0] * 5, [np.nan] * 4, [1.0], [1e150, -1e150], [1e-300, 2e-300]):
        for width in (1, 30, 200):
            drawn = draw(read_table(np.array(values)), [], np.zeros(len(values) + 1), None, width)
            assert len(drawn.lines) == len(drawn.kinds)


def test_all_signs_have_a_plain_one() -> None:
    tree = Tree.from_spans([(0, 60), (0, 30), (30, 60), (30, 32), (32, 60)])
    drawn = draw(read_table(STEP), [30, 32], np.full(61, 0.4), tree, 80)
    text = "\n".join(drawn.lines)
    codecs.register_error("plain", in_ascii)
    assert b"?" not in text.encode("ascii", errors="plain")
    assert set("┤┴█├⠀") & set(text)
