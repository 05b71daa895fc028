"""Slices of a score: how long each pitch class sounds in each."""

from dataclasses import dataclass

import numpy as np

from recbayes.checks.arguments import instance
from recbayes.checks.arrays import short, whole_number
from recbayes.errors import DataError, ModelError
from recbayes.music.score import Score

MOST = 1_000_000  # slices of a piece; more is a mistake


@dataclass(frozen=True, eq=False)
class Slices:
    """Pitch classes in stretches of time: how many quarters each of them sounds, C first.

    A pitch that several voices have at the same time counts once, and the same pitch class in two octaves counts twice.

    Attributes:
        edges: where slices begin, and the end, in quarters, (slices + 1,).
        counts: how many quarters each pitch class sounds, (slices, 12).
        bar: in which bar of the score each begins, counted from 0.
        beat: where in that bar, in quarters.
        seconds: when each begins.
    """

    edges: np.ndarray
    counts: np.ndarray
    bar: np.ndarray
    beat: np.ndarray
    seconds: np.ndarray

    def __len__(self) -> int:
        return len(self.counts)

    def __repr__(self) -> str:
        return f"Slices({len(self)} of {self.edges[0]:g} to {self.edges[-1]:g} quarters)"


def slice_score(score: Score, per: str | int = "bar") -> Slices:
    """A score cut into slices of time, with the pitch classes of each: `Slices`.

    Arguments:
        score: the score.
        per: "bar", "beat", or a number of equal slices.
    """
    score = instance(score, Score, "score", "; read_score gives one")
    edges = _edges(score, per)
    bar = np.clip(np.searchsorted(score.bars, edges[:-1] + 1e-9, side="right") - 1, 0, len(score.names) - 1)
    arrays = (edges, _counts(score, edges), bar, edges[:-1] - score.bars[bar], edges[:-1] * score.seconds)
    for array in arrays:
        array.setflags(write=False)
    return Slices(*arrays)


def _edges(score: Score, per: str | int) -> np.ndarray:
    if isinstance(per, str) and (unit := per.strip().lower().removesuffix("s")) in ("bar", "beat"):
        return np.array(score.bars if unit == "bar" else score.beats)
    try:
        return np.linspace(0.0, score.end, whole_number(per, "per", least=1, most=MOST) + 1)
    except ModelError:
        raise DataError(f"per must be 'bar', 'beat' or a whole number from 1 to {MOST}, got {short(per)}") from None


def _counts(score: Score, edges: np.ndarray) -> np.ndarray:
    """Sounding time of each pitch before each edge, which is piecewise linear; differences, summed over octaves."""
    counts = np.zeros((len(edges) - 1, 12))
    for pitch in np.unique(score.pitches):
        here = score.pitches == pitch
        onsets, offsets = _union(score.onsets[here], score.offsets[here])
        times = np.column_stack([onsets, offsets]).ravel()
        sounded = np.column_stack([np.zeros_like(onsets), offsets - onsets]).ravel().cumsum()
        counts[:, pitch % 12] += np.diff(np.interp(edges, times, sounded))
    return counts


def _union(onsets: np.ndarray, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Stretches in which some note sounds, of notes sorted by onset."""
    until = np.maximum.accumulate(offsets)
    first = np.concatenate([[True], onsets[1:] > until[:-1]])
    return onsets[first], until[np.concatenate([first[1:], [True]])]
