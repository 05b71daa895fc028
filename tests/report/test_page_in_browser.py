"""The page in a real browser: what mouse, keys and readers of screens get of it, quietly and in any window."""

import csv
import io
import json
import re
import runpy
import time
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import recbayes as rb
from recbayes.data.frames import read_table
from recbayes.report.axis import axis_of
from tests.browser import CHROMIUM, Browser, chromium
from tests.report.found import HOSTILE, ODD, hostile, odd, plain
from tests.report.test_rounding import TOLD

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt-get install chromium")

TIP = "document.querySelector('.tip').hidden ? null : document.querySelector('.tip').innerText"
CRUMBS = "[...document.querySelectorAll('.crumbs button, .crumbs [aria-current]')].map((one) => one.textContent)"
FOCUS = "document.activeElement?.dataset?.span ?? null"
SHOWN = "[...document.querySelectorAll('[role=treeitem]')].map((item) => item.dataset.span)"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(hostile(), tmp_path_factory.mktemp("page"))


@pytest.fixture(autouse=True)
def quiet(request: pytest.FixtureRequest) -> Iterator[None]:
    """Whatever a test does: no complaint in the console, no request but for the page itself, no name that was a script."""
    yield
    browser: Browser = request.getfixturevalue("browser")
    assert browser.errors == []
    asked = [address for address in browser.requests if not address.startswith(("data:", "blob:"))]
    assert len(asked) == 1
    assert asked[0].startswith("file://")
    assert browser.run("window.hacked") is None


def written(found: rb.Segmentation, folder: Path) -> Path:
    path = folder / "page.html"
    found.to_html(path)
    return path


def spans_of(tree: rb.Tree) -> list[str]:
    return [f"{start}:{end}" for start, end in tree.spans]


def slide(browser: Browser, threshold: int) -> None:
    browser.run(
        f"""{{ const slider = document.querySelector("input[type=range]"); slider.value = {100 - threshold};
        slider.dispatchEvent(new Event("input")); }}"""
    )


def over_node(browser: Browser, found: rb.Segmentation, number: int) -> dict[str, float]:
    """How far along and down the picture of the tree a node is."""
    node, rows = found.tree.nodes[number], max(found.tree.levels) + 1
    middle = (node.start + node.end) / 2 / len(found.data)
    left, right = browser.run("[document.querySelector('.tree').clientWidth < 600 ? 44 : 60, 10]")
    width = browser.run("document.querySelector('.tree').clientWidth")
    return {"along": (left + middle * (width - left - right)) / width, "down": (found.tree.levels[number] + 0.5) / rows}


@pytest.mark.parametrize("width", [1280, 380])
def test_hovering_tells_what_is_known_of_a_node(browser: Browser, page: Path, width: int) -> None:
    found = hostile()
    browser.open(page, width)
    assert browser.run(TIP) is None
    leaf = next(n for n, arity in enumerate(found.tree.arities) if not arity)
    browser.hover(".tree", **over_node(browser, found, leaf))
    text = " ".join(browser.run(TIP).split())
    node, row = found.tree.nodes[leaf], found.rows()[leaf]
    assert f"{found.data.place(node.start)} to {found.data.place(node.end - 1)}" in text
    assert f"{node.end - node.start} observations" in text
    assert "give or take 5 observations" in text
    assert "kind segment: level" in text
    level = float(re.search(r"level (−?[\d.]+) \(", text)[1].replace("−", "-"))  # type: ignore[index]
    assert level == pytest.approx(row["level"], abs=0.03)
    assert "noise" in text
    box = browser.run("(({left, right}) => [left, right])(document.querySelector('.tip').getBoundingClientRect())")
    assert 0 <= box[0] < box[1] <= width
    band = browser.run("document.querySelector('.highlight').getBoundingClientRect().width")
    inner = browser.run("document.querySelector('.tree').clientWidth") - (70 if width > 600 else 54)
    assert band == pytest.approx(inner * node.length / len(found.data), abs=2)


