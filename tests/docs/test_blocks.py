"""The Python of every page runs, page by page, and prints what the page says: `output` below a block is compared."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import DOCS, PAGES, ROOT, Block, blocks
from tests.docs.running import commands, run, same

QUICK = {"index.md", "start/installation.md"}  # the others are run with the slow tests
CONSOLES = {"start/tutorial.md"}  # pages whose sessions are run here, too
IN_PYTHON = [page for page in (ROOT / "README.md", *PAGES) if any(block.language == "python" for block in blocks(page))]


def segment(names: dict[str, Any], printed: str, folder: Path) -> None:
    assert "1 change point in 100 observations from 1871 to 1970" in printed
    assert "[1899]" in printed
    assert "[Timestamp('2024-03-01 00:00:00')]" in printed
    assert (folder / "nile.png").exists()


def long_series(names: dict[str, Any], printed: str, folder: Path) -> None:
    assert [one.position for one in names["found"].changes] == pytest.approx([3000, 4000, 8000], abs=1)
    assert names["chart"].candidates.left_out <= 0.3
    assert 0.0 < names["full"].log_evidence - names["chart"].log_evidence < 0.6
    assert "boundaries expected elsewhere" in printed


def densities(names: dict[str, Any], printed: str, folder: Path) -> None:
    length = len(names["y"])
    assert 10 <= length <= 20
    assert names["true_tree"].nodes[0].span == (0, length)
    assert 1 <= len(names["words"]) <= 12
    assert f"0:{length} x" in printed


def music(names: dict[str, Any], printed: str, folder: Path) -> None:
    assert "Score('Prelude in C major, BWV 846': 549 notes, 35 bars, 140 quarters)" in printed
    assert "(70, 12)" in printed
    assert names["piece"].onsets[:5].tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert names["piece"].pitches[:5].tolist() == [60, 64, 67, 72, 76]
    assert names["bars"].counts[0][[0, 4, 7]].tolist() == [5, 4.5, 1]
    assert repr(names["bars"]) == "Slices(35 of 0 to 140 quarters)"


CHECKS: dict[str, Callable[[dict[str, Any], str, Path], None]] = {
    "guides/segment.md": segment,
    "guides/long-series.md": long_series,
    "guides/densities.md": densities,
    "guides/music.md": music,
}


def name_of(page: Path) -> str:
    return page.relative_to(DOCS).as_posix() if page.is_relative_to(DOCS) else page.name


def marks(page: Path) -> list[pytest.MarkDecorator]:
    return [] if name_of(page) in QUICK else [pytest.mark.slow]


@pytest.mark.parametrize("page", [pytest.param(one, id=name_of(one), marks=marks(one)) for one in IN_PYTHON])
def test_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names, printed = run(page, tmp_path, consoles=name_of(page) in CONSOLES)
    if name_of(page) in CHECKS:
        CHECKS[name_of(page)](names, printed, tmp_path)


@pytest.fixture(autouse=True)
def _no_figures_left() -> Any:
    yield
    from matplotlib import pyplot

    pyplot.close("all")


def test_checks_are_of_pages() -> None:
    assert {*QUICK, *CONSOLES, *CHECKS} <= {name_of(page) for page in IN_PYTHON}


def test_same() -> None:
    assert same("level 3.5 ...\nin 1899", "level 3.52  and so on\n\nin 1899\n")
    assert same("0.98", "0.99")
    assert not same("0.98", "0.9")
    assert not same("in 1899", "in 1898")
    assert not same("level 3.5", "trend 3.5")
    assert not same("3 changes", "3 changes, and more")


def test_commands() -> None:
    session = Block("console", "$ one \\\n    two\nshown\nto all\n$ three\n", 1)
    assert commands(session) == [("one \\\n    two\n", "shown\nto all\n"), ("three\n", "")]
