"""Series: what is taken as observations, and errors that say what came instead."""

import numpy as np
import pandas
import pyarrow
import pytest

import recbayes as rb
from recbayes.checks.series import all_series, as_series
from recbayes.errors import DataError


def test_copies_and_freezes() -> None:
    data = np.arange(6).reshape(3, 2)
    series = as_series(data, 2)
    data[0, 0] = 100
    assert series.values.dtype == np.float64
    assert series.values[0, 0] == 0.0
    assert len(series) == 3
    assert series.noise_covariance is None
    with pytest.raises(ValueError, match="read-only"):
        series.values[0, 0] = 1.0


@pytest.mark.parametrize(
    "data",
    [
        [[1.0], [np.nan], [3.0]],
        [1.0, np.nan, 3.0],
        [1.0, None, 3.0],
        np.ma.array([1, 2, 3], mask=[False, True, False]),
        np.array([1.0, np.nan, 3.0], dtype=np.float32),
        (1, float("nan"), True + 2),
    ],
    ids=["column", "vector", "None", "masked", "float32", "tuple"],
)
def test_missing_entries_become_nan(data: object) -> None:
    np.testing.assert_array_equal(as_series(data, 1).values, [[1.0], [np.nan], [3.0]])


class Frame:
    """A data frame of some library, such as polars, of which nothing is known but `to_numpy`."""

    def __init__(self, values: object) -> None:
        self._values = np.array(values)

    def to_numpy(self) -> np.ndarray:
        return self._values


def test_data_frames() -> None:
    expected = [[1.0, 2.0], [np.nan, 4.0], [5.0, np.nan]]
    counted = pandas.DataFrame({"a": [1, None, 5], "b": [2.0, 4.0, None]}).astype({"a": "Int64", "b": "Float64"})
    mixed = pandas.DataFrame({"a": [1, pandas.NA, 5], "b": [2, 4, None]}, dtype=object)
    for frame in (counted, mixed, Frame(expected)):
        np.testing.assert_array_equal(as_series(frame, 2).values, expected)
        for many in ([frame, frame], (frame, np.zeros((1, 2)))):
            assert [one.values.shape[1] for one in all_series(many)] == [2, 2]
    arrow = pyarrow.table({"a": [1, None, 5], "b": [2.0, 4.0, None]})  # which has no `to_numpy`
    assert len(all_series([arrow, arrow])) == 2
    np.testing.assert_array_equal(all_series((arrow, counted))[0].values, expected)
    np.testing.assert_array_equal(as_series(counted["a"], 1).values, [[1.0], [np.nan], [5.0]])
    model = rb.GaussianRBN.create(2)
    assert rb.inside(model, counted).log_evidence == rb.inside(model, expected).log_evidence
    assert [chart.length for chart in rb.inside(model, [Frame(expected), counted])] == [3, 3]
    with pytest.raises(DataError, match="'2' at row 1, column 0 is text"):
        as_series(pandas.DataFrame({"a": [1, "2"]}, dtype=object), 1)


def test_a_row_may_be_missing_altogether() -> None:
    assert np.isnan(as_series([[1.0, 2.0], [np.nan, np.nan]], 2).values[1]).all()


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        ([[1.0, 2.0], [3.0, np.inf]], "infinite at row 1, column 1; use NaN"),
        ([[-np.inf, 2.0]], "infinite at row 0, column 0"),
        ([[1e200, 2.0]], "1e150"),
        ([[1.0, 2.0, 3.0]], "has 3 columns, the model expects 2"),
        ([[1.0], [2.0]], "has 1 columns, the model expects 2"),
        ([1.0, 2.0, 3.0], r"shape \(observations, 2\), got \(3,\)"),
        (np.zeros((2, 2, 2)), r"shape \(observations, 2\), got \(2, 2, 2\)"),
        (3.0, r"got \(\)"),
        ([], "is empty"),
        (np.zeros((0, 2)), "is empty"),
        ("series.csv", "got text; read the file first"),
        (b"series.csv", "got text"),
        ({"a": [1.0]}, r"got dict; give several series as a list, such as list\(data.values\(\)\)"),
        (({"a": [1.0]}).values(), r"got dict_values; give several series as a list, such as list\(data\)"),
        (
            pandas.DataFrame({"a": ["x", "x", "y"], "b": 1.0}).groupby("a"),
            r"got DataFrameGroupBy; .* as \[group for _, group in data\]",
        ),
        ([["a", "b"]], "must be numbers.*list"),
        ([["1", "2"]], "must be numbers.*list"),
        (np.array([[1.0, "2"]], dtype=object), "'2' at row 0, column 1 is text; convert it"),
        ([[1.0, 2.0], [3.0]], "must be numbers.*list with rows of different lengths"),
        ([[1j, 2.0]], "must be numbers.*complex"),
        (np.array([["2020-01-01", "2020-01-02"]], dtype="datetime64[D]"), "must be numbers.*datetime64"),
        ({"a": 1}, "must be numbers.*dict"),
        (None, "must be numbers.*NoneType"),
        ([[10**400, 1]], "must be numbers.*too large"),
        ((value for value in [1.0, 2.0]), "must be numbers.*generator"),
    ],
)
def test_what_is_no_series(data: object, complaint: str) -> None:
    with pytest.raises(DataError, match=f"series 7.*{complaint}"):
        as_series(data, 2, "series 7")


