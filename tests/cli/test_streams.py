"""The command line on streams that are full, closed, cut short or know ASCII only."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

COMMAND = [sys.executable, "-c", "from recbayes.cli import app; app()"]
DEMO = [*COMMAND, "demo"]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The demo leaves a picture where it is run."""
    monkeypatch.chdir(tmp_path)


def run(command: list[str], **options: Any) -> subprocess.CompletedProcess:
    plain = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "PYTHONIOENCODING")}
    return subprocess.run(command, stderr=subprocess.PIPE, env=plain | options.pop("env", {}), check=False, **options)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("command", [DEMO, [*COMMAND, "--help"], [*COMMAND, "--version"]], ids=["demo", "help", "version"])
def test_nowhere_to_write(command: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        done = run(command, stdout=full)
    assert done.returncode == 1
    assert done.stderr.decode().splitlines() == ["recbayes: No space left on device"]


def test_in_ascii() -> None:
    ascii_only = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = run(DEMO, stdout=subprocess.PIPE, env=ascii_only)
    assert done.returncode == 0, done.stderr.decode()
    assert "|- 0:28 1871 to 1898" in done.stdout.decode("ascii")
    assert "`- 28:100 1899 to 1970" in done.stdout.decode("ascii")


@pytest.mark.skipif(os.name == "nt", reason="the shell of others")
def test_readers_that_have_enough() -> None:
    shell = ["bash", "-c", '"$@" | head -1', "bash", *DEMO]
    done = run(shell, stdout=subprocess.PIPE)
    assert done.stdout.startswith(b"The flow of the Nile")
    assert b"Traceback" not in done.stderr
    assert b"Exception" not in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="the shell of others")
def test_nobody_listens() -> None:
    done = run(["bash", "-c", '"$@" >&-', "bash", *DEMO], stdout=subprocess.PIPE)
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
