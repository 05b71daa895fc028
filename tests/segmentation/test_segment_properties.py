"""What holds of `rb.segment` whatever the series."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import recbayes as rb
from tests.segmentation.series import quick, starts

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::recbayes.ApproximationWarning")]
FEW = settings(max_examples=8)


def agree(one: rb.Segmentation, two: rb.Segmentation) -> bool:
    """Boundaries have the same probabilities, as far as so many draws can tell; whether changes can be compared, too."""
    worth = min(found.posterior.effective_sample_size for found in (one, two))
    error = 0.05 + 2.5 / np.sqrt(worth)
    np.testing.assert_allclose(one.boundary_probability, two.boundary_probability, atol=error)
    return worth > 200.0 and all(change.probability > 0.5 + error for change in one.changes + two.changes)


@st.composite
def short_series(draw: st.DrawFn) -> np.ndarray:
    """Up to 30 observations: steps, walks, integers, with outliers and some missing."""
    length, columns = draw(st.integers(1, 30)), draw(st.integers(1, 2))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    kind = draw(st.sampled_from(["steps", "walk", "integers", "noise"]))
    y = rng.normal(size=(length, columns))
    if kind == "steps":
        y = 0.2 * y + np.repeat(3.0 * rng.normal(size=(length // 6 + 1, columns)), 6, axis=0)[:length]
    elif kind == "walk":
        y = np.cumsum(y, axis=0)
    elif kind == "integers":
        y = np.round(y)
    if draw(st.booleans()):
        y[rng.integers(length)] += 20.0
    if draw(st.booleans()):
        y[rng.random((length, columns)) < 0.2] = np.nan
    y[0] = rng.normal()  # something is seen
    return y


SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "min_length": st.integers(1, 3),
        "segments": st.sampled_from([1, (1, 3), (1, 5)]),
        "tolerance": st.integers(0, 6),
        "kinds": st.sampled_from(["level", "trend", ("level", "trend")]),
        "periods": st.floats(2.0, 9.0),
    },
)


@FEW
@given(short_series(), SETTINGS)
def test_the_parts_of_a_result_agree(y: np.ndarray, chosen: dict[str, object]) -> None:
    if len(y) < 3:
        chosen.pop("min_length", None)
    found = quick(y, **chosen)
    length, edges = len(y), starts(found)
    assert [node.span for node in found.tree.leaves] == list(pairwise(edges))
    assert found.tree.nodes[0].span == (0, length)
    assert min(np.diff(edges)) >= chosen.get("min_length", 1)  # type: ignore[operator]
    assert found.change_points == edges[1:-1]
    for change in found.changes:
        assert 0 < change.low <= change.position <= change.high < length
        assert 0.0 <= change.probability <= 1.0
        assert change.probability >= found.boundary_probability[change.position] - 1e-9
    for node in found.tree.nodes:
        assert node.probability is not None
        assert 0.0 <= node.probability <= 1.0
    boundary = found.boundary_probability
    assert boundary.shape == (length + 1,)
    assert ((boundary >= 0.0) & (boundary <= 1.0)).all()
    nodes = found.posterior.node_probability
    assert ((nodes >= 0.0) & (nodes <= 1.0)).all()
    assert np.isclose(nodes[0, length], 1.0)
    assert np.isclose(found.posterior.weights.sum(), 1.0)
    assert np.isclose(sum(found.kinds.values()), 1.0)
    rows = found.rows()
    assert sum(row["observations"] for row in rows if row["kind"] != "group") == length
    assert all(np.isfinite(value) for row in rows for value in row.values() if isinstance(value, float))
    assert str(len(found.changes) or "no") in found.summary().splitlines()[0].split()


@FEW
@given(short_series(), st.floats(-1e6, 1e6), st.integers(-6, 6), st.booleans())
def test_shifts_and_scales_change_levels_alone(y: np.ndarray, offset: float, power: int, turned: bool) -> None:
    scale = 10.0**power * (-1.0 if turned else 1.0)
    plain, moved = (quick(each, logarithms=False) for each in (y, scale * (y + offset)))
    if agree(plain, moved) and len(plain.changes) == len(moved.changes):
        assert all(abs(a.position - b.position) <= 2 for a, b in zip(plain.changes, moved.changes, strict=True))
    if [change.position for change in moved.changes] == [change.position for change in plain.changes]:
        unit = np.nanstd(y, axis=0) + 1e-3
        for one, two in zip(plain.tree.leaves, moved.tree.leaves, strict=True):
            assert one.value is not None
            assert two.value is not None
            np.testing.assert_allclose((two.value / scale - offset) / unit, one.value / unit, atol=0.3)


@FEW
@given(st.integers(0, 10**6), st.integers(2, 30), st.integers(-6, 6))
def test_units_of_positive_data_do_not_matter_to_logarithms(seed: int, length: int, power: int) -> None:
    y = np.exp(np.random.default_rng(seed).normal(size=length))
    plain, moved = (rb.segment(each, kinds="level", draws=100, seed=0) for each in (y, 10.0**power * y))
    agree(plain, moved)


@FEW
@given(short_series(), st.permutations([0, 1]))
def test_the_order_of_columns_does_not_matter(y: np.ndarray, order: list[int]) -> None:
    both = np.concatenate([y, y[::-1]], axis=1)[:, :2]
    plain, turned = (quick(each) for each in (both, both[:, order]))
    agree(turned, plain)
