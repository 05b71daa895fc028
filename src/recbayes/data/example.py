"""Series in the box: small, real, free, each with something to find. `in_the_box/SOURCES.md` says where they come from."""

from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False, repr=False)
class Example:
    """A real series with its story: `values` and `index` are read-only.

    Wherever recbayes takes a series it takes an example, and so does whatever takes arrays.

    Attributes:
        name: of the series.
        values: observations by columns.
        index: when they were.
        names: of the columns.
        unit: of the values.
        period: how many observations a season has. None where there is none.
        description: what is to be seen.
        source: where it is from.
    """

    name: str
    values: np.ndarray
    index: np.ndarray
    names: tuple[str, ...]
    unit: str
    period: int | None
    description: str
    source: str

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        when = f"{self.index[0]} to {self.index[-1]}"
        return f"{self.name}: {', '.join(self.names)} ({self.unit}), {when}, {len(self)} observations"

    def to_numpy(self) -> np.ndarray:
        """The values."""
        return self.values

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.values, dtype=dtype) if copy else np.asarray(self.values, dtype=dtype)


def nile() -> Example:
    """Annual flow of the Nile at Aswan, 1871 to 1970: one change of level, after 1898."""
    years, flow = _read("nile.csv", "int64")
    return _example(
        "nile",
        flow,
        years,
        "flow",
        "10^8 cubic metres a year",
        None,
        "Annual flow of the Nile at Aswan. After 1898 it was lower by more than a fifth.",
        "G. W. Cobb (1978): The problem of the Nile. Biometrika 65, 243-251",
    )


def us_growth() -> Example:
    """Quarterly growth of the United States' economy, 1959 to 2009: its ups and downs became smaller in the 1980s."""
    quarters, product = _read("us_real_gdp.csv", "datetime64[M]")
    return _example(
        "us_growth",
        400.0 * np.diff(np.log(product)),
        quarters[1:],
        "growth",
        "percent a year",
        None,
        "Growth of the real gross domestic product of the United States from quarter to quarter, seasonally adjusted: 400 "
        "times the difference of logarithms. Its variance fell in the middle of the 1980s, and recessions interrupt it. An "
        "index of 1984-01 is the first quarter of 1984.",
        "U.S. Bureau of Economic Analysis, by way of the Federal Reserve Bank of St. Louis (FRED), as of December 2009",
    )


def el_nino() -> Example:
    """Monthly temperature of the sea off Peru, 1950 to 2010: seasons of twelve months, and El Niño every few years."""
    months, temperature = _read("el_nino.csv", "datetime64[M]")
    return _example(
        "el_nino",
        temperature,
        months,
        "temperature",
        "degrees Celsius",
        12,
        "Monthly mean temperature of the surface of the Pacific between 0 and 10 degrees south, 80 and 90 degrees west "
        "(region Niño 1+2). It has seasons, and warm spells of about a year, the strongest in 1982-83 and 1997-98.",
        "U.S. National Oceanic and Atmospheric Administration, ERSST.V3B",
    )


def _read(file: str, labels: str) -> tuple[np.ndarray, np.ndarray]:
    """The two columns of a file: labels of the given type, and numbers."""
    text = files("recbayes.data").joinpath("in_the_box", file).read_text(encoding="utf-8")
    rows = [line.split(",") for line in text.splitlines()[1:]]
    return np.array([row[0] for row in rows]).astype(labels), np.array([float(row[1]) for row in rows])


def _example(
    name: str,
    values: np.ndarray,
    index: np.ndarray,
    column: str,
    unit: str,
    period: int | None,
    description: str,
    source: str,
) -> Example:
    table = values[:, None]
    table.setflags(write=False)
    index.setflags(write=False)
    return Example(name, table, index, (column,), unit, period, description, source)
