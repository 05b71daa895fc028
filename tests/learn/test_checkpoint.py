"""Checkpoints: killed fits go on to the same end, and damaged files are told apart from whole ones."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import recbayes as rb
from recbayes.errors import FileError

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).with_name("fit_for_checkpoint.py")


def start(folder: Path) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, str(SCRIPT), str(folder / "fit.json"), str(folder / "result.json")])


def result(folder: Path) -> tuple[list[float], list[float], int]:
    return tuple(json.loads((folder / "result.json").read_text(encoding="utf-8")))


def evaluations(folder: Path) -> int:
    """How many the checkpoint holds, its head and a line without an end left out."""
    path = folder / "fit.json"
    return max(path.read_bytes().count(b"\n") - 1, 0) if path.exists() else 0


def test_killed_at_random_moments(tmp_path: Path) -> None:
    """kill -9 five times, each time after some more evaluations; the end is that of an unbroken run."""
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    for folder in (whole, broken):
        folder.mkdir()
    assert start(whole).wait() == 0
    vector, errors, count = result(whole)
    rng = np.random.default_rng(int.from_bytes(os.urandom(4)))
    kills, before = 0, 0
    for goal in np.sort(rng.integers(1, max(count - 5, 2), size=5)):
        process = start(broken)
        while process.poll() is None and evaluations(broken) < max(goal, before + 1):
            time.sleep(0.002)
        time.sleep(float(rng.uniform(0.0, 0.02)))
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            kills += 1
        process.wait()
        assert evaluations(broken) >= before  # nothing is lost
        before = evaluations(broken)
    assert kills >= 3
    assert start(broken).wait() == 0
    again, errors_again, count_again = result(broken)
    np.testing.assert_allclose(again, vector, rtol=0, atol=1e-6)
    np.testing.assert_allclose(errors_again, errors, rtol=1e-6)
    assert count_again == count


def small_fit(path: Path, **settings: object) -> rb.Fit:
    y = np.random.default_rng(0).normal(size=(8, 1))
    return rb.fit(None, [y], checkpoint=path, **{"restarts": 1, "standard_errors": False, **settings})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def fitted(tmp_path_factory: pytest.TempPathFactory) -> tuple[rb.Fit, bytes]:
    """A whole fit, and its checkpoint."""
    path = tmp_path_factory.mktemp("whole") / "fit.json"
    return small_fit(path), path.read_bytes()


@pytest.fixture
def first(fitted: tuple[rb.Fit, bytes]) -> rb.Fit:
    return fitted[0]


@pytest.fixture
def path(tmp_path: Path, fitted: tuple[rb.Fit, bytes]) -> Path:
    """A checkpoint of one's own, to resume or to damage."""
    copy = tmp_path / "fit.json"
    copy.write_bytes(fitted[1])
    return copy


def test_an_existing_checkpoint_is_not_overwritten(first: rb.Fit, path: Path) -> None:
    with pytest.raises(FileError, match="exists; resume=True"):
        small_fit(path)
    again = small_fit(path, resume=True)
    np.testing.assert_array_equal(first.vector, again.vector)  # type: ignore[arg-type]
    assert first.history == again.history


def test_a_checkpoint_of_another_fit_is_refused(first: rb.Fit, path: Path) -> None:
    with pytest.raises(FileError, match="another fit"):
        small_fit(path, resume=True, covariance="scalar", fixed=["prior.*"])
    more = small_fit(path, resume=True, restarts=4)  # the evaluations are those of the same likelihood
    assert more.chart_log_likelihood >= first.chart_log_likelihood - 1e-3


def test_a_damaged_line_can_be_removed(first: rb.Fit, path: Path) -> None:
    """The error says so, and without the line the fit goes on to the same end."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join([*lines[:2], lines[2].replace("1", "2"), *lines[3:]]), encoding="utf-8")
    with pytest.raises(FileError, match=r"is damaged in line 3: its checksum does not fit; remove that line"):
        small_fit(path, resume=True)
    path.write_text("".join([*lines[:2], *lines[3:]]), encoding="utf-8")
    again = small_fit(path, resume=True)
    np.testing.assert_array_equal(first.vector, again.vector)  # type: ignore[arg-type]


def test_places_where_no_checkpoint_can_be(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nowhere" / "fit.json"):
        with pytest.raises(FileError, match="a folder that exists"):
            small_fit(path)
