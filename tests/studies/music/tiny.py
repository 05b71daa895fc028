"""Pieces of a few bars, made up: scales and chords, as counts and as MIDI files."""

from pathlib import Path

import numpy as np

from recbayes.studies.music.pieces import Observed, Piece

CHORDS = {"I": (0, 4, 7), "IV": (5, 9, 0), "V": (7, 11, 2), "vi": (9, 0, 4)}
SONG = ("I", "IV", "V", "I", "vi", "IV", "V", "I")


def counts_of(song: tuple[str, ...], tonic: int, seed: int) -> np.ndarray:
    """(bars, 12): chords, with a little of everything."""
    counts = np.random.default_rng(seed).uniform(0.0, 0.3, (len(song), 12))
    for row, name in zip(counts, song, strict=True):
        row[[(tonic + step) % 12 for step in CHORDS[name]]] += 1.0
    return counts


def tiny_piece(name: str, tonic: int = 0, seed: int = 0, song: tuple[str, ...] = SONG) -> Piece:
    """Bars of four quarters; slices are halves of bars."""
    bars = 4.0 * np.arange(len(song) + 1)
    counts = counts_of(song, tonic, seed)
    slices = Observed(np.repeat(counts / 2, 2, axis=0), np.linspace(0.0, bars[-1], 2 * len(song) + 1))
    return Piece(name, slices, Observed(counts, bars), tuple(str(number + 1) for number in range(len(song))))


def write_midi(path: Path, song: tuple[str, ...] = SONG, tonic: int = 0, meter: tuple[int, int] = (4, 4)) -> Path:
    """A chord a bar, and a note that goes on below it twice."""
    import symusic

    score = symusic.Score(480)
    score.time_signatures.append(symusic.TimeSignature(0, *meter))
    length = 480 * 4 * meter[0] // meter[1]
    track = symusic.Track("piano")
    for bar, name in enumerate(song):
        for step in CHORDS[name]:
            track.notes.append(symusic.Note(bar * length, length, 60 + tonic + step, 64))
    again = symusic.Track("bass")
    again.notes.append(symusic.Note(0, length, 60 + tonic, 64))  # the first chord has it already
    score.tracks.append(track)
    score.tracks.append(again)
    score.dump_midi(str(path))
    return path


ROMAN = """Composer: nobody
Time Signature: 4/4

m1 C: I
m2 b1 IV b3 ii6
m3 V
Note: nothing in particular
m4 G: IV b3 V7
m5 I
m5var1 e: i
m6 IV
m7 C: V
m8 I
"""
TREE = [(0, 8), (0, 4), (4, 8), (0, 2), (2, 4), (4, 6), (6, 8), *((bar, bar + 1) for bar in range(8))]


def write_annotations(folder: Path, name: str, *, tree: bool = True) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}_analysis.rntxt").write_text(ROMAN, encoding="utf-8")
    if tree:
        rows = "\n".join(f"{start},{end},x" for start, end in TREE)
        (folder / f"{name}_tree.csv").write_text(f"start_bar,end_bar,label\n{rows}\n", encoding="utf-8")
    return folder
