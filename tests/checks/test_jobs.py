"""`n_jobs`: jobs of joblib, by any backend, have the results of threads to the bit."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest

import recbayes as rb
from recbayes.checks.arguments import executor_of
from recbayes.checks.jobs import Jobs
from recbayes.checks.many import run_many
from recbayes.errors import ExecutorError, ModelError
from recbayes.segmentation.average import AveragePosterior

MODEL = rb.GaussianRBN.create(dim=1, extra_observations=1.0)
SERIES = [MODEL.sample(seed=seed, min_length=3, max_length=8)[0] for seed in range(5)]
LEVELS = [np.repeat([0.0, 3.0], 10) + np.random.default_rng(seed).normal(size=20) for seed in range(2)]
GRAMMAR = rb.PCFG.from_string("S -> S S [0.3] | 'a' [0.5] | 'b' [0.2]")
WORDS = [["a"], ["a", "b"], ["b", "a", "a"]]


def told(found: Any) -> list:
    return [one.boundary_probability.tolist() for one in found]


VERBS: dict[str, Callable[[Any], Any]] = {
    "inside": lambda jobs: [chart.log_evidence for chart in rb.inside(MODEL, SERIES, **jobs)],
    "sample_posterior": lambda jobs: told(rb.sample_posterior(MODEL, SERIES, draws=20, seed=0, **jobs)),
    "gradient": lambda jobs: rb.log_evidence_and_gradient(MODEL, SERIES, **jobs).gradient.tolist(),
    "fit": lambda jobs: rb.fit(MODEL, SERIES, seed=0, max_evaluations=6, restarts=0, exact=None, **jobs).history,
    "expected_counts": lambda jobs: rb.expected_counts(GRAMMAR, WORDS, **jobs).rules.tolist(),
    "reestimate": lambda jobs: rb.reestimate(GRAMMAR, WORDS, steps=3, **jobs).history,
    "fit a grammar": lambda jobs: rb.fit(GRAMMAR, WORDS, max_evaluations=3, **jobs).history,
    "segment": lambda jobs: told(rb.segment(LEVELS, draws=10, seed=0, **jobs)),
    "segmenter": lambda jobs: rb.HierarchicalSegmenter(draws=10, **jobs).fit(LEVELS).predict_change_points(LEVELS),
    "learning segmenter": lambda jobs: (
        rb.HierarchicalSegmenter(model=MODEL, draws=5, restarts=0, exact=None, learn=False, **jobs).fit(SERIES).score(SERIES)
    ),
}


@pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS)
def test_results_are_the_same_to_the_bit(verb: Callable[[Any], Any]) -> None:
    """In threads, which are what joblib takes if nobody wishes for anything else, and one after the other."""
    expected = verb({})
    assert verb({"n_jobs": 2}) == expected
    with joblib.parallel_config(backend="threading"):
        assert verb({"n_jobs": 1}) == expected


@pytest.mark.slow
@pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS)
def test_results_of_processes_are_the_same(verb: Callable[[Any], Any]) -> None:
    with joblib.parallel_config(backend="loky"):
        found = verb({"n_jobs": 2})
    assert found == verb({})


@pytest.mark.slow
def test_results_of_dask_are_the_same() -> None:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config(backend="dask"),
    ):
        found = {name: VERBS[name]({"n_jobs": 2}) for name in ("sample_posterior", "fit")}
    assert found == {name: VERBS[name]({}) for name in found}


def test_the_backend_is_that_of_joblib() -> None:
    """Processes where somebody asks for them, and threads of this process otherwise."""
    assert set(run_many(lambda _: os.getpid(), range(4), executor=Jobs(2))) == {os.getpid()}
    with joblib.parallel_config(backend="loky"):
        assert os.getpid() not in run_many(_process, range(4), executor=Jobs(2))


def _process(_: int) -> int:
    return os.getpid()


def _leave(_: int) -> None:
    os._exit(1)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")  # of joblib's own, about what dying workers leave
def test_workers_that_die() -> None:
    with joblib.parallel_config(backend="loky"), pytest.raises(ExecutorError, match="a worker of the executor died"):
        run_many(_leave, range(4), executor=Jobs(2))


def test_results_are_made_when_the_first_is_asked_for() -> None:
    done: list[int] = []
    jobs = Jobs(1)
    futures = [jobs.submit(lambda n=n: done.append(n) or n) for n in range(4)]
    assert done == []
    assert futures[3].cancel()
    assert futures[1].result() == 1
    assert done == [0, 1, 2]
    assert futures[2].done()
    assert [future.result() for future in futures[:3]] == [0, 1, 2]
    later = jobs.submit(lambda: 7)
    assert later.result() == 7


def test_problems_of_the_work_are_told() -> None:
    jobs = Jobs(2)
    futures = [jobs.submit(lambda n=n: 1 / n) for n in (1, 0)]
    with pytest.raises(ZeroDivisionError):
        futures[0].result()
    with pytest.raises(ZeroDivisionError):
        futures[1].result()
    with pytest.raises(rb.DataError, match="series 1"):
        rb.inside(MODEL, [SERIES[0], np.zeros((3, 2))], n_jobs=2)


@pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS)
def test_executor_and_n_jobs_exclude_each_other(verb: Callable[[Any], Any]) -> None:
    with ThreadPoolExecutor(1) as pool, pytest.raises(ModelError, match="give one of them"):
        verb({"executor": pool, "n_jobs": 2})


@pytest.mark.parametrize("count", [0, 1.5, "all", True, 10**9])
def test_numbers_of_jobs_that_make_no_sense(count: Any) -> None:
    with pytest.raises(ModelError, match="n_jobs must be"):
        executor_of(None, count)


def test_every_series_is_warned_of_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """By who has called, and not by workers, whose warnings nobody would see."""
    monkeypatch.setattr(AveragePosterior, "complaint", "these draws are poor")
    with pytest.warns(rb.ApproximationWarning, match="these draws are poor") as caught:
        rb.segment(LEVELS, draws=10, seed=0, n_jobs=2)
    assert len(caught) == len(LEVELS)
    assert {Path(one.filename).name for one in caught} == {Path(__file__).name}
