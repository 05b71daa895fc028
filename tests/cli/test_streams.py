"""The command line on streams that are full, closed, cut short or know ASCII only."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.files import GOOD, write

pytestmark = pytest.mark.slow

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


@pytest.mark.skipif(os.name == "nt", reason="the shell of others")
def test_a_disk_that_becomes_full(tmp_path: Path) -> None:
    """Files cannot grow beyond some kilobytes, as on a disk that is nearly full: there is no half of a report."""
    write(tmp_path, {"x.csv": GOOD})
    work = [*COMMAND, "segment", "x.csv", "--kinds", "level", "--draws", "20", "--report", "r.html", "--no-picture"]
    done = run(["bash", "-c", 'ulimit -f 16; "$@"', "bash", *work], stdout=subprocess.PIPE)
    assert done.returncode == 1
    assert done.stderr.decode().splitlines() == ["recbayes: File too large"]
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("form", ["--json", "--no-picture"])
def test_nowhere_to_write_what_was_found(form: str, tmp_path: Path) -> None:
    write(tmp_path, {"x.csv": GOOD})
    with open("/dev/full", "wb") as full:
        done = run([*COMMAND, "segment", "x.csv", "--kinds", "level", "--draws", "20", form], stdout=full)
    assert done.returncode == 1
    assert done.stderr.decode().splitlines() == ["recbayes: No space left on device"]


@pytest.mark.skipif(os.name == "nt", reason="the shell of others")
def test_a_pipe_that_is_closed(tmp_path: Path) -> None:
    """One line, and not the exit code of success, though the shell looks at the last command only."""
    write(tmp_path, {"x.csv": GOOD})
    work = [*COMMAND, "segment", "x.csv", "--kinds", "level", "--draws", "20", "--json"]
    done = run(["bash", "-c", '("$@"; echo "code $?" >&2) | true', "bash", *work], stdout=subprocess.PIPE)
    assert done.stderr.decode().splitlines() == ["recbayes: Broken pipe", "code 1"]


def test_pictures_in_ascii(tmp_path: Path) -> None:
    write(tmp_path, {"x.csv": GOOD})
    work = [*COMMAND, "segment", "x.csv", "--kinds", "level", "--draws", "20"]
    done = run(work, stdout=subprocess.PIPE, env={"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert done.returncode == 0, done.stderr.decode()
    text = done.stdout.decode("ascii")
    assert "?" not in text
    assert "  |- 2024-01-01 to 2024-01-20" in text


def test_shells_complete_commands() -> None:
    asked = {"_RECBAYES_COMPLETE": "complete_bash", "COMP_WORDS": "recbayes se", "COMP_CWORD": "1"}
    done = run(COMMAND, stdout=subprocess.PIPE, env=asked)
    assert done.stdout.decode().split() == ["segment"]


def test_help_is_quick() -> None:
    """Nothing heavy is loaded to say what there is."""
    code = "import sys\nfrom recbayes.cli import app\ntry: app()\nfinally: print(*sys.modules)"
    done = run([sys.executable, "-c", code, "segment", "--help"], stdout=subprocess.PIPE)
    loaded = set(done.stdout.decode().split())
    assert "recbayes.cli.segment" in loaded
    assert not {"numba", "matplotlib", "pandas", "scipy", "jax", "narwhals"} & loaded
