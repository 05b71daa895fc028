"""A score as its notes: what sounds from when to when, and where bars and beats are. Times are in quarter notes."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Score:
    """Notes of a piece, sorted by onset and pitch; ties are merged, grace notes left out. Times are in quarter notes.

    Arguments:
        title: of the piece.
        onsets: when each note begins, (notes,).
        offsets: when it ends.
        pitches: as MIDI numbers: 60 is middle C.
        bars: where bars begin, and the end of the piece, (bars + 1,).
        names: what bars are called, mostly their numbers.
        beats: where beats begin, and the end of the piece, (beats + 1,).
        seconds: of a quarter note: how fast it is played.
        drawing: what the score is drawn from (MEI). None if it was not read from a score.
        ids: the notes' names in the drawing, if there is one.
        signature: the sharps of the key signature at the beginning, as it sounds; flats are negative. None if there is none
            that says how keys are spelt.
        signatures: where key signatures change: when, and the sharps of what follows.
        spelling: how notes are spelt, as they sound, in fifths above C: 1 is G, -1 is F, 6 is F sharp; None where it is not
            known. Nothing, if it is known of none.
        composer: of the piece, if the score names one.
        endings: whether there are endings for several times that stand one after the other, and are not played out.
    """

    title: str
    onsets: np.ndarray
    offsets: np.ndarray
    pitches: np.ndarray
    bars: np.ndarray
    names: tuple[str, ...]
    beats: np.ndarray
    seconds: float = 0.75
    drawing: str | None = None
    ids: tuple[str, ...] = ()
    signature: int | None = None
    signatures: tuple[tuple[float, int], ...] = ()
    spelling: tuple[int | None, ...] = ()
    composer: str = ""
    endings: bool = False

    @property
    def end(self) -> float:
        """When the piece ends."""
        return float(self.bars[-1])

    def signature_at(self, time: float) -> int | None:
        """The key signature that is in force at a time.

        Arguments:
            time: in quarter notes.
        """
        return next((sharps for start, sharps in reversed(self.signatures) if start <= time + 1e-6), self.signature)

    def __len__(self) -> int:
        return len(self.onsets)

    def __repr__(self) -> str:
        return f"Score({self.title!r}: {len(self)} notes, {len(self.names)} bars, {self.end:g} quarters)"
