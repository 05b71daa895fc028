"""Long series: the page knows what a picture can show, and says so."""

import json
from pathlib import Path

import numpy as np
import pytest

import recbayes as rb
from recbayes.report.data import report_data
from tests.browser import CHROMIUM, chromium
from tests.segmentation.series import quick, steps

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def values() -> np.ndarray:
    found = steps(np.random.default_rng(1).normal(scale=4.0, size=300).tolist(), [333] * 300, noise=1.0)
    found[1000:1100] = np.nan
    found[50_000] = 60.0
    return found


@pytest.fixture(scope="module")
def found(values: np.ndarray) -> rb.Segmentation:
    """About 300 changes in about 100 000 observations."""
    return quick(values, draws=200)


def test_the_page_has_the_extent_of_every_stretch(found: rb.Segmentation, values: np.ndarray) -> None:
    data = report_data(found)
    edges, column = np.array(data["series"]["edges"]), data["series"]["columns"][0]
    assert 1000 < len(edges) < 5000
    for n in np.random.default_rng(0).integers(0, len(edges) - 1, size=200).tolist():
        stretch = values[edges[n] : edges[n + 1]]
        if np.isnan(stretch).all():
            assert column["low"][n] is column["high"][n] is None
        else:
            assert (column["low"][n], column["high"][n]) == pytest.approx((np.nanmin(stretch), np.nanmax(stretch)), abs=0.01)
    assert max(value for value in column["high"] if value is not None) == pytest.approx(60.0, abs=0.01)
    assert len(json.dumps(data)) < 1_500_000
    said = " ".join(one["text"] for one in data["trust"])
    assert "the least and the greatest observation of every stretch" in said
    assert [50_000, 0, 60.0] in data["series"]["outliers"]
    assert len(data["axis"]["rows"]) < 20_000


@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt-get install chromium")
def test_the_page_of_a_long_series_works(found: rb.Segmentation, tmp_path: Path) -> None:
    path = tmp_path / "long.html"
    found.to_html(path)
    assert path.stat().st_size < 1_500_000
    with chromium(tmp_path / "profile") as browser:
        for width in (380, 1280):
            browser.open(path, width)
            assert browser.run("document.documentElement.scrollWidth") <= width
            assert browser.run("document.querySelectorAll('.band').length") == len(found.tree)
        for threshold in (50, 5):
            browser.run(
                f"""{{ const slider = document.querySelector("input[type=range]"); slider.value = {100 - threshold};
                slider.dispatchEvent(new Event("input")); }}"""
            )
            assert browser.run("document.querySelectorAll('.band').length") > 100
        browser.hover(".tree", down=0.02)
        assert "certain: the whole series" in browser.run("document.querySelector('.tip').innerText")
        assert browser.errors == []
