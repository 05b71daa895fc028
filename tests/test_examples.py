"""The examples run."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


def test_accuracy(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLES / "accuracy.py"))["main"](4)
    rows = capsys.readouterr().out.splitlines()[2:]
    assert len(rows) == 12
    assert all(float(row.split("|")[-2]) < 0.5 for row in rows)
