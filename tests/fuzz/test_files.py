"""Files damaged at random, fits killed at random times, and many who save to one place at once."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import recbayes as rb
from tests.fuzz.hostile import attempt, seeds
from tests.fuzz.random_gaussian import random_model
from tests.fuzz.test_grammars import random_grammar

MODEL = rb.GaussianRBN.create(dim=2, termination=0.6, extra_observations=2.0)


def _series() -> list[np.ndarray]:
    return [MODEL.sample(seed=seed, min_length=4, max_length=8)[0] for seed in range(3)]


def damage(rng: np.random.Generator, data: bytes) -> bytes:
    """Bytes lost, changed, doubled or cut off."""
    kind = int(rng.integers(5))
    at, end = sorted(int(n) for n in rng.integers(len(data) + 1, size=2))
    if kind == 0:
        return data[:at] + data[at + 1 :]
    if kind == 1 and at < len(data):
        return data[:at] + bytes([int(rng.integers(256))]) + data[at + 1 :]
    if kind == 2:
        return data[:end] + data[at:]
    if kind == 3:
        return data[:at]
    return data[:at] + bytes(rng.integers(32, 127, size=3, dtype=np.uint8).tolist()) + data[at:]


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(300))
def test_damaged_models(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    models: list[Any] = [
        lambda: random_model(rng, "tame"),
        lambda: random_grammar(rng, True),
        lambda: rb.HMM([0.5, 0.5], np.full((2, 2), 0.5), np.full((2, 2), 0.5)),
        lambda: rb.LinearDynamicalSystem(0.9, 1.0, 1.0, 1.0, 0.0, 1.0),
        lambda: rb.LinearGaussianRBN(MODEL.variables, MODEL.prior),
    ]
    path = tmp_path / "model.json"
    models[seed % len(models)]().save(path)
    for _ in range(3):
        path.write_bytes(damage(rng, path.read_bytes()))
        found = attempt(rb.load, path)
        if found:
            found.save(tmp_path / "again.json")
            assert type(rb.load(tmp_path / "again.json")) is type(found)


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(40))
def test_damaged_checkpoints(seed: int, tmp_path: Path) -> None:
    """A resumed fit ends where the whole one ended, or the file is refused."""
    rng = np.random.default_rng(seed)
    series, path = _series(), tmp_path / "fit.json"
    settings: dict[str, Any] = {"checkpoint": path, "standard_errors": False, "tolerance": 1e-2}
    whole = rb.fit(MODEL, series, **settings)
    path.write_bytes(damage(rng, path.read_bytes()))
    found = attempt(rb.fit, MODEL, series, resume=True, **settings)
    if found:
        assert found.log_likelihood == whole.log_likelihood
        assert np.array_equal(rb.Parameters(found.model).vector(), rb.Parameters(whole.model).vector())


SCRIPT = """
import sys
import numpy as np
import recbayes as rb
model = rb.GaussianRBN.create(dim=2, termination=0.6, extra_observations=2.0)
series = [model.sample(seed=seed, min_length=4, max_length=8)[0] for seed in range(3)]
found = rb.fit(model, series, checkpoint=sys.argv[1], resume=True, restarts=1, standard_errors=False, tolerance=1e-3)
found.model.save(sys.argv[2])
"""


def _start(tmp_path: Path, name: str) -> subprocess.Popen:
    path = os.pathsep.join([str(Path(rb.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "fit.json"), str(tmp_path / name)]
    return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": path}, stderr=subprocess.PIPE)


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(2))
def test_killed_fits(seed: int, tmp_path: Path) -> None:
    """Killed again and again, at random times, a fit that is resumed ends bit for bit as an unbroken one."""
    rng = np.random.default_rng(seed)
    for attempt_number in range(6):
        process = _start(tmp_path, "killed.json")
        before = time.monotonic()
        while not (tmp_path / "fit.json").exists() and process.poll() is None and time.monotonic() - before < 60:
            time.sleep(0.02)
        time.sleep(float(rng.uniform(0.0, 0.4)))
        process.send_signal(signal.SIGKILL)
        _, errors = process.communicate(timeout=60)
        assert process.returncode == -signal.SIGKILL or not errors, (attempt_number, errors)
    last = _start(tmp_path, "killed.json")
    _, errors = last.communicate(timeout=120)
    assert last.returncode == 0, errors
    unbroken = tmp_path / "unbroken"
    unbroken.mkdir()
    whole = _start(unbroken, "whole.json")
    _, errors = whole.communicate(timeout=120)
    assert whole.returncode == 0, errors
    assert (tmp_path / "killed.json").read_bytes() == (unbroken / "whole.json").read_bytes()


@pytest.mark.slow
def test_saved_at_once(tmp_path: Path) -> None:
    """Threads that save different models to one path, and others that read it: every file read is whole."""
    path, rng = tmp_path / "model.json", np.random.default_rng(0)
    models = [random_model(rng, "tame") for _ in range(4)]
    models[0].save(path)
    texts, problems, end = set(map(repr, models)), [], time.monotonic() + 2.0

    def save(number: int) -> None:
        while time.monotonic() < end:
            models[number].save(path)

    def read() -> None:
        while time.monotonic() < end:
            try:
                assert repr(rb.load(path)) in texts
            except Exception as problem:
                problems.append(problem)
                return

    threads = [threading.Thread(target=save, args=(n,)) for n in range(4)] + [
        threading.Thread(target=read) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems, problems
    assert [one.name for one in tmp_path.iterdir()] == ["model.json"]


@pytest.mark.slow
def test_places_that_are_none(tmp_path: Path) -> None:
    """Folders, missing folders, empty files: an error of ours or of the system, never anything else."""
    (tmp_path / "empty").write_bytes(b"")
    for place in (tmp_path, tmp_path / "no" / "model.json", tmp_path / "empty", "", "\x00", 3, None, b"x"):
        with contextlib.suppress(OSError):
            attempt(rb.load, place)
        with contextlib.suppress(OSError):
            attempt(MODEL.save, place)
        with contextlib.suppress(OSError):
            attempt(rb.fit, MODEL, _series(), checkpoint=place, resume=True, max_evaluations=2, standard_errors=False)
