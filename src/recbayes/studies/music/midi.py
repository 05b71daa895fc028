"""Notes and bars of a MIDI file. It stands in for the reader of scores."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from recbayes.errors import DataError, FileError


@dataclass(frozen=True, eq=False)
class Sounds:
    """Notes as rows (onset, offset, pitch), and where bars begin, with the end of the piece; times are in quarters."""

    notes: np.ndarray
    bars: np.ndarray

    def sounding(self, edges: np.ndarray) -> np.ndarray:
        """(slices, 12): how long each pitch class sounds between edges; notes of one pitch that overlap count once."""
        counts = np.zeros((len(edges) - 1, 12))
        for pitch in np.unique(self.notes[:, 2]):
            until = 0.0
            for onset, offset, _ in self.notes[self.notes[:, 2] == pitch]:
                onset, until = max(onset, until), max(offset, until)
                shared = np.minimum(edges[1:], until) - np.maximum(edges[:-1], onset)
                counts[:, int(pitch) % 12] += np.maximum(shared, 0.0)
        return counts


def read_midi(path: Path) -> Sounds:
    """Bars are those of the time signatures; without any there are four quarters in each. The last note is the end."""
    try:
        import symusic
    except ImportError as problem:
        raise DataError(f"reading scores needs symusic: pip install 'recbayes[music]' ({problem})") from None
    try:
        score: Any = symusic.Score(str(path))
    except (RuntimeError, ValueError) as problem:
        raise FileError(f"{path} cannot be read: {problem}") from None
    unit = score.ticks_per_quarter
    notes = sorted((n.time / unit, (n.time + n.duration) / unit, n.pitch) for track in score.tracks for n in track.notes)
    if not notes:
        raise FileError(f"{path} has no notes")
    meters = [(one.time / unit, 4 * one.numerator / one.denominator) for one in score.time_signatures] or [(0.0, 4.0)]
    end = max(offset for _, offset, _ in notes)
    bars = [0.0]
    while bars[-1] < end - 1e-6:
        length = [length for begins, length in meters if begins <= bars[-1] + 1e-6][-1]
        bars.append(bars[-1] + length)
    return Sounds(np.array(notes), np.array([*bars[:-1], end]))
