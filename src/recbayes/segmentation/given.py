"""What users of the segmenter give: one series or several, as they were read, with the columns that `fit` knows."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import validate_data

from recbayes.checks.series import Series, is_many, numbers
from recbayes.data.frames import read_tables
from recbayes.data.table import Table
from recbayes.errors import DataError
from recbayes.family.family import family_of

FRAMES = ("to_numpy", "__arrow_c_stream__")  # what series and data frames of all libraries have one of


class Given(NamedTuple):
    """One series: as it came, and as a table, unless a family of models reads something else."""

    original: Any
    table: Table | None

    @property
    def sequence(self) -> Any:
        """For verbs that take a model."""
        return self.original if self.table is None else Series(self.table.values, self.table.noise_covariance)

    @property
    def to_segment(self) -> dict[str, Any]:
        """For `rb.segment`, which tells of frames in terms of their library."""
        if self.table is None or not _is_frame(self.original):
            return {"data": self.table}
        return {"data": self.original, "columns": self.table.names}

    def label(self, position: int) -> Any:
        """What the row is called at which something begins."""
        return position if self.table is None else self.table.label(position)


def read_given(estimator: Any, X: Any, *, reset: bool) -> tuple[list[Given], bool]:
    """The series, and whether there was only one. Their columns are those that `fit` has seen, or with `reset` new ones."""
    model = estimator.model
    if model is not None and not family_of(model).tabular:
        single = family_of(model).read(model, X).single
        return [Given(one, None) for one in ([X] if single else X)], single
    X = X if is_many(X) or _is_frame(X) or isinstance(X, Series | Table) else _array(estimator, X, reset)
    tables, single = read_tables(X)
    originals = [X] if single else list(X)
    _checked(estimator, _columns(originals[0], tables[0]), reset, skip_check_array=True)
    return [Given(*one) for one in zip(originals, tables, strict=True)], single


def _is_frame(X: Any) -> bool:
    return any(hasattr(X, name) for name in FRAMES)


def _array(estimator: Any, X: Any, reset: bool) -> Any:
    """Of arrays scikit-learn is the judge. One dimension is one column."""
    if not any(hasattr(X, name) for name in ("__array__", "toarray")):
        X = numbers(X, "X must be a series, numbers in rows (NaN for missing ones), or a list of series")
    if isinstance(X, np.ndarray) and X.ndim == 1:
        X = X[:, None]
    return _checked(estimator, X, reset, dtype=np.float64, ensure_all_finite="allow-nan")


def _checked(estimator: Any, X: Any, reset: bool, **settings: Any) -> Any:
    try:
        return validate_data(estimator, X, reset=reset, **settings)
    except ValueError as problem:
        raise DataError(str(problem)) from problem


def _columns(original: Any, table: Table) -> Any:
    """What scikit-learn looks at for numbers and names of columns: a data frame without its time, or the values."""
    if table.names is None or not _is_frame(original):
        return table.values
    import narwhals.stable.v2 as nw

    frame = nw.from_native(original, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return table.values
    time = [key for key in frame.columns if isinstance(key, str) and key not in table.names]
    return frame.drop(time).to_native() if time else original
