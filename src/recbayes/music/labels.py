"""What the nodes of a tree are called: passages by their keys and the harmony they end with, bars by their chords."""

from collections.abc import Sequence
from functools import singledispatch
from typing import Any

import numpy as np

from recbayes.music.chords import Chord, chord_name, following_chords, rooted, seen
from recbayes.music.harmony import Harmony
from recbayes.music.page import PageNode
from recbayes.music.passage_keys import KEYS, key_probabilities
from recbayes.music.score import Score
from recbayes.music.slices import Slices
from recbayes.music.spelling import Spelling, key_spelt, spelt
from recbayes.tree.tree import Tree

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


def labelled(tree: Tree, slices: Slices, score: Score, model: Any, harmonies: Sequence[Chord | None]) -> list[PageNode]:
    """The nodes in quarters. Keys are those of the notes, as musicians would have them; what nodes lead to, and the chords
    of single slices, are the model's (`chords_of`), if it knows any. Where nothing sounds there is no chord."""
    states = [state_of(model, node.label) for node in tree]
    signs = [_signs_at_end(node.end, slices, score) for node in tree]
    harmonies = [seen(one, slices.counts[node.end - 1]) for one, node in zip(harmonies, tree, strict=True)]
    after = following_chords(tree, harmonies)
    chords = [None if c is None else rooted(c, known[0], one) for c, known, one in zip(harmonies, signs, after, strict=True)]
    heights = _heights(tree)
    ends = [state[0] if state and (not place or heights[place]) else None for place, state in enumerate(states)]
    keys = key_probabilities(slices.counts, tree.spans, tree.parents, ends)
    found = []
    for place, (node, chord) in enumerate(zip(tree, chords, strict=True)):
        best = int(keys[place].argmax())
        tonic, mode = KEYS[best]
        silent = not slices.counts[node.start : node.end].any()
        quiet = not slices.counts[node.end - 1].any()  # at its end
        start, end = float(slices.edges[node.start]), float(slices.edges[node.end])
        name = "" if chord is None else chord_name(chord, *signs[place])
        in_key = "" if silent else key_spelt(tonic, mode, spelt(score, start, end), score.signature_at(start))
        of_bar = None if heights[place] else chord
        found.append(
            PageNode(
                start=start,
                end=end,
                depth=tree.levels[place],
                level=heights[place],
                probability=None if node.probability is None else min(max(node.probability, 0.0), 1.0),
                key=None if silent else tonic if of_bar is None else of_bar.root,
                mode=None if silent else mode if of_bar is None else _colour(of_bar),
                label=SILENCE if silent else in_key if of_bar is None else name,
                shift=None if quiet else _transposition(tree, place, chords),
                parent=None if tree.parents[place] < 0 else tree.parents[place],
                chord=name,
                chord_probability=None if chord is None else chord.probability,
                is_chord=chord is None or chord.is_one,
                in_key=in_key,
                key_probability=None if silent else float(keys[place, best]),
            )
        )
    return found


def _signs_at_end(end: int, slices: Slices, score: Score) -> tuple[Spelling, int | None]:
    """How notes are spelt in the slice that ends there, and its key signature."""
    last = float(slices.edges[end - 1])
    return spelt(score, last, float(slices.edges[end])), score.signature_at(last)


def _colour(chord: Chord) -> str | None:
    return None if chord.root is None else "minor" if chord.kind.split()[0] in DARK else "major"


def _heights(tree: Tree) -> list[int]:
    """How many levels there are below each node."""
    found = [0] * len(tree)
    for place in reversed(range(len(tree))):  # parents come before their children
        above = tree.parents[place]
        if above >= 0:
            found[above] = max(found[above], found[place] + 1)
    return found


def _transposition(tree: Tree, place: int, chords: Sequence[Chord | None]) -> int | None:
    """By how many semitones, from -5 to 6, a left child is moved against its parent, if their roots are known."""
    above = tree.parents[place]
    if above < 0 or tree.children(above)[0] != place:
        return None
    here, there = chords[place], chords[above]
    if here is not None and there is not None:
        if here.root is None or there.root is None:
            return None
        steps = here.root - there.root
    else:
        steps = int(tree.nodes[above].rule.partition("shift ")[2].partition(",")[0] or 0)
    return int(np.mod(steps + 5, 12)) - 5
