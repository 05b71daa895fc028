"""Every public name is in the reference, once; records that verbs return are there beside them."""

import inspect
import re
from collections import Counter

import recbayes as rb
from tests.docs.pages import DOCS

ENTRY = re.compile(r"^\.\. auto(?:class|function|exception|data|module):: recbayes\.([\w.]+)", re.MULTILINE)


def public() -> set[str]:
    names: set[str] = set()
    for name in rb.__all__:
        thing = getattr(rb, name)
        names |= {f"{name}.{inner}" for inner in thing.__all__} if inspect.ismodule(thing) else {name}
    return names


def test_all_are_there_once() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in sorted((DOCS / "reference").glob("*.md")))
    listed = Counter(ENTRY.findall(text))
    assert {name: listed[name] for name in public()} == dict.fromkeys(public(), 1)
    assert set(listed.values()) == {1}
