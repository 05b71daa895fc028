"""From a score to its hierarchy: slices, the trees that explain them, and the keys of their nodes."""

import os
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, singledispatch
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

import numpy as np

from recbayes import __version__
from recbayes.checks.arguments import instance, path_of
from recbayes.checks.arrays import short, whole_number
from recbayes.checks.files import write_whole
from recbayes.errors import DataError, FileError, ModelError
from recbayes.family.posterior import Posterior
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.inference.draws import sample_posterior
from recbayes.inference.load import load
from recbayes.music.chords import Chord, chords_of, likeliest
from recbayes.music.harmony import BEFORE, SLICE, Harmony
from recbayes.music.labels import labelled
from recbayes.music.model import mode_profiles, profiles
from recbayes.music.page import PageNode, music_page
from recbayes.music.reading import read_score
from recbayes.music.score import Score
from recbayes.music.slices import Slices, slice_score
from recbayes.music.telling import ENDINGS, headline, how_made, in_lines, rows, still, taken_together
from recbayes.spans.constraints import Known
from recbayes.tree.tree import Tree

MOST_SLICES = 80  # of a chart
COMPONENTS = 4  # Gaussians per message: twelve transpositions are much for one

EXPLANATION = (
    "Passages, their keys and their probabilities were found in the notes alone, by a recursive Bayesian network that knows "
    "which pitch classes sound for how long. A passage ends with its own harmony; what comes before prepares it. The "
    "percentage says how often these bars are one passage in all the analyses that the model thinks possible; below a "
    "half, read it as a suggestion. It does not say how sure a key or a chord is: a question mark says that one is less "
    "probable than not, and the details of a passage that is clicked say how probable it is.\n\n"
    "What the model does not know: metre, melody and voice leading. Keys are those that notes make probable where a passage "
    "often keeps the key of what it is part of; single bars are called by the chord, the scale or the single note that "
    "is most probable."
)


@dataclass(frozen=True, eq=False)
class Analysis:
    """The hierarchy of a piece.

    Attributes:
        score: the piece.
        slices: what was looked at.
        model: by which it was found.
        posterior: all that is known of its trees.
        per: what was asked to be summed over.
        together: how many bars, beats or slices are one slice.
        draws: how many trees were drawn.
        seed: of the draws.
    """

    score: Score
    slices: Slices
    model: Harmony | GaussianRBN
    posterior: Posterior
    per: str | int = "bar"
    together: int = 1
    draws: int = 500
    seed: int = 0

    @cached_property
    def tree(self) -> Tree:
        """The tree to look at; spans are slices."""
        return chosen(self.model, self.posterior)

    @cached_property
    def nodes(self) -> tuple[PageNode, ...]:
        """The tree's nodes in quarters, with keys, transpositions and probabilities."""
        return tuple(labelled(self.tree, self.slices, self.score, self.model, self._chords))

    @property
    def note(self) -> str:
        """What to know of the slices: whether several bars or beats are one, as in long pieces, and whether endings stand
        one after the other; mostly nothing."""
        together = taken_together(self.per, self._count, self.together)
        return "; ".join(filter(None, [together, ENDINGS if self.score.endings else ""]))

    def lines(self) -> list[str]:
        """The whole piece and its largest passages in words, a line each: bars, key, the chord that they end with."""
        return in_lines(self.score, self.nodes)

    def table(self) -> list[dict[str, Any]]:
        """One row for each node, from the whole piece down.

        `from` and `to` are bars, with beats where a passage cuts bars; `start` and `end` are in quarters. `key` is that of
        the passage, and `chord` the harmony that it ends with; of a single bar, its own. Both are None where nothing sounds.
        "notes of G major", "mostly G" and "G alone" are no chords. `key_probability` and `chord_probability` say how sure
        both are, the latter of root and kind together; `probability` is that of the passage. `transposition` is the interval
        from the root of what follows to that of a passage that leads there, in semitones.
        """
        return rows(self.score, self.nodes)

    def to_html(self, path: str | os.PathLike | None = None) -> str | Path:
        """The page for musicians: score, tree and sound in one file.

        Arguments:
            path: where to write it, with the ending .html or .htm; .html is added where there is none, and the path is then
                returned. None returns the page as text.
        """
        target = None if path is None else page_path(path)
        made = how_made(self.per, self._count, self.together, self.draws, self.seed, __version__)
        made += f" {ENDINGS[0].upper()}{ENDINGS[1:]}." if self.score.endings else ""
        page = music_page(self.score, self.nodes, heading=self.score.title, explanation=f"{EXPLANATION}\n\n{made}")
        if target is None:
            return page
        write_whole(target, page)
        return target

    @property
    def _chords(self) -> list[Chord | None]:
        return chords_of(self.model, self.posterior, self.tree)

    @property
    def _count(self) -> int:
        """How many bars, beats or slices there were before some were taken together."""
        return len(slice_score(self.score, self.per))

    def _repr_html_(self) -> str:
        """A table of all passages, for notebooks."""
        return still(self.score, self.nodes, self.note)

    def __repr__(self) -> str:
        """The largest passages in words."""
        return "\n".join([headline(self.score, self.nodes), *filter(None, [self.note]), *self.lines()])


def page_path(path: str | os.PathLike) -> Path:
    """The name of a page, which cannot be that of a score or a picture; without an ending, it has .html."""
    target = path_of(path)
    if target.suffix.lower() not in ("", ".html", ".htm"):
        raise FileError(f"a page ends in .html, got {target.name!r}")
    return target if target.suffix else target.with_name(f"{target.name}.html")


def analyse(
    score: Score | str | os.PathLike,
    *,
    per: str | int = "bar",
    model: Harmony | GaussianRBN | None = None,
    draws: int = 500,
    seed: int = 0,
    most_slices: int = MOST_SLICES,
) -> Analysis:
    """The hierarchy of a piece, with honest probabilities: an `Analysis`.

    Arguments:
        score: the piece, as `read_score` reads it, or the name of a file that it reads.
        per: what is summed over: "bar", "beat", or a number of equal slices.
        model: a `Harmony`, or a `GaussianRBN` over shares of pitch classes. None takes the pretrained one.
        draws: how many trees are drawn.
        seed: of the draws.
        most_slices: in pieces with more slices two of them, or three and so on, are one (`Analysis.note` says so). Work
            grows with the third power.
    """
    if isinstance(score, str | os.PathLike):
        score = read_score(score)
    score = instance(score, Score, "score", "; read_score gives one, and the name of a file will do")
    model = pretrained() if model is None else model
    modes_of(model)  # an error, if it is no music model
    single = slice_score(score, per)
    step = -(-len(single) // whole_number(most_slices, "most_slices", least=2, error=DataError))
    slices = _together(single, step)
    posterior = draw_passages(model, slices.counts, draws, seed)
    return Analysis(score, slices, model, posterior, per, step, draws, seed)


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
        nodes.append(replace(node, label=model.names[likeliest(model, states)[0]], rule="", probability=probability))
    return Tree(nodes, tree.arities)


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


def _together(slices: Slices, step: int) -> Slices:
    """So many neighbouring slices taken together."""
    starts = np.arange(0, len(slices.counts), step)
    counts = np.add.reduceat(slices.counts, starts)
    edges = np.append(slices.edges[starts], slices.edges[-1])
    return Slices(edges, counts, slices.bar[starts], slices.beat[starts], slices.seconds[starts])
