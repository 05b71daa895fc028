"""Which kernels jobs need, with which types of arguments, and how long they take to compile: read from `kernels.json`.

That file is written by `python -m tests.compiled.record`, which runs a tiny call of every job and looks on. A kernel that it
does not know is compiled when it is called, like any other.
"""

import json
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from recbayes.compiled.signatures import decode

TABLE = Path(__file__).with_name("kernels.json")


@dataclass(frozen=True)
class Need:
    """A kernel and a signature of it."""

    place: str  # module:name
    number: int  # of its signature in the table
    seconds: float  # of compilation, on the machine that wrote the table

    def kernel(self) -> Any:
        module, name = self.place.split(":")
        return getattr(import_module(module), name)

    def signature(self) -> tuple[Any, ...]:
        table = _table()
        return tuple(decode(one, table["types"]) for one in table["kernels"][self.number]["signature"])


@cache
def _table() -> dict[str, Any]:
    return json.loads(TABLE.read_text(encoding="utf-8"))


def jobs() -> list[str]:
    return list(_table()["jobs"])


def needs_of(job: str) -> list[Need]:
    """What a job needs, or "all" there are, the longest first: so that processes end at about the same time."""
    kernels = _table()["kernels"]
    numbers = range(len(kernels)) if job == "all" else _table()["jobs"].get(job, [])
    found = [Need(kernels[n]["kernel"], n, kernels[n]["seconds"]) for n in numbers]
    return sorted(found, key=lambda need: -need.seconds)


def likely_job(kernel: Any) -> str | None:
    """The smallest job that needs a kernel."""
    table, place = _table(), place_of(kernel)
    numbers = {n for n, one in enumerate(table["kernels"]) if one["kernel"] == place}
    found = [job for job, needed in table["jobs"].items() if numbers.intersection(needed)]
    return min(found, key=lambda job: len(table["jobs"][job]), default=None)


def cost_of(kernel: Any) -> float | None:
    """Seconds that it takes to compile; None if that is not known."""
    found = [one["seconds"] for one in _table()["kernels"] if one["kernel"] == place_of(kernel)]
    return max(found, default=None)


def place_of(kernel: Any) -> str:
    return f"{kernel.py_func.__module__}:{kernel.py_func.__name__}"
