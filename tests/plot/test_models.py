"""Charts, cells, values of nodes and histories of learning."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.colors import to_hex
from matplotlib.patches import Circle, FancyBboxPatch, Rectangle

import recbayes as rb
from recbayes.errors import DataError
from recbayes.learn.reestimate import Estimate
from recbayes.plot.colours import BLUE, ORANGE, PALETTE, VERMILION

TREE = rb.Tree.from_spans([(0, 4), (0, 3), (0, 1), (1, 3), (1, 2), (2, 3), (3, 4)])


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    yield
    plt.close("all")


@cache
def posterior() -> Any:
    """Of a series in two dimensions that goes from the first to the second."""
    model = rb.GaussianRBN.create(
        2, prior_std=3.0, left_std=2.0, right_std=2.0, noise_std=0.3, termination=0.6, extra_observations=3.0
    )
    y = np.repeat([[4.0, 0.0], [0.0, 4.0]], 5, axis=0)
    return rb.sample_posterior(model, y, draws=50, seed=0)


def circles(ax: Any) -> dict[str, Circle]:
    return {patch.get_gid(): patch for patch in ax.patches if isinstance(patch, Circle)}


def texts(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.texts if text.get_text()]


# The chart


def test_a_chart_has_a_cell_for_every_span_and_highlights_a_tree() -> None:
    ax = rb.plot.chart(TREE, marked=(1, 3))
    cells, inside, boxes = ax.collections
    assert len(cells.get_paths()) == 10
    assert len(inside.get_paths()) == 3  # 1:2, 2:3 and 1:3
    assert to_hex(inside.get_edgecolor()[0]).upper() == ORANGE
    assert len(boxes.get_paths()) == 2
    assert to_hex(boxes.get_edgecolor()[0]).upper() == VERMILION
    found = circles(ax)
    blue = {name for name, circle in found.items() if to_hex(circle.get_edgecolor()).upper() == BLUE}
    assert blue == {f"x {start}:{end}" for start, end in TREE.spans} | {f"y {i}" for i in range(4)}
    assert found["x 1:4"].center == (2.0, 1.5)
    arrows = [text for text in ax.texts if not text.get_text()]
    assert len(arrows) == 6 + 4  # to all nodes but the root, and to the observations
    assert "$x_{0:3}$" in texts(ax)
    assert "$y_{4}$" in texts(ax)


def test_texts_of_a_chart() -> None:
    ax = rb.plot.chart(4, texts={(0, 2): "1.5\n± 2"}, observed=[0.0, 1.5, "a $word$", None])
    assert {"1.5\n± 2", "0", "1.5", "a $word$", "None"} <= set(texts(ax))
    assert "$x_{0:2}$" not in texts(ax)
    assert all(to_hex(circle.get_edgecolor()).upper() != BLUE for circle in circles(ax).values())
    ax.figure.canvas.draw()


def test_long_words_have_room_in_a_chart() -> None:
    ax = rb.plot.chart(3, observed=["I", "saw", "telescopes"])
    assert not any(name.startswith("y") for name in circles(ax))
    assert {patch.get_gid() for patch in ax.patches} >= {"y 0", "y 1", "y 2"}
    assert all(text.get_fontsize() > 6.5 for text in ax.texts if text.get_text() in ("I", "saw", "telescopes"))


def test_links_do_not_strike_texts_out() -> None:
    tree = rb.Tree.from_spans([(0, 3), (0, 1), (1, 3), (1, 2), (2, 3)])
    ax = rb.plot.chart(tree, texts={(0, 2): "0.5"})
    arrows = [text for text in ax.texts if not text.get_text()]
    assert circles(ax)["x 0:2"].get_zorder() > max(arrow.get_zorder() for arrow in arrows)


def test_a_chart_of_one_observation_and_of_many() -> None:
    assert len(circles(rb.plot.chart(1))) == 2
    many = rb.Tree.from_spans([(0, 300), (0, 100), (100, 300)])
    ax = rb.plot.chart(many)
    assert len(ax.collections[0].get_paths()) == 300 * 301 // 2
    assert len(ax.collections[-1].get_offsets()) == 3  # the nodes of the tree


@pytest.mark.parametrize(
    "arguments",
    [
        {"drawn": 0},
        {"drawn": 10**6},
        {"marked": (2, 9)},
        {"marked": (1, 2, 3)},
        {"texts": {(0, 9): "a"}},
        {"observed": ["a"]},
        {"drawn": rb.Tree.from_spans([(1, 3)])},
    ],
)
def test_charts_that_cannot_be(arguments: dict[str, Any]) -> None:
    with pytest.raises(DataError):
        rb.plot.chart(**{"drawn": TREE, **arguments})


# The cell


def test_the_cell_of_the_papers_model() -> None:
    """Two gates with their probabilities, a shift of the left child, and several observations."""
    model = rb.GaussianRBN.create(3, termination=0.6, shifts={0: 0.5, 1: 0.5}, extra_observations=2.0)
    ax = rb.plot.cell(model)
    assert {"x", "z", "x′", "x′′", "y", "τ", "n", "z = split, p = 0.4", "z = emit, p = 0.6"} == set(texts(ax))
    gates = [patch.get_gid() for patch in ax.patches if isinstance(patch, Rectangle)]
    assert gates == ["gate split", "gate emit"]
    assert sum(isinstance(patch, FancyBboxPatch) and patch.get_gid() == "plate" for patch in ax.patches) == 1
    shaded = [name for name, circle in circles(ax).items() if to_hex(circle.get_facecolor()) != "#ffffff"]
    assert shaded == ["y y"]
    tau = next(text for text in ax.texts if text.get_text() == "τ").get_position()
    left = next(text for text in ax.texts if text.get_text() == "x′").get_position()
    assert tau[0] < left[0]


def test_cells_of_all_families() -> None:
    plain = texts(rb.plot.cell(rb.GaussianRBN.create(1)))
    assert not {"τ", "n"} & set(plain)
    grammar = rb.PCFG.from_string("S -> S S [0.3] | 'a' [0.6] | 'b' [0.1]")
    assert "z = split, p = 0.3" in texts(rb.plot.cell(grammar))
    hmm = rb.HMM([0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]], [[0.7, 0.3], [0.1, 0.9]], termination=0.2)
    assert {"state", "shown", "state′", "symbol"} <= set(texts(rb.plot.cell(hmm)))
    assert "z = emit, p = 1" in texts(rb.plot.cell(hmm, "shown"))
    chain = rb.LinearDynamicalSystem([[0.9]], [[0.1]], [[1.0]], [[0.1]], [0.0], [[1.0]])
    assert "z" in texts(rb.plot.cell(chain))
    with pytest.raises(DataError, match="there is no variable 'q'"):
        rb.plot.cell(hmm, "q")
    with pytest.raises(DataError, match="a cell is that of a model"):
        rb.plot.cell(TREE)


def test_the_cell_of_a_general_model() -> None:
    model = rb.GaussianRBN.create(1, extra_observations=1.0).to_general()
    assert {"z = split, p(z | x)", "z = emit, p(z | x)", "n"} <= set(texts(rb.plot.cell(model)))


def test_values_that_decide_are_told_as_such() -> None:
    """Where p(z | x) differs between values of x there is no one number."""
    ways = (
        rb.Transition(("y",), [0.2, 1.0], [[0.5, 0.5], [0.5, 0.5]]),
        rb.Transition(("x", "x"), [0.8, 0.0], np.full((2, 2, 2), 0.25)),
    )
    model = rb.DiscreteRBN([rb.DiscreteVariable("x", 2, ways)], [rb.TerminalVariable("y", 2)], ("x", [0.5, 0.5]))
    assert {"z = emit, p(z | x)", "z = split, p(z | x)"} <= set(texts(rb.plot.cell(model)))


# Values


def test_values_colour_a_scape() -> None:
    """Spans that never were a node are white, others have the colour of their largest entry, or a shade of their value."""
    known = posterior()
    ax = rb.plot.latents(known, known.tree(), column="largest", fade=False)
    colours = ax.collections[0].get_array()
    for start, end, expected in ((0, 5, PALETTE[0]), (5, 10, PALETTE[1])):
        assert known.node_probability[start, end] > 0.5
        assert to_hex(colours[start, end]).upper() == expected
    never = np.argwhere((known.node_probability == 0.0) & np.triu(np.ones((11, 11), dtype=bool), 1))
    assert len(never)
    assert (colours[tuple(never.T)][:, 3] == 0).all()
    one = rb.plot.latents(known, column=1, fade=False)
    shades = one.collections[0].get_array()
    assert shades[5, 10, :3].sum() > shades[0, 5, :3].sum()  # the higher, the brighter
    assert one.figure.axes[1].get_ylabel() == "value 1"


def test_improbable_nodes_fade() -> None:
    known = posterior()
    faded = rb.plot.latents(known, column=0).collections[0].get_array()
    full = rb.plot.latents(known, column=0, fade=False).collections[0].get_array()
    spans = np.argwhere((known.node_probability > 0.0) & (known.node_probability < 0.9))
    assert len(spans)
    for start, end in spans:
        share = np.sqrt(known.node_probability[start, end])
        np.testing.assert_allclose(1 - faded[start, end, :3], share * (1 - full[start, end, :3]), atol=0.01)


def test_colours_of_ones_own_and_the_papers_marginals() -> None:
    known = posterior()
    marginals = rb.outside(known.chart)
    ax = rb.plot.latents(marginals, column=lambda means: ["#123456"] * len(means), fade=False)
    colours = ax.collections[0].get_array()
    assert to_hex(colours[0, 5]) == "#123456"
    with pytest.raises(DataError, match="must return"):
        rb.plot.latents(known, column=lambda means: ["red"])
    with pytest.raises(DataError, match="there is no variable 'q'"):
        rb.plot.latents(known, variable="q")


def test_what_has_no_values() -> None:
    grammar = rb.PCFG.from_string("S -> S S [0.3] | 'a' [0.7]")
    for nothing in (rb.sample_posterior(grammar, ["a", "a"], draws=5, seed=0), np.zeros((3, 3))):
        with pytest.raises(DataError, match="values"):
            rb.plot.latents(nothing)


# Learning


def test_history() -> None:
    """Distances to the best, the best so far, and evaluations that failed left out."""
    fit = Estimate(None, [-20.0, -np.inf, -15.0, -10.0, -12.0], True)
    ax = rb.plot.history(fit, label="mine")
    np.testing.assert_allclose(ax.collections[0].get_offsets().filled(np.nan)[:, 1], [10, np.nan, 5, 1e-3, 2])
    np.testing.assert_allclose(ax.lines[0].get_xydata(), [[1, 10], [2, 10], [3, 5], [4, 1e-3], [5, 1e-3]])
    rb.plot.history(fit, label="other", ax=ax)
    assert ax.lines[0].get_color() != ax.lines[1].get_color()
    assert ax.lines[0].get_linestyle() != ax.lines[1].get_linestyle()
    assert ax.get_legend_handles_labels()[1] == ["mine", "other"]
    with pytest.raises(DataError, match="no evaluation"):
        rb.plot.history(Estimate(None, [-np.inf], False))
