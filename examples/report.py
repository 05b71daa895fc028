"""The page of a report, of inflation in the United States: when it changed, and how its times group.

Run it with `.venv/bin/python -m examples.report` where there is a Chromium; it writes docs/figures/report.png, with the
pointer over a segment, and docs/figures/report-phone.png, on a phone at night.
"""

import tempfile
from pathlib import Path

import pandas as pd
from statsmodels.datasets import macrodata

import recbayes as rb
from tests.browser import Browser, chromium

TITLE = "Inflation in the United States"


def main(folder: Path, draws: int = 1000) -> None:
    quarters = macrodata.load_pandas().data
    index = pd.PeriodIndex(
        quarters["year"].astype(int).astype(str) + "Q" + quarters["quarter"].astype(int).astype(str), freq="Q"
    )
    inflation = pd.Series(quarters["infl"].to_numpy(), index=index, name="percent a year")
    found = rb.segment(inflation, draws=draws, seed=0)
    with tempfile.TemporaryDirectory() as place:
        page = Path(place) / "inflation.html"
        found.to_html(page, title=TITLE)
        with chromium(Path(place) / "profile") as browser:
            draw(browser, page, folder)


def draw(browser: Browser, page: Path, folder: Path) -> None:
    """Pictures of the page."""
    browser.open(page, 1280, 1190)  # the whole triangle
    browser.hover(".tree", down=0.92, along=0.62)  # in the lowest row, so that what is said of it hides no other
    browser.run("scrollTo(0, 0)")
    browser.screenshot(folder / "report.png")
    browser.open(page, 380, 760, dark=True)
    browser.screenshot(folder / "report-phone.png")


if __name__ == "__main__":
    main(Path(__file__).parents[1] / "docs" / "figures")
