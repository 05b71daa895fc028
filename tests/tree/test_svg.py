"""Pictures of trees as SVG: every node where its span is, whatever its names, in bounded size."""

from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given

import recbayes as rb
from recbayes.errors import DataError
from recbayes.tree.formats.svg import MOST
from tests.harmless import harmless
from tests.tree.random_trees import DEEP, believed_trees, chain

SVG = "{http://www.w3.org/2000/svg}"


def bands(text: str) -> dict[str, ElementTree.Element]:
    """The rectangles of the nodes, by what their titles say."""
    return {
        f"{n} {one.findtext(f'{SVG}title')}": one.find(f"{SVG}rect") for n, one in enumerate(harmless(text).find(f"{SVG}g"))
    }


def place(rect: ElementTree.Element) -> np.ndarray:
    return np.array([float(rect.get(name)) for name in ("x", "y", "width", "height")])


@given(tree=believed_trees())
def test_any_tree_is_a_picture(tree: rb.Tree) -> None:
    """Whatever its names: well-formed, without anything that runs, loads or can clash."""
    root = harmless(tree.to_svg())
    assert root.get("role") == "img"
    assert root.findtext(f"{SVG}title")
    assert "nodes" in root.findtext(f"{SVG}desc")
    assert len(bands(tree.to_svg())) == len({(*node.span, level) for node, level in zip(tree, tree.levels, strict=True)})


def test_bands_lie_over_their_spans() -> None:
    """Starts, ends and levels are where they should be up to one scale for each axis."""
    tree = rb.Tree.from_spans([(3, 13), (3, 7), (7, 13), (7, 9), (9, 13)])
    found = bands(tree.to_svg())
    assert [title.split(" ", 1)[1] for title in found] == ["3:13", "3:7", "7:13", "7:9", "9:13"]
    x, y, width, _ = np.array([place(rect) for rect in found.values()]).T
    starts, ends = np.array(tree.spans).T
    assert np.ptp((x - x[0]) - (starts - 3) * (x[2] - x[0]) / 4) < 0.1
    assert np.ptp((x + width) - (x[0] + (ends - 3) * (x[2] - x[0]) / 4)) < 0.1
    assert [list(y).index(one) for one in y] == [0, 1, 1, 3, 3]
    assert (np.diff(np.unique(y)) > 12).all()


def test_probable_nodes_are_darker() -> None:
    """And those less probable than not have a broken outline; numbers are written where there is room."""
    nodes = [rb.Node(0, 9, "x", "split", probability=p) for p in (0.0, 0.3, 0.6, 1.0)]
    made = rb.Tree(nodes, [1, 1, 1, 0]).to_svg()
    shades = [float(rect.get("fill-opacity")) for rect in bands(made).values()]
    assert all(a < b for a, b in pairwise(shades))
    assert [rect.get("stroke-dasharray") for rect in bands(made).values()] == ["2", "2", None, None]
    assert "<text" in made
    assert ">x 0.30</text>" in made
    assert "<title>0:9 x split, probability 0.30</title>" in made


@pytest.mark.parametrize("tree", [*DEEP.values(), chain(20_000)], ids=[*DEEP, "twenty thousand"])
def test_large_trees_have_bounded_pictures(tree: rb.Tree) -> None:
    made = tree.to_svg()
    drawn = bands(made)
    assert len(made) < 200_000
    assert 100 < len(drawn) <= MOST
    assert f"{len(tree) - len(drawn)} small nodes are not drawn" in made
    bottom = max(place(rect)[1] for rect in drawn.values())
    assert bottom <= 400
    assert next(iter(drawn)).startswith(f"0 0:{tree.length}")


def test_a_title_and_names_are_texts() -> None:
    tree = rb.Tree([rb.Node(0, 5, "<script>alert(1)</script>")], [0])
    made = tree.to_svg(title='"><script>')
    assert "<script" not in made
    assert harmless(made).findtext(f"{SVG}title") == '"><script>'
    with pytest.raises(DataError, match="title must be a text"):
        tree.to_svg(title=3)  # type: ignore[arg-type]


def test_an_axis_has_round_numbers_and_both_ends() -> None:
    made = rb.Tree([rb.Node(7, 321)], [0]).to_svg()
    axis = [text.text for text in harmless(made).findall(f"{SVG}g")[1].iter(f"{SVG}text")]
    assert axis == ["7", "50", "100", "150", "200", "250", "300", "321"]


def test_notebooks_show_the_picture() -> None:
    tree = rb.Tree([rb.Node(0, 5)], [0])
    assert tree._repr_html_() == tree.to_svg()