def test_hovering_in_the_series_tells_of_its_segment(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.hover(".column", along=0.95)
    last = hostile().tree.leaves[-1]
    assert browser.run(TIP).startswith(f"{hostile().data.place(last.start)} to")
    browser.hover("h1")
    assert browser.run(TIP) is None


def test_hovering_over_spans(browser: Browser, page: Path) -> None:
    """The top of the scape is the whole series; with exact ends, probabilities are those of the draws."""
    found = hostile()
    browser.open(page)
    browser.hover("canvas", along=(60 + 605) / 1280 + 0.0, down=0.04)
    assert "certain: the whole series" in browser.run(TIP)
    browser.click(".title input")
    told = json.loads(browser.run("document.querySelector('.data').textContent"))["spans"]
    best = max((n for n in range(len(told["starts"])) if told["starts"][n] > 0), key=lambda n: (told["probability"][n], -n))
    start, end = told["points"][told["starts"][best]], told["points"][told["ends"][best]]
    box = browser.run("(({width, height}) => [width, height])(document.querySelector('canvas').getBoundingClientRect())")
    x = 60 + (start + end) / 2 / len(found.data) * (box[0] - 70)
    y = box[1] - 2 - (end - start) / len(found.data) * (box[1] - 12)
    browser.hover("canvas", along=x / box[0], down=y / box[1])
    text = browser.run(TIP)
    assert text.startswith(f"{found.data.place(start)} to {found.data.place(end - 1)}")
    assert f"{100 * found.posterior.nodes.at(start, end).probability:.0f} % with exactly these ends" in text


@pytest.mark.parametrize("width", [1280, 380])
def test_a_click_zooms_and_escape_goes_back(browser: Browser, page: Path, width: int) -> None:
    found = hostile()
    browser.open(page, width)
    inner = next(n for n, arity in enumerate(found.tree.arities) if arity and n)
    node = found.tree.nodes[inner]
    bands = browser.run("document.querySelectorAll('.band').length")
    assert bands == len(found.tree)
    name = f"{found.data.place(node.start)} to {found.data.place(node.end - 1)}"
    place = over_node(browser, found, inner)
    x, y = browser.place(".tree", place["down"], place["along"])
    browser.click_at(x, y)
    assert browser.run(CRUMBS) == ["Whole series", name]
    inside = [one for one in found.tree if node.start <= one.start and one.end <= node.end]
    assert browser.run("document.querySelectorAll('.band').length") == len(inside)
    browser.press("Escape")
    assert browser.run(CRUMBS) == ["Whole series"]
    assert browser.run("document.querySelectorAll('.band').length") == bands
    browser.click_at(*browser.place(".tree", place["down"], place["along"]))
    browser.click(".crumbs button")
    assert browser.run(CRUMBS) == ["Whole series"]


def test_on_a_phone_the_first_tap_tells_and_the_second_zooms(browser: Browser, page: Path) -> None:
    found = hostile()
    browser.open(page, 380)
    x, y = browser.place(".tree", **over_node(browser, found, len(found.tree) - 1))
    told = []
    for _ in range(2):
        browser.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        browser.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        browser.wait(
            "document.querySelector('.tip').hidden === false || document.querySelectorAll('.crumbs button').length > 0"
        )
        told.append((browser.run(TIP) is not None, len(browser.run(CRUMBS))))
        browser.wait(f"({CRUMBS}).length === {len(told)}")
    assert told[0] == (True, 1)
    assert len(browser.run(CRUMBS)) == 2


def test_tooltips_stay_in_low_windows_until_they_are_dismissed(browser: Browser, page: Path) -> None:
    browser.open(page, 800, 380)
    place = over_node(browser, hostile(), 0)
    for down in (60, 190, 330):
        browser.place(".tree", **place)
        browser.run(f"scrollBy(0, {190 - down})")
        x, y = browser.run(
            "(({left, top}) => [left + 300, top + 12])(document.querySelector('.tree').getBoundingClientRect())"
        )
        browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        top, bottom = browser.run(
            "(({top, bottom}) => [top, bottom])(document.querySelector('.tip').getBoundingClientRect())"
        )
        assert 0 <= top < bottom <= 380
    browser.press("Escape")
    assert browser.run(TIP) is None
    for selector, seen in ((".tree", True), ("h1", False)):
        x, y = browser.place(selector, **(place if seen else {}))
        browser.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        browser.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        browser.wait(f"document.querySelector('.tip').hidden === {str(not seen).lower()}")


def test_the_slider_goes_from_the_surest_nodes_to_all(browser: Browser, page: Path) -> None:
    """From 1/2 on, nodes are those that are more probable than the threshold."""
    browser.open(page)
    assert browser.run(SHOWN) == spans_of(hostile().tree)
    table = browser.run("JSON.parse(document.querySelector('.data').textContent).near")
    spans = [
        (f"{table['points'][start]}:{table['points'][end]}", p)
        for start, end, p in zip(table["starts"], table["ends"], table["probability"], strict=True)
    ]
    sizes = []
    for threshold in (99, 80, 50, 20, 1):
        slide(browser, threshold)
        shown = browser.run(SHOWN)
        if threshold >= 50:
            assert set(shown) == {name for name, p in spans if p > threshold / 100} | {"0:120"}
        sizes.append(len(shown))
        assert f"{len(shown)} node" in browser.run("document.querySelector('.threshold').textContent")
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]
    browser.click(".found")
    assert browser.run(SHOWN) == spans_of(hostile().tree)


