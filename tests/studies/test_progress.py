"""Logs get a line per stage, also of one that was interrupted."""

from contextlib import suppress

import pytest

from recbayes.studies.progress import stage


def test_logs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    with stage("learning", 2, None) as tell:
        tell()
        tell()
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("learning ")
    assert " 2/2 " in line
    with suppress(KeyboardInterrupt), stage("testing", 300, None) as tell:
        tell()
        raise KeyboardInterrupt
    (line,) = capsys.readouterr().err.splitlines()
    assert " 1/300 " in line
    with stage("silence", 1, False) as tell:
        tell()
    assert capsys.readouterr().err == ""
