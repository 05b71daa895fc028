"""From a score to its hierarchy: what an analysis says is what its posterior says, in bars and keys."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import recbayes as rb
from recbayes.cli import app
from recbayes.music.analysis import Analysis
from recbayes.music.keys import PITCH_CLASSES
from recbayes.music.model import profiles, start_model, with_single_leaves
from tests.music.files import music_xml, note, written


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
            labels = [found.tree.nodes[one].label for one in (place, found.tree.parents[place])]
            assert node.shift in range(-5, 7)
            if any("diminished" in label for label in labels):
                continue
            here, above = (label.split(" ")[0] for label in labels)
            assert (node.shift - PITCH_CLASSES.index(here) + PITCH_CLASSES.index(above)) % 12 == 0


def test_keys_of_the_prelude(found: Analysis) -> None:
    """The first and the last bar, and the whole, are in C."""
    assert found.nodes[0].label == "C major"
    leaves = [node for node in found.nodes if node.level == 0]
    assert [leaf.label for leaf in leaves[:7]] == ["C", "Dm7", "G7", "C", "Am", "D7", "G"]
    assert leaves[-1].label == "C"
    rows = found.table()
    assert (rows[0]["from"], rows[0]["to"], rows[0]["key"]) == ("1", "35", "C major")
    regions = {(row["from"], row["to"]): row["key"] for row in rows}
    assert regions["5", "11"] == "G major"  # as annotated in When in Rome, and so is D minor
    assert regions["12", "13"] == "D minor"
    assert all(row["key"] and 0.0 < row["key_probability"] <= 1.0 for row in rows)
    bars = [row for row in rows if row["from"] == row["to"]]
    assert [row["chord"] for row in bars[:3]] == ["C", "Dm7", "G7"]


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


def test_long_pieces_have_fewer_places_to_begin() -> None:
    found = rb.music.analyse(rb.music.prelude(), draws=20, seed=0, most_slices=12)
    assert found.note == "35 bars: three are one slice"
    assert found.note in repr(found)
    assert found.note in str(found.to_html())
    assert found.note in found._repr_html_()
    assert found.slices.edges.tolist() == [*range(0, 140, 12), 140]
    assert found.slices.counts.sum() == pytest.approx(rb.music.slice_score(rb.music.prelude()).counts.sum())
    assert found.nodes[-1].end == 140.0


def test_a_page_from_the_command_line(tmp_path: Path) -> None:
    page = tmp_path / "piece.html"
    told = CliRunner().invoke(app, ["music", "analyse", "-o", str(page), "--draws", "50"])
    assert told.exit_code == 0, told.output
    assert "549 notes, 35 bars" in told.output
    assert "bars 1 to 35: C major, to C\n" in told.output
    assert "bars 1 to 18: C major, to G7, a fifth above what follows (passage " in told.output
    assert "semitone" not in told.output
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
    with pytest.raises(rb.DataError, match=r"score must be a Score, got .*; read_score gives one, and the name of a file"):
        rb.music.analyse(np.zeros((3, 12)))  # type: ignore[arg-type]
    with pytest.raises(rb.FileError, match=r"nothing\.krn is not there"):
        rb.music.analyse("nothing.krn")
    with pytest.raises(rb.DataError, match="most_slices must be a whole number"):
        rb.music.analyse(rb.music.prelude(), most_slices=1)
    with pytest.raises(rb.ModelError, match="emits a Composition of 12 pitch classes"):
        rb.music.analyse(rb.music.prelude(), model=rb.GaussianRBN.create(12))
    with pytest.raises(rb.ModelError, match="a Harmony or a music model"):
        rb.music.analyse(rb.music.prelude(), model="x")  # type: ignore[arg-type]


def small(per: str | int = "bar", names: tuple[str, ...] = ("1", "2", "3", "4"), **changes: object) -> Analysis:
    """Four bars of three quarters, of which the third is silent: C, F, a rest, C."""
    pitches = [60, 64, 67, 65, 69, 72, 60, 64, 67]
    onsets = np.repeat([0.0, 3.0, 9.0], 3)
    bars = np.arange(0.0, 13.0, 3.0)
    piece = rb.music.Score("x", onsets, onsets + 3.0, np.array(pitches), bars, names, np.arange(13.0), **changes)  # type: ignore[arg-type]
    return rb.music.analyse(piece, per=per, draws=20)


def test_silence_has_no_chord() -> None:
    found = small()
    rest = next(node for node in found.nodes if (node.start, node.end) == (6.0, 9.0))
    assert (rest.label, rest.chord, rest.key, rest.shift) == ("–", "", None, None)
    row = next(row for row in found.table() if row["from"] == row["to"] == "3")
    assert (row["key"], row["chord"]) == (None, None)
    assert "–" in str(found.to_html())


def test_bars_of_the_same_name_and_parts_of_bars_are_told_apart() -> None:
    rows = small(names=("1", "2", "1", "2")).table()
    assert (rows[0]["from"], rows[0]["to"]) == ("1", "2 (2nd time)")
    assert {row["from"] for row in rows} == {"1", "2", "1 (2nd time)", "2 (2nd time)"}
    beats = small("Beats", names=("1", "2", "1", "2")).table()
    assert [row["from"] for row in beats if row["end"] - row["start"] == 1.0][:4] == ["1.1", "1.2", "1.3", "2.1"]
    assert [row["from"] for row in beats if row["end"] - row["start"] == 1.0][-1] == "2.3 (2nd time)"


def test_keys_and_chords_are_spelt_as_the_key_signature_has_them() -> None:
    piece = rb.music.prelude()
    higher = replace(piece, pitches=piece.pitches + 1, drawing=None, ids=(), signature=7)
    found = rb.music.analyse(higher, draws=50)
    assert found.nodes[0].label == "C# major"
    assert [node.label for node in found.nodes if not node.level][:3] == ["C#", "D#m7", "G#7"]
    assert found.lines()[0] == "bars 1 to 35: C♯ major, to C♯"


def test_what_notebooks_and_terminals_show(found: Analysis) -> None:
    said = repr(found).splitlines()
    assert said[0] == "Prelude in C major, BWV 846: 35 bars, 69 passages"
    assert said[1] == "bars 1 to 35: C major, to C"
    shown = found._repr_html_()
    assert shown.count("<tr>") > 50
    assert "G major" in shown
    assert "<script" not in shown
    assert "a slice for each bar, 200 trees drawn, seed 0." in str(found.to_html())


def test_a_file_of_one_bar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path, "one.musicxml", music_xml(note("C", 4, 8)))
    assert [node.label for node in rb.music.analyse(str(path)).nodes] == ["C alone"]
    told = CliRunner().invoke(app, ["music", "analyse", "one.musicxml", "--table", "one.csv"])
    assert told.exit_code == 0, told.output
    assert "one: 1 note, 1 bar." in told.output
    assert "The only passage, with score and sound: one.html" in told.output
    assert (tmp_path / "one.csv").read_text(encoding="utf-8").splitlines()[1].startswith("1,1,0.0,4.0,0,C major,")


def test_nothing_but_pages_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, found: Analysis) -> None:
    """What is wrong with an output is told before the work begins."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("recbayes.music.analysis.analyse", None)
    score = music_xml(note("C", 4, 8))
    written(tmp_path, "one.musicxml", score)
    written(tmp_path, "one.html", "a page")
    (tmp_path / "linked.html").symlink_to("one.musicxml")
    for given, complaint in {
        "-o one.musicxml": "a page ends in .html, got 'one.musicxml'",
        "-o one.pdf": "a page ends in .html",
        "-o linked.html": "linked.html is the score itself",
        "-o nosuch/one.html": "there is no folder 'nosuch'",
        "--table one.musicxml": "a table ends in .csv",
        "": "one.html is there already; -o one.html replaces it",
        "one.musicxml": "two scores would have pages of the same name",
        "one.musicxml -o two.html": "-o names one page; give one score at a time",
        ".": "recbayes: . is a folder; name a file in it",
    }.items():
        told = CliRunner().invoke(app, ["music", "analyse", "one.musicxml", *given.split()])
        assert told.exit_code, given
        assert complaint in told.output, told.output
    assert (tmp_path / "one.musicxml").read_text(encoding="utf-8") == score
    assert (tmp_path / "one.html").read_text(encoding="utf-8") == "a page"
    with pytest.raises(rb.FileError, match=r"a page ends in \.html"):
        found.to_html(tmp_path / "one.musicxml")


