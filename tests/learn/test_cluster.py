"""Fits on a real local cluster of processes: the same result as threads, whatever happens to workers."""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
from distributed import Client, LocalCluster

import recbayes as rb
from recbayes.checks.series import Series
from recbayes.learn.workers import Constrained, Workers

pytestmark = pytest.mark.slow

MODEL = rb.GaussianRBN.create(dim=2, noise_std=0.1, termination=0.6, extra_observations=3.0)


def samples(count: int) -> list[np.ndarray]:
    return [MODEL.sample(seed=seed, min_length=8, max_length=20)[0] for seed in range(count)]


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster) as connected,
    ):
        yield connected


def test_a_cluster_gives_what_threads_give(client: Client) -> None:
    series, settings = samples(4), {"covariance": "scalar", "restarts": 1, "exact": 20}
    threads = rb.fit(MODEL, series, **settings)  # type: ignore[arg-type]
    cluster = rb.fit(MODEL, series, executor=client.get_executor(), **settings)  # type: ignore[arg-type]
    np.testing.assert_array_equal(threads.vector, cluster.vector)  # type: ignore[arg-type]
    assert threads.history == cluster.history
    assert threads.table == cluster.table
    assert threads.exact == cluster.exact


class Killing(Executor):
    """Hands work on to a cluster, and kills one of its workers in the middle."""

    def __init__(self, client: Client, moment: int) -> None:
        self.client, self.moment, self.submitted = client, moment, 0
        self.inner = client.get_executor()

    def submit(self, function, /, *args, **settings):  # type: ignore[no-untyped-def]
        self.submitted += 1
        if self.submitted == self.moment:
            os.kill(next(iter(self.client.run(os.getpid).values())), signal.SIGKILL)
        return self.inner.submit(function, *args, **settings)


def test_a_killed_worker_does_not_lose_the_fit(client: Client) -> None:
    series, settings = samples(5), {"covariance": "diagonal", "restarts": 0, "exact": None}
    expected = rb.fit(MODEL, series, **settings)  # type: ignore[arg-type]
    executor = Killing(client, moment=50)
    found = rb.fit(MODEL, series, executor=executor, **settings)  # type: ignore[arg-type]
    assert executor.submitted > 100  # the fit went on
    assert found.history == expected.history
    np.testing.assert_array_equal(found.vector, expected.vector)  # type: ignore[arg-type]


def test_series_travel_once() -> None:
    """Later evaluations send the free vector only; a worker that knows nothing is told again."""
    series = [Constrained(Series(y)) for y in samples(5)]
    parameters = rb.Parameters(MODEL)
    parcels = []

    class Counting(ProcessPoolExecutor):
        def submit(self, function, *args, **settings):  # type: ignore[no-untyped-def]
            parcels.append(args[-1] is not None)
            return super().submit(function, *args, **settings)

    vector = parameters.vector()
    with Workers(parameters, series, None) as threads:
        expected = [one.log_evidence for one in threads(vector)]  # type: ignore[union-attr]
    with Counting(1, mp_context=get_context("spawn")) as pool:
        workers = Workers(parameters, series, pool)
        for _ in range(3):
            found = workers(vector)
            assert [one.log_evidence for one in found] == expected  # type: ignore[union-attr]
    assert sum(parcels) == 5
    assert len(parcels) == 15
    with Counting(1, mp_context=get_context("spawn")) as pool:
        workers._executor = pool  # as if another worker had taken over
        assert [one.log_evidence for one in workers(vector)] == expected  # type: ignore[union-attr]
    assert sum(parcels) == 10


def test_gradients_in_processes() -> None:
    series, parameters = samples(3), rb.Parameters(MODEL, covariance="diagonal", fixed="prior.*")
    here = rb.log_evidence_and_gradient(parameters.with_vector(parameters.vector()), series, parameters=parameters)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        model = parameters.with_vector(parameters.vector())
        there = rb.log_evidence_and_gradient(model, series, parameters=parameters, executor=pool)
    np.testing.assert_array_equal(here.gradient, there.gradient)


class KillingPool(ProcessPoolExecutor):
    """A pool one of whose processes is killed in the middle, which breaks it."""

    moment, submitted = 30, 0

    def submit(self, function, /, *args, **settings):  # type: ignore[no-untyped-def]
        self.submitted += 1
        if self.submitted == self.moment:
            os.kill(next(iter(self._processes)), signal.SIGKILL)
        return super().submit(function, *args, **settings)


def test_a_killed_process_of_a_pool_does_not_lose_the_fit() -> None:
    series = samples(4)
    settings = {"covariance": "scalar", "restarts": 0, "exact": None, "standard_errors": False}
    threads = rb.fit(MODEL, series, **settings)
    with KillingPool(2, get_context("spawn")) as pool:
        found = rb.fit(MODEL, series, executor=pool, **settings)
        assert pool.submitted >= pool.moment
    np.testing.assert_array_equal(threads.vector, found.vector)
