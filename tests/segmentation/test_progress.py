"""What long work of `rb.segment` shows."""

import io
import time

import pytest
import rich.console

from recbayes.segmentation import progress
from recbayes.segmentation.progress import Progress
from tests.segmentation.series import JUMP, quick


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """A terminal that keeps what is written, and no patience."""
    screen, console = io.StringIO(), rich.console.Console
    monkeypatch.setattr(rich.console, "Console", lambda **_: console(file=screen, force_terminal=True, width=100))
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    return screen


def test_a_terminal_is_told_what_is_done(terminal: io.StringIO) -> None:
    with Progress(None, series=3) as shown:
        shown.next_series()
        shown.stage("drawing", 4)
        shown.advance()
        shown.advance()
        time.sleep(0.3)
    assert "series 1 of 3: drawing, 2 of 4, about 0 s left" in terminal.getvalue()


def test_segmenting_tells_its_stages(terminal: io.StringIO) -> None:
    assert quick(JUMP).change_points == [20]
    assert "describing segments by several models" in terminal.getvalue()


def test_nothing_is_shown_where_it_is_not_wanted(terminal: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    quick(JUMP, progress=False)
    assert terminal.getvalue() == ""
    monkeypatch.setattr(progress, "PATIENCE", 60.0)  # what is done soon is not shown, either
    quick(JUMP)
    assert "drawing" not in terminal.getvalue()
