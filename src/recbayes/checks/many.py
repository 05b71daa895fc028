"""Work on many sequences: in threads, or through whatever executor the user brings."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from recbayes.errors import DataError, ExecutorError, LengthError

Result = TypeVar("Result")


def run_many(function: Callable[..., Result], *columns: Iterable[Any], executor: Executor | None = None) -> list[Result]:
    """The function's results for the rows of the columns, in order. Kernels release the lock, so threads do."""
    if executor is not None:
        with sent_out():
            return list(executor.map(function, *columns))
    with ThreadPoolExecutor() as pool:
        return list(pool.map(function, *columns))


@contextmanager
def sent_out() -> Iterator[None]:
    """Errors of an executor, as opposed to those of the work, in plain words."""
    try:
        yield
    except (BrokenExecutor, CancelledError) as problem:
        why = "a worker of the executor died, perhaps for want of memory, or the work was cancelled"
        raise ExecutorError(f"{why}; use a new executor, with fewer workers if it happens again") from problem
    except RuntimeError as problem:
        if "shutdown" not in str(problem):
            raise
        raise ExecutorError("the executor is shut down; use it inside its `with` block, or make a new one") from problem


def named(name: str, function: Callable[..., Result], *arguments: Any) -> Result:
    """The function's result; errors about the data say which sequence they are about."""
    try:
        return function(*arguments)
    except (DataError, LengthError) as problem:
        if not name or str(problem).startswith(name):
            raise
        raise type(problem)(f"{name}: {problem}") from problem
