"""The page as a file: complete, small, and deaf to what names look like."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import recbayes as rb
from recbayes.report.module import SCRIPTS, module
from tests.report.found import HOSTILE, ODD, hostile, odd, plain
from tests.segmentation.series import quick

VOID = {"meta", "link"}
ALLOWED = {"data:,", "http://www.w3.org/2000/svg"}  # an icon that is none, and the name of a format: nothing is fetched


class Reader(HTMLParser):
    """Elements, attributes and texts of a page, which must be nested well."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.setdefault(self.open[-1] if self.open else "", []).append(data)


@pytest.mark.parametrize("name", ODD)
def test_pages_are_whole_and_ask_for_nothing(name: str) -> None:
    page = odd(name).to_html()
    read = Reader(page)
    assert set(re.findall(r"[a-z]+://[^\s\"'<>)]+", page)) <= ALLOWED
    assert {value for _, found in read.elements for key, value in found.items() if key in ("src", "href")} <= ALLOWED
    assert [tag for tag, _ in read.elements].count("script") == 2
    assert "@import" not in page
    assert "url(" not in page.split("<script")[0]


def test_names_are_texts_wherever_they_are() -> None:
    read = Reader(hostile().to_html())
    assert [tag for tag, _ in read.elements].count("script") == 2
    assert not any("onerror" in found for _, found in read.elements)
    assert "".join(read.texts["title"]).startswith(f"Changes of {HOSTILE}")
    data = json.loads(read.texts["script"][0])
    assert data["columns"] == [HOSTILE]
    assert not {"img"} & {tag for tag, _ in Reader(hostile()._repr_html_()).elements}


def test_writing_and_titles(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    assert plain().to_html(path) == path
    assert path.read_text(encoding="utf-8") == plain().to_html()
    assert "<title>Flow &amp; noise</title>" in plain().to_html(title="Flow & noise")
    with pytest.raises(rb.DataError, match="title must be a text, got 3"):
        plain().to_html(title=3)  # type: ignore[arg-type]
    with pytest.raises(rb.FileError, match="path must be the name of a file"):
        plain().to_html(3)  # type: ignore[call-overload]
    with pytest.raises(rb.FileError, match="there is no folder"):
        plain().to_html(tmp_path / "nowhere" / "report.html")
    assert list(tmp_path.iterdir()) == [path]


def test_the_module_is_one_that_others_can_load() -> None:
    """anywidget's contract: one module with a default export, which imports nothing."""
    assert len(re.findall(r"^export ", module(), re.MULTILINE)) == 1
    assert module().rstrip().endswith("export default { render };")
    assert not re.search(r"^import |import\(", module(), re.MULTILINE)
    assert SCRIPTS[-1] == "report"


def test_nothing_is_made_of_texts() -> None:
    """No way for a name to become markup or code."""
    for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "DOMParser"):
        assert way not in module()


def test_still_pictures_of_notebooks() -> None:
    for found in (plain(), hostile(), odd("one observation"), odd("many columns")):
        text = found._repr_html_()
        read = Reader(text)
        assert not {"script", "style", "link"} & {tag for tag, _ in read.elements}
        assert "svg" in {tag for tag, _ in read.elements}
        segments = [tag for tag, _ in read.elements].count("tr") - 1
        assert segments == len(found.tree.leaves)
        assert all("id" not in found_ for _, found_ in read.elements)


@pytest.mark.slow
def test_pages_of_many_columns_are_small() -> None:
    """Under a megabyte, however uncertain the spans are."""
    rng = np.random.default_rng(0)
    values = np.repeat(rng.normal(size=(10, 12)), 30, axis=0) + 2.5 * rng.normal(size=(300, 12))
    found = quick(values, draws=300)
    assert len(found.to_html().encode()) < 1_000_000
