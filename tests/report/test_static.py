"""What notebooks show of a segmentation without a script: what `print(found)` says, and a picture with names and axes."""

import re

import numpy as np
import pandas as pd
import pytest

import recbayes as rb
from recbayes.report.picture import round_numbers
from recbayes.segmentation.texts import told_changes
from tests.report.found import odd, plain
from tests.segmentation.series import quick, steps


@pytest.fixture(scope="module")
def dated() -> rb.Segmentation:
    days = pd.date_range("2024-03-01", periods=60)
    values = {"warmth": steps([0.0, 5.0], 30), "wind": steps([1.0, 1.0], 30, seed=1)}
    return quick(pd.DataFrame(values, index=days))


def texts(found: rb.Segmentation) -> list[str]:
    return [text for text in re.split(r"<[^>]*>", found._repr_html_()) if text.strip()]


def test_changes_are_told_with_their_probabilities(dated: rb.Segmentation) -> None:
    for found in (plain(), dated, odd("time zones")):
        seen = texts(found)
        assert all(any(line.strip() in text for text in seen) for line in told_changes(found)[1:])
        for change in found.changes:
            assert f"{found.data.place(change.position)}: {change.probability:.2f}" in seen


def test_the_picture_has_names_of_columns_and_axes(dated: rb.Segmentation) -> None:
    seen = texts(dated)
    assert {"warmth", "wind", "0", "2024-03-01", "2024-04-29"} <= set(seen)
    assert "60" not in [text for text in seen if text.isdigit()][-7:]  # rows of the tree are dates, too
    assert "2024-03-31 to 2024-04-29: probability" in " ".join(seen)


def test_numbers_are_those_of_the_table(dated: rb.Segmentation) -> None:
    for found in (plain(), dated):
        seen = " ".join(texts(found))
        for row in found.rows(groups=False):
            for name in ("level", "noise"):
                for key in row:
                    if key.split(" ")[0] == name:
                        assert f"{row[key]:.4g}".replace("-", "−") in seen


def test_levels_have_flat_lines() -> None:
    """Also where some draws have a trend."""
    found = rb.segment(steps([0.0, 2.0], 20), seed=0, draws=200)
    from recbayes.segmentation.fitted import fitted

    for node in found.tree.leaves:
        assert node.own is not None
        assert node.own["kind"].startswith("level")
        assert np.ptp(fitted(found, node).mean) == 0.0


@pytest.mark.parametrize(
    ("low", "high", "expected"), [(456.0, 1370.0, [600, 800, 1000, 1200]), (-4.0, 4.9, [-4, -2, 0, 2, 4]), (3.0, 3.0, [3])]
)
def test_round_numbers(low: float, high: float, expected: list[float]) -> None:
    assert list(round_numbers(low, high)) == expected
