"""Executors that break, are shut down or interrupted: one line of ours, and nothing left behind."""

import os
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest

import recbayes as rb
from recbayes.checks.series import Series
from recbayes.learn.workers import Constrained, Workers

MODEL = rb.GaussianRBN.create(dim=1)
SERIES = [np.zeros((3, 1)), np.ones((4, 1))]
GRAMMAR = rb.PCFG.from_string("S -> S S [0.3] | 'a' [0.7]")
VERBS: dict[str, Callable[[Executor], Any]] = {
    "inside": lambda pool: rb.inside(MODEL, SERIES, executor=pool),
    "sample_posterior": lambda pool: rb.sample_posterior(MODEL, SERIES, draws=5, seed=0, executor=pool),
    "log_evidence_and_gradient": lambda pool: rb.log_evidence_and_gradient(MODEL, SERIES, executor=pool),
    "expected_counts": lambda pool: rb.expected_counts(GRAMMAR, [["a"], ["a", "a"]], executor=pool),
    "fit": lambda pool: rb.fit(MODEL, SERIES, executor=pool),
    "fit a grammar": lambda pool: rb.fit(GRAMMAR, [["a"], ["a", "a"]], executor=pool),
}


@pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS)
def test_executors_that_cannot_go_on(verb: Callable[[Executor], Any]) -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        with pytest.raises(BrokenExecutor):
            pool.submit(os._exit, 1).result()
        if verb is VERBS["fit"]:
            verb(pool)  # it makes itself another pool
        else:
            with pytest.raises(rb.ExecutorError, match=r"a worker of the executor died.*use a new executor"):
                verb(pool)
    ended = ThreadPoolExecutor(1)
    ended.shutdown()
    with pytest.raises(rb.ExecutorError, match="is shut down"):
        verb(ended)


def test_errors_of_the_work_are_not_the_executors() -> None:
    with ThreadPoolExecutor(1) as pool, pytest.raises(rb.LengthError, match="series 1: the model cannot generate"):
        rb.inside(rb.GaussianRBN.create(dim=1, termination=1.0), [np.zeros((1, 1)), np.zeros((2, 1))], executor=pool)


def test_an_interrupt_leaves_no_work_waiting() -> None:
    futures: list[Future] = []

    class Interrupted(Executor):
        def submit(self, *work: Any, **options: Any) -> Future:
            futures.append(Future())
            return futures[-1]

    parameters = rb.Parameters(MODEL)
    threads = threading.active_count()
    with Workers(parameters, [Constrained(Series(y)) for y in SERIES], Interrupted()) as workers:
        timer = threading.Timer(0.2, lambda: futures[0].set_exception(KeyboardInterrupt()))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            workers(parameters.vector())
        timer.join()
    assert futures[1].cancelled()
    assert threading.active_count() == threads