def test_noise_of_each_observation() -> None:
    variances = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    series = as_series(rb.Series(np.zeros((3, 2)), variances), 2)
    assert series.noise_covariance is not None
    np.testing.assert_array_equal(series.noise_covariance, [np.diag(row) for row in variances])
    full = np.array([[[2.0, 1.0], [1.0, 2.0]]] * 3)
    again = as_series(rb.Series([[0, 0]] * 3, full), 2).noise_covariance  # type: ignore[arg-type]
    assert again is not None
    np.testing.assert_array_equal(again, full)
    with pytest.raises(ValueError, match="read-only"):
        again[0, 0, 0] = 1.0


def test_units_of_the_noise_may_differ_wildly() -> None:
    as_series(rb.Series(np.zeros((1, 2)), np.array([[1e-20, 1e20]])), 2)


@pytest.mark.parametrize(
    ("noise", "complaint"),
    [
        (1.0, r"\(3, 2\) or \(3, 2, 2\), got \(\)"),
        (np.ones((2, 2)), r"\(3, 2\) or \(3, 2, 2\), got \(2, 2\)"),
        (np.ones((3, 3)), r"got \(3, 3\)"),
        (np.ones((3, 2, 2)), "positive definite; row 0 is not"),
        ([[1, 1], [1, 0], [1, 1]], "positive definite; row 1 is not"),
        ([[1, 1], [1, 1], [-1, 1]], "positive definite; row 2 is not"),
        ([[[1, 0.5], [0, 1]]] * 3, "symmetric.*row 0 is not"),
        ([[1, 1], [np.nan, 1], [1, 1]], "finite"),
        ([[1, 1], [np.inf, 1], [1, 1]], "finite"),
        ([["a", "b"]] * 3, "must be numbers"),
        ("large", "must be numbers.*got text"),
    ],
)
def test_impossible_noise(noise: object, complaint: str) -> None:
    with pytest.raises(DataError, match=f"the noise covariance of series 7.*{complaint}"):
        as_series(rb.Series(np.zeros((3, 2)), noise), 2, "series 7")  # type: ignore[arg-type]


def test_values_of_a_series_are_checked_too() -> None:
    with pytest.raises(DataError, match="has 3 columns"):
        as_series(rb.Series(np.zeros((3, 3))), 2)


def test_series_say_what_they_have_and_not_all_their_numbers() -> None:
    assert repr(rb.Series(np.zeros((100, 2)))) == "Series(100 observations, 2 columns)"
    days = np.array(["2024-01-01", "2024-01-03", "2024-01-04"], dtype="datetime64[D]")
    dated = rb.Series([1.0, 2.0, np.nan], times=days, regressors=np.zeros((3, 1)))  # type: ignore[arg-type]
    assert repr(dated) == "Series(3 observations, 1 column, from 2024-01-01 to 2024-01-04, regressors)"
    noisy = rb.Series(np.zeros(2), np.ones((2, 1)), np.array([0.0, 2.0]), unit=0.5)
    assert repr(noisy) == "Series(2 observations, 1 column, from 0.0 to 2.0 by 0.5, own noise)"
