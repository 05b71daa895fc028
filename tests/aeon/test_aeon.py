"""The segmenter for aeon, which needs older versions of numba than ours and so an environment of its own:

python -m venv other && other/bin/pip install '.[aeon]' pytest hypothesis && other/bin/python -m pytest tests/aeon
"""

import numpy as np
import pytest

import recbayes as rb

pytest.importorskip("aeon", reason="aeon is not in this environment; see the module on how to test with it")

from aeon.testing.estimator_checking import check_estimator
from aeon.utils.discovery import all_estimators

from recbayes.aeon import HierarchicalSegmenter

STEP = np.repeat([0.0, 4.0, -3.0], [30, 50, 40]) + np.random.default_rng(0).normal(size=120)
TWO = np.stack([STEP, np.random.default_rng(1).normal(size=120)], axis=1)


def test_univariate_series() -> None:
    """What `rb.segment` says, as positions."""
    found = HierarchicalSegmenter(draws=100).fit_predict(STEP)
    assert found.tolist() == rb.segment(STEP, draws=100, seed=0).change_points
    assert np.abs(found - [30, 80]).max() <= 1
    assert HierarchicalSegmenter.to_clusters(found, 120).max() == 2


def test_channels_are_rows_unless_said_otherwise() -> None:
    segmenter = HierarchicalSegmenter(draws=100)
    expected = rb.segment(TWO, draws=100, seed=0).change_points
    assert segmenter.fit_predict(TWO.T).tolist() == segmenter.fit_predict(TWO, axis=0).tolist() == expected
    tree = segmenter.segmentation(TWO.T).tree
    assert tree.length == 120
    assert tree == segmenter.segmentation(TWO, axis=0).tree


def test_missing_values_and_numbers_of_segments() -> None:
    gaps = STEP.copy()
    gaps[[3, 50, 51, 100]] = np.nan
    assert len(HierarchicalSegmenter(draws=100).fit_predict(gaps)) == 2
    assert len(HierarchicalSegmenter(n_segments=2, draws=100).fit_predict(STEP)) == 1


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of series that aeon makes up, and its own
def test_aeon_accepts_it() -> None:
    """Its checks of estimators, whose list grows with its versions."""
    found = check_estimator(HierarchicalSegmenter, raise_exceptions=True)
    assert len(found) > 10
    assert all(result == "PASSED" for result in found.values())
    assert "BinSegmenter" in dict(all_estimators(type_filter="segmenter"))
