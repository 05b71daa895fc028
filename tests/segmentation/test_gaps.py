"""Changes in gaps, columns that go together, and the model that stands for all."""

import numpy as np
import pytest

import recbayes as rb
from recbayes.segmentation.decide import Boundaries, decide
from recbayes.segmentation.gaps import decide_across_gaps, rows_that_count
from recbayes.segmentation.together import going_together

LITTLE = {"kinds": "level", "draws": 200, "seed": 0}


def steps(seed: int) -> np.ndarray:
    return np.repeat([0.0, 3.0], 60) + np.random.default_rng(seed).normal(size=120)


@pytest.mark.parametrize("seed", [12, 36])
def test_a_change_in_a_gap_is_one(seed: int) -> None:
    """It begins where observations do again, and no segment is without any."""
    y = steps(seed)
    y[40:80] = np.nan
    found = rb.segment(y, **LITTLE)
    (change,) = found.changes
    assert (change.position, change.low, change.high) == (80, 40, 80)
    assert change.within == 45
    assert change.probability > 0.99
    assert found.unplaced == ()
    assert [node.probability > 0.9 for node in found.tree] == [True] * 3


def test_gaps_at_the_ends_have_no_changes() -> None:
    y = steps(0)
    y[:20] = y[100:] = np.nan
    assert [one.position for one in rb.segment(y, **LITTLE).changes] == [pytest.approx(60, abs=1)]


def test_rows_that_count() -> None:
    y = np.zeros((12, 2))
    y[1:3] = y[5:9] = np.nan
    y[10, 0] = np.nan
    assert np.flatnonzero(~rows_that_count(y, 3)).tolist() == [5, 6, 7, 8]
    assert np.flatnonzero(~rows_that_count(y, 1)).tolist() == [1, 2, 5, 6, 7, 8]


def test_without_gaps_nothing_is_different() -> None:
    rng = np.random.default_rng(0)
    draws = [np.flatnonzero(rng.random(40) < 0.1) for _ in range(60)]
    positions = np.concatenate(draws)
    some = Boundaries(positions, np.repeat(np.arange(60), [len(one) for one in draws]), np.full(60, 1 / 60))
    some = some.without(positions == 0)
    assert decide_across_gaps(some, np.ones(40, dtype=np.bool_), 3) == decide(some, 40, 3, (0, 39))


def test_columns_that_go_together_are_told() -> None:
    rng = np.random.default_rng(2)
    y = rng.normal(size=(100, 1)) + 0.5 * rng.normal(size=(100, 3))
    y[50:] += 9.0
    pair = going_together(y)
    assert pair is not None
    assert pair.correlation == pytest.approx(0.8, abs=0.12)
    found = rb.segment(y, **LITTLE)
    assert "goes together (correlation 0." in str(found)
    assert "taken as independent" in found.to_html()


def test_columns_that_do_not_go_together() -> None:
    """Common changes, trends and outliers are no noise; short series say little."""
    rng = np.random.default_rng(0)
    for length in (9, 20, 200):
        for _ in range(100):
            y = rng.normal(size=(length, 6)) + 20.0 * (np.arange(length) > length // 2)[:, None]
            y[length // 3] += 50.0
            assert going_together(y + np.arange(length)[:, None]) is None
    assert going_together(np.ones((50, 3))) is None
    assert going_together(np.full((50, 3), np.nan)) is None


def test_the_model_is_one_of_the_data_as_they_are_told() -> None:
    found = rb.segment(rb.data.nile(), draws=100, seed=0)
    assert not found.logarithms
    assert rb.sample_posterior(found.model, rb.data.nile().values, draws=20, seed=0).log_evidence > -1000.0


def test_one_row_of_many_columns_is_doubted() -> None:
    with pytest.warns(rb.SlowWarning, match="1 row of 12 columns; is it transposed"):
        rb.segment(np.zeros((1, 12)), **LITTLE)
