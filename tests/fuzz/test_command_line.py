"""The command line with hostile arguments and environments: an answer, or a message without a traceback."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import recbayes as rb
from tests.fuzz.hostile import seeds

WORDS = ["demo", "study", "synthetic", "--help", "--seed", "--version", "-1", "0", "1", "3", "x", "", "--", "-h"]
WORDS += [
    "1e9",
    "99999999999999999999",
    "nan",
    "--quick",
    "--output",
    "/dev/null",
    "--workers",
    "ü",
    "\udcff",
    "--seed=2",
    "--nope",
]
ENVIRONMENTS = [
    {},
    {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"},
    {"TERM": "dumb", "COLUMNS": "1"},
    {"COLUMNS": "x", "LINES": "-1"},
    {"NO_COLOR": "1", "FORCE_COLOR": "1"},
    {"HOME": "/nonexistent"},
    {"MPLBACKEND": "nonsense"},
    {"OMP_NUM_THREADS": "0"},
    {"TMPDIR": "/nonexistent"},
]


def _run(arguments: list[str], more: dict[str, str], folder: Path) -> subprocess.CompletedProcess:
    path = os.pathsep.join([str(Path(rb.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-c", "from recbayes.cli import app; app()", *arguments]
    environment = {**os.environ, "PYTHONPATH": path, **more}
    return subprocess.run(command, capture_output=True, env=environment, timeout=120, cwd=folder, check=False)


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(25))
def test_hostile_arguments(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    arguments = [WORDS[n] for n in rng.integers(len(WORDS), size=int(rng.integers(0, 4)))]
    if "synthetic" in arguments:
        arguments.append("--nope")  # a whole study takes too long
    if seed % 3 == 0:
        arguments = ["demo", "--seed", str(seed)]
    done = _run(arguments, ENVIRONMENTS[seed % len(ENVIRONMENTS)], tmp_path)
    errors = done.stderr.decode("utf-8", "replace")
    assert "Traceback" not in errors, (arguments, errors)
    assert done.returncode in (0, 1, 2), (arguments, done)
    assert done.returncode == 0 or errors or done.stdout, (arguments, "failed in silence")
