"""Checkpoints: all evaluations of a fit, in one JSON file that is replaced whole after each.

A fit is a function of its evaluations: to resume, it runs again from the start, and evaluations that are in the file are
read, not computed. So it takes the same way to the same end, whatever the moment at which it was interrupted.
"""

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from recbayes.checks.files import write_beside
from recbayes.errors import FileError
from recbayes.family.saved import to_json
from recbayes.learn.workers import Constrained
from recbayes.parameters.parameters import Parameters

FORMAT, VERSION = "recbayes.checkpoint", 1


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
    digest.update(to_json(parameters.model).encode())
    for sequence, constraints in series:
        arrays = parameters.model.family.arrays(sequence)
        for array in (*arrays, *constraints.values()):
            part = np.zeros(0) if array is None else np.ascontiguousarray(array)
            digest.update(f"{part.shape}{part.dtype}".encode() + part.tobytes())
    return digest.hexdigest()


class Checkpoint:
    """Evaluations by what was evaluated; kept in a file, if there is a path.

    The file before the last change is kept beside it, as PATH.previous.
    """

    def __init__(self, path: str | os.PathLike | None, fingerprint: str, resume: bool) -> None:
        self._path = None if path is None else Path(path)
        self._fingerprint = fingerprint
        self._lines: list[str] = []
        self._known: dict[bytes, Evaluation] = {}
        if resume and self._path is None:
            raise FileError("resume needs the path of a checkpoint")
        if self._path is None:
            return
        if str(path) == "" or self._path.is_dir() or not self._path.parent.is_dir():
            raise FileError(f"checkpoint {str(path)!r} must be a file in a folder that exists")
        there = _existing(self._path)
        if there is not None and not resume:
            raise FileError(f"{there} exists; resume=True goes on from it, or remove it to start afresh")
        if there is not None:
            self._read(there)

    def find(self, task: str, vector: np.ndarray) -> Evaluation | None:
        return self._known.get(_key(task, vector))

    def add(self, task: str, vector: np.ndarray, evaluation: Evaluation) -> None:
        """Remember an evaluation, on disk too."""
        self._known[_key(task, vector)] = evaluation
        if self._path is not None:
            value, gradient, *quality = evaluation
            row = [task, vector.tolist(), value, gradient.tolist(), *quality]
            self._lines.append(json.dumps(row))
            self._write()

    def _write(self) -> None:
        assert self._path is not None
        body = ",\n".join(self._lines)
        head = {"format": FORMAT, "version": VERSION, "fit": self._fingerprint, "checksum": _checksum(body)}
        text = f'{{"head": {json.dumps(head)},\n"evaluations": [\n{body}\n]}}\n'
        part = write_beside(self._path, text)
        if self._path.exists():
            self._path.replace(_beside(self._path, ".previous"))
        part.replace(self._path)

    def _read(self, path: Path) -> None:
        document = _load(path)
        head, rows = document["head"], document["evaluations"]
        if head.get("version") != VERSION:
            raise FileError(f"{path}: version {head.get('version')!r} of the format; this recbayes reads version {VERSION}")
        if head["fit"] != self._fingerprint:
            raise FileError(f"{path} belongs to another fit: its model, series or choices differ from the ones given")
        self._lines = [json.dumps(row) for row in rows]
        for task, vector, value, gradient, *quality in rows:
            self._known[_key(task, np.array(vector))] = Evaluation(float(value), np.array(gradient), *quality)


def _load(path: Path) -> dict[str, Any]:
    """The document, if it is whole: its checksum is over the rows as they were written."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        head, rows = document["head"], document["evaluations"]
        if head["format"] != FORMAT:
            raise FileError(f"{path} is not a recbayes checkpoint")
        if not isinstance(head["fit"], str):
            raise TypeError("its head says not of which fit it is")
        whole = head["checksum"] == _checksum(",\n".join(json.dumps(row) for row in rows))
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        if isinstance(problem, FileError):
            raise
        raise FileError(_damaged(path, str(problem))) from problem
    if not whole:
        raise FileError(_damaged(path, "its checksum does not fit"))
    return document


def _damaged(path: Path, why: str) -> str:
    before = _beside(path, ".previous")
    advice = f"; {before} is the state before, copy it here to go on from it" if before.exists() else ""
    return f"{path} is damaged ({why}){advice}"


def _existing(path: Path) -> Path | None:
    """The checkpoint, or the one before if the last replacement was cut short."""
    return next((one for one in (path, _beside(path, ".previous")) if one.exists()), None)


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _key(task: str, vector: np.ndarray) -> bytes:
    return task.encode() + b":" + np.asarray(vector, dtype=np.float64).tobytes()


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
