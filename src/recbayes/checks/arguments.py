"""Arguments that are no numbers: flags, texts, choices, lists, objects of some kind, seeds, executors, paths."""

import os
from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from recbayes.checks.arrays import short, whole_number
from recbayes.errors import DataError, FileError, ModelError

T = TypeVar("T")
MOST_JOBS = 100_000  # more are a mistake
Problem = type[DataError] | type[FileError] | type[ModelError]


def flag(value: object, name: str) -> bool:
    """True or False; 1 and 0 stand for them."""
    if not isinstance(value, bool | np.bool_ | int) or value not in (0, 1):
        raise ModelError(f"{name} must be True or False, got {short(value)}")
    return bool(value)


def text(value: object, name: str, error: Problem = DataError) -> str:
    """A string."""
    if not isinstance(value, str):
        raise error(f"{name} must be a text, got {short(value)}")
    return value


def choice(value: object, options: Iterable[str], name: str) -> str:
    """One of several words."""
    if not isinstance(value, str) or value not in options:
        *others, last = map(repr, options)
        raise ModelError(f"{name} must be {', '.join(others)} or {last}, got {short(value)}")
    return value


def instance(value: T, kind: Any, name: str, advice: str = "", error: Problem = DataError) -> T:
    """An object of a class; the advice follows the complaint."""
    if not isinstance(value, kind):
        article = "an" if kind.__name__[0] in "AEIO" else "a"
        raise error(f"{name} must be {article} {kind.__name__}, got {short(value)}{advice}")
    return value


def listed(values: object, name: str, of: str, error: Problem = DataError) -> list[Any]:
    """What is listed, whatever lists it; texts and mappings do not."""
    single = isinstance(values, np.ndarray) and values.ndim == 0
    if single or isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise error(f"{name} must be a list of {of}, got {short(values)}")
    return list(values)


def whole_span(start: object, end: object) -> tuple[int, int]:
    """The two ends of a span."""
    if type(start) is int and type(end) is int:
        return start, end
    return whole_number(start, "start", error=DataError), whole_number(end, "end", error=DataError)


def generator_of(seed: object) -> np.random.Generator:
    """The random numbers of a seed. There is none by default: results can always be had again."""
    if isinstance(seed, np.random.Generator):
        return seed
    if isinstance(seed, np.random.SeedSequence | np.random.BitGenerator):
        return np.random.default_rng(seed)
    try:
        return np.random.default_rng(whole_number(seed, "seed", least=0))
    except ModelError as problem:
        raise ModelError(f"{problem}; a numpy.random.Generator will do as well") from None


def executor_of(executor: Any, n_jobs: Any = None) -> Executor | None:
    """What runs the work: anything with `submit` and `map`, so many jobs of joblib, or None."""
    if executor is not None and not (
        callable(getattr(executor, "submit", None)) and callable(getattr(executor, "map", None))
    ):
        raise ModelError(
            f"executor must be one of concurrent.futures, or anything with submit and map; None takes threads; got "
            f"{short(executor)}"
        )
    if n_jobs is None:
        return executor
    count = whole_number(n_jobs, "n_jobs", least=-MOST_JOBS, most=MOST_JOBS)
    if count == 0:
        raise ModelError("n_jobs must be a number of jobs, or -1 for as many as there are processors, got 0")
    if executor is not None:
        raise ModelError("executor and n_jobs both say what runs the work; give one of them")
    from recbayes.checks.jobs import Jobs  # few need joblib, which takes a while to load

    return Jobs(count)


def path_of(path: object, name: str = "path") -> Path:
    """The name of a file."""
    if not isinstance(path, str | os.PathLike) or "\0" in str(path):
        raise FileError(f"{name} must be the name of a file, a text or a Path, got {short(path)}")
    return Path(path)
