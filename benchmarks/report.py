"""The report page in Chromium: how large pages are, how long they take to be written, to open, and to answer the pointer.

    python -m benchmarks.report

Opening is counted until the page's script has drawn everything, answering from a movement of the pointer until the page is
laid out anew: the median and the longest of many movements over the tree and over the spans, and of the slider's.
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import recbayes as rb
from tests.browser import Browser, chromium

MOVES = 200
OPENED = """(() => { const [entry] = performance.getEntriesByType("navigation");
return entry.domContentLoadedEventEnd - entry.startTime; })()"""
MOVED = f"""((selector) => {{
const target = document.querySelector(selector), box = target.getBoundingClientRect(), times = [];
for (let n = 0; n < {MOVES}; n++) {{
  const [clientX, clientY] = [box.left + 70 + ((n * 37) % (box.width - 90)), box.top + ((n * 13) % box.height)];
  const begin = performance.now();
  target.dispatchEvent(new PointerEvent("pointermove", {{ bubbles: true, clientX, clientY }}));
  document.body.offsetHeight;
  times.push(performance.now() - begin);
}}
return times; }})"""
SLID = """(() => { const slider = document.querySelector("input[type=range]"), times = [];
for (let n = 1; n < 100; n += 7) {
  const begin = performance.now();
  slider.value = n;
  slider.dispatchEvent(new Event("input"));
  document.body.offsetHeight;
  times.push(performance.now() - begin);
}
return times; })()"""


def many_columns() -> rb.Segmentation:
    """Ten segments of thirty observations of twelve columns."""
    rng = np.random.default_rng(0)
    values = np.repeat(rng.normal(size=(10, 12)), 30, axis=0) + 2.0 * rng.normal(size=(300, 12))
    return rb.segment(values, kinds="level", seed=0)


def long() -> rb.Segmentation:
    """A change at every third of 300 candidates, on average."""
    rng = np.random.default_rng(0)
    points = np.linspace(0, 100_000, 302).astype(np.int64)
    changes = np.append(0, np.sort(rng.choice(points[1:-1], size=100, replace=False)))
    levels = np.repeat(rng.normal(size=len(changes)), np.diff(np.append(changes, 100_000)))
    return rb.segment(levels + 3.0 * rng.normal(size=100_000), boundaries=points, kinds="level", seed=0)


CASES: dict[str, Callable[[], Any]] = {
    "100 years of the Nile": lambda: rb.segment(rb.data.nile(), seed=0),
    "N = 300, D = 12": many_columns,
    "N = 100 000, 300 candidates": long,
}


def main() -> None:
    print("| page | changes | spans | kB | written, s | opens, ms | pointer on tree, ms | on spans, ms | slider, ms |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder, chromium(Path(folder) / "profile") as browser:
        for name, make in CASES.items():
            print(row(name, make(), browser, Path(folder) / "page.html"), flush=True)


def row(name: str, found: rb.Segmentation, browser: Browser, path: Path) -> str:
    begin = time.perf_counter()
    found.to_html(path)
    written = time.perf_counter() - begin
    opened = []
    for _ in range(5):
        browser.open(path)
        opened.append(browser.run(OPENED))
    answers = [browser.run(f"{MOVED}('{place}')") for place in (".tree", "canvas")] + [browser.run(SLID)]
    told = [f"{np.median(times):.1f} (at most {max(times):.0f})" for times in answers]
    size, spans = path.stat().st_size / 1000, len(found.posterior.nodes)
    cells = [name, len(found.changes), spans, f"{size:.0f}", f"{written:.1f}", f"{np.median(opened):.0f}", *told]
    return f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    main()
