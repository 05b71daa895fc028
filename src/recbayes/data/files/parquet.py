"""Parquet, by whichever library is there: pyarrow, polars or pandas."""

import io
from collections import Counter
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from recbayes.checks.numbers import is_missing, numbers
from recbayes.data.columns import Columns, columns_of, what_else
from recbayes.data.files.column import DATES, EMPTY, NUMBERS, TEXT, Column, Contents, named_columns
from recbayes.data.files.dates import dates_in_texts
from recbayes.data.files.numbers import told_missing, without_told
from recbayes.data.files.settings import Settings
from recbayes.errors import DataError, FileError

READERS = (("pyarrow.parquet", "read_table"), ("polars", "read_parquet"), ("pandas", "read_parquet"))


def read_parquet(content: bytes, settings: Settings) -> Contents:
    """The columns of a Parquet file."""
    raw = columns_of(_frame(content), "it")
    keys = [str(key) for key in raw.keys]  # pandas has its index at the end, under a name of its own
    names = named_columns(["index" if key.startswith("__index_level_0") and "index" not in keys else key for key in keys])
    if not raw.arrays or not len(raw.arrays[0]):
        raise FileError("there are no rows in it")
    seen: Counter[str] = Counter()
    columns = [_column(raw, place, name, settings, seen) for place, name in enumerate(names)]
    return Contents(columns, True, told_missing(seen, "empty"))


def _frame(content: bytes) -> Any:
    for module, function in READERS:
        if find_spec(module.partition(".")[0]) is not None:
            try:
                return getattr(import_module(module), function)(io.BytesIO(content))
            except ImportError:  # pandas without an engine
                continue
            except Exception as problem:  # every library has errors of its own
                raise FileError(f"it is damaged, or no Parquet ({str(problem).splitlines()[0]})") from problem
    raise FileError("Parquet is read by pyarrow, polars or pandas, none of which is installed; pip install pyarrow")


def _column(raw: Columns, place: int, name: str, settings: Settings, seen: Counter[str]) -> Column:
    array = raw.arrays[place]
    kind = what_else(array)
    if name in settings.as_text or kind == "text":
        texts = ["" if is_missing(one) else str(one) for one in array.tolist()]
        missing = np.array([text.strip() in settings.missing_words for text in texts], dtype=np.bool_)
        dates = None if missing.all() else dates_in_texts(texts, missing, settings.dates)
        return Column(name, TEXT, texts) if dates is None else Column(name, DATES, dates.labels, note=dates.note)
    if kind == "dates":
        return Column(name, DATES, raw.as_labels(place))
    if kind:
        return Column(name, TEXT, [str(one) for one in array.tolist()])
    try:
        values = numbers(array, name)
    except DataError as problem:
        raise FileError(str(problem)) from problem
    values = without_told(values, settings.missing, ".", seen)
    return Column(name, EMPTY if np.isnan(values).all() else NUMBERS, values)
