"""The site: built without a warning, whole in itself, and nothing in it fetched from elsewhere."""

import json
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from shutil import copy, copytree, ignore_patterns
from urllib.parse import unquote, urlsplit

import pytest

from tests.docs.pages import DOCS, PAGES, ROOT
from tests.docs.test_reference import public

pytestmark = pytest.mark.slow


class Page(HTMLParser):
    """Names of places on a page, where its links lead, and what a browser loads with it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.places: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.places |= {name for key in ("id", "name") if (name := given.get(key))}
        if tag == "a" and given.get("href"):
            self.links.append(str(given["href"]))
        elif tag == "link" and given.get("rel") not in ("canonical", "next", "prev", "search", "index"):
            self.loaded.append(str(given["href"]))
        elif tag in ("img", "script", "iframe", "source") and given.get("src"):
            self.loaded.append(str(given["src"]))


OFFLINE = """
import socket, sys

def refuse(*address, **settings):
    raise OSError("pages are built without a network")

socket.getaddrinfo = refuse
from sphinx.cmd.build import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The site, from sources alone, and what Sphinx said."""
    folder = tmp_path_factory.mktemp("site")
    copytree(DOCS, folder / "docs", ignore=ignore_patterns("_build", "pictures", "__pycache__"))
    for name in ("CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "SECURITY.md"):  # the pages about the package include them
        copy(ROOT / name, folder)
    settings = ["-b", "html", "-q", "-d", str(folder / "read"), str(folder / "docs"), str(folder / "html")]
    ran = subprocess.run([sys.executable, "-c", OFFLINE, *settings], capture_output=True, encoding="utf-8", timeout=600)
    assert ran.returncode == 0, ran.stderr
    return folder / "html", ran.stderr


@pytest.fixture(scope="module")
def pages(built: tuple[Path, str]) -> dict[Path, Page]:
    found = [path for path in built[0].rglob("*.html") if "_static" not in path.parts]
    return {path: Page(path.read_text(encoding="utf-8")) for path in found}


def test_no_warning(built: tuple[Path, str]) -> None:
    assert built[1] == ""


def test_every_page_is_there(built: tuple[Path, str]) -> None:
    assert [page for page in PAGES if not (built[0] / page.relative_to(DOCS)).with_suffix(".html").exists()] == []


def within(pages: dict[Path, Page], kind: str) -> Iterator[tuple[Path, str]]:
    for path, page in pages.items():
        for link in getattr(page, kind):
            if not urlsplit(link).scheme and link != "#":
                yield path, link


def test_links(pages: dict[Path, Page]) -> None:
    broken: list[str] = []
    for path, link in within(pages, "links"):
        parts = urlsplit(link)
        there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        known = pages.get(there)
        if not there.exists() or (parts.fragment and known and unquote(parts.fragment) not in known.places):
            broken.append(f"{path.name}: {link}")
    assert broken == []


def test_all_that_pages_load_is_beside_them(pages: dict[Path, Page]) -> None:
    loaded = [(path, link) for path, page in pages.items() for link in page.loaded if not link.startswith("data:")]
    assert [link for _, link in loaded if urlsplit(link).scheme or urlsplit(link).netloc] == []
    assert [link for path, link in loaded if not (path.parent / unquote(urlsplit(link).path)).exists()] == []


def test_search_finds_names_and_pages(built: tuple[Path, str]) -> None:
    text = (built[0] / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))
    found = {f"{prefix}.{entry[-1]}" for prefix, entries in index["objects"].items() for entry in entries}
    assert {f"recbayes.{name}" for name in public()} <= found
    assert {page.relative_to(DOCS).with_suffix("").as_posix() for page in PAGES} <= set(index["docnames"])
