"""The pieces of a folder, and what the study knows of each: pitch classes by slices and by bars."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from recbayes.errors import DataError, FileError, StudyError
from recbayes.music.reading import read_score
from recbayes.music.slices import slice_score

KINDS = (".krn", ".mxl", ".musicxml", ".mid", ".midi")  # of files that are read; of several of one piece, the first of these


class Observed(NamedTuple):
    """(N, 12) how long every pitch class sounds in each observation, and (N + 1,) where these begin and end, in quarters."""

    counts: np.ndarray
    edges: np.ndarray


@dataclass(frozen=True, eq=False)
class Piece:
    """A piece by slices of equal length, and by bars; `bars` are where they begin, and the end. Times are in quarters."""

    name: str
    slices: Observed
    by_bars: Observed
    bar_names: tuple[str, ...]

    @property
    def bars(self) -> np.ndarray:
        return self.by_bars.edges

    def observed(self, per: str) -> Observed:
        """Counts by "slices" or by "bars"."""
        return {"slices": self.slices, "bars": self.by_bars}[per]


def read_pieces(folder: str | Path, slices: int) -> tuple[Piece, ...]:
    """All pieces in a folder and the folders in it, by name: what their files are called, without the ending."""
    root = Path(folder)
    if not root.is_dir():
        raise FileError(f"{root} is no folder; the study needs one with scores in it ({', '.join(KINDS)})")
    paths: dict[str, Path] = {}
    for kind in KINDS:
        for path in sorted(root.rglob(f"*{kind}")):
            other = paths.setdefault(path.stem, path)
            if other.parent != path.parent:
                raise FileError(f"{other} and {path} have the same name; pieces need different ones")
    if not paths:
        raise FileError(f"{root} has no scores in it; they are files that end in {', '.join(KINDS)}")
    return tuple(_read(paths[name], slices) for name in sorted(paths))


def checksum(pieces: Sequence[Piece]) -> str:
    """Of all that the study knows of these pieces."""
    total = hashlib.sha256()
    for piece in pieces:
        total.update("\0".join([piece.name, *piece.bar_names]).encode())
        for array in (*piece.slices, *piece.by_bars):
            total.update(f"{array.shape}".encode() + np.ascontiguousarray(array, dtype=np.float64).tobytes())
    return total.hexdigest()[:16]


def _read(path: Path, slices: int) -> Piece:
    try:
        score = read_score(path)
    except DataError as problem:
        raise StudyError(str(problem)) from None
    equal, bars = slice_score(score, slices), slice_score(score, "bar")
    return Piece(path.stem, Observed(equal.counts, equal.edges), Observed(bars.counts, bars.edges), score.names)
