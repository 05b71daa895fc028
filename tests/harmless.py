"""What notebooks and pages show must be harmless: well-formed, and nothing in it runs, loads or clashes with its page."""

from xml.etree import ElementTree

FORBIDDEN = {"script", "style", "link", "iframe", "object", "embed", "foreignObject", "image", "img", "use", "a", "form"}


def harmless(text: str) -> ElementTree.Element:
    """The elements of a piece of HTML or SVG, after all of them were looked at."""
    root = ElementTree.fromstring(text.replace("\r", " "))
    for element in root.iter():
        assert element.tag.rpartition("}")[2] not in FORBIDDEN
        bad = [name for name in element.attrib if name.startswith("on") or name.rpartition("}")[2] in ("id", "href", "src")]
        assert not bad, f"{element.tag} has {bad}"
        assert "url(" not in element.get("style", "")
    return root
