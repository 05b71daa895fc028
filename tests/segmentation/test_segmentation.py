"""What `rb.segment` returns, in the terms of the data that came: labels, frames, words."""

import pickle
from datetime import UTC, datetime, timedelta

import numpy as np
import pandas
import polars
import pytest

import recbayes as rb
from tests.segmentation.series import JUMP, jump, quick, starts, steps

DAYS = pandas.date_range("2024-01-01", periods=40, freq="D")
HEAD = ["start", "end", "observations", "depth", "kind", "probability"]
QUANTITIES = [f"{name}{end}" for name in ("level", "slope", "noise", "coefficient") for end in ("", "_low", "_high")]


def test_fields() -> None:
    found = jump()
    assert isinstance(found, rb.Segmentation)
    np.testing.assert_array_equal(found.data.values, JUMP[:, None])
    assert [type(change.position) for change in found.changes] == [int]
    assert (found.tolerance, found.logarithms, found.library) == (5, False, None)
    assert isinstance(found.model, rb.GaussianRBN)
    assert isinstance(found.posterior, rb.Posterior)
    assert found.posterior.length == 40
    assert found.points.positions.tolist() == list(range(41))
    assert found.points.left_out == 0.0
    assert found.boundary_probability.shape == (41,)
    np.testing.assert_allclose(found.boundary_probability[[0, -1]], 1.0)


def test_probabilities_are_those_of_the_draws() -> None:
    """Counted again, tree by tree: a boundary within the tolerance, a node whose inner end is within the tolerance."""
    found = jump()
    trees, weights, near = found.posterior.trees, found.posterior.weights, range(20 - found.tolerance, 21 + found.tolerance)
    ends = [{node.end for node in tree.leaves} for tree in trees]
    assert found.changes[0].probability == pytest.approx(weights[[bool(each.intersection(near)) for each in ends]].sum())
    assert found.boundary_probability[20] == pytest.approx(weights[[20 in each for each in ends]].sum())
    left = [any(node.start == 0 and node.end in near for node in tree.nodes) for tree in trees]
    assert found.tree.leaves[0].probability == pytest.approx(weights[left].sum())
    assert found.tree.nodes[0].probability == pytest.approx(1.0)


def test_the_table_has_a_row_for_each_node() -> None:
    found = jump()
    table = found.table()
    assert isinstance(table, pandas.DataFrame)
    assert list(table.columns) == [*HEAD, *QUANTITIES]
    assert list(table["kind"]) == ["group", *(node.own["kind"] for node in found.tree.leaves if node.own)]
    assert table[["start", "end", "observations", "depth"]].to_numpy().tolist() == [
        [0, 39, 40, 0],
        [0, 19, 20, 1],
        [20, 39, 20, 1],
    ]
    segments = table[table["kind"] != "group"]
    for name in ("level", "noise", "coefficient"):
        assert (segments[f"{name}_low"] <= segments[f"{name}_high"]).all()
    assert ((segments["level_low"] < segments["level"]) & (segments["level"] < segments["level_high"])).all()
    np.testing.assert_allclose(segments["level"], [JUMP[:20].mean(), JUMP[20:].mean()], atol=0.05)
    assert table[table["kind"] == "group"][["noise", "slope", "level_low"]].isna().all(axis=None)
    assert found.rows()[1] == table.iloc[1].to_dict()


def test_columns_have_their_names() -> None:
    other = np.random.default_rng(1).normal(size=40)
    frame = pandas.DataFrame({"flow": JUMP, "rain": other, "note": "x"})
    with pytest.raises(rb.DataError, match=r"'note' \(text\); choose others by columns=\['flow', 'rain'\]"):
        quick(frame)
    found = quick(frame, columns=["flow", "rain"])
    assert found.data.names == ("flow", "rain")
    each = [f"{quantity} {name}" for name in ("flow", "rain") for quantity in QUANTITIES]
    assert list(found.table().columns) == [*HEAD, *each]
    assert "level flow" in found.summary()
    assert list(quick(frame, columns="flow").table().columns) == [*HEAD, *QUANTITIES]
    unnamed = quick(np.stack([JUMP, other], axis=1))
    assert [name for name in unnamed.table().columns if name.startswith("level")][:4] == [
        *("level 0", "level_low 0", "level_high 0", "level 1"),
    ]


def test_pandas_with_dates() -> None:
    found = quick(pandas.Series(JUMP, index=DAYS, name="flow"))
    assert found.change_points == [DAYS[20]]
    assert isinstance(found.change_points[0], pandas.Timestamp)
    table = found.table()
    assert isinstance(table, pandas.DataFrame)
    assert table["start"].tolist() == [DAYS[0], DAYS[0], DAYS[20]]
    assert table["end"].tolist() == [DAYS[39], DAYS[19], DAYS[39]]
    assert found.summary().splitlines()[0] == "1 change point in 40 observations from 2024-01-01 to 2024-02-09"
    years = quick(pandas.Series(JUMP, index=pandas.period_range("1980", periods=40, freq="Y")))
    assert years.change_points == [pandas.Period("2000", freq="Y")]


