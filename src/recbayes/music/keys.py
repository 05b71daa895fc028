"""Keys and pitch classes: what they are called, and the colour of each of the 24 keys.

Keys a fifth apart have neighbouring hues, so that colours are as far from each other as keys are on the circle of fifths;
a minor key has the hue of its tonic, darker. Colours are made in OKLCH, where equal steps of hue look equally large.
"""

from collections.abc import Sequence
from math import cos, pi, sin

PITCH_CLASSES = ("C", "Db", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B")
_MINOR_TONICS = ("C", "C#", "D", "Eb", "E", "F", "F#", "G", "G#", "A", "Bb", "B")

FIFTHS = tuple(7 * step % 12 for step in range(12))  # pitch classes along the circle of fifths, from C

NO_KEY = "#b4b0a8"  # the colour of what has no key

_HUE_OF_C = 85.0  # degrees: gold, with greens and blues on the side of the sharps, reds on that of the flats
_LIGHTNESS = {"major": 0.81, "minor": 0.51}
_CHROMA = {"major": 0.1, "minor": 0.09}


def tonic_name(tonic: int, mode: str | None = None, signature: int | None = None) -> str:
    """A tonic as it is spelt where the key signature has so many sharps (or flats, negative): 1 is Db, and C# with seven.

    Without a signature it is spelt as it mostly is in its mode: 8 is Ab, and G# in minor. Roots of chords have no mode.
    """
    if signature is None:
        return (_MINOR_TONICS if mode == "minor" else PITCH_CLASSES)[tonic % 12]
    least = 7 * tonic % 12  # steps along the line of fifths from C to the tonic, but for twelves
    middle = signature + {"major": 0, "minor": 3}.get(mode or "", 2)
    choices = range(least - 24, least + 25, 12)
    return note_name(min(choices, key=lambda step: (abs(step - middle), abs(step - 2), step)))


def key_name(tonic: int, mode: str | None, signature: int | None = None) -> str:
    """What a key is called: "Eb major", "C# minor"; without a mode, its tonic alone."""
    return tonic_name(tonic, mode, signature) + (f" {mode}" if mode else "")


def note_name(step: int) -> str:
    """What is so many fifths above C: 1 is G, -1 is F, 6 is F#."""
    signs, letter = divmod(step + 1, 7)
    return "FCGDAEB"[letter] + ("#" * signs if signs > 0 else "b" * -signs)


def note_step(letter: str, sharps: int = 0) -> int:
    """How many fifths a note is above C, by its letter and its sharps (flats are negative)."""
    return "FCGDAEB".index(letter.upper()) - 1 + 7 * sharps


def key_colour(tonic: int | None, mode: str | None = "major") -> str:
    """The colour of a key as #rrggbb; that of a key without a mode is its major key's."""
    if tonic is None:
        return NO_KEY
    mode = mode or "major"
    hue = _HUE_OF_C + 30.0 * (7 * tonic % 12)
    return _hexadecimal(_from_oklch(_LIGHTNESS[mode], _CHROMA[mode], hue))


def mixed(colour: str, ground: str, share: float) -> str:
    """`share` of a colour on a ground, as a glaze of that opacity looks."""
    pairs = zip(_channels(colour), _channels(ground), strict=True)
    return _hexadecimal([share * above + (1.0 - share) * below for above, below in pairs])


def contrast(one: str, other: str) -> float:
    """How well two colours can be told apart, from 1 to 21 (the ratio of luminances of the WCAG)."""
    dark, light = sorted(_luminance(colour) for colour in (one, other))
    return (light + 0.05) / (dark + 0.05)


def ink_on(colour: str) -> str:
    """Black or white, whichever is better read on a colour; one of them always has a contrast of 4.5."""
    return max("#000000", "#ffffff", key=lambda ink: contrast(ink, colour))


def _channels(colour: str) -> list[float]:
    return [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]


def _hexadecimal(channels: Sequence[float]) -> str:
    return "#" + "".join(f"{round(255 * min(max(channel, 0.0), 1.0)):02x}" for channel in channels)


def _luminance(colour: str) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in _channels(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _from_oklch(lightness: float, chroma: float, hue: float) -> list[float]:
    """sRGB of a colour in OKLCH, by the matrices of Björn Ottosson (2020)."""
    a, b = chroma * cos(hue * pi / 180), chroma * sin(hue * pi / 180)
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )
    return [12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055 for c in linear]
