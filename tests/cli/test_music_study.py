"""The command on small pieces, in processes of its own, and what it says of wrong ones."""

from concurrent.futures import BrokenExecutor
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from recbayes.cli import app
from recbayes.studies.music import study
from recbayes.studies.music.settings import Settings
from tests.studies.music.tiny import SONG, write_annotations, write_midi

TINY = Settings(slices=8, starts=1, draws=20, drawn=2, random_trees=2, rivals=2, evaluations=1)


@pytest.mark.slow
def test_in_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setattr(Settings, "quick", lambda seed: TINY)
    write_midi(tmp_path / "one.mid", SONG)
    write_midi(tmp_path / "two.mid", SONG[:4], tonic=7)
    notes = write_annotations(tmp_path / "notes", "one")
    arguments = ["study", "music", str(tmp_path), "-o", str(tmp_path / "out"), "--quick", "--annotations", str(notes)]
    first = CliRunner().invoke(app, [*arguments, "--workers", "1"])
    assert first.exit_code == 0, first.output
    for text in ("What was learnt", "slices", "bars", "expected-F1 tree", "clustering, ward", "2 pieces"):
        assert text in first.output
    assert "learning bars without one, start 0 (6 of 8)" in first.stderr
    assert "analysing" in first.stderr
    assert (tmp_path / "out" / "report.md").exists()
    table = (tmp_path / "out" / "regions.csv").read_bytes()
    again = CliRunner().invoke(app, arguments)
    assert again.exit_code == 0
    assert (tmp_path / "out" / "regions.csv").read_bytes() == table


def test_errors_say_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_midi(tmp_path / "one.mid")
    monkeypatch.chdir(tmp_path)
    here = str(tmp_path)
    for arguments, code, complaint in (
        ([str(tmp_path / "nowhere")], 1, "is no folder"),
        ([here], 1, "two pieces or more"),
        ([here, "--annotations", str(tmp_path / "nowhere")], 1, "is no folder"),
        ([here, "--profiles", str(tmp_path / "nowhere")], 1, "cannot be read"),
        ([here, "--workers", "0"], 2, ""),
        ([here, "--seed", "-1"], 2, ""),
        ([], 2, ""),
    ):
        refused = CliRunner().invoke(app, ["study", "music", *arguments])
        assert refused.exit_code == code, refused.output
        assert complaint in " ".join(refused.stderr.split())
    for problem, code, text in ((BrokenExecutor(), 1, "run the same command"), (KeyboardInterrupt(), 130, "Interrupted")):

        def broken(*arguments: Any, problem: BaseException = problem, **options: Any) -> None:
            raise problem

        monkeypatch.setattr(study, "run", broken)
        stopped = CliRunner().invoke(app, ["study", "music", here])
        assert stopped.exit_code == code
        assert text in " ".join(stopped.stderr.split())
