"""What all fuzzers share: how many cases, how a call may end, and in how much time."""

import os
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import recbayes as rb

ERRORS = (rb.ModelError, rb.DataError, rb.FileError, rb.LengthError, rb.ExecutorError)
PATIENCE = 20.0  # seconds that any call may take, once its kernels are compiled


class Refused:
    """A call that ended in an error of the library's own."""

    def __init__(self, problem: Exception) -> None:
        self.text = str(problem)
        assert self.text, "an error without a message"
        assert "\n" not in self.text, f"more than one line: {self.text}"
        assert len(self.text) < 1000, f"a long message: {self.text}"

    def __bool__(self) -> bool:
        return False


def seeds(usual: int) -> range:
    """Seeds of a third as many cases as usual, or as many times more as RECBAYES_FUZZ says."""
    first = int(os.environ.get("RECBAYES_FUZZ_FIRST", 0))
    return range(first, first + max(1, int(usual / 3 * float(os.environ.get("RECBAYES_FUZZ", 1)))))


def attempt(call: Callable[..., Any], *args: Any, **settings: Any) -> Any:
    """What a call returns, or `Refused`; anything else that it raises, or warns of from the depth, is a defect."""
    for last in (False, True):
        began = time.monotonic()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                warnings.simplefilter("ignore", rb.ApproximationWarning)
                result = call(*args, **settings)
        except ERRORS as problem:
            result = Refused(problem)
        if time.monotonic() - began < PATIENCE:
            return result
        assert not last, f"{call} takes more than {PATIENCE} seconds"  # the first time it may have been compiled
    return None


def finite(value: Any, what: str) -> None:
    assert np.isfinite(np.asarray(value, dtype=np.float64)).all(), f"{what}: {value}"


def is_probability(value: Any, what: str) -> None:
    finite(value, what)
    assert (np.asarray(value) >= 0.0).all(), f"{what} below 0"
    assert (np.asarray(value) <= 1.0 + 1e-9).all(), f"{what} above 1"
