"""Pictures show what they are given."""

from collections.abc import Iterator

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

import matplotlib.pyplot as plt

import recbayes as rb
from recbayes.errors import DataError

TREE = rb.Tree.from_spans([(0, 6), (0, 2), (2, 6), (2, 3), (3, 6)])


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    plt.close("all")  # pictures go on the current figure, and other tests of this process may have left one
    yield
    plt.close("all")


def test_series_and_segments() -> None:
    y = np.arange(12.0).reshape(6, 2)
    y[0, 0] = np.nan
    ax = rb.plot.series(y, TREE)
    assert len(ax.lines) == 2  # one a column
    assert len(ax.patches) == 1  # the second of three leaves is shaded
    assert len(ax.collections) == 6  # means of three leaves in two columns
    assert len(rb.plot.series(y[:, 0], ax=plt.figure().gca()).lines) == 1
    with pytest.raises(DataError, match="the series has 5"):
        rb.plot.series(y[:5], TREE)


def test_a_tree() -> None:
    ax = rb.plot.tree(TREE, labels=True)
    lines, dots = ax.collections
    assert len(lines.get_segments()) == 4
    np.testing.assert_allclose(dots.get_offsets()[:, 0], [2.5, 0.5, 3.5, 2.0, 4.0])
    np.testing.assert_allclose(dots.get_offsets()[:, 1], [0, -1, -1, -2, -2])


def test_a_scape() -> None:
    """The darkest diamond stands over the middle of its span, at the height of its width."""
    probability = np.zeros((7, 7))
    probability[2, 5] = 0.9
    ax = rb.plot.scape(probability, TREE, ax=plt.figure().gca())
    mesh = ax.collections[0]
    values = mesh.get_array().reshape(7, 7)
    assert values[2, 5] == 0.9
    assert values.mask[5, 2]
    corners = mesh.get_coordinates()[2:4, 5:7].reshape(-1, 2)
    np.testing.assert_allclose(corners.mean(axis=0), [3.0, 3.0])
    assert len(ax.collections) == 3
    with pytest.raises(DataError, match="of shape"):
        rb.plot.scape(np.zeros((3, 4)))


def test_an_overview(tmp_path: object) -> None:
    model = rb.GaussianRBN.create(dim=2, noise_std=0.1, termination=0.6, extra_observations=3.0)
    y, _ = model.sample(seed=0, min_length=20, max_length=30)
    figure = rb.plot.overview(y, rb.sample_posterior(model, y, draws=50, seed=0))
    figure.savefig(f"{tmp_path}/overview.png")
    assert len(figure.axes) == 4


def test_scores() -> None:
    curves = {"one": [(0.5, 0.4, 0.6), (0.3, 0.2, 0.45)], "published": [(0.6,), (0.5,)]}
    ax = rb.plot.scores([0.1, 0.2], curves)
    assert ax.get_legend_handles_labels()[1] == ["one", "published"]
    bars = ax.containers[0]
    np.testing.assert_allclose([segment[:, 1] for segment in bars[2][0].get_segments()], [[0.4, 0.6], [0.2, 0.45]])
    assert len(ax.containers[1][2]) == 0  # a mean alone has no bars
    assert len(rb.plot.scores([0.1], {"one": [(0.5, 0.4, 0.6)]}, ax=plt.figure().gca()).containers) == 1


def test_calibration() -> None:
    ax = rb.plot.calibration([(0.1, 0.2, 0.1, 0.4), (0.9, 0.8, 0.7, 1.0)], label="mine")
    rb.plot.calibration([(0.5, 0.5, 0.5, 0.5)], ax=ax)
    assert len(ax.lines) == 1 + 2 * 3  # one diagonal; points and two caps of each
    np.testing.assert_allclose(ax.containers[0][0].get_xydata(), [[0.1, 0.2], [0.9, 0.8]])


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
