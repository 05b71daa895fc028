"""Pictures show what they are given."""

from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

mpl.use("Agg")

import matplotlib.pyplot as plt

import recbayes as rb
from recbayes.errors import DataError
from recbayes.plot.colours import PALETTE

TREE = rb.Tree.from_spans([(0, 6), (0, 2), (2, 6), (2, 3), (3, 6)])
DAYS = pd.date_range("2024-02-27", periods=6)


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    plt.close("all")  # those of tests before
    yield
    plt.close("all")


def ticks(axes: Any) -> list[str]:
    axes.figure.canvas.draw()
    return [label.get_text() for label in axes.get_xticklabels() if label.get_text()]


def test_series_and_segments() -> None:
    y = np.arange(12.0).reshape(6, 2)
    y[0, 0] = np.nan
    ax = rb.plot.series(y, TREE)
    assert [line.get_color() for line in ax.lines] == list(PALETTE[:2])  # one a column
    assert len({line.get_marker() for line in ax.lines}) == 2  # told apart in grey, too
    assert len(ax.patches) == 1  # the second of three leaves is shaded
    assert ax.patches[0].get_extents().transformed(ax.transData.inverted()).intervalx == pytest.approx([1.5, 2.5])
    means = [collection.get_segments()[0][0][1] for collection in ax.collections]
    assert means == pytest.approx([2, 4, 8, 2, 5, 9])  # of three leaves in two columns; what is missing does not count
    assert len(rb.plot.series(y, TREE, level=1).patches) == 1
    with pytest.raises(DataError, match="the series has 5"):
        rb.plot.series(y[:5], TREE)


def test_a_tree() -> None:
    ax = rb.plot.tree(TREE, labels=True)
    lines, dots = ax.collections
    assert len(lines.get_segments()) == 4
    np.testing.assert_allclose(dots.get_offsets()[:, 0], [2.5, 0.5, 3.5, 2.0, 4.0])
    np.testing.assert_allclose(dots.get_offsets()[:, 1], [0, -1, -1, -2, -2])


def test_a_tree_by_width() -> None:
    dots = rb.plot.tree(TREE, by_width=True).collections[1]
    np.testing.assert_allclose(dots.get_offsets()[:, 1], [6, 2, 4, 1, 3])


def test_values_colour_a_tree() -> None:
    """The lowest value is the darkest; one that is not known is white. "largest" has a colour for each entry."""
    values = [(3.0, 0.0), (0.0, 5.0), None, (1.0, 0.0), (2.0, 0.0)]
    nodes = [
        rb.Node(*node.span, value=None if value is None else np.array(value))
        for node, value in zip(TREE, values, strict=True)
    ]
    tree = rb.Tree(nodes, TREE.arities)
    ax = rb.plot.tree(tree, column=0)
    colours = ax.collections[1].get_facecolors()
    assert np.argsort(colours[[0, 1, 3, 4], :3].sum(axis=1)).tolist() == [1, 2, 3, 0]
    assert colours[2].tolist() == [1.0, 1.0, 1.0, 1.0]
    assert ax.figure.axes[1].get_ylim() == (0.0, 3.0)  # its scale
    ax = rb.plot.tree(tree, column="largest")
    found = [mpl.colors.to_hex(colour).upper() for colour in ax.collections[1].get_facecolors()]
    assert found == [PALETTE[0], PALETTE[1], "#FFFFFF", PALETTE[0], PALETTE[0]]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["0", "1"]
    with pytest.raises(DataError, match="from 0 to 1"):
        rb.plot.tree(tree, column=2)
    with pytest.raises(DataError, match="no node has a value"):
        rb.plot.tree(TREE, column=0)


def test_a_scape() -> None:
    """The darkest diamond stands over the middle of its span, at the height of its width."""
    probability = np.zeros((7, 7))
    probability[2, 5] = 0.9
    ax = rb.plot.scape(probability, TREE)
    mesh = ax.collections[0]
    values = mesh.get_array().reshape(7, 7)
    assert values[2, 5] == 0.9
    assert values.mask[5, 2]
    corners = mesh.get_coordinates()[2:4, 5:7].reshape(-1, 2)
    np.testing.assert_allclose(corners.mean(axis=0), [3.0, 3.0])
    assert len(ax.collections) == 3  # diamonds, lines, dots
    with pytest.raises(DataError, match="of shape"):
        rb.plot.scape(np.zeros((3, 4)))
    with pytest.raises(DataError, match="a tree covers 0:6"):
        rb.plot.scape(np.zeros((6, 6)), TREE)


def test_a_scape_of_many_positions() -> None:
    """Neighbours share a diamond, which is as dark as the most probable of them and near to where it belongs."""
    probability = np.zeros((601, 601))
    probability[100, 401] = 0.8
    probability[0, 600] = 1.0
    mesh = rb.plot.scape(probability).collections[0]
    values = mesh.get_array()
    assert len(values) <= 150
    place = np.argwhere(values.filled(0.0) == 0.8)
    assert len(place) == 1
    i, k = place[0]
    corners = mesh.get_coordinates()[i : i + 2, k : k + 2].reshape(-1, 2)
    np.testing.assert_allclose(corners.mean(axis=0), [250, 301], atol=5)