def test_a_stretch_without_nodes_shows_what_is_around_it(browser: Browser, page: Path) -> None:
    browser.open(page)
    node = next(n for n, one in enumerate(hostile().tree) if (one.probability or 1.0) < 0.95)
    browser.click_at(*browser.place(".tree", **over_node(browser, hostile(), node)))
    assert len(browser.run(CRUMBS)) == 2
    slide(browser, 99)
    left, right = browser.run(
        """[".band", ".tree"].map((name) => document.querySelector(name).getBoundingClientRect()).map(
        ({ left, right }, n) => n ? right : left)"""
    )
    assert 0 < left < right


def test_keys_alone_are_enough(browser: Browser, page: Path) -> None:
    found = hostile()
    browser.open(page)
    for _ in range(12):
        browser.press("Tab")
        if browser.run(FOCUS):
            break
    spans = spans_of(found.tree)
    assert browser.run(FOCUS) == spans[0]
    assert browser.run("document.querySelectorAll('[role=tree] [tabindex=\"0\"]').length") == 1
    for key, expected in [("ArrowDown", 1), ("ArrowUp", 0), ("ArrowRight", 1), ("ArrowLeft", 0), ("End", -1), ("Home", 0)]:
        browser.press(key)
        if key == "ArrowLeft" and found.tree.arities[1]:  # it closes first
            assert browser.run(FOCUS) == spans[1]
            browser.press(key)
        assert browser.run(FOCUS) == spans[expected]
        assert browser.run("document.querySelector('.highlight').hidden") is False
    browser.press("ArrowLeft")
    assert browser.run("document.activeElement.getAttribute('aria-expanded')") == "false"
    browser.press("ArrowDown")
    assert browser.run(FOCUS) == spans[0]  # what is closed is passed over
    browser.press("ArrowRight")
    browser.press("ArrowRight")
    assert browser.run(FOCUS) == spans[1]
    browser.press("Enter")
    assert len(browser.run(CRUMBS)) == 2
    assert browser.run(FOCUS) == spans[1]
    browser.press("Escape")
    assert browser.run(CRUMBS) == ["Whole series"]


def test_what_has_the_focus_is_in_sight(browser: Browser, page: Path) -> None:
    """Also in a tree that is taller than its list."""
    browser.open(page)
    browser.run("document.querySelector('.outline').style.maxHeight = '4rem'")
    browser.run("document.querySelector('[role=treeitem]').focus()")
    for key in ("End", "Home", "End", "ArrowLeft"):
        browser.press(key)
        (top, bottom), (least, most) = browser.run(
            """[document.activeElement, document.querySelector(".outline")].map((one) => one.getBoundingClientRect()).map(
            ({ top, bottom }) => [top, bottom])"""
        )
        assert max(least, 0) - 1 <= top < bottom <= min(most, 900) + 1


def test_the_tree_is_told_to_those_who_hear_it(browser: Browser, page: Path) -> None:
    """Levels, sizes and names, as the browser hands them to readers of screens."""
    found = hostile()
    browser.open(page)
    nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
    items = [node for node in nodes if node.get("role", {}).get("value") == "treeitem"]
    assert len(items) == len(found.tree)
    levels = [property["value"]["value"] for item in items for property in item["properties"] if property["name"] == "level"]
    assert sorted(levels) == sorted(level + 1 for level in found.tree.levels)
    seen = browser.run(
        "[...document.querySelectorAll('[role=treeitem]')].map((item) => item.innerText.replace(/[▸\\s]+/g, ' '))"
    )
    labels = browser.run("[...document.querySelectorAll('[role=treeitem]')].map((item) => item.ariaLabel)")
    assert all(label.startswith(text.strip()) for label, text in zip(labels, seen, strict=True))
    names = sorted(item["name"]["value"] for item in items)
    assert names[0].startswith("2011-01-01 to ")
    assert all("probability" in name and "level" in name for name in names)


