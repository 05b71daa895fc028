"""Processes that work for a study, and end with it, even if it is killed in the middle of their work.

No pool at hand does this: the workers of concurrent.futures and of loky (joblib) go on with what is in their queue long
after their parent was killed. On loky this file would be no shorter: its workers cannot wait for the end of their parent
process, and when they are killed at Control-C while work is waiting, its own thread fails with a KeyError.
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager


@contextmanager
def worker_pool(executor: Executor | None, workers: int | None) -> Iterator[Executor]:
    """Processes, since much of the work is Python; they are stopped at once if the study is."""
    if executor is not None:
        yield executor
        return
    others = multiprocessing.active_children()
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_begin_worker)
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in multiprocessing.active_children():
            if process not in others:
                process.terminate()
        raise
    pool.shutdown()


def _begin_worker() -> None:
    """Control-C is for the parent, who stops the workers; if the parent is killed, they end by themselves."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
