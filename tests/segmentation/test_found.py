"""Problems of `rb.segment` that were found: each test failed before its fix."""

import numpy as np
import pytest

import recbayes as rb
from recbayes.errors import DataError
from tests.segmentation.series import starts

STAIRS = [  # changes less than three observations apart are likely in different draws
    *(-0.37, -0.22, -5.54, -5.4, -5.08, -9.46, -9.99, -7.57, -8.33, -7.72, -7.83, -7.51, -7.16, -6.71, -6.87),
    *(-7.15, -7.18, -7.21, -7.08, -7.63, -7.21, -7.09, -7.18, -7.49, -7.58, -8.07, -4.62, -4.66, -0.36, -0.87),
]


@pytest.mark.filterwarnings("ignore::recbayes.ApproximationWarning")
def test_min_length_is_kept_to_by_what_is_decided() -> None:
    found = rb.segment(STAIRS, min_length=3, tolerance=1, kinds="level", draws=200, seed=0)
    assert min(np.diff(starts(found))) >= 3


@pytest.mark.parametrize("data", [[0.0, 1.0, 0.0, 1.0], [0.0, 5.0, 0.0, -5.0]])
def test_as_many_segments_as_observations(data: list[float]) -> None:
    assert len(rb.segment(data, segments=4, draws=100, seed=0).tree.leaves) == 4


@pytest.mark.filterwarnings("ignore::recbayes.ApproximationWarning")  # draws of what is unlikely are worth little
@pytest.mark.parametrize("segments", [4, 5])
def test_numbers_of_segments_that_are_unlikely(segments: int) -> None:
    assert len(rb.segment(np.arange(19.0), segments=segments, seed=0).tree.leaves) == segments


@pytest.mark.parametrize("data", [np.full(8, 1e-160), 1e-160 * np.arange(8.0)])
def test_tiny_numbers(data: np.ndarray) -> None:
    with pytest.raises(DataError, match="rescale"):
        rb.segment(data, kinds="level", draws=100, seed=0)


@pytest.mark.filterwarnings("ignore::recbayes.ApproximationWarning")
def test_weights_of_almost_nothing() -> None:
    rng = np.random.default_rng(85)
    y = np.cumsum(3.0 * rng.normal(size=30) * (rng.random(30) < 0.3)) + 0.3 * rng.normal(size=30)
    rb.segment(y, min_length=2, tolerance=1, kinds="level", draws=200, seed=0)
