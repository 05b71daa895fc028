"""What all pictures have in common: where they are drawn, and data of all sizes."""

import inspect
import io
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import recbayes as rb
from tests.public_calls import CALLS, Call

ROOT = Path(__file__).parents[2]
PICTURES = [call for call in CALLS if call.name.startswith("plot.")]
PANELS = ("overview", "segmented")  # of several panels


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    plt.close("all")
    yield
    plt.close("all")


def function(call: Call) -> Any:
    return getattr(rb.plot, call.name.removeprefix("plot."))


def artists(ax: Any) -> int:
    return len(ax.lines) + len(ax.collections) + len(ax.patches) + len(ax.texts)


def test_all_pictures_are_here() -> None:
    assert {call.name.removeprefix("plot.") for call in PICTURES} == set(rb.plot.__all__)


@pytest.mark.parametrize("call", PICTURES, ids=lambda call: call.name)
def test_pictures_do_not_disturb_figures_of_others(call: Call) -> None:
    """Without axes they make a figure of their own, whatever is the current one."""
    figure, ax = plt.subplots()
    ax.plot([1, 2], [3, 4])
    arguments = {name: value for name, value in call.arguments().items() if name not in ("ax", "figure")}
    drawn = function(call)(**arguments)
    assert artists(ax) == 1
    assert figure.axes == [ax]
    assert (drawn if isinstance(drawn, Figure) else drawn.figure) is not figure


@pytest.mark.parametrize("call", PICTURES, ids=lambda call: call.name)
def test_pictures_draw_where_they_are_told_to_and_need_no_pyplot(call: Call) -> None:
    arguments = call.arguments()
    if "figsize" in arguments:
        return  # which is that of a new figure
    drawn = function(call)(**arguments)
    assert drawn is arguments["figure" if call.name.removeprefix("plot.") in PANELS else "ax"]
    assert isinstance(drawn, Figure | Axes)
    assert plt.get_fignums() == []
    (drawn if isinstance(drawn, Figure) else drawn.figure).savefig(io.BytesIO(), format="svg")


def test_a_part_of_a_figure_is_enough() -> None:
    for name in PANELS:
        call = next(one for one in PICTURES if one.name == f"plot.{name}" and "figsize" not in one.arguments())
        left, right = Figure(layout="constrained").subfigures(1, 2)
        assert function(call)(**{**call.arguments(), "figure": left}) is left
        assert right.axes == []


def test_pyplot_is_not_loaded_for_axes_that_are_given(tmp_path: Path) -> None:
    code = (
        "import sys, recbayes as rb; from matplotlib.figure import Figure; figure = Figure()\n"
        "rb.plot.tree(rb.Tree.from_spans([(0, 3), (0, 1)]), ax=figure.subplots())\n"
        "figure.savefig('tree.png')\n"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)


@pytest.mark.parametrize("name", rb.plot.__all__)
def test_every_argument_is_described(name: str) -> None:
    picture = getattr(rb.plot, name)
    text = inspect.getdoc(picture) or ""
    for argument in inspect.signature(picture).parameters:
        assert re.search(rf"^    (\*\*)?{argument}: ", text, re.MULTILINE), argument
    assert "Returns:" in text


def test_every_picture_has_its_place_in_the_documentation() -> None:
    reference = (ROOT / "docs" / "reference" / "plots.md").read_text(encoding="utf-8")
    guide = (ROOT / "docs" / "guides" / "pictures.md").read_text(encoding="utf-8")
    for name in rb.plot.__all__:
        assert f"recbayes.plot.{name}\n" in reference, name
        assert f"rb.plot.{name}(" in guide, name


def test_pictures_of_documents_are_small() -> None:
    """They were drawn by examples/figures.py, and there is none that no page shows."""
    pages = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("*/*.md"))
    saved = set(re.findall(r'savefig\("((?:rbn|plot)-[a-z]+\.png)"\)', pages))
    files = [path for kind in ("rbn", "plot") for path in (ROOT / "docs" / "figures").glob(f"{kind}-*.png")]
    there = {path.name: path.stat().st_size for path in files}
    assert saved == set(there)
    assert all(f"../figures/{name})" in pages for name in there)
    assert max(there.values()) < 100_000


# Data of all sizes


def drawn(picture: Any) -> Any:
    (picture if isinstance(picture, Figure) else picture.figure).savefig(io.BytesIO(), dpi=40)
    return picture


def test_one_observation() -> None:
    tree = rb.Tree([rb.Node(0, 1, "x")], [0])
    model = rb.GaussianRBN.create(1)
    posterior = rb.sample_posterior(model, [0.5], draws=5, seed=0)
    found = rb.segment([1.0], draws=5, seed=0)
    for picture in (
        rb.plot.series([np.nan], tree),
        rb.plot.tree(tree, index=["2024-01-01"]),
        rb.plot.scape(posterior, tree),
        rb.plot.latents(posterior, tree),
        rb.plot.trees([tree, tree]),
        rb.plot.chart(tree),
        rb.plot.overview([0.5], posterior),
        rb.plot.segments(found),
        rb.plot.changes(found),
        rb.plot.segmented(found),
    ):
        drawn(picture)


def test_twelve_columns_with_gaps_and_long_names() -> None:
    rng = np.random.default_rng(0)
    y = rng.normal(size=(30, 12)) + np.repeat([0.0, 6.0], 15)[:, None]
    y[4:6] = np.nan
    y[:, 3] = np.nan
    tree = rb.Tree.from_spans([(0, 30), (0, 15)])
    ax = drawn(rb.plot.series(y, tree))
    looks = {(line.get_color(), line.get_marker(), line.get_markerfacecolor()) for line in ax.lines}
    assert len(looks) == 12  # no two columns look the same
    model = rb.GaussianRBN.create(12, prior_std=4.0, left_std=4.0, right_std=4.0, termination=0.6, extra_observations=9.0)
    posterior = rb.sample_posterior(model, y, draws=10, seed=0)
    drawn(rb.plot.latents(posterior, tree))
    drawn(rb.plot.overview(y, posterior))


def test_long_trees_stay_readable_and_small() -> None:
    """Marks shrink, and a scape is pixels: its SVG does not grow with the square of the length."""
    spans = [(0, 300), *((i, 300) for i in range(1, 300)), *((i, i + 1) for i in range(299))]
    tree = rb.Tree.from_spans(spans)
    few = rb.plot.tree(rb.Tree.from_spans([(0, 3), (0, 1)])).collections[1].get_sizes()
    many = rb.plot.tree(tree).collections[1].get_sizes()
    assert many[0] < few[0] / 3
    file = io.BytesIO()
    rb.plot.scape(np.random.default_rng(0).random((301, 301))).figure.savefig(file, format="svg")
    assert file.tell() < 400_000


def test_narrow_panels_have_fewer_ticks() -> None:
    days = np.arange("2020-01-01", "2021-01-01", dtype="datetime64[D]")
    tree = rb.Tree.from_spans([(0, len(days)), (0, 200)])
    counts = []
    for width in (2.5, 5.0, 10.0):
        figure = Figure(figsize=(width, 2.0), layout="constrained")
        ax = drawn(rb.plot.tree(tree, index=days, ax=figure.subplots()))
        labels = [label for label in ax.get_xticklabels() if label.get_text()]
        boxes = [label.get_window_extent() for label in labels]
        assert all(one.x1 < other.x0 for one, other in pairwise(boxes))
        counts.append(len(labels))
    assert 2 <= counts[0] <= counts[1] <= counts[2] > counts[0]
