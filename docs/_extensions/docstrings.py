"""Docstrings are plain texts; this makes of them what autodoc reads.

Indented paragraphs are code or formulas, and stay as they are; stars, bars and underscores of texts are no markup; what
stands between single backquotes is code (`names.py` links it, where it is public). Sections ("Arguments:" and so on) go on
to napoleon. What scikit-learn adds to classes stays out, and signatures are those of definitions, not of their overloads.
"""

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from itertools import groupby
from textwrap import dedent
from types import FunctionType
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.pycode import ModuleAnalyzer
from sphinx.util.inspect import stringify_signature

SECTION = re.compile(r"(Args|Arguments|Attributes|Raises|Returns|Warns|Yields):$")
CODE = re.compile(r"(`+)(.+?)\1", re.DOTALL)
MARKUP = re.compile(r"(?<=\w)_(?!\w)|[*|\\]")
HEAD = re.compile(r"\s*[*\w]+(, [*\w]+)*:(?= |$)")  # the names that a line of a section begins with
PLUMBING = ("family",)  # public for the verbs, not for users
TILDE = re.compile(r"~(?:\w+\.)+")  # "the last part of this name will do", of types that are no links
EMPTY = ("Any", "object", "None")  # types that say nothing


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
        yield from (re.sub(r"_(?=[,:])", r"\\_", names) + text(entry[len(names) :])).split("\n")


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
            kind = "example" if line.startswith(">>> ") else kind
        if SECTION.match(line):
            kind = "section"
        kinds.append(kind)
    out: list[str] = []
    for kind, rows in groupby(zip(kinds, lines, strict=True), key=lambda pair: pair[0]):
        part = [line for _, line in rows]
        plain = {"text": lambda part: text("\n".join(part)).split("\n"), "section": section, "block": block, "example": list}
        out += plain[kind](part)
    return out


def read(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    lines[:] = marked(lines)
    if what in ("attribute", "property"):
        lines.insert(0, "\\ ")  # else napoleon takes what stands before a colon for a type


def signature(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, given: str, returned: str
) -> tuple[str, str] | None:
    """That of the definition: no overloads, and of a class how it is made, whatever stands before `__init__`."""
    module = getattr(obj, "__module__", None) or ""
    if not module.startswith("recbayes"):
        return None
    analyzer = ModuleAnalyzer.for_module(module)
    analyzer.analyze()
    analyzer.overloads.clear()
    if what != "class" or not isinstance(obj.__init__, FunctionType):
        return None
    made = {one.name: one for one in fields(obj) if one.default_factory is not MISSING} if is_dataclass(obj) else {}
    _, *parameters = inspect.signature(obj.__init__).parameters.values()
    parameters = [one.replace(default=made[one.name].default_factory()) if one.name in made else one for one in parameters]
    return stringify_signature(inspect.Signature(parameters), show_annotation=False), returned


def short_types(app: Sphinx, domain: str, kind: str, content: nodes.Element) -> None:
    """Where types are plain text, modules go as they do in links."""
    for one in list(content.findall(nodes.Text)):
        if "~" in one:
            one.parent.replace(one, nodes.Text(TILDE.sub("", one)))


def without_empty_types(app: Sphinx, domain: str, kind: str, content: nodes.Element) -> None:
    """Takes away fields that say only that something is an object."""
    for field in list(content.findall(nodes.field)):
        name, body = field.children
        if name.astext().startswith(("type ", "rtype")) and body.astext().lstrip("~").removeprefix("typing.") in EMPTY:
            together = field.parent
            together.remove(field)
            if not together.children:
                together.parent.remove(together)


def skip(app: Sphinx, what: str, name: str, obj: Any, skipped: bool, options: Any) -> bool | None:
    home = getattr(obj, "__module__", None)
    field = inspect.isdatadescriptor(obj) and type(obj).__name__ == "_tuplegetter"  # the class tells of its fields
    return True if field or name in PLUMBING or (isinstance(home, str) and home.startswith("sklearn")) else None


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("autodoc-process-docstring", read, priority=400)  # before napoleon
    app.connect("autodoc-process-signature", signature)
    app.connect("object-description-transform", short_types, priority=899)
    app.connect("object-description-transform", without_empty_types, priority=900)  # after the types are there
    app.connect("autodoc-skip-member", skip)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
