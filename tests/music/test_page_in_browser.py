"""The page for musicians in a real browser: it is quiet on the network, plays, can be used by mouse and keys, and fits."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import recbayes as rb
from recbayes.music.page import music_page
from tests.browser import CHROMIUM, Browser, chromium
from tests.music.small_piece import HOSTILE, NOTES, small_score, small_tree

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt-get install chromium")

# Remembers when each tone was started and which, and listens to what goes to the loudspeakers.
LISTENING = """
window.heard = [];
window.stopped = [];
const { start, stop } = OscillatorNode.prototype, { connect } = AudioNode.prototype;
OscillatorNode.prototype.stop = function (when) {
  stopped.push(when);
  return stop.call(this, when);
};
OscillatorNode.prototype.start = function (when) {
  heard.push([when, Math.round(69 + 12 * Math.log2(this.frequency.value / 440))]);
  return start.call(this, when);
};
AudioNode.prototype.connect = function (to, ...more) {
  if (to instanceof AudioDestinationNode) connect.call(this, window.ear = new AnalyserNode(this.context));
  return connect.call(this, to, ...more);
};
window.loudest = 0;
setInterval(() => {
  if (!window.ear) return;
  const samples = new Float32Array(ear.fftSize);
  ear.getFloatTimeDomainData(samples);
  loudest = Math.max(loudest, ...samples.map(Math.abs));
}, 10);
"""
PLAYING = "document.documentElement.classList.contains('playing')"
CURSOR = "document.querySelector('.cursor').transform.baseVal.consolidate().matrix.e"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(
        music_page(small_score(), small_tree(), heading="Small piece", explanation="Invented."), encoding="utf-8"
    )
    return path


def at_tempo(browser: Browser, quarters_per_minute: int) -> None:
    browser.run(
        f"""{{ const slider = document.querySelector(".tempo input"); slider.value = {quarters_per_minute};
        slider.dispatchEvent(new Event("input")); }}"""
    )


def details(browser: Browser) -> Any:
    return browser.run("document.querySelector('.details').hidden ? null : document.querySelector('.details').innerText")


@pytest.fixture(autouse=True)
def quiet(request: pytest.FixtureRequest) -> Iterator[None]:
    """Whatever a test does: no complaint in the console, and no request but for the page itself and what it brings along."""
    yield
    browser: Browser = request.getfixturevalue("browser")
    assert browser.errors == []
    asked = [address for address in browser.requests if not address.startswith("data:")]
    assert len(asked) == 1
    assert asked[0].startswith("file://")


def test_playing_moves_the_cursor_and_sounds(browser: Browser, page: Path) -> None:
    browser.open(page, before=LISTENING)
    at_tempo(browser, 240)
    places = [browser.run(CURSOR)]
    browser.click(".play")
    browser.wait(PLAYING)
    browser.wait("ear.context.state === 'running'")
    while browser.run(PLAYING):
        places.append(browser.run(CURSOR))
    assert places[:-1] == sorted(places[:-1])
    ends = browser.run("JSON.parse(document.querySelector('.data').textContent).axis[1]")
    assert places[0] == pytest.approx(ends[0], abs=0.1)
    assert max(places) > (ends[0] + ends[-1]) / 2
    browser.wait(f"{CURSOR} === {places[0]}")  # back at the beginning
    heard = browser.run("heard")
    assert sorted(pitch for _, pitch in heard) == sorted(pitch for *_, pitch in NOTES)
    first = min(when for when, _ in heard)
    times = sorted((when - first, pitch) for when, pitch in heard)
    expected = sorted((onset / 4, pitch) for _, onset, _, pitch in NOTES)  # 240 quarters in a minute
    late = [when - planned for (when, _), (planned, _) in zip(times, expected, strict=True)]
    assert min(late) > -0.02
    assert sorted(late)[len(late) // 2] < 0.05  # a tone or two may be late on a busy machine
    assert browser.run("loudest") > 0.02


def test_tempo_is_that_of_the_score(browser: Browser, page: Path) -> None:
    browser.open(page)
    assert browser.run("document.querySelector('.tempo output').textContent") == "♩ = 120"


def test_space_plays_wherever_the_focus_is(browser: Browser, page: Path) -> None:
    """Also on the slider of the tempo, which does nothing with it."""
    browser.open(page)
    browser.run("document.querySelector('.tempo input').focus()")
    browser.press(" ")
    browser.wait(PLAYING)
    browser.press(" ")
    browser.wait(f"!{PLAYING}")


def test_pausing_and_going_on(browser: Browser, page: Path) -> None:
    browser.open(page, before=LISTENING)
    start = browser.run(CURSOR)
    browser.press(" ")
    browser.wait(f"{CURSOR} > {start} + 20")
    browser.press(" ")
    browser.wait(f"!{PLAYING}")
    place = browser.run(CURSOR)
    assert browser.run(f"new Promise((answer) => setTimeout(() => answer({CURSOR}), 200))") == place
    browser.press(" ")
    browser.wait(f"{CURSOR} > {place} + 5")
    browser.click(".start")
    browser.wait(f"{CURSOR} < {place}")
    browser.click(".play")
    browser.wait(f"!{PLAYING}")


def test_a_click_on_a_node_plays_its_span_and_describes_it(browser: Browser, page: Path) -> None:
    browser.open(page, before=LISTENING)
    at_tempo(browser, 240)
    assert details(browser) is None
    browser.click('.node[data-node="3"] .band')
    browser.wait(PLAYING)
    text = " ".join(details(browser).split())
    assert text.startswith("D minor bar 2 passage 40 %")
    assert "2 D " in text  # pitch classes with their quarters: D 2, F♯ 2, A 3, B♭ 1
    assert "2 F♯" in text
    assert "3 A " in text
    assert "1 B♭" in text
    chosen = browser.run("[...document.querySelectorAll('.chosen')].map((note) => Number(note.dataset.note)).sort()")
    assert sorted(chosen) == [place for place, note in enumerate(NOTES) if 4 <= note[1] < 8]
    browser.wait(f"!{PLAYING}")
    assert sorted(pitch for _, pitch in browser.run("heard")) == sorted(note[3] for note in NOTES if 4 <= note[1] < 8)
    assert browser.run("document.querySelectorAll('[aria-selected=true]').length") == 1
    browser.press("Escape")
    assert details(browser) is None
    assert browser.run("document.querySelectorAll('.chosen').length") == 0


def test_notes_that_sound_through_a_span_are_heard_as_long_as_it_lasts(browser: Browser, tmp_path: Path) -> None:
    whole, leaf = small_tree()[0], small_tree()[2]
    path = tmp_path / "page.html"
    nodes = [whole, replace(leaf, start=1.0, end=2.0, parent=0)]
    path.write_text(music_page(small_score(), nodes, heading="x", explanation=""), encoding="utf-8")
    browser.open(path, before=LISTENING)
    at_tempo(browser, 60)
    browser.click('.node[data-node="1"] .band')
    browser.wait(PLAYING)
    browser.wait(f"!{PLAYING}")
    heard = browser.run("heard")
    assert sorted(pitch for _, pitch in heard) == [48, 76, 78]  # the first began before the span and goes on after it
    assert max(browser.run("stopped")) < min(when for when, _ in heard) + 2.0  # a quarter, and its dying away


def test_keys_alone_are_enough(browser: Browser, page: Path) -> None:
    """Tab reaches the tree; arrows go up to the parts, down to the whole, and aside; Enter plays."""
    browser.open(page)
    focused = "document.activeElement.dataset?.node"
    for _ in range(12):
        browser.press("Tab")
        if browser.run(focused):
            break
    assert browser.run(focused) == "0"
    for key, expected in [
        ("ArrowUp", "1"),
        ("ArrowUp", "2"),
        ("ArrowRight", "4"),
        ("ArrowDown", "3"),
        ("End", "6"),
        ("Home", "0"),
    ]:
        browser.press(key)
        assert browser.run(focused) == expected
    browser.press("ArrowUp")
    browser.press("Enter")
    browser.wait(PLAYING)
    assert details(browser).startswith("G major")
    browser.press(" ")
    browser.wait(f"!{PLAYING}")


def test_a_click_into_the_score_plays_from_there_and_another_pauses(browser: Browser, page: Path) -> None:
    browser.open(page)
    x, y = browser.run(
        """(() => { const box = document.querySelector('[data-note="11"]').getBoundingClientRect();
        return [box.left, document.querySelector(".paper").getBoundingClientRect().top + 4]; })()"""
    )
    browser.click_at(x, y)
    browser.wait(PLAYING)
    assert browser.run("document.querySelector('.position').textContent") == "bar 3"
    browser.click_at(x, y)
    browser.wait(f"!{PLAYING}")


def test_bands_begin_where_their_notes_are_drawn(browser: Browser, page: Path) -> None:
    """As the browser lays them out: a band begins close before its first note, and ends before the note after it."""
    browser.open(page)
    boxes = "[...document.querySelectorAll('.band')].map((band) => band.getBoundingClientRect())"
    bands = browser.run(f"{boxes}.map((box) => [box.left, box.right])")
    heads = browser.run(
        "[...Array(12).keys()].map((n) => document.querySelector(`[data-note='${n}']`).getBoundingClientRect().left)"
    )
    onsets: dict[float, float] = {}
    for place, (_, onset, _, _) in enumerate(NOTES):
        onsets[onset] = min(onsets.get(onset, 1e9), heads[place])
    for place, node in enumerate(small_tree()):
        left, right = bands[place]
        assert 0 < onsets[node.start] - left < 25
        if node.end in onsets:
            assert 0 < onsets[node.end] - right < 30


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 800)])
@pytest.mark.parametrize("drawn", [True, False])
def test_page_fits_and_controls_stay(browser: Browser, tmp_path: Path, width: int, height: int, drawn: bool) -> None:
    """A long heading and text; a tree that is chosen from; the window scrolled to its end."""
    score = small_score() if drawn else small_score(drawing=None)
    path = tmp_path / "page.html"
    words = "Donaudampfschifffahrtsgesellschaftskapitänsquartett " * 3
    path.write_text(music_page(score, small_tree(), heading=words, explanation=words * 9), encoding="utf-8")
    browser.open(path, width, height)
    browser.click('.node[data-node="0"] .band')
    browser.wait(PLAYING)
    assert browser.run("document.documentElement.scrollWidth") <= width
    assert browser.run("document.body.scrollWidth") <= width
    for place in ("0", "document.body.scrollHeight"):
        browser.run(f"scrollTo(0, {place})")
        top, bottom, end = browser.run(
            """(() => { const box = document.querySelector(".controls").getBoundingClientRect();
            return [box.top, box.bottom, document.querySelector(".tempo output").getBoundingClientRect().right]; })()"""
        )
        assert end <= width
        if place != "0":
            assert 0 <= top < bottom <= height
    browser.press(" ")


def test_the_score_stays_on_paper_by_night(browser: Browser, page: Path) -> None:
    for dark in (False, True):
        browser.open(page, dark=dark)
        paper, ground = browser.run(
            """[getComputedStyle(document.querySelector(".paper")).fill,
            getComputedStyle(document.documentElement).backgroundColor]"""
        )
        assert brightness(paper) > 200
        assert (brightness(ground) < 60) == dark


def brightness(colour: str) -> float:
    return sum(map(int, colour.removeprefix("rgb(").removesuffix(")").split(","))) / 3


def test_hostile_texts_do_nothing(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    text = music_page(small_score(title=HOSTILE), small_tree(HOSTILE), heading=HOSTILE, explanation=HOSTILE)
    path.write_text(text, encoding="utf-8")
    browser.open(path)
    browser.click('.node[data-node="0"] .band')
    browser.wait(PLAYING)
    assert browser.run("document.querySelector('h1').textContent") == HOSTILE
    assert HOSTILE in details(browser)
    assert browser.run("window.hacked") is None
    browser.press(" ")


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1280])
def test_the_prelude_is_shown_and_played(browser: Browser, tmp_path: Path, width: int) -> None:
    """From the notes to the page, with the model in the box."""
    path = tmp_path / "prelude.html"
    rb.music.analyse(rb.music.prelude(), draws=50, seed=0).to_html(path)
    browser.open(path, width=width, before=LISTENING)
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")
    before = browser.run(CURSOR)
    browser.click(".play")
    browser.wait(PLAYING)
    browser.wait("heard.length >= 8")
    assert browser.run(CURSOR) > before
    assert [pitch for _, pitch in sorted(browser.run("heard"))[:5]] == [60, 64, 67, 72, 76]
    browser.wait("loudest > 0.02")


def test_all_of_the_score_goes_on_paper(browser: Browser, tmp_path: Path) -> None:
    """In lines that end at bars, one after the other without a gap, with every passage in at least one of them."""
    page = tmp_path / "page.html"
    rb.music.analyse(rb.music.prelude(), draws=50).to_html(page)
    browser.open(page)
    parts = "[...document.querySelectorAll('.systems svg.axis')]"
    lines = f"{parts}.map((part) => part.getAttribute('viewBox').split(' ').map(Number))"
    assert browser.run(lines) == []
    browser.run("dispatchEvent(new Event('beforeprint'))")
    found = browser.run(lines)
    assert len(found) > 4
    assert found[0][0] == 0
    for one, after in pairwise(found):
        assert after[0] == pytest.approx(one[0] + one[2])
    assert found[-1][0] + found[-1][2] == browser.run("document.querySelector('.axis').viewBox.baseVal.width")
    shown = browser.run("new Set([...document.querySelectorAll('.systems .node')].map((node) => node.dataset.node)).size")
    assert shown == browser.run("document.querySelectorAll('.tree .node:not(.systems .node)').length")
    browser.run("dispatchEvent(new Event('afterprint'))")
    assert browser.run(lines) == []
