"""The command runs in processes of its own, and says what is wrong."""

import re
from concurrent.futures import BrokenExecutor
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from recbayes.cli import app
from recbayes.studies.synthetic import study
from recbayes.studies.synthetic.settings import Settings

pytestmark = pytest.mark.slow

TINY = Settings(noise_levels=(0.1,), training=2, tuning=1, test=2, unshifted=1, draws=50, per_decade=1, chunk=1)


def test_in_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setattr(Settings, "quick", lambda seed: TINY)
    arguments = ["study", "synthetic", "--quick", "--workers", "2", "--output", str(tmp_path / "out")]
    first = CliRunner().invoke(app, arguments)
    assert first.exit_code == 0, first.output
    assert "expected-F1 tree" in first.output
    assert "published" in first.output
    assert re.search("testing .* 3/3 ", first.stderr)
    assert (tmp_path / "out" / "report.md").exists()
    scores = (tmp_path / "out" / "scores.csv").read_bytes()
    again = CliRunner().invoke(app, arguments)
    assert again.exit_code == 0
    assert (tmp_path / "out" / "scores.csv").read_bytes() == scores


def test_errors_say_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    refused = CliRunner().invoke(app, ["study", "synthetic", "--output", str(tmp_path / "file")])
    assert refused.exit_code == 1
    assert "need a folder" in refused.stderr
    assert CliRunner().invoke(app, ["study", "synthetic", "--workers", "0"]).exit_code == 2
    assert CliRunner().invoke(app, ["study", "synthetic", "--seed", "-1"]).exit_code == 2
    for problem, code, text in ((BrokenExecutor(), 1, "run the same command"), (KeyboardInterrupt(), 130, "Interrupted")):

        def broken(*arguments: Any, problem: BaseException = problem, **options: Any) -> None:
            raise problem

        monkeypatch.setattr(study, "run", broken)
        stopped = CliRunner().invoke(app, ["study", "synthetic", "--output", str(tmp_path / "out")])
        assert stopped.exit_code == code
        assert text in stopped.stderr
