"""What comes of an engraver's SVG into the page: shapes, glyphs and text, and nothing that acts.

A score is somebody's file and may hold anything, also pieces of SVG of its own; elements and attributes that are not in
these lists stay behind. Without the engraver's indentation, names and empty groups, it is also half as long.
"""

import re
from collections.abc import Mapping
from html import escape
from xml.etree.ElementTree import Element

_CONTAINERS = {"svg", "g", "defs", "symbol", "use"}
_SHAPES = {"path", "rect", "line", "circle", "ellipse", "polygon", "polyline", "text", "tspan"}
_GEOMETRY = {"d", "points", "transform", "viewBox", "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "rx", "ry"}
_SIZES = {"width", "height", "stroke-width", "stroke-dasharray", "font-size"}
_LOOKS = {"color", "fill", "stroke", "opacity", "fill-opacity", "stroke-opacity", "stroke-linecap", "stroke-linejoin"}
_LETTERS = {"font-family", "font-style", "font-weight", "text-anchor"}
_CLASSES = {"note", "placeholder", "ending", "fing", "reh", "tempo", "dir", "dynam", "mNum", "label"}  # those with a style
_GLYPH = re.compile(r"[0-9A-F]{4,5}-\w+")
_FONT = re.compile(
    r"\s*@font-face \{\s*font-family: '\w+';\s*"
    r"src: url\(data:application/font-woff2;charset=utf-8;base64,[\w+/=\s]+\) format\('woff2'\);\s*"
    r"(font-(weight|style): normal;\s*)*\}\s*"
)


def plain_name(name: str) -> str:
    """The name of an element or attribute without its namespace."""
    return name.rpartition("}")[2]


def cleaned(element: Element, notes: Mapping[str, int]) -> str:
    """An element and what is in it; notes whose ids are listed say which they are (`data-note`)."""
    tag = plain_name(element.tag) if isinstance(element.tag, str) else ""
    if tag == "style" and _FONT.fullmatch(element.text or ""):
        return f"<style>{element.text}</style>"
    if tag not in _CONTAINERS | _SHAPES:
        return ""
    inside = _text(element.text) + "".join(cleaned(child, notes) + _text(child.tail) for child in element)
    if tag in ("g", "text", "tspan") and not inside:
        return ""
    return f"<{tag}{_attributes(element, notes)}>{inside}</{tag}>"


def _text(text: str | None) -> str:
    """Text between elements; where it is but indentation, nothing."""
    return "" if text is None or ("\n" in text and not text.strip()) else escape(text)


def _attributes(element: Element, notes: Mapping[str, int]) -> str:
    found: dict[str, str] = {}
    for full_name, value in element.attrib.items():
        name = plain_name(full_name)
        if name == "id":
            if value in notes:
                found["data-note"] = str(notes[value])
            elif element.get("class") is None and _GLYPH.fullmatch(value):
                found["id"] = value  # a glyph, which the notes refer to
        elif name == "href" and value.startswith("#") and _GLYPH.fullmatch(value[1:]):
            found["href"] = value
        elif name == "class":
            kept = [one for one in value.split() if one in _CLASSES]
            if kept:
                found["class"] = " ".join(kept)
        elif name in _GEOMETRY | _SIZES | _LOOKS | _LETTERS and "url(" not in value.lower():
            found[name] = value
    return "".join(f' {name}="{escape(value)}"' for name, value in found.items())
