"""Work on many sequences: in threads, or through whatever executor the user brings."""

from collections.abc import Callable, Iterable
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any

from recbayes.errors import DataError


def run_many(function: Callable[..., Any], *columns: Iterable[Any], executor: Executor | None = None) -> list[Any]:
    """The function's results for the rows of the columns, in order. Kernels release the lock, so threads do."""
    if executor is not None:
        return list(executor.map(function, *columns))
    with ThreadPoolExecutor() as pool:
        return list(pool.map(function, *columns))


def per_series(values: Any, count: int, name: str) -> list[Any]:
    """One entry per series: None for all, or a list that has as many."""
    if values is None:
        return [None] * count
    if not isinstance(values, list | tuple) or len(values) != count:
        raise DataError(f"{name} must be a list with one entry for each of the {count} series")
    return list(values)
