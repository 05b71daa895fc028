"""Kernels run where compiled ones cannot be kept, and users are told what takes so long, and no more than that."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import recbayes

SOURCE = Path(recbayes.__file__).parent

SMALL = """
import time
import numpy as np
from numba import njit
from numba.core.caching import FunctionCache
from recbayes.compiled import compilation
from recbayes.compiled.lanes import KERNEL

load, save = FunctionCache.load_overload, FunctionCache.save_overload


def load_slowly(*arguments):
    found = load(*arguments)
    if found is not None:
        time.sleep(0.5)
    return found


def save_nothing(*arguments):
    raise OSError(28, "No space left on device")


@njit(**KERNEL)
def double(x):
    return x + x


compilation.PATIENCE = 0.05
FunctionCache.load_overload = load_slowly
FunctionCache.save_overload = save_nothing if FULL else save
assert compilation.run_kernel(double, np.ones(3)).sum() == 6.0
"""


def run(script: Path, package: Path = SOURCE, **environment: str) -> list[str]:
    """What a script says on the error stream."""
    ours = {"PYTHONPATH": str(package.parent), "PATH": os.environ["PATH"], **environment}
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, env=ours, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr.splitlines()


def test_compiling_is_told_and_loading_is_not(tmp_path: Path) -> None:
    script, folder = tmp_path / "small.py", str(tmp_path / "kernels")
    script.write_text(SMALL.replace("FULL", "False"), encoding="utf-8")
    notice = "recbayes: compiling the kernel double, once on this machine; this may take a while"
    assert run(script, NUMBA_CACHE_DIR=folder) == [notice]
    assert run(script, NUMBA_CACHE_DIR=folder) == []


def test_a_full_disk_keeps_no_kernel_from_running(tmp_path: Path) -> None:
    script = tmp_path / "small.py"
    script.write_text(SMALL.replace("FULL", "True"), encoding="utf-8")
    assert len(run(script, NUMBA_CACHE_DIR=str(tmp_path / "kernels"))) == 1


@pytest.mark.slow
def test_nowhere_to_keep_kernels(tmp_path: Path) -> None:
    """Installed where nothing can be written, without a home: files in place of the folders stop even the administrator."""
    package, script = tmp_path / "site" / "recbayes", tmp_path / "use.py"
    shutil.copytree(SOURCE, package, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in [package, *(path for path in package.rglob("*") if path.is_dir())]:
        (folder / "__pycache__").touch()
    nowhere = str(package / "__pycache__" / "x")
    script.write_text(
        "import recbayes as rb, recbayes.gaussian.family\n"
        "grammar = rb.PCFG.from_string(\"S -> S S [0.5] | 'a' [0.5]\")\n"
        "assert abs(rb.inside(grammar, ['a', 'a']).log_evidence + 2.0794415) < 1e-6\n",
        encoding="utf-8",
    )
    first, *others = run(script, package, HOME=nowhere, XDG_CACHE_HOME=nowhere)
    assert "cannot be kept" in first
    assert "NUMBA_CACHE_DIR" in first
    assert all("recbayes: compiling the kernel" in line and "once" not in line for line in others)