def test_the_table_is_saved_as_csv(browser: Browser, tmp_path: Path) -> None:
    found = odd("texts")
    browser.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    browser.open(written(found, tmp_path))
    browser.click(".save")
    path, until = tmp_path / "changes-of-a-name-with-commas.csv", time.monotonic() + 15
    while not path.exists():
        assert time.monotonic() < until, list(tmp_path.iterdir())
        time.sleep(0.02)
    text = path.read_bytes().decode("utf-8")
    told = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
    for row, known in zip(told, found.rows(), strict=True):
        assert row["start"] == f"'{known['start']}"  # a text that begins with =
        for name in ("level", "level_low", "slope", "noise_high", "probability"):
            assert row[name] == "" if known[name] is None else float(row[name]) == pytest.approx(known[name], rel=1e-11)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [1280, 380])
def test_axe_finds_nothing_serious(browser: Browser, page: Path, width: int, dark: bool) -> None:
    browser.open(page, width, dark=dark)
    browser.run(files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
    found = browser.run("axe.run(document, {resultTypes: ['violations']}).then(({ violations }) => violations)")
    assert [(one["id"], one["impact"], one["nodes"][0]["html"]) for one in found if one["impact"] != "minor"] == []
    assert browser.run("axe.run(document).then(({ passes }) => passes.length)") > 15


def test_nothing_scrolls_that_keys_do_not_reach(browser: Browser, tmp_path: Path) -> None:
    browser.open(written(odd("many columns"), tmp_path), 380)
    browser.run("[...document.querySelectorAll('[role=treeitem]')].at(-1).focus()")
    scrolled = browser.run(
        """[...document.querySelectorAll("main *")].filter((one) => one.scrollWidth > one.clientWidth + 1 &&
        ["auto", "scroll"].includes(getComputedStyle(one).overflowX)).map((one) => [one.className, one.tabIndex])"""
    )
    assert scrolled == [["wide", 0]]


@pytest.mark.parametrize("name", ["hostile", *ODD])
def test_every_page_fits_every_window(browser: Browser, tmp_path: Path, name: str) -> None:
    path = written(hostile() if name == "hostile" else odd(name), tmp_path)
    for width in (380, 1280):
        browser.open(path, width)
        assert browser.run("document.documentElement.scrollWidth") <= width
        assert browser.run("document.querySelectorAll('.tick').length") >= 2
        marks = "[...document.querySelectorAll('.column')].map((one) => one.querySelectorAll('.label').length)"
        assert min(browser.run(marks)) >= 2
        texts = "[...document.querySelectorAll('.charts svg text')].map((one) => one.getBoundingClientRect())"
        names = "[...document.querySelectorAll('.item')].flatMap((one) => [...one.querySelectorAll('.end')].map((end) =>"
        over = "end.getBoundingClientRect().right - one.querySelector('.bar').getBoundingClientRect().left))"
        assert max(browser.run(f"{names} {over}")) <= 0
        assert browser.run(f"{texts}.filter(({{left, right}}) => left < -0.5 || right > {width + 0.5}).length") == 0
        assert "NaN" not in browser.run("document.querySelector('main').outerHTML")
        assert "undefined" not in browser.run("document.querySelector('main').outerHTML")
    slide(browser, 1)
    browser.hover(".tree", down=0.2)
    assert browser.run(TIP)


def test_dates_are_shown_as_dates(browser: Browser, page: Path) -> None:
    browser.open(page)
    labels = browser.run("[...document.querySelectorAll('.charts .tick + .label')].map((one) => one.textContent)")
    assert {"2012", "2016", "2020"} <= set(labels)
    assert browser.run("document.querySelector('.when').textContent").startswith("2013-07-01 · ")


def test_without_scripts_it_is_a_page_with_a_title(browser: Browser, tmp_path: Path) -> None:
    path = written(odd("many columns"), tmp_path)
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open(path, 380)
        told = browser.run(
            """[...document.querySelectorAll("h1")].map((one) => [one.innerText, one.getBoundingClientRect().left > 8])
            .concat(document.documentElement.scrollWidth)"""
        )
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)
    assert told == [["Changes of a series", True], 380]


