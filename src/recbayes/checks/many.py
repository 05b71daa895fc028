"""Work on many sequences: in threads, or through whatever executor the user brings."""

from collections.abc import Callable, Iterable
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any, TypeVar

from recbayes.errors import DataError, LengthError

Result = TypeVar("Result")


def run_many(function: Callable[..., Result], *columns: Iterable[Any], executor: Executor | None = None) -> list[Result]:
    """The function's results for the rows of the columns, in order. Kernels release the lock, so threads do."""
    if executor is not None:
        return list(executor.map(function, *columns))
    with ThreadPoolExecutor() as pool:
        return list(pool.map(function, *columns))


def named(name: str, function: Callable[..., Result], *arguments: Any) -> Result:
    """The function's result; errors about the data say which sequence they are about."""
    try:
        return function(*arguments)
    except (DataError, LengthError) as problem:
        if not name or str(problem).startswith(name):
            raise
        raise type(problem)(f"{name}: {problem}") from problem
