"""From a score to its hierarchy: what an analysis says is what its posterior says, in bars and keys."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import recbayes as rb
from recbayes.cli import app
from recbayes.music.analysis import Analysis
from recbayes.music.keys import PITCH_CLASSES
from recbayes.music.model import profiles, start_model, with_single_leaves


@pytest.fixture(scope="module")
def found() -> Analysis:
    return rb.music.analyse(rb.music.prelude(), draws=200, seed=0)


def test_nodes_are_those_of_the_tree(found: Analysis) -> None:
    edges = found.slices.edges
    assert len(found.slices.counts) == 35
    assert [(node.start, node.end) for node in found.nodes] == [(edges[a], edges[b]) for a, b in found.tree.spans]
    assert (found.nodes[0].start, found.nodes[0].end, found.nodes[0].parent) == (0.0, 140.0, None)
    for node in found.nodes[1:]:
        above = found.nodes[node.parent]
        assert above.start <= node.start < node.end <= above.end
        assert above.level > node.level
        assert above.depth == node.depth - 1
    for node, of_tree in zip(found.nodes, found.tree, strict=True):
        assert node.probability == pytest.approx(found.posterior.node_probability[of_tree.span], abs=1e-9)
        assert 0.0 <= node.probability <= 1.0


def test_transpositions_are_at_left_children(found: Analysis) -> None:
    for place, node in enumerate(found.nodes):
        if node.parent is None or found.nodes[node.parent].start != node.start:
            assert node.shift is None
        else:
            here, above = (found.tree.nodes[one].label.split(" ")[0] for one in (place, found.tree.parents[place]))
            assert node.shift in range(-5, 7)
            assert (node.shift - PITCH_CLASSES.index(here) + PITCH_CLASSES.index(above)) % 12 == 0


def test_keys_of_the_prelude(found: Analysis) -> None:
    """The first and the last bar, and the whole, are in C."""
    assert found.nodes[0].label == "C major"
    leaves = [node for node in found.nodes if node.level == 0]
    assert [leaf.label for leaf in leaves[:7]] == ["C", "Dm7", "G7", "C", "Am", "D7", "G"]
    assert leaves[-1].label == "C"
    rows = found.table()
    assert (rows[0]["from"], rows[0]["to"], rows[0]["key"]) == ("1", "35", "C major")
    assert {row["key"] for row in rows} > {"C major", "G major"}


def test_the_page_is_a_text_or_a_file(found: Analysis, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    assert found.to_html(str(path)) == path
    assert path.read_text(encoding="utf-8") == found.to_html()


def test_transposed_pieces_have_transposed_keys(found: Analysis) -> None:
    """The same piece a third higher has the same evidence, and its keys are a third higher."""
    piece = rb.music.prelude()
    higher = rb.music.Score("higher", piece.onsets, piece.offsets, piece.pitches + 4, piece.bars, piece.names, piece.beats)
    other = rb.music.analyse(higher, draws=200, seed=0)
    assert other.posterior.chart.log_evidence == pytest.approx(found.posterior.chart.log_evidence, abs=1e-6)
    assert other.nodes[0].label == "E major"


def test_a_gaussian_model_does_as_well() -> None:
    piece = rb.music.prelude()
    model = with_single_leaves(start_model([profiles(rb.music.slice_score(piece).counts)], modes=("major", "minor")))
    found = rb.music.analyse(piece, model=model, per=8, draws=20, seed=0)
    assert found.nodes[0].label == "C major"
    assert all(node.label.endswith(("major", "minor")) for node in found.nodes)
    for place, node in enumerate(found.nodes):
        if node.shift is not None:
            rule = found.tree.nodes[found.tree.parents[place]].rule.removeprefix("split shift ")
            assert (node.shift - int(rule)) % 12 == 0


def test_long_pieces_have_fewer_places_to_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recbayes.music.analysis.MOST_SLICES", 12)
    found = rb.music.analyse(rb.music.prelude(), draws=20, seed=0)
    assert found.slices.edges.tolist() == [*range(0, 140, 12), 140]
    assert found.slices.counts.sum() == pytest.approx(rb.music.slice_score(rb.music.prelude()).counts.sum())
    assert found.nodes[-1].end == 140.0


def test_a_page_from_the_command_line(tmp_path: Path) -> None:
    page = tmp_path / "piece.html"
    told = CliRunner().invoke(app, ["music", "analyse", "-o", str(page), "--draws", "50"])
    assert told.exit_code == 0, told.output
    assert "549 notes, 35 bars" in told.output
    assert "bars 1 to 35: C major, 100%" in told.output
    text = page.read_text(encoding="utf-8")
    assert 100_000 < len(text.encode()) < 3_000_000
    assert "Prelude in C major, BWV 846" in text


def test_errors_of_the_command_line_are_one_line(tmp_path: Path) -> None:
    told = CliRunner().invoke(app, ["music", "analyse", str(tmp_path / "nothing.krn")])
    assert told.exit_code != 0
    assert "Traceback" not in told.output
    empty = tmp_path / "empty.mid"
    empty.write_bytes(b"")
    told = CliRunner().invoke(app, ["music", "analyse", str(empty)])
    assert told.exit_code != 0
    assert "Traceback" not in told.output


def test_what_is_analysed() -> None:
    with pytest.raises(rb.DataError, match="score must be a Score"):
        rb.music.analyse(np.zeros((3, 12)))  # type: ignore[arg-type]
    with pytest.raises(rb.ModelError, match="emits a Composition of 12 pitch classes"):
        rb.music.analyse(rb.music.prelude(), model=rb.GaussianRBN.create(12))
    with pytest.raises(rb.ModelError, match="a Harmony or a music model"):
        rb.music.analyse(rb.music.prelude(), model="x")  # type: ignore[arg-type]