def test_names_do_not_turn_what_follows(browser: Browser, page: Path) -> None:
    browser.open(page)
    told = run_parts(browser, ("basics",), 'html("p", { "aria-label": "a\\u202eb" }, "a\\u202eb · 1 %").outerHTML')
    assert told == '<p aria-label="a\\u202eb">a\\u202eb · 1 %</p>'


def test_hostile_names_are_shown_as_they_are(browser: Browser, page: Path) -> None:
    browser.open(page)
    assert browser.run("document.querySelector('h1').textContent") == f"Changes of {HOSTILE}"
    assert browser.run("document.querySelectorAll('main img, main script').length") == 0


def test_on_paper_it_is_light_and_whole(browser: Browser, page: Path, tmp_path: Path) -> None:
    browser.open(page, dark=True)
    browser.call("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    ground, shown = browser.run(
        """[getComputedStyle(document.querySelector(".recbayes-report")).backgroundColor,
        [...document.querySelectorAll(".slide, .save")].filter((one) => one.offsetParent).length]"""
    )
    browser.call("Emulation.setEmulatedMedia", media="")
    assert (ground, shown) == ("rgb(255, 255, 255)", 0)
    browser.print(tmp_path / "page.pdf")
    pages = re.findall(rb"/Type\s*/Page\b", (tmp_path / "page.pdf").read_bytes())
    assert 1 <= len(pages) <= 4


def test_paper_loses_nothing(browser: Browser, tmp_path: Path) -> None:
    """All is drawn before the browser divides it into pages, closed nodes are listed, and broad tables fit."""
    browser.open(written(odd("many columns"), tmp_path))
    browser.run(
        """window.drawn = []; new MutationObserver(() => drawn.push(matchMedia("print").matches)).observe(
        document.querySelector(".charts"), { childList: true })"""
    )
    browser.click(".toggle")
    shown = "[...document.querySelectorAll('.item')].filter((one) => one.offsetParent).length"
    assert browser.run(shown) == 1
    browser.print(tmp_path / "page.pdf")
    assert browser.run("drawn") == [False, False]
    browser.call("Emulation.setDeviceMetricsOverride", width=718, height=1000, deviceScaleFactor=1, mobile=False)
    browser.call("Emulation.setEmulatedMedia", media="print")
    assert browser.run(shown) == browser.run("document.querySelectorAll('.item').length") > 1
    assert browser.run("document.documentElement.scrollWidth") <= 718
    browser.call("Emulation.setEmulatedMedia", media="")


@pytest.mark.slow
def test_the_pictures_of_the_docs(browser: Browser, page: Path, tmp_path: Path) -> None:
    browser.open(page)  # this test's own; the example has another
    runpy.run_path(str(Path(__file__).parents[2] / "examples" / "report.py"))["main"](tmp_path, draws=100)
    assert {path.name: path.stat().st_size < 250_000 for path in tmp_path.iterdir()} == {
        "report.png": True,
        "report-phone.png": True,
    }


def run_parts(browser: Browser, names: tuple[str, ...], expression: str) -> Any:
    """The value of an expression that knows what some files of the page's script say."""
    script = "".join(files("recbayes.report").joinpath("parts", f"{name}.js").read_text(encoding="utf-8") for name in names)
    return browser.run(f"(() => {{ {script}; return {expression}; }})()")


def test_numbers_are_told_as_still_pictures_tell_them(browser: Browser, page: Path) -> None:
    browser.open(page)
    told = run_parts(browser, ("basics",), f"{json.dumps(TOLD)}.map(([value, extent]) => told(value, extent))")
    assert told == [expected for _, _, expected in TOLD]
    assert run_parts(browser, ("basics",), "[5e7, 1.02e-5, 12.5].map((value) => told(value))") == ["5e7", "1.02e−5", "12.5"]


def ticks_of(browser: Browser, axis: dict[str, Any], length: int, pixels: int = 1000) -> list[list[Any]]:
    return run_parts(browser, ("basics", "axis"), f"makeAxis({json.dumps(axis)}, {length}).ticks(0, {length}, {pixels})")  # type: ignore[no-any-return]


