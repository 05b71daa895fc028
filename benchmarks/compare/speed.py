"""Seconds of one series, all libraries in turns in one run, each in a process of its own where everything is compiled.

Wall clock at defaults: claspy and recbayes use all cores, the others one.
"""

import argparse
import json
import logging
import os
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Sequence

import numpy as np

from benchmarks.compare.methods import filled, methods, ruptures_kernel
from benchmarks.compare.quality import installed
from benchmarks.long_series import long_series
from recbayes.studies.real.methods import Method

LENGTHS = (200, 1000, 10_000)
EVERY = 100  # observations to a change
LIMIT = 60  # seconds for one series
ENOUGH = 3  # runs, of which the median counts


def timed_methods() -> list[Method]:
    from functools import partial

    kernel = Method("ruptures-kernel", "ruptures, KernelCPD", partial(filled, find=ruptures_kernel), needs="ruptures")
    here, _ = installed([*methods(), kernel])
    return here


def series(length: int, seed: int = 0) -> np.ndarray:
    return long_series(length, length // EVERY, seed=seed).values[:, None]


def one_process(name: str, length: int) -> None:
    """Print the seconds of the second call on a series, before which all is compiled; the alarm ends it at the limit."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    (method,) = [one for one in timed_methods() if one.name == name]
    method.find(series(200, seed=1), 0)
    signal.alarm(LIMIT)
    method.find(series(length), 0)
    signal.alarm(LIMIT)
    start = time.perf_counter()
    method.find(series(length), 0)
    print(json.dumps(time.perf_counter() - start), flush=True)


def measure(name: str, length: int) -> float | None:
    """None if it takes too long."""
    task = [sys.executable, "-m", "benchmarks.compare.speed", "--method", name, "--length", str(length)]
    done = subprocess.run(task, capture_output=True, text=True, check=False, env=dict(os.environ))
    if done.returncode == -signal.SIGALRM:
        return None
    if done.returncode:
        raise SystemExit(f"{name} failed at N = {length}: {done.stderr.strip().splitlines()[-1:]}")
    return float(json.loads(done.stdout.strip().splitlines()[-1]))


def table(lengths: Sequence[int] = LENGTHS) -> dict[str, dict[int, float | None]]:
    """Median seconds by title and length; rounds go over all methods, so that a slow moment of the machine hits all."""
    many = timed_methods()
    found: dict[str, dict[int, float | None]] = {one.title: {} for one in many}
    for length in lengths:
        spent: dict[str, list[float]] = {one.title: [] for one in many}
        late: set[str] = set()
        for _ in range(ENOUGH):
            for one in many:
                seconds = None if one.title in late else measure(one.name, length)
                if seconds is None:
                    late.add(one.title)
                else:
                    spent[one.title].append(seconds)
        for one in many:
            found[one.title][length] = None if one.title in late else float(np.median(spent[one.title]))
    return found


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--method", required=True)
    arguments.add_argument("--length", type=int, required=True)
    given = arguments.parse_args()
    one_process(given.method, given.length)
