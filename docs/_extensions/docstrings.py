"""Docstrings are plain texts; this makes of them what autodoc reads.

Indented paragraphs are code or formulas, and stay as they are; stars, bars and underscores of texts are no markup; what stands
between single backquotes is code (`names.py` links it, where it is public). Sections ("Arguments:" and so on) go on to napoleon.
What scikit-learn adds to classes stays out, and functions show one signature: that of their definition, not their overloads.
"""

import ast
import re
from collections.abc import Iterator
from itertools import groupby
from textwrap import dedent
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.pycode import ModuleAnalyzer

SECTION = re.compile(r"(Args|Arguments|Attributes|Raises|Returns|Warns|Yields):$")
CODE = re.compile(r"(`+)(.+?)\1", re.DOTALL)
MARKUP = re.compile(r"(?<=\w)_(?!\w)|[*|\\]")
HEAD = re.compile(r"\s*[*\w]+(, [*\w]+)*:(?= |$)")  # the names that a line of a section begins with
EMPTY = ("Any", "object")  # types that say nothing


def text(paragraph: str) -> str:
    """A paragraph in which nothing but code is markup."""
    parts: list[str] = []
    end = 0
    for code in CODE.finditer(paragraph):
        parts += [MARKUP.sub(r"\\\g<0>", paragraph[end : code.start()]), f"``{code[2]}``"]
        if code.end() < len(paragraph) and re.match(r"[\w(]", paragraph[code.end()]):
            parts.append("\\ ")
        end = code.end()
    return "".join([*parts, MARKUP.sub(r"\\\g<0>", paragraph[end:])])


def section(lines: list[str]) -> Iterator[str]:
    """Lines of a section: names at their beginnings are napoleon's, the rest is text."""
    for entry in re.split(r"\n(?=\s*[*\w]+(?:, [*\w]+)*: )", "\n".join(lines)):
        head = HEAD.match(entry)
        names = head[0] if head else ""
        yield from (names + text(entry[len(names) :])).split("\n")


def block(lines: list[str]) -> Iterator[str]:
    """Indented lines: Python where they are, or else as they stand."""
    try:
        ast.parse(dedent("\n".join(lines)))
    except SyntaxError:
        yield from ["::", "", *lines]
    else:
        yield from [".. code-block:: python", "", *lines]


def marked(lines: list[str]) -> list[str]:
    """The lines of a docstring as reStructuredText."""
    kind = "text"
    kinds: list[str] = []
    for before, line in zip(["", *lines], lines, strict=False):
        if line and not before:  # a paragraph begins
            indented = line.startswith("    ")
            kind = kind if indented and kind != "text" else "block" if indented else "text"
        if SECTION.match(line):
            kind = "section"
        kinds.append(kind)
    out: list[str] = []
    for kind, rows in groupby(zip(kinds, lines, strict=True), key=lambda pair: pair[0]):
        part = [line for _, line in rows]
        out += {"text": lambda part: text("\n".join(part)).split("\n"), "section": section, "block": block}[kind](part)
    return out


def read(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    lines[:] = marked(lines)


def without_overloads(app: Sphinx, what: str, name: str, obj: Any, *rest: Any) -> None:
    module = getattr(obj, "__module__", None)
    if module and module.startswith("recbayes"):
        analyzer = ModuleAnalyzer.for_module(module)
        analyzer.analyze()
        analyzer.overloads.clear()


def without_empty_types(app: Sphinx, domain: str, kind: str, content: nodes.Element) -> None:
    """Takes away fields that say only that something is an object."""
    for field in list(content.findall(nodes.field)):
        name, body = field.children
        if name.astext().startswith(("type ", "rtype")) and body.astext() in (*EMPTY, "None"):
            parent = field.parent
            parent.remove(field)
            if not parent.children:
                parent.parent.remove(parent)


def skip(app: Sphinx, what: str, name: str, obj: Any, skipped: bool, options: Any) -> bool | None:
    home = getattr(obj, "__module__", None)
    return True if isinstance(home, str) and home.startswith("sklearn") else None


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("autodoc-process-docstring", read, priority=400)  # before napoleon
    app.connect("autodoc-process-signature", without_overloads)
    app.connect("object-description-transform", without_empty_types, priority=900)  # after the types are there
    app.connect("autodoc-skip-member", skip)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
