"""Pieces of work that are kept on disk as they are finished, so that a study that was interrupted goes on where it was.

The folder of a study has a file `settings.json`, which says what study it is, and one file in `parts/` for every finished
part.
"""

import json
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, as_completed
from pathlib import Path
from typing import Any, NamedTuple

from recbayes.checks.files import write_whole
from recbayes.errors import FileError


class Part(NamedTuple):
    """A function of the module level with arguments that can be sent to other processes; its result can be kept as JSON.

    The key is the part's path in the folder.
    """

    key: str
    function: Callable[..., Any]
    arguments: tuple


class Done(NamedTuple):
    """A result, and when the work on it began and ended (seconds since 1970)."""

    result: Any
    began: float
    ended: float


class Folder:
    """Where a study keeps what it has."""

    def __init__(self, path: str | Path, identity: dict[str, Any]) -> None:
        self.path = Path(path)
        settings = self.path / "settings.json"
        if self.path.exists() and not self.path.is_dir():
            raise FileError(f"{self.path} is a file; the results of a study need a folder")
        if settings.exists():
            there = _read(settings)
            if there != identity:
                raise FileError(
                    f"{self.path} holds a study with other settings or of another version ({_difference(there, identity)}); "
                    "give another folder, or remove that one"
                )
        elif self.path.exists() and any(one.suffix != ".part" for one in self.path.iterdir()):
            raise FileError(f"{self.path} has files in it, but no study to go on with; give another folder")
        else:
            self.path.mkdir(parents=True, exist_ok=True)
            write_json(settings, identity)

    def read(self, key: str) -> Done | None:
        """What is there of a part; a damaged file counts as none, as the part can be done again."""
        try:
            return Done(**_read(self._file(key)))
        except (FileNotFoundError, FileError, TypeError):
            return None

    def write(self, key: str, done: Done) -> None:
        self._file(key).parent.mkdir(parents=True, exist_ok=True)
        write_json(self._file(key), done._asdict())

    def _file(self, key: str) -> Path:
        return self.path / "parts" / f"{key}.json"


def run_parts(parts: Sequence[Part], folder: Folder, executor: Executor, tell: Callable[[], None]) -> dict[str, Done]:
    """Results by key, of parts finished earlier and now; `tell` is called for each."""
    finished: dict[str, Done] = {}
    for part in parts:
        done = folder.read(part.key)
        if done is not None:
            finished[part.key] = done
            tell()
    wanted = [part for part in parts if part.key not in finished]
    futures = {executor.submit(timed, part.function, part.arguments): part.key for part in wanted}

    def keep(future: Future) -> None:
        key, done = futures.pop(future), future.result()
        folder.write(key, done)
        finished[key] = done
        tell()

    try:
        for future in as_completed(list(futures)):
            keep(future)
    except BaseException:
        for future in futures:
            future.cancel()
        for future in [future for future in futures if future.done() and not future.cancelled() and not future.exception()]:
            keep(future)
        raise
    return finished


def timed(function: Callable[..., Any], arguments: tuple) -> Done:
    began = time.time()
    result = function(*arguments)
    return Done(result, began, time.time())


def elapsed(dones: Sequence[Done]) -> float:
    """Seconds in which at least one of these parts was being worked on, over all runs of the study."""
    total, until = 0.0, -float("inf")
    for began, ended in sorted((done.began, done.ended) for done in dones):
        total += max(0.0, ended - max(began, until))
        until = max(until, ended)
    return total


def write_json(path: Path, data: Any) -> None:
    write_whole(path, json.dumps(data, allow_nan=False) + "\n")


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as problem:
        raise FileError(f"{path} is damaged: {problem}") from problem


def _difference(there: Any, wanted: dict[str, Any]) -> str:
    if not isinstance(there, dict):
        return "its settings.json is none of ours"
    flat_there, flat_wanted = _flat(there), _flat(wanted)
    names = [name for name in {**flat_wanted, **flat_there} if flat_there.get(name) != flat_wanted.get(name)]
    return ", ".join(f"{name} is {flat_there.get(name)!r} there and {flat_wanted.get(name)!r} here" for name in names)


def _flat(data: dict[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in data.items():
        flat |= value if isinstance(value, dict) else {name: value}
    return flat
