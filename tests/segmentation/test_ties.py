"""`rb.segment` where many rows have one time: it ends, cuts between times only, and tells what the rows say."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import recbayes as rb


@pytest.mark.slow
@settings(max_examples=6, deadline=None)
@given(st.lists(st.integers(1, 70), min_size=1, max_size=12), st.integers(1, 2), st.integers(0, 10**6))
@example([5] * 12, 1, 0)
@example([60, 60], 1, 0)
@example([64], 2, 0)
@example([*[1] * 20, 60, *[1] * 30], 1, 0)
def test_segments_begin_where_times_do(sizes: list[int], columns: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    times = np.repeat(np.cumsum(rng.integers(1, 4, size=len(sizes))), sizes)
    y = rng.normal(size=(len(times), columns))
    y[rng.random(y.shape) < 0.1] = np.nan
    y[0] = 0.5
    found = rb.segment(y, time=times, seed=0, draws=50)
    inner = found.posterior.boundary_probability[1:-1]
    assert set(np.flatnonzero(inner) + 1) <= set(np.cumsum(sizes).tolist())
    assert np.isfinite(found.posterior.log_evidence)
    assert found.posterior.weights.sum() == pytest.approx(1.0)


def test_days_of_many_rows() -> None:
    """Each of a few days has hundreds of rows: the change and the levels are theirs."""
    days = np.repeat(np.arange(9), 80)
    y = np.random.default_rng(1).normal(size=720) + np.where(days < 4, 0.0, 2.0)
    found = rb.segment(y, time=days, seed=0, draws=100, kinds=["level"])
    assert [one.position for one in found.changes] == [320]
    for start, end in ((0, 320), (320, 720)):
        assert found.given_segments.leaf(start, end).level.mean == pytest.approx([y[start:end].mean()], abs=0.02)
        assert found.given_segments.leaf(start, end).noise.mean == pytest.approx([1.0], abs=0.15)
