"""Segmentations of all sorts, for the tests of the report; each is found once."""

from collections.abc import Callable
from functools import cache
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd

import recbayes as rb
from tests.segmentation.series import quick, steps

HOSTILE = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1>${version}"
LEVELS = [0.0, 3.0, 1.0, 4.0]


@cache
def hostile() -> rb.Segmentation:
    """Months, a gap, three changes, and a name that would like to be a script."""
    values = steps(LEVELS, [30, 24, 36, 30])
    values[[5, 6, 7, 80]] = np.nan
    months = pd.date_range("2011-01-01", periods=len(values), freq="MS")
    return quick(pd.Series(values, index=months, name=HOSTILE), draws=200)


@cache
def plain() -> rb.Segmentation:
    """The same without dates and names."""
    return quick(steps(LEVELS, [30, 24, 36, 30]), draws=200)


def _many_columns() -> rb.Segmentation:
    noise = np.random.default_rng(0).normal(size=(60, 30))
    noise[30:, ::2] += 3.0
    noise[:, 7] = np.nan
    return quick(noise)


def _in_logarithms() -> rb.Segmentation:
    return quick(np.exp(steps([1.0, 4.0], 30)), logarithms=True)


def _with_zones() -> rb.Segmentation:
    """Hours through the night in which one comes twice."""
    hours = pd.date_range("2024-10-26 12:00", periods=48, freq="h", tz=ZoneInfo("Europe/Berlin"))
    return quick(pd.Series(steps([0.0, 3.0], 24), index=hours))


def _with_texts() -> rb.Segmentation:
    return quick(
        pd.Series(steps([0.0, 3.0], 24), index=[f"=patient {n} <b>" for n in range(48)], name='a "name", with commas')
    )


def _irregular() -> rb.Segmentation:
    days = np.cumsum(np.random.default_rng(0).integers(1, 9, size=50))
    return quick(pd.Series(steps([0.0, 3.0], 25), index=np.datetime64("1999-12-25") + days))


def _many_changes() -> rb.Segmentation:
    return quick(steps([0.0, 5.0] * 22, 8, noise=0.1))


ODD: dict[str, Callable[[], rb.Segmentation]] = {
    "one observation": lambda: quick([1.5]),
    "two observations": lambda: quick([1.5, 2.5]),
    "constant": lambda: quick(np.full(30, 7.0)),
    "noise": lambda: quick(np.random.default_rng(0).normal(size=40)),
    "huge": lambda: quick(1e9 + steps([0.0, 3.0], 20)),
    "tiny": lambda: quick(1e-9 * steps([0.0, 3.0], 20)),
    "many columns": _many_columns,
    "logarithms": _in_logarithms,
    "time zones": _with_zones,
    "texts": _with_texts,
    "irregular": _irregular,
    "numbers": lambda: quick(pd.Series(steps([0.0, 3.0], 20), index=np.linspace(-1.0, 1.0, 40))),
    "far dates": lambda: quick(
        pd.Series(
            steps([0.0, 3.0], 20), index=np.arange(-400_000, 0, 10_000).astype("datetime64[Y]").astype("datetime64[s]")
        )
    ),
    "microseconds": lambda: quick(
        pd.Series(steps([0.0, 3.0], 20), index=np.datetime64("2024-01-01T00:00:00.000000") + np.arange(40))
    ),
    "season": lambda: quick(steps([0.0, 3.0], 24) + np.sin(np.arange(48) * np.pi / 3), periods=6),
    "many changes": _many_changes,
}


@cache
def odd(name: str) -> rb.Segmentation:
    return ODD[name]()
