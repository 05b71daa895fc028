"""Keys of passages: exact probabilities, the same in all keys, and what context decides."""

from itertools import product

import numpy as np
import pytest

from recbayes.music import passage_keys
from recbayes.music.passage_keys import KEYS, PROFILES, key_probabilities

SPANS = [(0, 3), (0, 2), (0, 1), (1, 2), (2, 3)]
PARENTS = [-1, 0, 1, 1, 0]
NO_ENDS: list[int | None] = [None] * 5


def counts(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).gamma(0.5, size=(3, 12))


def test_probabilities_are_those_of_all_ways_to_choose_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enumerated, for a few keys."""
    few = [(0, "major"), (7, "major"), (9, "minor")]
    monkeypatch.setattr(passage_keys, "KEYS", few)
    found = key_probabilities(counts(), SPANS, PARENTS, [0, 7, None, None, None])
    changes = passage_keys._changes()
    assert changes.sum(axis=1) == pytest.approx(np.ones(3))
    total = np.zeros((5, 3))
    for chosen in product(range(3), repeat=5):
        weight = 1.0
        for place, (start, end) in enumerate(SPANS):
            tonic, mode = few[chosen[place]]
            shares = counts()[start:end].sum(axis=0)
            profile = np.roll(PROFILES[mode], tonic) / sum(PROFILES[mode])
            weight *= np.prod(profile ** (passage_keys.NOTES * shares / shares.sum()))
            if place:
                weight *= changes[chosen[PARENTS[place]], chosen[place]]
            if place == 0:
                weight *= 0.8 if tonic == 0 else 0.2 / 11
            if place == 1:
                weight *= {7: 0.2, 0: 0.15}.get(tonic, 0.065)
        total[range(5), chosen] += weight
    assert found == pytest.approx(total / total.sum(axis=1, keepdims=True))


def test_keys_are_turned_with_the_notes() -> None:
    ends: list[int | None] = [0, 7, None, None, None]
    found = key_probabilities(counts(), SPANS, PARENTS, ends)
    higher = key_probabilities(np.roll(counts(), 3, axis=1), SPANS, PARENTS, [None if e is None else e + 3 for e in ends])
    for place, (tonic, mode) in enumerate(KEYS):
        assert higher[:, KEYS.index(((tonic + 3) % 12, mode))] == pytest.approx(found[:, place])


def test_silence_takes_the_key_around_it() -> None:
    heard = np.zeros((3, 12))
    heard[0, [7, 11, 2, 6]] = heard[2, [7, 9, 0]] = 1.0
    found = key_probabilities(heard, SPANS, PARENTS, NO_ENDS)
    assert {KEYS[place] for place in found.argmax(axis=1)} == {(7, "major")}


def test_a_dominant_alone_is_in_the_key_that_it_leads_to() -> None:
    """F and G7 were called F major by their notes alone, and a pedal on G something in G."""
    heard = np.zeros((3, 12))
    heard[0, [5, 9, 0]] = heard[1, [7, 11, 2, 5]] = 1.0
    heard[2, [0, 4, 7]] = 4.0
    found = key_probabilities(heard, SPANS, PARENTS, [0, 7, None, None, 0])
    assert {KEYS[place] for place in found.argmax(axis=1)[[0, 1, 4]]} == {(0, "major")}
