"""`rb.segment` finds what is there, whatever the units, and does what its settings say."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas
import pytest

import recbayes as rb
from recbayes.errors import DataError, ModelError
from tests.segmentation.series import JUMP, NOISE, jump, quick, starts, steps

# What is found


def test_a_jump_is_found_with_its_levels_and_noise() -> None:
    found = jump()
    (change,) = found.changes
    assert found.change_points == [change.position] == [20]
    assert change.probability > 0.95
    assert change.low <= 20 <= change.high
    assert found.boundary_probability[20] > 0.5
    for node, level in zip(found.tree.leaves, (0.0, 2.0), strict=True):
        assert node.value is not None
        assert node.value[0] == pytest.approx(level, abs=0.3)
        assert node.own is not None
        assert 0.5 * NOISE < node.own["noise"][0] < 2.0 * NOISE


def test_several_jumps_are_found() -> None:
    assert rb.segment(steps([0.0, 3.0, -1.0, 2.0], [12, 15, 10, 16]), seed=0).change_points == [12, 27, 37]


def test_a_run_shorter_than_the_tolerance_is_a_segment_with_its_own_level() -> None:
    y = 0.5 * np.random.default_rng(0).normal(size=90)
    y[40:44] += 5.0
    found = rb.segment(y, seed=0, draws=100)
    assert found.change_points == [40, 44]
    levels = [leaf.value[0] for leaf in found.tree.leaves if leaf.value is not None]
    assert levels[1] > 2.5  # between what is expected of levels and the run's own mean
    assert [levels[0], levels[2]] == pytest.approx([y[:40].mean(), y[44:].mean()], abs=0.3)


def test_a_change_of_noise_is_found() -> None:
    rng = np.random.default_rng(1)
    found = rb.segment(np.concatenate([0.1 * rng.normal(size=30), 2.0 * rng.normal(size=30)]), seed=0)
    (change,) = found.changes
    assert abs(change.position - 30) <= 3
    quiet, loud = (node.own["noise"][0] for node in found.tree.leaves if node.own is not None)
    assert loud > 4.0 * quiet


def test_a_trend_is_no_change_but_its_turn_is() -> None:
    x = np.arange(50.0)
    noise = np.random.default_rng(0).normal(size=50)
    straight = rb.segment(0.4 * x + noise, seed=0, logarithms=False)
    assert straight.changes == ()
    assert straight.tree.leaves[0].own is not None
    assert straight.tree.leaves[0].own["slope"][0] == pytest.approx(0.4, abs=0.1)
    turned = rb.segment(np.where(x < 25, x, 50.0 - x) + noise, seed=0, kinds="trend")
    assert len(turned.changes) == 1
    assert abs(turned.changes[0].position - 25) <= 3


@pytest.mark.parametrize("seed", range(4))
def test_white_noise_has_no_change(seed: int) -> None:
    found = rb.segment(np.random.default_rng(seed).normal(size=60), seed=0)
    assert found.changes == ()
    assert len(found.tree.nodes) == 1


def test_missing_observations_are_left_out() -> None:
    y = JUMP.copy()
    y[[0, 7, 30, 39]] = np.nan
    assert rb.segment(y, seed=0).change_points == [20]
    y[17:24] = np.nan
    (change,) = rb.segment(y, seed=0).changes
    assert 17 <= change.low <= change.high <= 24  # anywhere in the gap, which nobody has seen


@pytest.mark.parametrize("value", [0.0, 3.0, -3.0, 1e9, 1e-9])
def test_a_constant_has_no_change(value: float) -> None:
    found = quick(np.full(30, value))
    assert found.changes == ()
    assert found.tree.leaves[0].value is not None
    level = found.tree.leaves[0].value[0]
    assert (np.exp(level) if found.logarithms else level) == pytest.approx(value, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("data", [[3.0], [0.0], [-2], [3.0, 4.0], [3.0, 3.0], [np.nan, 1.0]])
def test_one_or_two_observations(data: list[float]) -> None:
    found = rb.segment(data, seed=0, draws=100)
    assert found.change_points == []
    assert [node.span for node in found.tree.nodes] == [(0, len(data))]


@pytest.mark.parametrize(("offset", "scale"), [(1e9, 1.0), (-1e9, 1.0), (0.0, 1e-9), (0.0, 1e9), (1e3, 1e-3), (0.0, -1.0)])
def test_units_do_not_matter(offset: float, scale: float) -> None:
    found = rb.segment(offset + scale * JUMP, seed=0, logarithms=False)
    assert found.change_points == [20]
    assert found.changes[0].probability == pytest.approx(jump().changes[0].probability, abs=0.02)
    for node, plain in zip(found.tree.leaves, jump().tree.leaves, strict=True):
        assert node.value is not None
        assert plain.value is not None
        assert (node.value[0] - offset) / scale == pytest.approx(plain.value[0], abs=0.05)


def test_integers_with_ties() -> None:
    rng = np.random.default_rng(0)
    counts = np.concatenate([rng.poisson(2, 25), rng.poisson(12, 25)])
    assert rb.segment(counts, seed=0).change_points == [25]
    assert quick(np.repeat([3, 7, 3], 15)).change_points == [15, 30]
    assert quick(np.repeat([False, True], 15)).change_points == [15]


@pytest.mark.parametrize("share", [0.5, 0.8, 0.97])
def test_yes_and_no_are_doubted_and_runs_of_them_are_no_segments(share: float) -> None:
    flags = np.random.default_rng(1).random(300) < share
    with pytest.warns(rb.ApproximationWarning, match=r"% of its observations are exactly [01], and others .* rb.HMM"):
        assert quick(flags).changes == ()


def test_sparse_counts_change_where_their_mean_does() -> None:
    rng = np.random.default_rng(1)
    with pytest.warns(rb.ApproximationWarning, match="exactly 0"):
        assert quick(rng.poisson(0.3, 300)).changes == ()
    turned = rng.random(300) < np.repeat([0.2, 0.8], 150)
    with pytest.warns(rb.ApproximationWarning, match="column 'on' are exactly"):
        quick(pandas.DataFrame({"on": turned, "load": rng.normal(size=300)}))
    with pytest.warns(rb.ApproximationWarning):
        found = quick(turned)
    (change,) = found.changes
    assert abs(change.position - 150) <= 3
    values = [leaf.value[0] for leaf in found.tree.leaves if leaf.value is not None]
    assert values == pytest.approx([turned[:150].mean(), turned[150:].mean()], abs=0.1)


def test_columns_where_rows_were_meant_are_doubted() -> None:
    with pytest.warns(rb.SlowWarning, match="2 rows of 12 columns; is it transposed"):
        quick(np.random.default_rng(0).normal(size=(2, 12)), kinds="level")
    with pytest.warns(UserWarning, match=r"a list of 2 lists is 2 observations of 5 columns; 2 series are a list of arrays"):
        quick([[1, 2, 3, 4, 5], [3, 2, 2, 4, 5]])


def test_columns_change_together() -> None:
    still = np.random.default_rng(1).normal(size=40)
    found = rb.segment(np.stack([JUMP, still], axis=1), seed=0)
    assert found.change_points == [20]
    turned = rb.segment(np.stack([still, JUMP], axis=1), seed=0)
    assert turned.change_points == [20]
    assert turned.changes[0].probability == pytest.approx(found.changes[0].probability, abs=0.05)
    one, two = ([node.value for node in each.tree.leaves] for each in (found, turned))
    for value, other in zip(one, two, strict=True):
        assert value is not None
        assert other is not None
        np.testing.assert_allclose(value, other[::-1], atol=0.1)


def test_a_column_that_nobody_has_seen_says_nothing() -> None:
    assert quick(np.stack([JUMP, np.full(40, np.nan)], axis=1)).change_points == [20]
    assert quick(np.stack([JUMP, np.full(40, 3.0)], axis=1)).change_points == [20]


def test_lists_of_series() -> None:
    other = steps([1.0, 4.0, 1.0], 9, seed=1)
    found = quick([JUMP, other, JUMP.tolist()])
    assert isinstance(found, list)
    assert [one.change_points for one in found] == [[20], [9, 18], [20]]
    assert [one.change_points for one in quick([JUMP])] == [[20]]
    assert [one.change_points for one in quick(np.stack([JUMP, -JUMP])[:, :, None])] == [[20], [20]]


# Settings


@pytest.mark.filterwarnings("ignore::recbayes.ApproximationWarning")
@pytest.mark.parametrize(
    ("segments", "least", "most"), [(1, 1, 1), (2, 2, 2), (3, 3, 3), ((2, 4), 2, 4), (range(3, 6), 3, 5)]
)
def test_the_number_of_segments_is_kept_to(segments: object, least: int, most: int) -> None:
    found = rb.segment(JUMP, segments=segments, seed=0, draws=200)  # type: ignore[arg-type]
    assert least <= len(found.tree.leaves) <= most
    assert 20 in starts(found) or most == 1


@pytest.mark.parametrize("least", [4, 12, 20, 21, 40])
def test_segments_are_not_shorter_than_told(least: int) -> None:
    found = rb.segment(JUMP, min_length=least, seed=0, draws=200)
    assert min(np.diff(starts(found))) >= least
    assert (found.change_points == [20]) == (least <= 20)


def test_kinds_are_those_that_are_told() -> None:
    assert set(jump().kinds) == {"level", "trend", "level + autoregressive", "trend + autoregressive"}
    assert sum(jump().kinds.values()) == pytest.approx(1.0)
    assert list(jump().kinds.values()) == sorted(jump().kinds.values(), reverse=True)
    one = rb.segment(JUMP, kinds="trend", seed=0, draws=100)
    assert one.kinds == {"trend": pytest.approx(1.0)}
    assert one.tree.leaves[0].own is not None
    assert one.tree.leaves[0].own["kind"] == "trend"
    two = rb.segment(JUMP, kinds=["level", "trend"], seed=0, draws=100)
    assert set(two.kinds) <= {"level", "trend"}
    assert two.kinds["level"] > 0.5


def test_a_season_that_is_told_is_no_change() -> None:
    x = np.arange(60)
    season = 3.0 * np.sin(2.0 * np.pi * x / 20.0) + 0.2 * np.random.default_rng(0).normal(size=60)
    assert len(quick(season).changes) > 2
    assert quick(season, periods=20).changes == ()
    assert quick(season, periods=[20.0, 5.5]).changes == ()
    assert quick(season + 6.0 * (x >= 30), periods=20).change_points == [30]
    assert rb.segment(season, periods=20, seed=0, draws=100).changes == ()


def test_seasons_of_hundreds_of_observations_are_looked_at_from_coarse_to_fine() -> None:
    x = np.arange(400)
    season = 3.0 * np.sin(2.0 * np.pi * x / 20.0) + 0.5 * np.random.default_rng(0).normal(size=400)
    found = rb.segment(season + 2.0 * (x >= 201), periods=20, kinds="level", logarithms=False, draws=100, seed=0)
    assert found.points.step == 2  # and 201 is none of the points of the first look
    assert found.change_points == [201]


@pytest.mark.filterwarnings("ignore::recbayes.ApproximationWarning")  # a number of segments that the data do not say
def test_tolerance_gathers_what_is_nearby() -> None:
    y = steps([0.0, 0.7], 25, noise=0.5)
    probabilities = []
    for tolerance in (0, 1, 5, 50):
        found = quick(y, segments=2, tolerance=tolerance)
        assert found.tolerance == tolerance
        (change,) = found.changes
        assert change.low <= change.position <= change.high
        probabilities.append(change.probability)
    assert probabilities == sorted(probabilities)
    assert probabilities[0] < 0.9 < probabilities[-1]
    assert (quick(y).tolerance, quick(y[:20]).tolerance, quick(y[:3]).tolerance) == (5, 5, 1)


def test_logarithms() -> None:
    y = np.exp(steps([0.0, 3.0], 20))  # noise in proportion to the level
    free, plain, logs = (rb.segment(y, logarithms=choice, seed=0) for choice in (None, False, True))
    assert (free.logarithms, plain.logarithms, logs.logarithms) == (True, False, True)
    for found in (free, plain, logs):
        assert found.change_points == [20]
        levels = [row["level"] for row in found.rows()[1:]]
        np.testing.assert_allclose(levels, [1.0, np.exp(3.0)], rtol=0.3)  # in the data's units
    assert rb.segment(100.0 + steps([0.0, 3.0], 20, noise=1.0, seed=1), seed=0).change_points == [20]  # as good either way
    assert not jump().logarithms
    with pytest.raises(DataError, match=r"logarithms need positive data, and the least is -"):
        rb.segment(JUMP, logarithms=True)
    with pytest.raises(DataError, match="logarithms must be True, False or None"):
        rb.segment(JUMP, logarithms="yes")  # type: ignore[arg-type]


def test_the_seed_decides_all_draws() -> None:
    y = steps([0.0, 0.7], 15)
    one, same = (quick(y, seed=7) for _ in range(2))
    other = quick(y, seed=8)
    np.testing.assert_array_equal(one.boundary_probability, same.boundary_probability)
    assert (one.changes, repr(one)) == (same.changes, repr(same))
    assert not np.array_equal(one.boundary_probability, other.boundary_probability)
    np.testing.assert_allclose(one.boundary_probability, other.boundary_probability, atol=0.25)  # 100 draws each
    generated, again = (quick(y, seed=np.random.default_rng(7)) for _ in range(2))
    np.testing.assert_array_equal(generated.boundary_probability, one.boundary_probability)
    np.testing.assert_array_equal(generated.boundary_probability, again.boundary_probability)
    assert quick(JUMP, seed=None).change_points == [20]


def test_executors_change_nothing() -> None:
    with ThreadPoolExecutor(2) as pool:
        found = rb.segment(JUMP, seed=0, executor=pool)
    np.testing.assert_array_equal(found.boundary_probability, jump().boundary_probability)


def test_segments_begin_at_boundaries() -> None:
    y = steps([0.0, 3.0, 0.0], 10)
    found = quick(y, boundaries=[5, 10, 20])
    assert found.change_points == [10, 20]
    assert found.points.positions.tolist() == [0, 5, 10, 20, 30]
    assert set(np.flatnonzero(found.boundary_probability).tolist()) <= {0, 5, 10, 20, 30}
    assert quick(y, boundaries=[]).changes == ()
    assert [one.change_points for one in quick([y, y], boundaries=[[10], None])] == [[10], [10, 20]]
    for wrong in ([31], [-1], [1.5], "x"):
        with pytest.raises(DataError, match="boundaries must be whole numbers between 0 and 30"):
            quick(y, boundaries=wrong)
    with pytest.raises(DataError, match=r"got \['2024-01-01'\]; rows of dates are found by numpy.searchsorted"):
        quick(y, boundaries=["2024-01-01"])


# Refusals


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        ([0.0, np.inf], "infinite at row 1, column 0; use NaN"),
        ("series.csv", "got text; read the file first"),
        (["a", "b"], "must be numbers"),
        ([1.0, "b"], "must be numbers"),
        ([1.0, 2j], "must be numbers"),
        ([], "there are no series"),
        (np.zeros((0, 2)), "there are no series"),
        (np.zeros((3, 0)), "empty"),
        ([[1.0, 2.0], [3.0]], "must be numbers"),
        (None, "must be numbers"),
        (np.float64(3.0), "must have shape"),
        ([np.nan, np.nan], "all observations are missing"),
        ([1e200, 2.0], "beyond 1e150"),
        (rb.Series(np.zeros((3, 1)), np.ones((3, 1))), "without noise_covariance"),
        ([np.zeros((3, 1)), np.zeros((3, 2))], "series 1 has 2 columns, series 0 has 1"),
    ],
)
def test_what_is_no_series_is_refused(data: object, complaint: str) -> None:
    with pytest.raises(DataError, match=complaint):
        rb.segment(data)


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"min_length": 41}, "the series has 40 observations, too few for min_length and segments: at least 41"),
        ({"min_length": 14, "segments": 3}, "too few for min_length and segments: at least 42"),
        ({"segments": 41}, "too few for min_length and segments: at least 41"),
        ({"min_length": 0}, "min_length must be a whole number of at least 1"),
        ({"segments": 0}, "segments must be a whole number of at least 1"),
        ({"segments": (4, 2)}, r"the fewest and the most, got \(4, 2\)"),
        ({"segments": (2, 3, 5)}, "the fewest and the most"),
        ({"segments": ()}, "the fewest and the most"),
        ({"segments": 2, "boundaries": []}, "2 to 2 segments"),
        ({"kinds": "wave"}, "kinds must be some of level, trend"),
        ({"kinds": []}, "kinds must be some of level, trend"),
        ({"periods": 1.0}, "at least 2 observations"),
        ({"periods": "year"}, "lengths of seasons"),
        ({"periods": "12"}, "lengths of seasons in observations, got '12'"),
        ({"periods": [4, "12"]}, "lengths of seasons in observations"),
        ({"periods": True}, "lengths of seasons in observations"),
        (
            {"periods": 500},
            "a season of 500, and the series lasts 40 observations; .* not longer than 20 here",
        ),
        ({"tolerance": -1}, "tolerance must be a whole number of at least 0"),
        ({"draws": 0}, "draws must be a whole number"),
        ({"columns": "a"}, "has no column 'a'"),
        ({"time": [1, 2]}, "one stamp for each of the 40 rows"),
    ],
)
def test_what_cannot_be_is_refused(settings: dict[str, object], complaint: str) -> None:
    with pytest.raises(DataError, match=complaint):
        rb.segment(JUMP, **settings)  # type: ignore[arg-type]


def test_seeds_and_executors_are_checked() -> None:
    with pytest.raises(ModelError, match="seed"):
        rb.segment(JUMP, seed=-1)
    with pytest.raises(ModelError, match="executor"):
        rb.segment(JUMP, executor=2)  # type: ignore[arg-type]
