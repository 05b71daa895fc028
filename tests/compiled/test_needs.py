"""The table of kernels that jobs need says what calls ask for, and types come back as they were written."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

from recbayes.compiled.lanes import INNER, KERNEL
from recbayes.compiled.lean import LeanLibrary, lean
from recbayes.compiled.needs import TABLE, likely_job, needs_of
from recbayes.compiled.signatures import decode, encode
from tests.compiled.jobs import JOBS
from tests.compiled.record import put_together

RECORD = np.dtype([("low", np.int64), ("kind", np.int32), ("value", np.float64)], align=True)


class Pair(NamedTuple):
    first: np.ndarray
    second: Any


def values() -> Iterator[Any]:
    yield from (1, 2.5, True, np.int32(3), None, (1, 2.0), (1, 1), np.ones(3), np.ones((2, 3)).T, np.ones((4, 4))[::2, ::2])
    frozen = np.ones(3, dtype=np.int8)
    frozen.setflags(write=False)
    yield from (frozen, np.zeros(2, dtype=bool), np.zeros(2, dtype=RECORD), np.zeros(1, dtype=RECORD)[0])
    yield from (Pair(np.ones(2), 1), Pair(np.zeros(2, dtype=RECORD), Pair(np.ones(1), (frozen, 2))))


@pytest.mark.parametrize("value", values(), ids=lambda value: str(numba.typeof(value))[:40])
def test_types_come_back(value: Any) -> None:
    shared: list[Any] = []
    written = json.dumps([encode(numba.typeof(value), shared), shared])
    assert decode(*json.loads(written)) == numba.typeof(value)


def test_what_cannot_be_written_is_said() -> None:
    with pytest.raises(TypeError, match="not unicode_type"):
        encode(numba.typeof("text"), [])
    with pytest.raises(ValueError, match="'song'"):
        decode(["song"], [])


@pytest.mark.slow
@pytest.mark.parametrize("job", JOBS)
def test_the_table_has_what_jobs_ask_for(job: str) -> None:
    """If this fails, run `python -m tests.compiled.record`."""
    call = [sys.executable, "-m", "tests.compiled.record", job]
    done = subprocess.run(call, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=True)
    asked = put_together({job: json.loads(done.stdout.splitlines()[-1])})
    told = json.loads(TABLE.read_text(encoding="utf-8"))

    def rows(table: dict[str, Any]) -> set[tuple[str, str]]:
        chosen = [table["kernels"][number] for number in table["jobs"][job]]
        return {(row["kernel"], str([decode(one, table["types"]) for one in row["signature"]])) for row in chosen}

    assert rows(asked) == rows(told)


def test_needs_are_kernels_the_longest_first() -> None:
    for job in (*JOBS, "all"):
        needs = needs_of(job)
        assert needs
        assert [need.seconds for need in needs] == sorted((need.seconds for need in needs), reverse=True)
        assert all(need.kernel().targetoptions["nogil"] for need in needs)
    assert {need.place for job in JOBS for need in needs_of(job)} == {need.place for need in needs_of("all")}


def test_a_kernel_alone_says_which_job_it_is() -> None:
    from recbayes.gaussian.kernels.inside import fill_inside

    assert likely_job(fill_inside) == "inside"


def test_lean_compilation_leaves_inner_functions_to_kernels() -> None:
    """They have no machine code of their own, and kernels that are compiled then or later, in either way, are right."""

    @numba.njit(**INNER)
    def square(x: float) -> float:
        return x * x

    @numba.njit(**{**KERNEL, "cache": False})
    def lean_one(x: float) -> float:
        return square(x) + 1.0

    @numba.njit
    def plain_one(x: float) -> float:
        return square(x) + 2.0

    with lean():
        lean_one.compile((numba.float64,))
    libraries = [next(iter(one.overloads.values())).library for one in (square, lean_one)]
    assert all(isinstance(one, LeanLibrary) for one in libraries)
    assert [one.left for one in libraries] == [True, False]
    assert (lean_one(3.0), plain_one(3.0)) == (10.0, 11.0)
    assert not isinstance(next(iter(plain_one.overloads.values())).library, LeanLibrary)