def test_what_draws_is_there_before_the_work_begins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "verovio", None)
    monkeypatch.setattr("recbayes.music.analysis.analyse", None)
    told = CliRunner().invoke(app, ["music", "analyse"])
    assert "scores need verovio: pip install 'recbayes[music]'" in told.output


def test_terminals_without_flats(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """They get letters, and not question marks."""
    monkeypatch.chdir(tmp_path)
    flat = "<alter>-1</alter><octave>"
    score = music_xml(*[note(step, 4, 8).replace("<octave>", flat) for step in "BBE"]).replace("<fifths>0", "<fifths>-6")
    written(tmp_path, "flats.musicxml", score)
    told = CliRunner(charset="ascii").invoke(app, ["music", "analyse", "flats.musicxml"])
    assert told.exit_code == 0, told.output
    assert "Eb" in told.output
    assert not {"E?", "B?"} & {word.strip(",:") for word in told.output.split()}


def test_several_scores_have_a_page_each(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two"):
        written(tmp_path, f"{name}.musicxml", music_xml(note("C", 4, 8)))
    told = CliRunner().invoke(app, ["music", "analyse", "one.musicxml", "two.musicxml"])
    assert told.exit_code == 0, told.output
    assert "<title>two</title>" in (tmp_path / "two.html").read_text(encoding="utf-8")
