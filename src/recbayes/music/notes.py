"""Notes with exact times, and the score that is made of them."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from recbayes.music.meter import Meter, beats_of
from recbayes.music.score import Score


class Note(NamedTuple):
    """A note in quarters; notes are sorted by onset and pitch."""

    onset: Fraction
    pitch: int
    offset: Fraction
    id: str = ""
    step: int | None = None  # how it is spelt, in fifths above C


def score_of(
    title: str,
    notes: Iterable[Note],
    bars: Sequence[Fraction],
    names: Sequence[str],
    meters: Sequence[Meter | None],
    tempo: float | None = None,
    drawing: str | None = None,
    signature: int | None = None,
    signatures: Iterable[tuple[Fraction, int]] = (),
) -> Score:
    """A score whose arrays are read-only; the tempo is in quarters a minute, key signatures and their changes in sharps."""
    ordered = sorted(notes, key=lambda note: note[:4])
    spelling = tuple(note.step for note in ordered)
    beats = beats_of(bars, meters)
    onsets = np.array([note.onset for note in ordered], dtype=np.float64)
    offsets = np.array([note.offset for note in ordered], dtype=np.float64)
    pitches = np.array([note.pitch for note in ordered], dtype=np.int64)
    starts = np.array(bars, dtype=np.float64)
    for array in (onsets, offsets, pitches, starts, beats):
        array.setflags(write=False)
    return Score(
        title,
        onsets,
        offsets,
        pitches,
        starts,
        tuple(names),
        beats,
        Score.seconds if tempo is None or tempo <= 0 else 60.0 / tempo,
        drawing,
        () if drawing is None else tuple(note.id for note in ordered),
        signature,
        tuple((float(time), sharps) for time, sharps in signatures),
        spelling if any(step is not None for step in spelling) else (),
    )
