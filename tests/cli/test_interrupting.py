"""Ctrl-C ends commands promptly, with exit code 130, one line and nothing half-written."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.files import GOOD, write

# threads that hear of nothing, as kernels do, in the place of the work
BUSY = """
import time, sys
from concurrent.futures import ThreadPoolExecutor
import recbayes as rb
from recbayes.cli import app
def busy(*given, **settings):
    print("at it", flush=True)
    with ThreadPoolExecutor() as pool:
        list(pool.map(time.sleep, [30.0]))
rb.segment = busy
app()
"""


@pytest.mark.skipif(os.name == "nt", reason="the signals of others")
def test_threads_are_not_waited_for(tmp_path: Path) -> None:
    write(tmp_path, {"x.csv": GOOD})
    command = [sys.executable, "-c", BUSY, "segment", "x.csv", "--table", "t.csv"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "at it\n"
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=25)
    assert time.monotonic() - began < 15
    assert process.returncode == 130
    assert said == "recbayes: interrupted\n"
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]


def test_while_it_is_loaded() -> None:
    code = """
import sys
class Interrupted:
    def find_spec(self, name, *rest):
        if name == "recbayes.cli.segment":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupted())
from recbayes.cli import app
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 130
    assert done.stderr == "recbayes: interrupted\n"


def test_before_a_command_begins() -> None:
    """Whoever turns the interrupt into an end, it is said."""
    code = """
import sys, typer
from typer.core import TyperGroup
def main(self, *given, **settings):
    return 130
TyperGroup.main = main
from recbayes.cli import app
sys.argv = ["recbayes", "demo"]
app()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "recbayes: interrupted\n")
