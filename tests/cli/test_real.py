"""The command on small series, in a process of its own, and what it says of wrong ones."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from recbayes.cli import app
from recbayes.studies.real.methods import METHODS
from tests.studies.real.files import write_dataset, write_one_file


def test_in_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    root = write_dataset(tmp_path / "TCPD")
    (root / "datasets" / "flat" / "flat.json").unlink()
    arguments = ["study", "real", str(root), "--output", str(tmp_path / "out"), "--workers", "1", "--methods", "pelt, none"]
    first = CliRunner().invoke(app, arguments)
    assert first.exit_code == 0, first.output
    for text in (
        "Covering, F1, change points found",
        "steps",
        "Pelt",
        "no change",
        "univariate (1): F1",
        "multivariate (1)",
    ):
        assert text in first.output
    assert "without a file: flat" in first.output
    assert "published" not in first.output.split("minutes")[0]
    assert "4/4" in first.stderr
    means = (tmp_path / "out" / "means.csv").read_bytes()
    again = CliRunner().invoke(app, arguments)
    assert again.exit_code == 0
    assert (tmp_path / "out" / "means.csv").read_bytes() == means


def test_published_scores_are_beside_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.chdir(tmp_path)
    path = write_one_file(tmp_path / "all.json")
    done = CliRunner().invoke(app, ["study", "real", str(path), "--quick", "--workers", "1", "--methods", "none"])
    assert done.exit_code == 0, done.output
    assert "best published" in done.output
    assert "bocpd, published" in done.output
    assert (tmp_path / "study-real-quick" / "report.md").exists()


def test_the_help_knows_the_methods() -> None:
    text = " ".join(CliRunner().invoke(app, ["study", "real", "--help"], env={"COLUMNS": "200"}).output.split())
    assert ", ".join(method.name for method in METHODS) in text


def test_errors_say_what_to_do(tmp_path: Path) -> None:
    path = str(write_one_file(tmp_path / "all.json"))
    for arguments, code, complaint in (
        ([str(tmp_path / "nowhere")], 1, "cannot be read"),
        ([path, "--methods", "guess"], 1, "methods are one or more of"),
        ([path, "--methods", "none", "--output", path], 1, "need a folder"),
        ([path, "--workers", "0"], 2, ""),
        ([path, "--seed", "-1"], 2, ""),
        ([], 2, ""),
    ):
        refused = CliRunner().invoke(app, ["study", "real", *arguments])
        assert refused.exit_code == code, refused.output
        assert complaint in " ".join(refused.stderr.split())