@pytest.mark.parametrize("zone", [None, "UTC"])
def test_polars_with_a_column_of_dates(zone: str | None) -> None:
    days = [datetime(2024, 1, 1, tzinfo=UTC if zone else None) + timedelta(days=day) for day in range(40)]
    found = quick(polars.DataFrame({"day": days, "flow": JUMP}))
    (point,) = found.change_points
    assert point == days[20]
    table = found.table()
    assert isinstance(table, polars.DataFrame)
    assert table["start"].dtype == polars.Datetime("us", zone)
    assert table["start"].to_list() == [days[0], days[0], days[20]]
    assert table.columns == [*HEAD, *QUANTITIES]


def test_polars_with_other_times() -> None:
    days = [datetime(2024, 1, 1).date() + timedelta(days=day) for day in range(40)]
    table = quick(polars.DataFrame({"day": days, "flow": JUMP})).table()
    assert (table["start"].dtype, table["start"].to_list()[-1]) == (polars.Date, days[20])
    assert quick(polars.Series(JUMP)).table()["start"].to_list() == [0, 0, 20]
    durations = polars.DataFrame({"after": [timedelta(hours=hour) for hour in range(40)], "flow": JUMP})
    assert quick(durations, time="after").table()["start"].to_list()[-1] == timedelta(hours=20)
    numbers = polars.DataFrame({"second": np.arange(40) / 4.0, "flow": JUMP})
    assert quick(numbers, time="second").change_points == [5.0]


def test_each_of_a_list_is_told_in_its_own_terms() -> None:
    one, two = quick([pandas.Series(JUMP, index=DAYS), pandas.Series(JUMP)])
    assert one.change_points == [DAYS[20]]
    assert two.change_points == [20]


def test_times_of_arrays() -> None:
    months = np.datetime64("2000-01", "M") + np.arange(40)
    found = quick(JUMP, time=months)
    assert found.change_points == [np.datetime64("2001-09", "M")]
    assert found.table()["start"].tolist()[-1] == pandas.Timestamp("2001-09-01")
    assert quick(JUMP, time=np.arange(40) + 1980).change_points == [2000]


def test_examples_in_the_box() -> None:
    found = rb.segment(rb.data.nile(), seed=0, draws=200)
    assert len(found.changes) == 1
    assert abs(found.change_points[0] - 1899) <= 2


def test_the_summary_says_what_was_found() -> None:
    found = jump()
    lines = found.summary().splitlines()
    assert lines[0] == "1 change point in 40 observations from row 0 to row 39"
    assert lines[1].startswith("  row 20: probability 1.00")
    assert lines[2] == "segments:"
    assert [line.split(":")[0] for line in lines[3:5]] == ["  0 to 19", "  20 to 39"]
    assert "level" in lines[3]
    assert "noise" in lines[3]
    assert lines[5].startswith("kinds of segments: ")
    assert "39 of 39 positions looked at" in lines[6]
    assert repr(found) == found.summary()
    none = quick(np.zeros(5))
    assert none.summary().splitlines()[0] == "no change point in 5 observations from row 0 to row 4"
    several = quick(np.exp(steps([0.0, 2.0, 0.0], 12)), logarithms=True)
    assert several.summary().splitlines()[0].startswith("2 change points in 36 observations")
    assert several.summary().splitlines()[0].endswith(", taken in logarithms")


def test_copies() -> None:
    found = pickle.loads(pickle.dumps(jump()))
    assert (found.changes, found.tree, found.summary()) == (jump().changes, jump().tree, jump().summary())
    assert starts(found) == [0, 20, 40]


def test_labels_number_the_segments_of_rows() -> None:
    frame = pandas.DataFrame({"flow": JUMP}, index=DAYS)
    found = quick(frame)
    frame["segment"] = found.labels
    assert frame["segment"].tolist() == [0] * 20 + [1] * 20
    table = found.table(groups=False)
    assert table.index.tolist() == frame["segment"].unique().tolist()
    np.testing.assert_allclose(frame.groupby("segment")["flow"].mean(), table["level"], atol=0.1)
    assert table["observations"].tolist() == frame.groupby("segment").size().tolist()
    assert found.rows(groups=False) == [row for row in found.rows() if row["kind"] != "group"]
    assert len(found.rows()) == 3
    assert quick(np.zeros(5)).labels.tolist() == [0] * 5
