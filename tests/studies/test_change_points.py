"""Change points are those of ruptures, called in the plain way."""

import warnings

import numpy as np
import pytest
import ruptures
from hypothesis import given, settings
from hypothesis import strategies as st

from recbayes.studies.change_points import COSTS, Candidate, all_candidates, penalties, segment, segmentations
from tests.studies.series import jumping_series

KERNELS = {"l2": "linear", "rbf": "rbf", "cosine": "cosine"}


def plainly(candidate: Candidate, values: np.ndarray, value: float) -> list[int]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        if candidate.search == "KernelCPD":
            search = ruptures.KernelCPD(kernel=KERNELS[candidate.cost], min_size=1)
        else:
            options = {} if candidate.width is None else {"width": candidate.width}
            search = getattr(ruptures, candidate.search)(model=candidate.cost, min_size=1, jump=1, **options)
    search.fit(values)
    if candidate.counted:
        return search.predict(n_bkps=int(value)) if value else [len(values)]
    return search.predict(pen=value)


def test_the_grid_is_complete() -> None:
    names = [candidate.name for candidate in all_candidates()]
    assert len(names) == len(set(names)) == 8 * 6 - 1 + 5 + 6  # clinear needs windows of six and more; Dynp, KernelCPD
    assert names[0] == "Pelt, l2"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        assert {cost: ruptures.costs.cost_factory(cost).min_size for cost in COSTS} == COSTS
    grid = penalties(4)
    np.testing.assert_allclose(np.diff(np.log10(grid)), 0.25)
    assert (grid[0], grid[-1]) == (pytest.approx(1e-4), pytest.approx(1e3))


@given(jumping_series(12, 24), st.sampled_from(all_candidates()))
@settings(max_examples=120, deadline=None)
def test_every_candidate_against_ruptures(values: np.ndarray, candidate: Candidate) -> None:
    """Remembered costs, and the end of the grid that is not computed, change nothing."""
    grid = penalties(1)
    ((same, found),) = segmentations((candidate,), values, grid)
    assert same == candidate
    most = len(values) // COSTS[candidate.cost] - 1
    points = [value for value in candidate.grid(grid) if not candidate.counted or value <= most]
    expected = [plainly(candidate, values, value) for value in points]
    assert found[: len(points)] == expected
    place = len(points) // 2
    assert segment(candidate, values, points[place]) == expected[place]


@given(jumping_series(8, 16), st.sampled_from(["l2", "rbf", "cosine"]), st.integers(1, 5))
@settings(max_examples=20, deadline=None)
def test_a_given_number_is_what_dynp_finds(values: np.ndarray, cost: str, count: int) -> None:
    """Which is why Dynp with these costs is not among the candidates."""
    kernel = segment(Candidate("KernelCPD", cost, counted=True), values, count)
    table = ruptures.costs.cost_factory(cost).fit(values)
    dynp = ruptures.Dynp(model=cost, min_size=1, jump=1).fit(values).predict(n_bkps=count)
    assert table.sum_of_costs(kernel) == pytest.approx(table.sum_of_costs(dynp), abs=1e-9)
