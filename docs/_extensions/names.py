"""Public names that stand as code in a text are links to the reference: `rb.segment`, `Tree`, `rb.Tree.height`.

So are records that the reference lists beside them: `ChangePoint`. Types without a place in it are told by their own names.
"""

import inspect
import re
from collections import Counter
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx

import recbayes

REFERENCE = Path(__file__).parents[1] / "reference"
RECORD = re.compile(r"^\.\. autoclass:: (recbayes\.(?:\w+\.)+(\w+))$", re.MULTILINE)
NAME = re.compile(r"(?:(?:rb|recbayes)\.)?(\w+(?:\.\w+)*)(?:\(\))?")


def beside() -> dict[str, str]:
    """Records of the reference that are not public themselves, by the last part of their names, where only one has it."""
    found = [
        record for page in sorted(REFERENCE.glob("*.md")) for record in RECORD.findall(page.read_text(encoding="utf-8"))
    ]
    count = Counter(last for _, last in found)
    return {last: name for name, last in found if count[last] == 1}


RECORDS = beside()


def documented(name: str) -> bool:
    """Whether a dotted name is one of the reference: public, and with a text of its own."""
    first, *rest = name.split(".")
    if first not in recbayes.__all__:
        return False
    thing = getattr(recbayes, first)
    if inspect.ismodule(thing):
        return len(rest) == 1 and rest[0] in thing.__all__
    if not rest:
        return True
    return len(rest) == 1 and inspect.isclass(thing) and rest[0] in vars(thing) and bool(getattr(thing, rest[0]).__doc__)


def target(text: str) -> str | None:
    """The name that a piece of code stands for. A word in lower case without `rb.` before it may be anything."""
    found = NAME.fullmatch(text)
    if found is not None and found[1] in RECORDS:
        return RECORDS[found[1]]
    if found is None or not (text.startswith(("rb.", "recbayes.")) or text[0].isupper()) or not documented(found[1]):
        return None
    return f"recbayes.{found[1]}"


def link(app: Sphinx, document: nodes.document) -> None:
    for literal in list(document.findall(nodes.literal)):
        name = target(literal.astext())
        above = literal.parent
        if name is None or isinstance(above, nodes.title | nodes.reference | pending_xref):
            continue
        reference = pending_xref(
            "", refdomain="py", reftype="obj", reftarget=name, refdoc=app.env.docname, refexplicit=True, refwarn=True
        )
        above.replace(literal, reference)
        reference += literal


def without_module(app: Sphinx, env: Any, node: pending_xref, content: nodes.Node) -> nodes.Element | None:
    """A type that has no place here, of others or of ours: its own name will do."""
    if node.get("refdomain") != "py" or node.get("reftype") not in ("class", "data", "exc"):
        return None
    name = content.astext().split(".")[-1]
    return nodes.inline("", name) if isinstance(content, nodes.Text) else type(content)("", name)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("doctree-read", link)
    app.connect("missing-reference", without_module)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
