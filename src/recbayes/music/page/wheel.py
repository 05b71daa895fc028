"""The legend: the circle of fifths in the colours of the keys, major outside, minor inside; keys of the piece stand out."""

from collections.abc import Sequence
from html import escape
from math import cos, pi, sin

from recbayes.music.keys import FIFTHS, ink_on, key_colour
from recbayes.music.page.nodes import PageNode, doubtful, pretty
from recbayes.music.spelling import wheel_name

_RINGS = {"major": (98.0, 66.0), "minor": (64.0, 36.0)}  # outer and inner radius
_HALF = 14.3  # degrees of half a wedge; between wedges there is a gap


def draw_wheel(nodes: Sequence[PageNode], signature: int | None = None) -> str:
    """An SVG element of 200 by 200 pixels. Keys of passages are spelt as they are there, others near the key signature."""
    spelt = {(node.key, node.mode): node.in_key.partition(" ")[0] for node in nodes if node.label == node.in_key != ""}
    used = {(node.key, node.mode or "major") for node in nodes if node.key is not None and not doubtful(node)}
    called = {
        (tonic, mode): pretty(spelt.get((tonic, mode)) or wheel_name(tonic, mode, signature))
        for mode in _RINGS
        for tonic in FIFTHS
    }
    names = ", ".join(f"{name} {key[1]}" for key, name in called.items() if key in used)
    wedges = "".join(
        _wedge(step, tonic, mode, (tonic, mode) in used, called[tonic, mode])
        for mode in _RINGS
        for step, tonic in enumerate(FIFTHS)
    )
    label = "Colours of the keys on the circle of fifths" + (f"; in this tree: {names}" if names else "")
    return f'<svg class="wheel" viewBox="-100 -100 200 200" role="img" aria-label="{escape(label)}">{wedges}</svg>'


def _wedge(step: int, tonic: int, mode: str, is_used: bool, name: str) -> str:
    outer, inner = _RINGS[mode]

    def point(radius: float, degrees: float) -> str:
        angle = (30 * step + degrees) * pi / 180
        return f"{radius * sin(angle):.1f} {-radius * cos(angle):.1f}"

    there = f"M{point(outer, -_HALF)}A{outer:g} {outer:g} 0 0 1 {point(outer, _HALF)}"
    back = f"L{point(inner, _HALF)}A{inner:g} {inner:g} 0 0 0 {point(inner, -_HALF)}Z"
    x, y = point((outer + inner) / 2, 0).split()
    colour = key_colour(tonic, mode)
    return (
        f'<g class="{"used" if is_used else "unused"}"><path fill="{colour}" d="{there}{back}"/>'
        f'<text fill="{ink_on(colour)}" x="{x}" y="{y}">{name[0].lower() + name[1:] if mode == "minor" else name}</text></g>'
    )
