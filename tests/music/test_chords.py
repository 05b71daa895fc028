"""What harmonies are called, and how probable they are: exactly so where all can be counted."""

import numpy as np
import pytest

import recbayes as rb
from recbayes.music.analysis import pretrained
from recbayes.music.chords import Chord, chord_name, likeliest, rooted
from recbayes.music.page.nodes import facts_of
from recbayes.music.score import Score

B_D_F_AB = {11: 5, 2: 2, 5: -1, 8: -4}
DIMINISHED = "diminished seventh"


def piece(*bars: tuple[int, ...]) -> Score:
    """Chords of four quarters."""
    onsets = [4.0 * place for place, bar in enumerate(bars) for _ in bar]
    edges = np.arange(0.0, 4.0 * len(bars) + 1, 4.0)
    pitches = np.array([pitch for bar in bars for pitch in sorted(bar)])
    names = tuple(str(place + 1) for place in range(len(bars)))
    return Score("x", np.array(onsets), np.array(onsets) + 4.0, pitches, edges, names, np.arange(edges[-1] + 1))


@pytest.mark.parametrize(
    "notes", [(60, 64, 67), (60, 62, 64, 65, 67, 69, 71), (48, 60, 67), (59, 62, 65, 68), (60, 61, 62, 63)]
)
def test_the_probability_of_a_single_bar_is_that_of_the_rule_of_bayes(notes: tuple[int, ...]) -> None:
    """Nothing is around it: what kinds are beforehand, and what is heard. Four roots of a diminished seventh are one."""
    model = pretrained()
    found = rb.music.analyse(piece(notes), draws=20)
    weights = np.exp(model.heard(found.slices.counts).log_density[0]).reshape(-1, 12) * model.roots[:, None]
    total, row = weights.sum(), model.kinds.index(DIMINISHED)
    weights[row] = np.tile(weights[row].reshape(4, 3).sum(axis=0), 4)
    assert found.nodes[0].chord_probability == pytest.approx(weights.max() / total, rel=1e-6)
    assert found.table()[0]["chord_probability"] == found.nodes[0].chord_probability


def test_what_sounds_alike_is_one_harmony() -> None:
    model = pretrained()
    weights = np.zeros((len(model.kinds), 12))
    weights[0, 0], weights[model.kinds.index(DIMINISHED), [2, 5, 8, 11]] = 0.4, (0.1, 0.1, 0.3, 0.1)
    state, probability = likeliest(model, weights.ravel())
    assert model.names[state] == "Ab diminished seventh"
    assert probability == pytest.approx(0.6)


def test_roots_of_diminished_sevenths() -> None:
    """B D F A flat is on B, whatever root the model likes; without spelling, what follows may say it."""
    chord = Chord(8, DIMINISHED, 0.9)
    assert rooted(chord, B_D_F_AB, None).root == 11
    assert rooted(chord, {**B_D_F_AB, 8: 8}, None).root == 8  # G sharp
    assert rooted(chord, {}, None).root is None
    assert rooted(chord, {}, Chord(0, "minor triad", 0.9)).root == 11
    for other in (Chord(0, "minor triad", 0.4), Chord(1, "minor triad", 0.9), Chord(0, "major scale"), Chord(0, DIMINISHED)):
        assert rooted(chord, {}, other).root is None
    assert rooted(Chord(0, "major triad", 0.9), {}, None).root == 0


def test_names() -> None:
    assert chord_name(Chord(11, DIMINISHED), B_D_F_AB) == "B°7"
    assert chord_name(Chord(None, DIMINISHED), {}) == "diminished seventh"
    assert chord_name(Chord(10, "major scale"), {}, -2) == "notes of Bb major"
    assert chord_name(Chord(7, "single note"), {}) == "mostly G"
    assert chord_name(Chord(7, "dominant ninth"), {}) == "G7b9"
    assert chord_name(Chord(7, "something else"), {}) == "G something else"


def test_what_is_no_chord_is_not_called_one() -> None:
    """A piece that ends in unison: its headline does not say that it goes to a chord."""
    found = rb.music.analyse(piece((60, 64, 67), (59, 62, 65, 67), (48, 60)), draws=20)
    assert found.nodes[-1].label == "C alone"
    assert found.lines()[0] == "bars 1 to 3: C major"
    assert found.nodes[-1].chord_probability is None  # it is seen, and no model's opinion
    assert facts_of(found.nodes[-1], found.score)[1].startswith("key C major")
    page = str(found.to_html())
    assert "no chord: a single note above all" in page
    assert "→ C alone" not in page


def test_what_is_doubtful_is_marked() -> None:
    """All twelve notes at once are no chord that anybody could name."""
    found = rb.music.analyse(piece((60, 64, 67), tuple(range(60, 72))), draws=20)
    bar = found.nodes[-1]
    assert bar.chord_probability is not None
    assert bar.chord_probability < 0.5
    assert "?" not in bar.label
    assert not found.lines()[0].endswith(bar.chord)
    assert "that is less probable than not" in str(found.to_html())
    assert any(line.endswith("?") for line in found.lines())
