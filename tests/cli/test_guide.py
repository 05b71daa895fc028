"""The guide of the command line: all its commands, run in order in one folder, print what the page says."""

import shutil
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, blocks
from tests.docs.running import commands, differ, same, shell

PAGE = DOCS / "guides" / "command-line.md"
LOOSE = ("draws worth", "evaluations", "change  ")  # lines whose whole numbers and blocks may differ from machine to machine


def strict(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not any(one in line for one in LOOSE))


@pytest.mark.slow
def test_the_session(tmp_path: Path) -> None:
    shutil.copy(DOCS / "guides" / "sensors.csv", tmp_path)
    ran = []
    for block in blocks(PAGE):
        if block.language == "console":
            for command, shown in commands(block):
                printed = shell(command, tmp_path)
                where = f"{PAGE.name}:{block.line}, {command}"
                assert same(strict(shown), strict(printed)), differ(where, shown, printed)
                ran.append(command.split()[:2])
    assert len(ran) >= 18
    assert {"segment", "fit", "parse", "info", "sample"} <= {words[1] for words in ran if words[0] == "recbayes"}
    for name in ("press", "oven"):
        assert (tmp_path / f"report-{name}.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
        assert (tmp_path / f"trees-{name}.svg").read_bytes().startswith(b"<?xml")
