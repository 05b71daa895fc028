"""Links of pages that people read in the repository: the files are there, and the headings."""

from pathlib import Path

import pytest

from tests.docs.pages import DOCS, PAGES, ROOT, anchors, links

READ = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *PAGES]


@pytest.mark.parametrize("page", READ, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links(page: Path) -> None:
    for link in links(page):
        name, _, heading = link.partition("#")
        there = (page.parent / name).resolve() if name else page
        assert there.is_relative_to(ROOT), f"{link} leads out of the repository"
        assert there.exists(), f"{link}: there is no such file"
        if heading:
            assert heading in anchors(there), f"{link}: there is no such heading"


def test_pictures_are_used() -> None:
    """None lies about that no page shows."""
    shown = {(page.parent / link).resolve() for page in READ for link in links(page)}
    assert {picture for picture in (DOCS / "figures").iterdir() if picture.resolve() not in shown} == set()


def test_reading(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# One & two\n\n[a](b.md#c) `[no](x)` ![p](q.png)\n```python\n[no](y)\n# no\n```\n## One & two\n[w](https://z)\n"
    )
    assert links(page) == ["b.md#c", "q.png"]
    assert anchors(page) == {"one--two", "one--two-1"}
