"""A first start: kernels on disk that are damaged, or that another process is compiling, and all of them at once."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import recbayes
from recbayes.compiled.needs import needs_of

SOURCE = Path(recbayes.__file__).parent

SMALL = """
import json, sys, time
import numpy as np
from numba import njit
from numba.core.caching import FunctionCache
from recbayes.compiled.compilation import run_kernel
from recbayes.compiled.lanes import KERNEL

save = FunctionCache.save_overload


def save_slowly(*arguments):
    time.sleep(float(sys.argv[1]))
    save(*arguments)


@njit(**KERNEL)
def double(x):
    return x + x


FunctionCache.save_overload = save_slowly
print("ready", flush=True)
assert run_kernel(double, np.ones(3)).sum() == 6.0
assert run_kernel(double, 3) == 6
print(json.dumps([sum(double.stats.cache_hits.values()), sum(double.stats.cache_misses.values())]))
"""


def start(folder: Path, slowly: float = 0.0) -> "subprocess.Popen[str]":
    script = folder / "small.py"
    script.write_text(SMALL, encoding="utf-8")
    environment = {
        "PYTHONPATH": str(SOURCE.parent),
        "PATH": os.environ["PATH"],
        "NUMBA_CACHE_DIR": str(folder / "kernels"),
    }
    call = [sys.executable, str(script), str(slowly)]
    return subprocess.Popen(call, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def hits_and_misses(process: "subprocess.Popen[str]") -> tuple[int, int]:
    """What a process that has ended well says of its two signatures: loaded from disk, and compiled."""
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    hits, misses = json.loads(out.splitlines()[-1])
    return hits, misses


def files(folder: Path, ending: str) -> list[Path]:
    return sorted((folder / "kernels").rglob(f"*{ending}"))


@pytest.mark.parametrize("ending", [".nbi", ".nbc"])
@pytest.mark.parametrize("damage", ["empty", "truncated", "garbage"])
def test_damaged_files_are_replaced(ending: str, damage: str, tmp_path: Path) -> None:
    assert hits_and_misses(start(tmp_path)) == (0, 2)
    for path in files(tmp_path, ending):
        whole = path.read_bytes()
        path.write_bytes({"empty": b"", "truncated": whole[: len(whole) // 2], "garbage": b"\x93garbage" * 99}[damage])
    assert hits_and_misses(start(tmp_path)) == (0, 2)
    assert hits_and_misses(start(tmp_path)) == (2, 0)


def test_two_processes_compile_a_kernel_once(tmp_path: Path) -> None:
    """Each of two signatures: the second process waits, and finds what the first has saved."""
    found = [hits_and_misses(one) for one in [start(tmp_path, 1.0), start(tmp_path, 1.0)]]
    assert sum(misses for _, misses in found) == 2
    assert sum(hits for hits, _ in found) == 2
    assert len(files(tmp_path, ".nbc")) == 2


def test_a_process_that_is_killed_keeps_nobody_waiting(tmp_path: Path) -> None:
    killed = start(tmp_path, 1000.0)
    assert killed.stdout is not None
    assert killed.stdout.readline() == "ready\n"
    while not files(tmp_path, ".list.lock"):  # it saves, with both of its locks
        assert killed.poll() is None
        time.sleep(0.05)
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate()
    assert files(tmp_path, ".lock")
    assert hits_and_misses(start(tmp_path)) == (0, 2)


def test_a_folder_that_is_taken_away_keeps_no_kernel_from_running(tmp_path: Path) -> None:
    """A file in the place of the folder, when the first kernel is to be saved: nothing can be locked, nor kept."""
    process = start(tmp_path, 1.0)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    while not files(tmp_path, ".list.lock"):
        assert process.poll() is None
        time.sleep(0.05)
    (tmp_path / "kernels").rename(tmp_path / "elsewhere")
    (tmp_path / "kernels").touch()
    assert hits_and_misses(process) == (0, 2)


CALLS = """
import gc
from numba.core.dispatcher import Dispatcher
from tests.compiled import jobs
for job in jobs.JOBS:
    jobs.run(job)
used = [one for one in gc.get_objects() if isinstance(one, Dispatcher) and one.stats.cache_path]
print(sum(sum(one.stats.cache_hits.values()) for one in used))
print(*sorted(one.__name__ for one in used if one.stats.cache_misses))
"""


@pytest.mark.slow
def test_warming_up_compiles_all_that_calls_ask_for() -> None:
    """Where this run keeps its kernels, as other tests need them, too: no call compiles anything after it."""

    def python(*call: str) -> list[str]:
        root = Path(__file__).parents[2]
        done = subprocess.run([sys.executable, *call], capture_output=True, text=True, check=False, cwd=root)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.splitlines()

    warmup = ("-c", "from recbayes.cli import app; app()", "warmup")
    assert re.search(r"kernels (were )?compiled", python(*warmup)[-1])
    assert "compiled already" in python(*warmup)[-1]
    hits, missed = python("-c", CALLS)
    assert int(hits) >= len(needs_of("all"))
    assert missed == ""
