"""joblib as an executor: so many jobs, by whatever backend is chosen there.

Without a choice jobs are threads, as kernels release the lock. `joblib.parallel_config(backend="loky")` around a call takes
processes, and backends that others have registered (Dask, Ray, Spark) their workers.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from typing import Any


class Jobs(Executor):
    """Does what is submitted together, when the first result is asked for: joblib knows batches, and no single calls."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._waiting: list[tuple[Future, tuple]] = []

    def map(self, function: Callable[..., Any], *columns: Any, timeout: Any = None, chunksize: int = 1) -> Iterator[Any]:
        return iter(self._run([(function, row, {}) for row in zip(*columns, strict=True)]))

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future:
        future = _Asked(self)
        self._waiting.append((future, (function, arguments, named)))
        return future

    def work(self) -> None:
        """Do what waits."""
        waiting, self._waiting = self._waiting, []
        wanted = [(future, call) for future, call in waiting if future.set_running_or_notify_cancel()]
        try:
            results = self._run([call for _, call in wanted])
        except BaseException as problem:
            for future, _ in wanted:
                future.set_exception(problem)
            raise
        for (future, _), result in zip(wanted, results, strict=True):
            future.set_result(result)

    def _run(self, calls: list[tuple]) -> list[Any]:
        from joblib import Parallel, delayed

        jobs = (delayed(function)(*arguments, **named) for function, arguments, named in calls)
        return list(Parallel(n_jobs=self._count, prefer="threads")(jobs))


class _Asked(Future):
    """A result that is made when it is asked for."""

    def __init__(self, jobs: Jobs) -> None:
        super().__init__()
        self._jobs = jobs

    def result(self, timeout: float | None = None) -> Any:
        if not self.done():
            self._jobs.work()
        return super().result(timeout)
