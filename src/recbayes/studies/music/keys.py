"""Names and colours of the 24 keys: neighbours on the circle of fifths have neighbouring hues, minor keys are darker."""

from colorsys import hls_to_rgb

MAJOR = ("C", "Db", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B")
MINOR = ("C", "C#", "D", "Eb", "E", "F", "F#", "G", "G#", "A", "Bb", "B")


def key_name(tonic: int, mode: str) -> str:
    """ "Eb major", "C# minor"."""
    return f"{(MINOR if mode == 'minor' else MAJOR)[tonic % 12]} {mode}"


def key_colour(tonic: int, mode: str = "major") -> str:
    """As #rrggbb."""
    lightness, saturation = (0.45, 0.4) if mode == "minor" else (0.68, 0.6)
    channels = hls_to_rgb((7 * tonic % 12) / 12 + 0.13, lightness, saturation)
    return "#" + "".join(f"{round(255 * channel):02x}" for channel in channels)
