"""The picture of a segmentation shows what was found, in the terms of the data."""

import io
import pickle
from collections.abc import Iterator
from functools import cache
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

mpl.use("Agg")

import matplotlib.pyplot as plt

import recbayes as rb
from recbayes.data.frames import read_table
from recbayes.errors import DataError
from recbayes.plot.colours import FIT, GREEN, of_kind
from recbayes.plot.ticks import label_rows
from recbayes.segmentation.fitted import credible, fitted

SMALL = {"draws": 50, "seed": 0}


@cache
def nile() -> rb.Segmentation:
    return rb.segment(rb.data.nile(), **SMALL)


def steps(*parts: tuple[float, int], columns: int = 1) -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(level, 1.0, (count, columns)) for level, count in parts])


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    plt.close("all")
    yield
    plt.close("all")


def drawn(found: rb.Segmentation) -> Any:
    """The figure, once it was written; what is drawn last, such as ticks, is there only then."""
    figure = found.plot()
    figure.savefig(io.BytesIO(), dpi=30)
    return figure


def ticks(axes: Any) -> list[str]:
    return [label.get_text() for label in axes.get_xticklabels() if label.get_text()]


def test_the_nile() -> None:
    figure = drawn(nile())
    series, probability, tree = figure.axes
    assert series.get_ylabel() == "flow"
    assert [text.get_text() for text in series.texts] == [f"1899: {nile().changes[0].probability:.2f}"]
    assert ticks(tree) == ["1880", "1900", "1920", "1940", "1960"]
    assert sorted(text.get_text() for text in tree.texts) == sorted(f"{node.probability:.2f}" for node in nile().tree)
    stems = probability.collections[0].get_segments()
    heights = {round(stem[0][0] + 0.5): stem[1][1] for stem in stems}
    believed = nile().boundary_probability
    assert heights == {k: pytest.approx(believed[k]) for k in range(1, 100) if believed[k] > 0}
    assert figure._suptitle.get_text() == "1 change point in 100 observations from 1871 to 1970"


def test_segments_have_lines_and_bands() -> None:
    """The line goes through the middle of the level, and its band is as wide as the noise on either side."""
    found = rb.segment(steps((0.0, 20), (9.0, 15)) + np.arange(35.0)[:, None] / 2, kinds="trend", logarithms=False, **SMALL)
    axes = drawn(found).axes[0]
    lines = [line for line in axes.lines if line.get_color() == GREEN]
    assert len(lines) == len(found.tree.leaves) == 2
    assert len(axes.patches) == 1  # the second is shaded
    for node, line in zip(found.tree.leaves, lines, strict=True):
        x, y = line.get_xdata(), line.get_ydata()
        assert (x[0], x[-1]) == (node.start - 0.5, node.end - 0.5)
        assert np.interp((x[0] + x[-1]) / 2, x, y) == pytest.approx(node.value[0])
        assert (y[-1] - y[0]) / node.length == pytest.approx(node.own["slope"][0])
        fit = fitted(found, node)
        np.testing.assert_allclose(fit.high - fit.low, np.full((node.length, 1), 2 * node.own["noise"]))


def test_logarithms_are_drawn_in_the_units_of_the_data() -> None:
    found = rb.segment(np.exp(steps((0.0, 25), (5.0, 25))), logarithms=True, kinds="level", **SMALL)
    for node in found.tree.leaves:
        fit = fitted(found, node)
        np.testing.assert_allclose(fit.mean, np.exp(node.value) * np.ones((node.length, 1)))
        np.testing.assert_allclose(fit.high, fit.mean * np.exp(node.own["noise"]))
    drawn(found)


def test_seasons_are_part_of_the_line() -> None:
    wave = 3.0 * np.sin(2 * np.pi * np.arange(72) / 12)
    found = rb.segment(wave + steps((0.0, 72))[:, 0] / 4, periods=12, **SMALL)
    mean = np.concatenate([fitted(found, node).mean[:, 0] for node in found.tree.leaves])
    assert np.sqrt(np.mean((mean - wave) ** 2)) < 0.5
    drawn(found)


