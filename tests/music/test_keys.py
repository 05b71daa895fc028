"""Names and colours of keys."""

import colorsys

import pytest
from matplotlib.colors import to_rgb

from recbayes.music.keys import FIFTHS, NO_KEY, PITCH_CLASSES, contrast, ink_on, key_colour, key_name, mixed, tonic_name

ALL = [(tonic, mode) for mode in ("major", "minor") for tonic in range(12)]


def test_names() -> None:
    assert [PITCH_CLASSES[place] for place in (1, 3, 6, 8, 10)] == ["Db", "Eb", "F#", "Ab", "Bb"]
    assert key_name(10, "major") == "Bb major"
    assert key_name(1, "minor") == "C# minor"
    assert key_name(7, None) == "G"
    assert {tonic_name(tonic, "minor") for tonic in range(12)} >= {"Eb", "F#", "G#", "Bb"}
    assert [PITCH_CLASSES[tonic] for tonic in FIFTHS[:4]] == ["C", "G", "D", "A"]


def test_colours_are_all_different_and_follow_the_circle_of_fifths() -> None:
    """Matplotlib reads them; a step along the circle always turns the hue in the same direction, once around in all."""
    assert len({key_colour(tonic, mode) for tonic, mode in ALL} | {NO_KEY}) == 25
    for mode in ("major", "minor"):
        hues = [colorsys.rgb_to_hsv(*to_rgb(key_colour(tonic, mode)))[0] for tonic in FIFTHS]
        steps = [(hues[(place + 1) % 12] - hue) % 1.0 for place, hue in enumerate(hues)]
        assert max(steps) < 0.25
        assert sum(steps) == pytest.approx(1.0)


def test_minor_is_darker() -> None:
    for tonic in range(12):
        assert sum(to_rgb(key_colour(tonic, "minor"))) < sum(to_rgb(key_colour(tonic, "major"))) - 0.5


def test_colours_are_what_oklch_says() -> None:
    """Computed by CSS Color 4 in a browser: `oklch(0.81 0.1 85)` and `oklch(0.51 0.09 355)`."""
    assert key_colour(0, "major") == "#dfbc73"
    assert key_colour(3, "minor") == "#8e4f69"


def test_writing_can_be_read_on_all_colours() -> None:
    for tonic, mode in ALL:
        for share in (0.2, 0.5, 0.8, 1.0):
            for ground in ("#ffffff", "#000000"):
                fill = mixed(key_colour(tonic, mode), ground, share)
                assert contrast(fill, ink_on(fill)) >= 4.5


def test_contrast_and_mixtures_at_their_ends() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)  # the WCAG's well-known example
    assert mixed("#ff8000", "#000000", 0.5) == "#804000"


def test_spelling_follows_the_key_signature() -> None:
    assert [key_name(1, "major", sharps) for sharps in (7, -5, None)] == ["C# major", "Db major", "Db major"]
    assert [key_name(8, "minor", sharps) for sharps in (7, -5, None)] == ["G# minor", "Ab minor", "G# minor"]
    assert [key_name(5, "minor", sharps) for sharps in (7, -4)] == ["E# minor", "F minor"]
    assert " ".join(tonic_name(step, None, 0) for step in range(12)) == "C C# D Eb E F F# G Ab A Bb B"
    for signature in range(-7, 8):
        for mode, place in (("major", 0), ("minor", 9)):
            tonic = (place + 7 * signature) % 12
            name = key_name(tonic, mode, signature).removesuffix(f" {mode}")
            letters = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
            assert (letters[name[0]] + name.count("#") - name[1:].count("b")) % 12 == tonic
            assert len(name) <= 2
