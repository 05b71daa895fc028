"""Checkpoints: all evaluations of a fit, each a line of a file that only grows.

A fit is a function of its evaluations: to resume, it runs again from the start, and evaluations that are in the file are
read, not computed. So it takes the same way to the same end, whatever the moment at which it was interrupted.

A line is JSON, [checksum, content]; the first one says to which fit the file belongs. A line without an end was being
written when the fit was killed or the disk was full: it is cut off. Fits that share a file take turns, and what one
evaluated holds for the others.
"""

import errno
import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from recbayes.checks.arrays import frozen
from recbayes.errors import FileError
from recbayes.learn.workers import Constrained
from recbayes.parameters.parameters import Parameters

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

FORMAT, VERSION = "recbayes.checkpoint", 2


class Evaluation(NamedTuple):
    """The log likelihood at a free vector (its penalties left out), and its gradient.

    Where it is exact, by draws: its standard error, and the smallest effective share of the draws of any series.
    """

    log_likelihood: float
    gradient: np.ndarray
    standard_error: float = 0.0
    efficiency: float = 1.0


def fingerprint(parameters: Parameters, series: Sequence[Constrained]) -> str:
    """What evaluations depend on: the model, what of it is free, and the data."""
    digest = hashlib.sha256(json.dumps(parameters.choices).encode())
    digest.update(parameters.model.family.identity(parameters.model).encode())
    for sequence, constraints in series:
        arrays = parameters.model.family.arrays(sequence)
        known = [constraints.boundaries, constraints.allowed]
        known += [] if constraints.preference is None else [constraints.preference]
        for array in (*arrays, *known):
            part = np.zeros(0) if array is None else np.ascontiguousarray(array)
            digest.update(f"{part.shape}{part.dtype}".encode() + part.tobytes())
    return digest.hexdigest()


class Checkpoint:
    """Evaluations of `size` free numbers, by what was evaluated; kept in a file, if there is a path."""

    def __init__(self, path: str | os.PathLike | None, fingerprint: str, size: int, resume: bool) -> None:
        self._path = None if path is None else Path(path)
        self._head = _line({"format": FORMAT, "version": VERSION, "fit": fingerprint})
        self._known: dict[bytes, Evaluation] = {}
        if resume and self._path is None:
            raise FileError("resume needs the path of a checkpoint")
        if self._path is None:
            return
        if not self._path.parent.is_dir() or (self._path.exists() and not self._path.is_file()):
            raise FileError(f"checkpoint {str(path)!r} must be a file in a folder that exists")
        with _turn(self._path) as file:
            text = file.read()
            if text and not resume:
                raise FileError(f"{path} exists; resume=True goes on from it, or remove it to start afresh")
            self._read(text, size)
            self._write(file, b"")

    def find(self, task: str, vector: np.ndarray) -> Evaluation | None:
        return self._known.get(_key(task, vector))

    def add(self, task: str, vector: np.ndarray, evaluation: Evaluation) -> None:
        """Remember an evaluation, on disk too."""
        self._known[_key(task, vector)] = evaluation
        if self._path is not None:
            value, gradient, *quality = evaluation
            line = _line([task, vector.tolist(), value, gradient.tolist(), *quality])
            with _turn(self._path) as file:
                self._write(file, line)

    def _write(self, file: FileIO, line: bytes) -> None:
        """Write a line behind the last whole one; a file begins with its head."""
        file.seek(0)
        if not self._head.startswith(file.read(len(self._head))):
            raise FileError(f"{self._path} belongs to another fit by now, which has begun since this one")
        file.seek(max(file.seek(0, os.SEEK_END) - 1, 0))
        if file.read(1) not in (b"", b"\n"):
            file.seek(0)
            file.truncate(file.read().rfind(b"\n") + 1)
        line = line if file.seek(0, os.SEEK_END) else self._head + line
        if file.write(line) < len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self._path))
        os.fsync(file.fileno())

    def _read(self, text: bytes, size: int) -> None:
        first, *lines = text.splitlines(keepends=True) or [b""]
        if not self._head.startswith(first):
            raise FileError(f"{self._path} {_what_it_is(first)}")
        for number, line in enumerate(lines, start=2):
            if line.endswith(b"\n"):
                try:
                    key, evaluation = _evaluation(_content(line), size)
                except (ValueError, TypeError, AttributeError, RecursionError) as problem:
                    advice = "remove that line to go on without it"
                    raise FileError(f"{self._path} is damaged in line {number}: {problem}; {advice}") from problem
                self._known[key] = evaluation


@contextmanager
def _turn(path: Path) -> Iterator[FileIO]:
    """The file, for nobody else at the time; what is written goes to its end, in one piece."""
    with open(path, "a+b", buffering=0) as file:
        if fcntl is not None:
            with suppress(OSError):  # a file system without locks: still in one piece
                fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        yield file


def _line(content: Any) -> bytes:
    return json.dumps([_checksum(content), content]).encode() + b"\n"


def _content(line: bytes) -> Any:
    checksum, content = json.loads(line)
    if checksum != _checksum(content):
        raise ValueError("its checksum does not fit")
    return content


def _evaluation(row: Any, size: int) -> tuple[bytes, Evaluation]:
    """A step into the impossible has a log likelihood of minus infinity; all else is finite."""
    task, vector, value, gradient, error, efficiency = row
    numbers = frozen([vector, gradient], "vector and gradient", ValueError)
    if numbers.shape != (2, size):
        raise ValueError(f"vector and gradient must have {size} entries")
    if not value < np.inf or not error >= 0 or not efficiency >= 0:
        raise ValueError(f"log likelihood, standard error and efficiency cannot be {value}, {error} and {efficiency}")
    return _key(task, numbers[0]), Evaluation(value, numbers[1], error, efficiency)


def _what_it_is(first: bytes) -> str:
    """Why a file that begins with another line is not gone on from."""
    if first.startswith(b'{"head": {"format": "recbayes.checkpoint"'):
        return "was written by an older recbayes, in another format; remove it to start afresh"
    try:
        content = _content(first)
        if content["format"] == FORMAT:
            if content["version"] == VERSION:
                return "belongs to another fit: its model, series or choices differ from the ones given"
            return f"has version {content['version']!r} of the format; this recbayes reads version {VERSION}"
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    return "is not a recbayes checkpoint, or its first line is damaged; remove it to start afresh"


def _key(task: str, vector: np.ndarray) -> bytes:
    return task.encode() + b":" + np.asarray(vector, dtype=np.float64).tobytes()


def _checksum(content: Any) -> str:
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()
