"""Keys of passages, all at once: what the notes of each say, and that passages often keep the key of what they are part of.

Keys are a Markov chain along the branches of the tree. A passage is in the key of the passage around it with probability
`STAY`, or in another, the less probably the farther that is on the circle of fifths. Its notes are drawn from the profile of
its key; they count as `NOTES` notes, however long the passage is, since notes of one bar are not independent, and since they
count again in all that the bar is part of. A passage ends with its tonic or dominant rather than on other steps; a piece
nearly always ends with its tonic. Sums up and down the tree give the probability of every key.

The numbers were chosen on the keys annotated in the preludes of the Well-Tempered Clavier I (When in Rome); `python -m
benchmarks.passage_keys` says how well such a choice does for preludes it has not seen. Profiles are those of Temperley,
What's key for key?, Music Perception 17 (1999).
"""

from collections.abc import Sequence

import numpy as np
from scipy.special import logsumexp

from recbayes.music.model import CLASSES, MODES

PROFILES = {
    "major": (5.0, 2.0, 3.5, 2.0, 4.5, 4.0, 2.0, 4.5, 2.0, 3.5, 1.5, 4.0),
    "minor": (5.0, 2.0, 3.5, 4.5, 2.0, 4.0, 2.0, 4.5, 3.5, 2.0, 1.5, 4.0),
}
NOTES = 7.0
STAY = 0.5
ENDS = {
    0: 0.2,
    7: 0.15,
}  # probabilities of a passage's last harmony, by steps above the tonic; the other steps share the rest
HOME = {0: 0.8}  # likewise of a whole piece's
APART = 0.5  # by which a step along the circle of fifths lowers the logarithm
OTHER_MODE = 0.5  # steps that a change of mode counts as
KEYS = [(tonic, mode) for mode in MODES for tonic in range(CLASSES)]


def key_probabilities(
    counts: np.ndarray, spans: Sequence[tuple[int, int]], parents: Sequence[int], ends: Sequence[int | None]
) -> np.ndarray:
    """Probabilities of all `KEYS` for the nodes of a tree, (nodes, 24).

    Arguments:
        counts: sounding times of pitch classes, (slices, 12).
        spans: of the nodes, in slices.
        parents: places of the nodes' parents, which come before them; -1 for the root, which is the first.
        ends: roots of the harmonies that passages end with, as pitch classes; None if one is unknown, or told by the notes.
    """
    keeps = np.log(_changes())
    up = np.array([_heard(counts[start:end].sum(axis=0)) for start, end in spans])
    for place, root in enumerate(ends):
        if root is not None:
            up[place] += np.log([_ending(HOME if parents[place] < 0 else ENDS, root - tonic) for tonic, _ in KEYS])
    sent = np.zeros_like(up)
    for place in reversed(range(len(spans))):
        if parents[place] >= 0:
            sent[place] = logsumexp(keeps + up[place], axis=1)
            up[parents[place]] += sent[place]
    both = up.copy()
    for place, above in enumerate(parents):
        if above >= 0:
            both[place] += logsumexp(keeps + (both[above] - sent[place])[:, None], axis=0)
    return np.exp(both - logsumexp(both, axis=1, keepdims=True))


def _heard(times: np.ndarray) -> np.ndarray:
    """Log probabilities of the notes of a passage in all keys; silence says nothing."""
    profiles = np.array([np.roll(PROFILES[mode], tonic) for tonic, mode in KEYS])
    total = times.sum()
    shares = times / total if total > 0.0 else np.zeros(CLASSES)
    return NOTES * np.log(profiles / profiles.sum(axis=1, keepdims=True)) @ shares


def _ending(known: dict[int, float], steps: int) -> float:
    """The probability of a last harmony so many semitones above the tonic."""
    return known.get(steps % CLASSES, (1.0 - sum(known.values())) / (CLASSES - len(known)))


def _changes() -> np.ndarray:
    """The probability of a passage's key (column), given that of the passage around it (row)."""
    signatures = np.array([7 * (tonic + (3 if mode == "minor" else 0)) % 12 for tonic, mode in KEYS])
    minor = np.array([mode == "minor" for _, mode in KEYS])
    steps = np.abs((signatures[:, None] - signatures + 6) % 12 - 6)
    others = np.exp(-APART * (steps + OTHER_MODE * (minor[:, None] != minor)))
    np.fill_diagonal(others, 0.0)
    return STAY * np.eye(len(KEYS)) + (1.0 - STAY) * others / others.sum(axis=1, keepdims=True)
