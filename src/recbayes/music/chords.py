"""What a passage ends with: the harmony that is most probable, how probable it is, and what it is called.

Not every harmony is a chord: of a scale, or of a note alone, it is said that it is that. A chord that repeats every so many
semitones, as a diminished seventh does, has no root that can be heard: what sounds alike is one harmony here, and its root
is told only where the score's spelling, or the chord that follows, says it.
"""

from collections.abc import Sequence
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np

from recbayes.music.harmony import Harmony
from recbayes.music.model import CLASSES
from recbayes.music.spelling import Spelling, root_name
from recbayes.tree.tree import Tree

SIGNS = {
    "major triad": "",
    "minor triad": "m",
    "dominant seventh": "7",
    "diminished seventh": "°7",
    "minor seventh": "m7",
    "major seventh": "maj7",
    "half-diminished seventh": "ø7",
    "suspended seventh": "7sus4",
    "dominant ninth": "7b9",
}
REPEATS = {"diminished seventh": 3}  # semitones after which a kind has the same notes again
MINOR_THIRD = -3  # upwards, in fifths
SCALE, MOSTLY = " scale", "single note"  # kinds that are no chords: a bar that is mostly one note may have others
ALONE = "nothing but one note"  # a kind that is no model's: it is seen
HALF = 0.5  # what is less probable is doubtful


class Chord(NamedTuple):
    """A harmony: its root, None if that means nothing, its kind, and the probability of both."""

    root: int | None
    kind: str
    probability: float | None = None

    @property
    def is_one(self) -> bool:
        """Whether it is a chord at all."""
        return not (self.kind.endswith(SCALE) or self.kind in (MOSTLY, ALONE))

    @property
    def is_probable(self) -> bool:
        """Whether it is a chord, and more probable than not."""
        return self.is_one and (self.probability is None or self.probability > HALF)


@singledispatch
def chords_of(model: Any, posterior: Any, tree: Tree) -> list[Chord | None]:
    """The harmony that each node of a tree ends with, if the model knows any."""
    return [None] * len(tree)


@chords_of.register
def _(model: Harmony, posterior: Any, tree: Tree) -> list[Chord | None]:
    chart = posterior.chart
    found: list[Chord | None] = []
    for node in tree:
        state, probability = likeliest(model, chart.outside.nodes[chart.span(*node.span), : model.states])
        kind, root = divmod(state, CLASSES)
        found.append(Chord(root, model.kinds[kind], probability))
    return found


def likeliest(model: Harmony, weights: np.ndarray) -> tuple[int, float]:
    """The state that is the most probable, and its probability; states that sound alike are one, called by the likeliest."""
    alone = np.array(weights, dtype=np.float64).reshape(len(model.kinds), CLASSES)
    together = alone.copy()
    for row, kind in enumerate(model.kinds):
        if kind in REPEATS:
            together[row] = np.tile(alone[row].reshape(-1, REPEATS[kind]).sum(axis=0), CLASSES // REPEATS[kind])
    best = int(np.where(together == together.max(), alone, -1.0).argmax())
    return best, float(min(together.flat[best] / max(alone.sum(), 1e-300), 1.0))


def seen(chord: Chord | None, times: np.ndarray) -> Chord | None:
    """A harmony, given how long pitch classes sound: of nothing there is none, and one note alone is just that."""
    sounding = np.flatnonzero(times)
    return Chord(int(sounding[0]), ALONE) if len(sounding) == 1 and chord is not None else chord if len(sounding) else None


def rooted(chord: Chord, known: Spelling, following: Chord | None) -> Chord:
    """A chord with the root that is known of it.

    That of a diminished seventh is the lowest of the stack of minor thirds that its four notes are spelt as (B D F Ab); else
    the leading note of the chord that follows.
    """
    if chord.root is None or chord.kind not in REPEATS:
        return chord
    period = REPEATS[chord.kind]
    roots = [(chord.root + place) % CLASSES for place in range(0, CLASSES, period)]
    for root in roots:
        stack = [known.get((root + period * place) % CLASSES) for place in range(len(roots))]
        if None not in stack and stack == [known[root] + MINOR_THIRD * place for place in range(len(roots))]:
            return chord._replace(root=root)
    if following is None or following.root is None or following.kind in REPEATS or not following.is_probable:
        return chord._replace(root=None)
    leading = (following.root - 1) % CLASSES
    return chord._replace(root=leading if leading in roots else None)


def chord_name(chord: Chord, known: Spelling, signature: int | None = None) -> str:
    """What musicians call it: G7 for a dominant seventh on G; what is no chord, and what has no sign or root, in words."""
    if chord.root is None:
        return chord.kind
    root = root_name(chord.root, known, signature)
    if chord.kind in (MOSTLY, ALONE):
        return f"{root} alone" if chord.kind == ALONE else f"mostly {root}"
    if chord.kind.endswith(SCALE):
        return f"notes of {root} {chord.kind.removesuffix(SCALE)}"
    return root + SIGNS.get(chord.kind, f" {chord.kind}")


def following_chords(tree: Tree, chords: Sequence[Chord | None]) -> list[Chord | None]:
    """The harmony of the leaf after each node."""
    leaves = {node.start: chords[place] for place, node in enumerate(tree) if not tree.children(place)}
    return [leaves.get(node.end) for node in tree]
