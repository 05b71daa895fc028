"""What the nodes of a tree are called: passages by their keys and the harmony they end with, bars by their chords."""

from collections.abc import Sequence
from functools import singledispatch
from typing import Any

import numpy as np

from recbayes.music.harmony import Harmony
from recbayes.music.page import PageNode
from recbayes.music.passage_keys import KEYS, key_probabilities
from recbayes.music.score import Score
from recbayes.music.slices import Slices
from recbayes.music.spelling import Spelling, key_spelt, root_name, spelt
from recbayes.tree.tree import Tree

CHORD_SIGNS = {
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
DARK = ("minor", "diminished", "half-diminished")  # how kinds begin that have the colour of a minor key
SILENCE = "–"

State = tuple[int, str]  # a root and a kind


@singledispatch
def state_of(model: Any, label: str) -> State | None:
    """Root and kind of a node, if the model knows them."""
    return None


@state_of.register
def _(model: Harmony, label: str) -> State | None:
    return model.state_of(label)


def labelled(tree: Tree, slices: Slices, score: Score, model: Any) -> list[PageNode]:
    """The nodes in quarters. Keys are those of the notes, as musicians would have them; what nodes lead to, and the chords
    of single slices, are the model's, if it knows any. Where nothing sounds there is no chord."""
    states = [state_of(model, node.label) for node in tree]
    heights = _heights(tree)
    ends = [state[0] if state and (not place or heights[place]) else None for place, state in enumerate(states)]
    keys = key_probabilities(slices.counts, tree.spans, tree.parents, ends)
    found = []
    for place, (node, state) in enumerate(zip(tree, states, strict=True)):
        best = int(keys[place].argmax())
        tonic, mode = KEYS[best]
        silent = not slices.counts[node.start : node.end].any()
        quiet = not slices.counts[node.end - 1].any()  # at its end
        start, end = float(slices.edges[node.start]), float(slices.edges[node.end])
        last = float(slices.edges[node.end - 1])
        at_end = spelt(score, last, end), score.signature_at(last)
        chord = "" if state is None or quiet else chord_name(*state, *at_end)
        in_key = "" if silent else key_spelt(tonic, mode, spelt(score, start, end), score.signature_at(start))
        is_bar = not heights[place] and chord != ""
        found.append(
            PageNode(
                start=start,
                end=end,
                depth=tree.levels[place],
                level=heights[place],
                probability=None if node.probability is None else min(max(node.probability, 0.0), 1.0),
                key=None if silent else state[0] if is_bar and state is not None else tonic,
                mode=None if silent else _colour(state) if is_bar and state is not None else mode,
                label=SILENCE if silent else chord if is_bar else in_key,
                shift=None if quiet else _transposition(tree, place, states),
                parent=None if tree.parents[place] < 0 else tree.parents[place],
                chord=chord,
                in_key=in_key,
                key_probability=None if silent else float(keys[place, best]),
            )
        )
    return found


def chord_name(root: int, kind: str, known: Spelling, signature: int | None = None) -> str:
    """A state as musicians write it, G7 for a dominant seventh on G; scales, and what has no sign, in full."""
    return root_name(root, known, signature) + CHORD_SIGNS.get(kind, f" {kind}")


def _colour(state: State) -> str:
    return "minor" if state[1].split()[0] in DARK else "major"


def _heights(tree: Tree) -> list[int]:
    """How many levels there are below each node."""
    found = [0] * len(tree)
    for place in reversed(range(len(tree))):  # parents come before their children
        above = tree.parents[place]
        if above >= 0:
            found[above] = max(found[above], found[place] + 1)
    return found


def _transposition(tree: Tree, place: int, states: Sequence[State | None]) -> int | None:
    """By how many semitones, from -5 to 6, a left child is moved against its parent."""
    above = tree.parents[place]
    if above < 0 or tree.children(above)[0] != place:
        return None
    here, there = states[place], states[above]
    if here is not None and there is not None:
        steps = here[0] - there[0]
    else:
        steps = int(tree.nodes[above].rule.partition("shift ")[2].partition(",")[0] or 0)
    return int(np.mod(steps + 5, 12)) - 5