def test_times_of_a_day_are_told_with_their_day(browser: Browser, page: Path) -> None:
    browser.open(page)
    start = int(np.datetime64("2024-06-01T23:59:58.100", "ms").astype(int))
    times = [start + 20 * n for n in range(120)]
    ticks = ticks_of(browser, {"kind": "dates", "rows": [], "knots": list(range(120)), "times": times}, 120)
    assert ["23:59:59.000", "1 Jun 2024"] in [tick[1:] for tick in ticks]
    assert ["00:00:00.000", "2 Jun 2024"] in [tick[1:] for tick in ticks]
    for position, text, _ in ticks:
        stamp = np.datetime64(round(start + 20 * (position - 0.5)), "ms")
        assert str(stamp).endswith(text)


def test_no_tick_has_a_time_that_no_row_has(browser: Browser, page: Path) -> None:
    """Two weeks by the minute, with a month between them, of which the page knows every thirteenth row and the gap."""
    browser.open(page)
    times = pd.date_range("2024-01-01", periods=20_000, freq="min")
    times = times[:10_007].append(times[10_007:] + pd.Timedelta(days=30))
    axis = axis_of(read_table(pd.Series(np.zeros(len(times)), index=times)), np.array([0]))
    ticks = ticks_of(browser, axis, len(times))
    assert len(ticks) >= 4
    for position, text, *_ in ticks:
        row = times[min(max(round(position - 0.5), 0), len(times) - 1)]
        assert text.startswith(f"{row.day} {row:%b}"), (text, row)


# The tree that the page decodes


def decoded(browser: Browser, table: dict[str, Any], threshold: float) -> set[tuple[int, int]]:
    script = files("recbayes.report").joinpath("parts", "decode.js").read_text(encoding="utf-8")
    spans = browser.run(f"(() => {{ {script}; return decode({json.dumps(table)}, {threshold}); }})()")
    return {(one["start"], one["end"]) for one in spans}


def table_of(spans: dict[tuple[int, int], float]) -> dict[str, Any]:
    points = sorted({end for span in spans for end in span})
    starts, ends = ([points.index(span[n]) for span in spans] for n in (0, 1))
    return {"points": points, "starts": starts, "ends": ends, "probability": list(spans.values())}


def best_sum(spans: dict[tuple[int, int], float], threshold: float) -> float:
    """The largest sum of any choice of spans that do not cross: by trying all of them."""
    items = [(span, p - threshold) for span, p in spans.items() if p > threshold]
    best = 0.0

    def go(n: int, chosen: list[tuple[int, int]], total: float) -> None:
        nonlocal best
        best = max(best, total)
        for k in range(n, len(items)):
            (a, b), gain = items[k]
            if not any(a < c < b < d or c < a < d < b for c, d in chosen):
                go(k + 1, [*chosen, (a, b)], total + gain)

    go(0, [], 0.0)
    return best


def test_decoding_is_best_of_all_choices(browser: Browser, page: Path) -> None:
    browser.open(page)
    rng = np.random.default_rng(0)
    for _ in range(12):
        ends = rng.integers(0, 9, size=(14, 2))
        spans = {(int(min(one)), int(max(one))): float(rng.uniform(0.02, 0.6)) for one in ends if one[0] != one[1]}
        for threshold in (0.0, 0.1, 0.3):
            chosen = decoded(browser, table_of(spans), threshold)
            assert not any(a < c < b < d for a, b in chosen for c, d in chosen)
            assert sum(spans[span] - threshold for span in chosen) == pytest.approx(best_sum(spans, threshold))


def test_decoding_agrees_with_the_posterior(browser: Browser, page: Path) -> None:
    """`posterior.tree("threshold")` pays for every node of a binary tree, the page for none that nobody sees: so the
    page's tree is worth as much or more. At 0 nodes cost nothing, and both are worth the same; from 1/2 on, the page has
    all spans above the threshold, among which are those of the posterior's tree."""
    browser.open(page)
    posterior = plain().posterior
    spans = {(one.start, one.end): one.probability for one in posterior.nodes}
    for threshold in (0.0, 0.05, 0.2, 0.35, 0.5, 0.7, 0.9):
        chosen = decoded(browser, table_of(spans), threshold)
        theirs = {
            span for span in posterior.tree("threshold", threshold=threshold).spans if spans.get(span, 0.0) > threshold
        }
        worth = [sum(spans[span] - threshold for span in one) for one in (chosen, theirs)]
        assert worth[0] >= worth[1] - 1e-9
        if threshold == 0.0:
            assert worth[0] == pytest.approx(worth[1], abs=1e-9)
        if threshold >= 0.5:
            assert chosen == {span for span, p in spans.items() if p > threshold}
            assert theirs <= chosen
