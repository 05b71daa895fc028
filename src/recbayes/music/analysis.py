"""From a score to its hierarchy: slices, the trees that explain them, and the keys of their nodes."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, singledispatch
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

import numpy as np

from recbayes.checks.arguments import instance, path_of
from recbayes.checks.arrays import short
from recbayes.checks.files import write_whole
from recbayes.errors import ModelError
from recbayes.family.posterior import Posterior
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.inference.draws import sample_posterior
from recbayes.inference.load import load
from recbayes.music.harmony import BEFORE, SLICE, Harmony
from recbayes.music.keys import key_name, tonic_name
from recbayes.music.model import key_of, mode_profiles, profiles
from recbayes.music.page import PageNode, music_page
from recbayes.music.score import Score
from recbayes.music.slices import Slices, slice_score
from recbayes.spans.constraints import Known
from recbayes.tree.tree import Tree

MOST_SLICES = 80  # of a chart; in longer pieces two, three or more are one
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
COMPONENTS = 4  # Gaussians per message: twelve transpositions are much for one

EXPLANATION = (
    "Passages, their keys and their probabilities were found in the notes alone, by a recursive Bayesian network that knows "
    "which pitch classes sound for how long. A passage ends with its own harmony; what comes before prepares it. The "
    "probability says how often a passage is one in all the analyses that the model thinks possible; below a half, read it "
    "as a suggestion.\n\n"
    "What the model does not know: metre, melody and voice leading. A key is the one whose profile of pitch classes the "
    "passage resembles most; single bars are called by their chords."
)


@dataclass(frozen=True, eq=False)
class Analysis:
    """The hierarchy of a piece.

    Attributes:
        score: the piece.
        slices: what was looked at.
        model: by which it was found.
        posterior: all that is known of its trees.
    """

    score: Score
    slices: Slices
    model: Harmony | GaussianRBN
    posterior: Posterior

    @cached_property
    def tree(self) -> Tree:
        """The tree to look at; spans are slices."""
        return chosen(self.model, self.posterior)

    @cached_property
    def nodes(self) -> tuple[PageNode, ...]:
        """The tree's nodes in quarters, with keys, transpositions and probabilities."""
        return tuple(_nodes(self.tree, self.slices, self.model))

    def table(self) -> list[dict[str, Any]]:
        """One row for each node, from the whole piece down: bars, key, probability, transposition."""
        edges, names = self.score.bars, self.score.names
        rows = []
        for node in self.nodes:
            first, last = _bar(edges, node.start + 1e-6), _bar(edges, node.end - 1e-6)
            rows.append(
                {
                    "from": names[first],
                    "to": names[last],
                    "start": node.start,
                    "end": node.end,
                    "depth": node.depth,
                    "key": node.label,
                    "probability": node.probability,
                    "transposition": node.shift,
                }
            )
        return rows

    def to_html(self, path: str | os.PathLike | None = None) -> str | Path:
        """The page for musicians: score, tree and sound in one file.

        Arguments:
            path: where to write it; the path is then returned. None returns the page as text.
        """
        page = music_page(self.score, self.nodes, heading=self.score.title, explanation=EXPLANATION)
        if path is None:
            return page
        target = path_of(path)
        write_whole(target, page)
        return target

    def __repr__(self) -> str:
        return f"Analysis({self.score.title!r}: {len(self.slices.edges) - 1} slices, {len(self.tree)} passages)"


def analyse(
    score: Score, *, per: str | int = "bar", model: Harmony | GaussianRBN | None = None, draws: int = 500, seed: int = 0
) -> Analysis:
    """The hierarchy of a piece, with honest probabilities: an `Analysis`.

    Arguments:
        score: the piece, as `read_score` reads it.
        per: what is summed over: "bar", "beat", or a number of equal slices. In pieces with more than 80 slices two of them,
            or three and so on, are one.
        model: a `Harmony`, or a `GaussianRBN` over shares of pitch classes. None takes the pretrained one.
        draws: how many trees are drawn.
        seed: of the draws.
    """
    instance(score, Score, "score")
    model = pretrained() if model is None else model
    modes_of(model)  # an error, if it is no music model
    slices = _at_most(slice_score(score, per), MOST_SLICES)
    return Analysis(score, slices, model, draw_passages(model, slices.counts, draws, seed))


@singledispatch
def draw_passages(model: Any, counts: np.ndarray, draws: int, seed: int, allowed: np.ndarray | None = None) -> Posterior:
    """Trees over slices, given as sounding times, from the posterior of a music model."""
    raise ModelError(f"a Harmony or a music model (a GaussianRBN of Compositions) was expected, got {short(model)}")


@draw_passages.register
def _(model: GaussianRBN, counts: np.ndarray, draws: int, seed: int, allowed: np.ndarray | None = None) -> Posterior:
    return sample_posterior(model, profiles(counts), draws=draws, seed=seed, allowed=allowed, components=COMPONENTS)


@draw_passages.register
def _(model: Harmony, counts: np.ndarray, draws: int, seed: int, allowed: np.ndarray | None = None) -> Posterior:
    grammar = model.grammar(counts)
    known: Known = {"allowed": allowed, "preference": grammar.preference}
    return sample_posterior(grammar, grammar.tokens, draws=draws, seed=seed, **known)