def test_no_change_has_no_tree() -> None:
    found = rb.segment(steps((0.0, 15)), segments=1, **SMALL)
    series, probability = drawn(found).axes
    assert all(text.get_text().startswith("slope") for text in series.texts)
    assert probability.texts[0].get_text() == "no change in any draw"
    assert probability.get_xlabel() == "observation"


@pytest.mark.parametrize(("columns", "panels"), [(2, 4), (4, 6), (5, 3)])
def test_many_columns(columns: int, panels: int) -> None:
    y = steps((0.0, 20), (9.0, 20), columns=columns)
    y[3:7, 0] = np.nan
    y[10, 1] = 100.0
    figure = drawn(rb.segment(y, **SMALL))
    assert len(figure.axes) == panels
    assert figure.axes[0].get_ylabel() == ("column 0" if columns < 5 else "5 columns,\nstandardised")


def test_a_column_never_seen() -> None:
    y = steps((0.0, 20), (9.0, 20), columns=5)
    y[:, 2] = np.nan
    drawn(rb.segment(y, **SMALL))


@pytest.mark.slow
def test_long_series_and_many_changes() -> None:
    parts = [(10.0 * (n % 2), 40) for n in range(25)]
    figure = drawn(rb.segment(steps(*parts), draws=20, seed=0))
    named = len(figure.axes[0].texts)
    assert 0 < named <= 24
    assert 4 <= len(ticks(figure.axes[-1])) <= 10


def test_dates_and_names_are_said_as_they_are() -> None:
    index = pd.date_range("2020-01-01", periods=120, freq="D")
    frame = pd.DataFrame({"load ($x$)": steps((0.0, 60), (9.0, 60))[:, 0]}, index=index)
    figure = drawn(rb.segment(frame, **SMALL))
    assert figure.axes[0].get_ylabel() == "load ($x$)"
    assert figure.axes[0].texts[0].get_text().startswith("2020-03-01: ")
    assert ticks(figure.axes[-1]) == ["2020-01-01", "2020-02-01", "2020-03-01", "2020-04-01"]


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        (["$a$", "b", "c" * 40], [r"\$a\$", "b", "c" * 25 + "…"]),
        ([0.5, 0.5, 0.5], ["0.5", "0.5", "0.5"]),
        ([10, 20, 1000], ["10", "20", "1000"]),
        (
            np.array(["12000-01-01", "12000-01-02", "12000-01-03"], dtype="datetime64[D]"),
            ["12000-01-01", "12000-01-02", "12000-01-03"],
        ),
        (pd.to_datetime(["2020-01-01 12:30", "2020-01-01 12:31", "2020-01-01 12:32"]), None),
    ],
)
def test_ticks_of_all_sorts_of_labels(index: Any, expected: list[str] | None) -> None:
    axes = plt.figure().gca()
    axes.set_xlim(-0.5, 2.5)
    given = {"time": index} if isinstance(index, np.ndarray) else {}
    frame = pd.DataFrame({"y": [1.0, 2.0, 3.0]}, index=None if given else index)
    label_rows(axes.xaxis, read_table(frame, **given))
    axes.figure.canvas.draw()
    found = ticks(axes)
    assert found == (["2020-01-01 12:30", "2020-01-01 12:31", "2020-01-01 12:32"] if expected is None else expected)


def test_a_closer_look_has_finer_ticks() -> None:
    figure = drawn(nile())
    figure.axes[0].set_xlim(20, 34)
    figure.canvas.draw()
    assert ticks(figure.axes[-1]) == ["1892", "1894", "1896", "1898", "1900", "1902", "1904"]
    for limits in ((-50, -20), (200, 300)):
        figure.axes[0].set_xlim(*limits)
        figure.canvas.draw()
        assert ticks(figure.axes[-1]) == []


