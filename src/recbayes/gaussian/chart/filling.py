"""Filling a chart tile by tile: in an order in which what is needed stays in the cache, and in threads.

A cell needs narrower ones that begin where it begins or later. So starts can be divided into blocks, of which the last comes
first, each going from its narrow cells to its wide ones; and a block may follow the one after it as closely as it likes. In
memory one block of starts, and as many ends, are visited again and again: row by row, a long series would leave the cache.

Every cell is computed in the same way from the same cells, whatever the order: the bits do not depend on threads.
"""

import multiprocessing
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait

import numba
import numpy as np

from recbayes.compiled.compilation import run_kernel
from recbayes.compiled.dimension import dimension_of
from recbayes.compiled.lanes import LANES
from recbayes.gaussian.chart.plan import Plan
from recbayes.gaussian.chart.tables import Tables
from recbayes.gaussian.kernels.inside import Tile, fill_inside

STARTS = 4 * LANES  # of a block
WIDTHS = 64  # of a tile, where a block is divided
LONG = 256  # segments from which on one series is worth several threads


def fill_chart(
    tables: Tables, plan: Plan, lengths: np.ndarray, messages: np.ndarray, choices: np.ndarray, evidence: np.ndarray
) -> None:
    """Fill all cells and the log evidence by each Gaussian of the prior; `messages` comes with the potentials of leaves."""
    segments, bounds = len(plan.positions) - 1, np.empty(plan.bounds_size)

    def fill(tile: Tile) -> None:
        given = tables, plan, lengths, messages, bounds, choices, evidence
        run_kernel(fill_inside, dimension_of(tables.size), tile, *given)

    if not _can_be_divided(plan):
        fill(Tile(0, segments, 1, segments + 1))
        return
    threads = threads_at_hand() if segments >= LONG else 1
    starts = range(0, segments, STARTS)[::-1]
    if threads == 1:
        for start in starts:
            fill(Tile(start, start + STARTS, 1, segments + 1))
    else:
        _fill_in_threads(fill, starts, segments, threads)


def threads_at_hand() -> int:
    """How many threads one series may take: all (NUMBA_NUM_THREADS, or cores), unless it is one of many on its way."""
    alone = threading.current_thread() is threading.main_thread() and multiprocessing.parent_process() is None
    return int(numba.config.NUMBA_NUM_THREADS) if alone else 1  # type: ignore[attr-defined]


def _can_be_divided(plan: Plan) -> bool:
    """Groups of lanes must not lie across the edges of blocks; and where there are few cells, as in chains, why divide?"""
    low, high = plan.rows["low"], plan.rows["high"]
    filled = low <= high
    cells = int((high - low + 1)[filled].sum())
    return bool((low[filled] % LANES == 0).all()) and 16 * cells >= len(plan.positions) ** 2


def _fill_in_threads(fill: Callable[[Tile], None], starts: range, segments: int, threads: int) -> None:
    """Each thread takes every so-manieth block, and goes on by a tile when the block before has done its own."""
    progress = _Progress([0] * len(starts))

    def work(first: int) -> None:
        try:
            for block in range(first, len(starts), threads):
                for number, width in enumerate(range(1, segments - starts[block] + 1, WIDTHS)):
                    if block > 0 and not progress.wait_for(block - 1, number):
                        return
                    fill(Tile(starts[block], starts[block] + STARTS, width, width + WIDTHS))
                    progress.report(block, number + 1)
                progress.report(block, segments)
        except BaseException:
            progress.stop()
            raise

    with ThreadPoolExecutor(threads) as pool:
        jobs = [pool.submit(work, first) for first in range(threads)]
        try:
            wait(jobs)
        except BaseException:  # the user's interruption
            progress.stop()
            raise
        for job in jobs:
            job.result()


class _Progress:
    """How many tiles of each block are done, for threads that wait for them."""

    def __init__(self, done: list[int]) -> None:
        self._done, self._stopped, self._changed = done, False, threading.Condition()

    def report(self, block: int, count: int) -> None:
        with self._changed:
            self._done[block] = count
            self._changed.notify_all()

    def stop(self) -> None:
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def wait_for(self, block: int, number: int) -> bool:
        """Whether the tile of that number is done; not, if all is over."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopped or self._done[block] > number)
            return not self._stopped