@singledispatch
def chosen(model: Any, posterior: Any) -> Tree:
    """The tree of highest expected F1."""
    return posterior.tree()


@chosen.register
def _(model: Harmony, posterior: Any) -> Tree:
    """Likewise, with nodes called by what they are most probably, whatever the rest of the tree; where passages have several
    slices, the most probable tree, as spans alone do not tell a leaf of two slices from a passage that is divided."""
    tree = passages(posterior.tree() if len(model.lengths) == 1 else posterior.tree("map"))
    chart = posterior.chart
    nodes = []
    for node in tree:
        states = chart.outside.nodes[chart.span(*node.span), : model.states]
        probability = min(float(states.sum()), 1.0)
        nodes.append(replace(node, label=model.names[int(states.argmax())], rule="", probability=probability))
    return Tree(nodes, tree.arities)


@singledispatch
def state_of(model: Any, label: str) -> tuple[int, str] | None:
    """Root and kind of a node, if the model knows them."""
    return None


@state_of.register
def _(model: Harmony, label: str) -> tuple[int, str] | None:
    return model.state_of(label)


@singledispatch
def modes_of(model: Any) -> dict[str, np.ndarray]:
    """Profiles of the modes that a music model knows, from their tonics on."""
    raise ModelError(f"a Harmony or a music model (a GaussianRBN of Compositions) was expected, got {short(model)}")


modes_of.register(GaussianRBN)(mode_profiles)
modes_of.register(Harmony)(lambda model: model.mode_profiles)


def passages(tree: Tree) -> Tree:
    """A tree without the nodes that only say what a passage prepares, or which slices it has."""
    kept = [number for number, node in enumerate(tree) if not node.label.startswith((BEFORE, SLICE))]

    def arity(number: int) -> int:
        children = tree.children(number)
        return 0 if children and tree.nodes[children[0]].label.startswith(SLICE) else len(children)

    return Tree([tree.nodes[number] for number in kept], [arity(number) for number in kept])


@lru_cache(maxsize=1)
def pretrained() -> Harmony:
    """The model in the box; see docs/guides/music.md for what it was learnt from."""
    return cast(Harmony, load(Path(str(files("recbayes.music").joinpath("pretrained.json")))))


def _at_most(slices: Slices, most: int) -> Slices:
    """As many neighbouring slices taken together as it takes to have no more than so many."""
    step = -(-len(slices.counts) // most)
    starts = np.arange(0, len(slices.counts), step)
    counts = np.add.reduceat(slices.counts, starts)
    edges = np.append(slices.edges[starts], slices.edges[-1])
    return Slices(edges, counts, slices.bar[starts], slices.beat[starts], slices.seconds[starts])


def _nodes(tree: Tree, slices: Slices, model: Harmony | GaussianRBN) -> Sequence[PageNode]:
    """Keys are those of the notes that sound in a passage, as musicians would have them; values of nodes say what they lead
    to. Slices are called by their chords, if the model knows these."""
    modes, parents, found = modes_of(model), tree.parents, []
    heights = _heights(tree)
    for place, node in enumerate(tree):
        key, mode = key_of(slices.counts[node.start : node.end].sum(axis=0), modes)
        label, state = key_name(key, mode), state_of(model, node.label)
        if state is not None and not heights[place]:
            key, mode, label = state[0], "minor" if state[1].split()[0] in DARK else "major", chord_name(*state)
        found.append(
            PageNode(
                start=float(slices.edges[node.start]),
                end=float(slices.edges[node.end]),
                depth=tree.levels[place],
                level=heights[place],
                probability=None if node.probability is None else min(max(node.probability, 0.0), 1.0),
                key=key,
                mode=mode,
                label=label,
                shift=_transposition(tree, place, model),
                parent=None if parents[place] < 0 else parents[place],
            )
        )
    return found


def _heights(tree: Tree) -> list[int]:
    """How many levels there are below each node."""
    found = [0] * len(tree)
    for place in reversed(range(len(tree))):  # parents come before their children
        above = tree.parents[place]
        if above >= 0:
            found[above] = max(found[above], found[place] + 1)
    return found


def _transposition(tree: Tree, place: int, model: Harmony | GaussianRBN) -> int | None:
    """By how many semitones, from -5 to 6, a left child is moved against its parent."""
    above = tree.parents[place]
    if above < 0 or tree.children(above)[0] != place:
        return None
    here, there = (state_of(model, tree.nodes[node].label) for node in (place, above))
    if here is not None and there is not None:
        steps = here[0] - there[0]
    else:
        steps = int(tree.nodes[above].rule.partition("shift ")[2].partition(",")[0] or 0)
    return (steps + 5) % 12 - 5


def chord_name(root: int, kind: str) -> str:
    """A state as musicians write it, G7 for a dominant seventh on G; scales, and what has no sign, in full."""
    return tonic_name(root) + CHORD_SIGNS.get(kind, f" {kind}")


def _bar(edges: np.ndarray, time: float) -> int:
    return int(np.clip(np.searchsorted(edges, time, side="right") - 1, 0, len(edges) - 2))