def test_pictures_can_be_sent_and_drawn_elsewhere() -> None:
    pickle.loads(pickle.dumps(drawn(nile())))
    figure = plt.figure()
    assert rb.plot.segmented(nile(), figure=figure) is figure


@pytest.mark.parametrize("arguments", [{"found": 1.0}, {"figure": 1.0}])
def test_what_is_no_segmentation(arguments: dict[str, Any]) -> None:
    with pytest.raises(DataError, match="must be a"):
        rb.plot.segmented(**{"found": nile(), **arguments})


def test_one_column_and_its_changes_have_axes_of_their_own() -> None:
    index = pd.date_range("2020-01-01", periods=60, freq="D")
    frame = pd.DataFrame(steps((0.0, 30), (9.0, 30), columns=2), columns=["a", "b"], index=index)
    found = rb.segment(frame, kinds="level", **SMALL)
    ax = rb.plot.segments(found, column="b")
    line = next(line for line in ax.lines if line.get_color() == FIT)
    assert line.get_ydata()[3] == pytest.approx(found.tree.leaves[0].value[1])
    assert ax.get_ylabel() == "b"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["level, ± its noise"]
    ax.figure.canvas.draw()
    assert "2020-02-01" in ticks(ax)
    changes = rb.plot.changes(found)
    changes.figure.canvas.draw()
    assert "2020-02-01" in ticks(changes)
    for column, message in (("c", "there is no column 'c'"), (2, "from 0 to 1")):
        with pytest.raises(DataError, match=message):
            rb.plot.segments(found, column=column)


def test_the_interval_of_a_line_is_that_of_the_level_in_the_middle() -> None:
    """As `rows` tells it, found by other means; towards the ends of a trend it is wider."""
    found = rb.segment(steps((0.0, 21), (9.0, 15)) + np.arange(36.0)[:, None] / 4, logarithms=False, kinds="trend", **SMALL)
    node, row = found.tree.leaves[0], next(row for row in found.rows() if row["kind"] != "group")
    low, high = credible(found, node, 0)
    assert (low[10], high[10]) == pytest.approx((row["level_low"], row["level_high"]), rel=1e-4)
    assert high[0] - low[0] > 1.2 * (high[10] - low[10])
    bands = rb.plot.segments(found).collections
    assert len(bands) == 2 * len(found.tree.leaves)
    assert len(rb.plot.segments(found, intervals=False).collections) == len(found.tree.leaves)
    slopes = [text.get_text() for text in rb.plot.segments(found).texts]
    assert slopes[0] == f"slope {node.own['slope'][0]:+.2g}"


@pytest.mark.parametrize(
    ("kind", "colour", "dashed"),
    [
        ("level", FIT, False),
        ("trend", GREEN, False),
        ("level + autoregressive", FIT, True),
        ("trend + autoregressive", GREEN, True),
    ],
)
def test_kinds_are_told_by_colour_and_by_dashes(kind: str, colour: str, dashed: bool) -> None:
    look = of_kind(kind)
    assert (look["color"], look["linestyle"] != "-") == (colour, dashed)


def test_notebooks_show_the_picture_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inline backends show what is open at the end of a cell, and notebooks what its last line returns."""
    monkeypatch.setattr(mpl, "get_backend", lambda: "module://matplotlib_inline.backend_inline")
    figure = nile().plot()
    assert not plt.get_fignums()
    figure.savefig(io.BytesIO(), dpi=30)
    given = plt.figure()
    nile().plot(figure=given)
    assert plt.get_fignums() == [given.number]
    monkeypatch.undo()
    assert nile().plot().number in plt.get_fignums()


def test_the_size_of_a_figure() -> None:
    assert nile().plot(figsize=(5, 3)).get_size_inches().tolist() == [5.0, 3.0]
    for wrong in ((5,), (5, 0), "5x3", 5, (5, np.nan)):
        with pytest.raises(DataError, match="figsize must be width and height"):
            nile().plot(figsize=wrong)
    with pytest.raises(DataError, match="leave it out"):
        nile().plot(figure=plt.figure(), figsize=(5, 3))
