"""How notes, chords and keys are spelt: as the score prints them, and else by the key signature in force."""

from collections import defaultdict

import numpy as np

from recbayes.music.keys import note_name, tonic_name
from recbayes.music.score import Score

FARTHEST = 7  # sharps or flats of a key that is spelt by the score's notes
SIGNATURE = {"major": 0, "minor": -3}  # sharps of a key's signature, as fifths from its tonic

Spelling = dict[int, int]  # pitch classes, and fifths above C


def spelt(score: Score, start: float, end: float) -> Spelling:
    """How the score spells the pitch classes that sound between two times; of two ways, the one that sounds longer.

    Spellings that do not fit their pitches, as in a score that was transposed by hand, say nothing.
    """
    if len(score.spelling) != len(score):
        return {}
    lasting = np.minimum(score.offsets, end) - np.maximum(score.onsets, start)
    times: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for note in np.flatnonzero(lasting > 0.0).tolist():
        step, pitch = score.spelling[note], int(score.pitches[note]) % 12
        if step is not None and 7 * step % 12 == pitch:
            times[pitch][step] += float(lasting[note])
    return {pitch: max(ways, key=lambda step: (ways[step], -abs(step))) for pitch, ways in times.items()}


def pitch_names(score: Score, start: float, end: float) -> list[str]:
    """What the twelve pitch classes are called between two times."""
    known = spelt(score, start, end)
    return [root_name(root, known, score.signature_at(start)) for root in range(12)]


def root_name(root: int, known: Spelling, signature: int | None) -> str:
    """The root of a chord."""
    return note_name(known[root]) if root in known else tonic_name(root, None, signature)


def key_spelt(tonic: int, mode: str, known: Spelling, signature: int | None) -> str:
    """A key, by its tonic as that is printed, unless there is no such key (G sharp major), and else by the signature."""
    if tonic in known and abs(known[tonic] + SIGNATURE[mode]) <= FARTHEST:
        return f"{note_name(known[tonic])} {mode}"
    return f"{tonic_name(tonic, mode, signature)} {mode}"


def wheel_name(tonic: int, mode: str, signature: int | None) -> str:
    """The tonic of a key on the circle of fifths, with no more sharps or flats in its signature than there are notes."""
    if signature is None:
        return tonic_name(tonic, mode)
    own = SIGNATURE[mode]
    ways = [step for step in range(7 * tonic % 12 - 24, 25, 12) if abs(step + own) <= FARTHEST]
    return note_name(min(ways, key=lambda step: (abs(step + own - signature), abs(step + own), step)))
