"""Runs a page: its Python in one namespace, its commands in a shell, and looks whether they print what the page says."""

import io
import os
import re
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import Block, blocks

NUMBER = re.compile(r"\d+(?:\.\d+)?")


def same(expected: str, printed: str) -> bool:
    """Whether a page tells what was printed: words and whole numbers as they are, decimals about; "..." is anything."""
    parts = re.split(rf"({NUMBER.pattern}|\.\.\.|\s+)", expected.strip())
    found = re.fullmatch("".join(map(_pattern, parts)), printed.strip(), re.DOTALL)
    if found is None:
        return False
    told = [part for part in parts if NUMBER.fullmatch(part)]
    return all(
        one == other if "." not in one else float(other) == pytest.approx(float(one), rel=0.05, abs=0.03)
        for one, other in zip(told, found.groups(), strict=True)
    )


def _pattern(part: str) -> str:
    if part == "...":
        return ".*?"
    return r"\s+" if part.isspace() else f"({NUMBER.pattern})" if NUMBER.fullmatch(part) else re.escape(part)


def differ(where: str, expected: str, printed: str) -> str:
    return f"{where}: the page says\n{expected}\nand it prints\n{printed}"


def commands(block: Block) -> list[tuple[str, str]]:
    """The commands of a session, each with what is shown below it."""
    parts = re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]
    found = [re.match(r"((?:[^\n]*\\\n)*[^\n]*\n)(.*)", part, re.DOTALL) for part in parts]
    return [(one[1], one[2]) for one in found if one]


def shell(command: str, folder: Path) -> str:
    """What a command prints, in the environment of the tests; it must succeed."""
    paths = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    settings = {"env": os.environ | {"PATH": paths, "COLUMNS": "80"}, "cwd": folder, "encoding": "utf-8"}
    ran = subprocess.run(command, shell=True, capture_output=True, timeout=300, **settings)
    assert ran.returncode == 0, f"{command}: {ran.stderr}"
    return ran.stdout


def run(page: Path, folder: Path, *, consoles: bool = False) -> tuple[dict[str, Any], str]:
    """Names that the page's Python defines, and all that it prints."""
    names: dict[str, Any] = {"__name__": "page"}
    everything, printed = "", ""
    for block in blocks(page):
        where = f"{page.name}:{block.line}"
        if block.language == "python":
            out = io.StringIO()
            with redirect_stdout(out):
                exec(compile("\n" * block.line + block.text, str(page), "exec"), names)
            printed = out.getvalue()
            everything += printed
        elif block.language == "output":
            assert same(block.text, printed), differ(where, block.text, printed)
        elif block.language == "console" and consoles:
            for command, shown in commands(block):
                printed = shell(command, folder)
                assert not shown.strip() or same(shown, printed), differ(where, shown, printed)
    return names, everything
