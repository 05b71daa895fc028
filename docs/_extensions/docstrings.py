"""Docstrings are plain texts; this makes what autodoc reads of them.

Indented lines are code or formulas, and stay as they are; stars, bars and underscores of texts are no markup; names between
single quotes of code are links where they are public, by `default_role`. What scikit-learn adds to our classes stays out.
"""

import re
from typing import Any

from sphinx.application import Sphinx

SECTION = re.compile(r"(Arguments|Attributes|Returns|Raises|Yields):$")
CODE = re.compile(r"(`[^`]+`)", re.DOTALL)


def plain(text: str) -> str:
    """A paragraph with everything but code escaped."""
    parts = CODE.split(text)
    parts[::2] = [re.sub(r"(?<=\w)_(?!\w)|[*|\\]", r"\\\g<0>", part) for part in parts[::2]]
    return "".join(parts)


def indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def marked(lines: list[str]) -> list[str]:
    """The lines of a docstring as reStructuredText, its sections as they are for napoleon."""
    out: list[str] = []
    within = False  # a section, whose indented lines are text
    paragraph: list[str] = []
    code = False
    for line in [*lines, ""]:
        if line.strip():
            if not paragraph and indent(line) >= 4 and not within and not code:
                out.extend([".. code-block:: python" if "=" in line or "(" in line else "::", ""])
                code = True
            elif indent(line) == 0:
                code = False
                within = bool(SECTION.match(line)) or (within and bool(paragraph))
            paragraph.append(line)
            continue
        text = "\n".join(paragraph)
        out.extend((text if code else plain(text)).split("\n") if paragraph else [])
        out.append("")
        paragraph = []
    return out[:-1]


def read(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    lines[:] = marked(lines)


def skip(app: Sphinx, what: str, name: str, obj: Any, skipped: bool, options: Any) -> bool | None:
    home = getattr(obj, "__module__", None)
    return True if isinstance(home, str) and home.startswith("sklearn") else None


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("autodoc-process-docstring", read, priority=400)  # before napoleon
    app.connect("autodoc-skip-member", skip)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
