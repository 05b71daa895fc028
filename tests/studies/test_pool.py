"""Workers end when their study does, however it ends."""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from recbayes.studies.pool import worker_pool

SLEEPER = """
import multiprocessing, os, time
from recbayes.studies.pool import worker_pool
if __name__ == "__main__":
    with worker_pool(None, 2) as pool:
        futures = [pool.submit(time.sleep, 600) for _ in range(40)]
        while len(multiprocessing.active_children()) < 2:
            time.sleep(0.01)
        time.sleep(2)
        print(*(child.pid for child in multiprocessing.active_children()), flush=True)
        futures[0].result()
"""


def alive(pid: int) -> bool:
    """Whether the process runs; one that has ended and waits for somebody to ask does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not (status.exists() and status.read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z")


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize(("number", "everybody"), [(2, False), (2, True), (9, False), (15, False)])
def test_workers_end_with_their_parent(number: int, everybody: bool, tmp_path: Path) -> None:
    """At once, whatever is waiting to be done; Control-C in a terminal goes to everybody."""
    command = [sys.executable, "-c", SLEEPER]
    with (
        (tmp_path / "errors").open("w") as errors,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, start_new_session=True) as parent,
    ):
        assert parent.stdout is not None
        pids = [int(pid) for pid in parent.stdout.readline().split()]
        assert len(pids) == 2
        assert all(alive(pid) for pid in pids)
        (os.killpg if everybody else os.kill)(parent.pid, number)
        assert parent.wait(20) != 0
    deadline = time.monotonic() + 20
    while any(alive(pid) for pid in pids):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert "Exception in thread" not in (tmp_path / "errors").read_text(encoding="utf-8")


def test_failures_of_workers_are_shown() -> None:
    """With the worker's own traceback."""
    with worker_pool(None, 1) as pool, pytest.raises(ValueError, match="seven") as failure:
        pool.submit(int, "seven").result()
    assert "Traceback" in str(failure.value.__cause__)


def test_a_pool_that_is_given_stays_open() -> None:
    with ThreadPoolExecutor(1) as given:
        with worker_pool(given, None) as pool:
            assert pool is given
        assert given.submit(int, "3").result() == 3