def test_several_trees() -> None:
    """Marks say whether all, some or none of the others have a node: in colour and in shape."""
    other = rb.Tree.from_spans([(0, 6), (0, 2), (2, 6), (2, 4), (4, 6)])
    third = rb.Tree.from_spans([(0, 6), (0, 1), (1, 6), (1, 2), (2, 6)])
    ax = rb.plot.trees({"truth": TREE, "one $x$": other, "two": third})
    kinds = [[len(ax.collections[4 * n + 1 + kind].get_offsets()) for kind in range(3)] for n in range(3)]
    assert kinds == [[2, 1, 2], [2, 1, 2], [2, 0, 3]]  # in all, in some, in this one alone
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == ["truth", "one $x$\nF1 0.60", "two\nF1 0.40"]
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend == ["node in all", "node in some", "node in this one alone"]
    assert len({collection.get_paths()[0].vertices.shape for collection in ax.collections[1:4]}) == 3
    ax.figure.canvas.draw()
    two = rb.plot.trees([TREE, TREE])
    assert [text.get_text() for text in two.get_legend().get_texts()] == ["node in all", "node in this one alone"]
    with pytest.raises(DataError, match="two trees or more"):
        rb.plot.trees([TREE])
    with pytest.raises(DataError, match="covers 0:3, the first tree 0:6"):
        rb.plot.trees([TREE, rb.Tree.from_spans([(0, 3)])])


def test_an_overview() -> None:
    model = rb.GaussianRBN.create(dim=2, noise_std=0.1, termination=0.6, extra_observations=3.0)
    y, _ = model.sample(seed=0, min_length=20, max_length=30)
    days = pd.date_range("2024-01-01", periods=len(y))
    frame = pd.DataFrame(y, index=days, columns=["a", "b"])
    figure = rb.plot.overview(frame, rb.sample_posterior(model, y, draws=50, seed=0))
    assert len(figure.axes) == 4
    assert ticks(figure.axes[2])[0].startswith("2024-01")
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == ["a", "b"]


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        (DAYS, "2024-02-29"),
        (list("uvwxyz"), "u"),
        ([10, 20, 30, 40, 50, 60], "20"),
        (["2024-02-27", "2024-02-28", "2024-02-29", "2024-03-01", "2024-03-02", "2024-03-03"], "2024-02-29"),
    ],
)
@pytest.mark.parametrize("draw", ["series", "tree", "scape", "trees"])
def test_labels_of_observations_are_on_the_axis(draw: str, index: Any, expected: str) -> None:
    given = {"series": np.zeros(6), "tree": TREE, "scape": np.zeros((7, 7)), "trees": [TREE, TREE]}[draw]
    assert expected in ticks(getattr(rb.plot, draw)(given, index=index))


@pytest.mark.parametrize("index", [["2024-02-27"], "abcdef", np.zeros((6, 2)), [3, 2, 1, 4, 5, 6], 7])
def test_labels_that_are_none(index: Any) -> None:
    with pytest.raises(DataError, match="index"):
        rb.plot.tree(TREE, index=index)


def test_a_series_of_a_frame_has_its_dates_and_names() -> None:
    frame = pd.DataFrame(np.zeros((6, 2)), index=DAYS, columns=["a", "a name of $many$ and many more characters"])
    ax = rb.plot.series(frame)
    assert "2024-02-29" in ticks(ax)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "a name of $many$ and ma…"]


def test_scores() -> None:
    curves = {"one": [(0.5, 0.4, 0.6), (0.3, 0.2, 0.45)], "published": [(0.6,), (0.5,)]}
    ax = rb.plot.scores([0.1, 0.2], curves)
    assert ax.get_legend_handles_labels()[1] == ["one", "published"]
    bars = ax.containers[0]
    np.testing.assert_allclose([segment[:, 1] for segment in bars[2][0].get_segments()], [[0.4, 0.6], [0.2, 0.45]])
    assert len(ax.containers[1][2]) == 0  # a mean alone has no bars
    looks = [(bars[0].get_color(), bars[0].get_marker(), bars[0].get_linestyle()) for bars in ax.containers]
    assert all(one != other for one, other in zip(*looks, strict=True))
    assert len(rb.plot.scores([0.1], {"one": [(0.5, 0.4, 0.6)]}).containers) == 1


def test_calibration() -> None:
    ax = rb.plot.calibration([(0.1, 0.2, 0.1, 0.4), (0.9, 0.8, 0.7, 1.0)], label="mine")
    rb.plot.calibration([(0.5, 0.5, 0.5, 0.5)], ax=ax)
    assert len(ax.lines) == 1 + 2 * 3  # one diagonal; points and two caps of each
    np.testing.assert_allclose(ax.containers[0][0].get_xydata(), [[0.1, 0.2], [0.9, 0.8]])
    assert len({bars[0].get_marker() for bars in ax.containers}) == 2


@pytest.mark.parametrize("values", [[(0.1, 0.0, 0.2)], [(0.1,), (0.1, 0.0, 0.2)], [(0.1, 0.2), (0.1, 0.2)]])
def test_scores_that_are_none(values: list) -> None:
    with pytest.raises(DataError, match="must have"):
        rb.plot.scores([0.1, 0.2], {"one": values})


@pytest.mark.parametrize("bins", [[], [(0.1, 0.2)]])
def test_calibration_of_nothing(bins: list) -> None:
    with pytest.raises(DataError, match="four numbers"):
        rb.plot.calibration(bins)


@pytest.mark.parametrize("label", [r"$\foo{$", "$x$", "a\ud800b", r"\$"])
def test_labels_are_plain_text(label: str) -> None:
    axes = rb.plot.tree(rb.Tree([rb.Node(0, 3, label)], [0]), labels=True)
    axes.figure.canvas.draw()
    assert axes.texts[0].get_text() == label.replace("\ud800", "?")
    assert not axes.texts[0].get_parse_math()


@pytest.mark.parametrize("values", [[], np.zeros((0, 2)), np.array([1j, 2.0]), [np.zeros((2, 1)), np.zeros((3, 1))]])
def test_pictures_of_no_series(values: object) -> None:
    with pytest.raises(DataError):
        rb.plot.series(values)
