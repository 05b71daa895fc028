"""Docstrings become what autodoc reads, and names of texts links."""

import importlib
import sys
from typing import Any

import pytest

from tests.docs.pages import DOCS


def extension(name: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(DOCS / "_extensions"))
    monkeypatch.delitem(sys.modules, name, raising=False)
    return importlib.import_module(name)


def test_docstrings(monkeypatch: pytest.MonkeyPatch) -> None:
    marked = extension("docstrings", monkeypatch).marked
    assert marked(["A `name`, two * three, a|b, model_ and `x`s."]) == [
        "A ``name``, two \\* three, a\\|b, model\\_ and ``x``\\ s."
    ]
    assert marked(["As in", "", "    y = f(x)", "", "it is."]) == [
        *["As in", "", ".. code-block:: python", "", "    y = f(x)", "", "it is."]
    ]
    assert marked(["Formula", "", "    p(y | x) ~ N(0, 1)", ""]) == ["Formula", "", "::", "", "    p(y | x) ~ N(0, 1)", ""]
    arguments = ["Arguments:", "    one: a * `b`,", "        more: of it.", "    *two, **three: c."]
    assert marked(arguments) == [*["Arguments:", "    one: a \\* ``b``,", "        more: of it.", "    *two, **three: c."]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rb.segment", "recbayes.segment"),
        ("rb.segment()", "recbayes.segment"),
        ("Tree", "recbayes.Tree"),
        ("rb.plot.overview", "recbayes.plot.overview"),
        ("Tree.to_newick", "recbayes.Tree.to_newick"),
        ("segment", None),
        ("rb.segment(y)", None),
        ("rb.nothing", None),
        ("Tree.nothing", None),
        ("NaN", None),
    ],
)
def test_names(text: str, expected: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert extension("names", monkeypatch).target(text) == expected
