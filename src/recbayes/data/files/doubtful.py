"""What looks doubtful in what was read, though nothing is done about it: it is told among the guesses."""

from collections.abc import Mapping, Sequence

import numpy as np

from recbayes.data.files.column import Column
from recbayes.data.table import Table

NINES = [float("9" * digits) for digits in range(2, 8)] + [99.9, 99.99, 999.9, 999.99, 9999.9]
STAND_INS = sorted(
    {sign * one for one in NINES for sign in (-1.0, 1.0)} | {32767.0, -32767.0, -32768.0, 65535.0, -7999.0, 7999.0}
)
OFTEN = 3  # times
FAR = 3.0  # times the range of all else
REGULAR = 0.5  # of steps that are one tick


def stand_ins(columns: Sequence[Column]) -> list[str]:
    """Numbers such as -999 that occur again and again, far from all else."""
    found: dict[float, list[tuple[str, int]]] = {}
    for column in columns:
        values = column.entries[np.isfinite(column.entries)]
        suspect = np.isin(values, STAND_INS)
        rest = values[~suspect]
        if not suspect.any() or len(rest) < OFTEN:
            continue
        low, high = rest.min(), rest.max()
        for number, count in zip(*np.unique(values[suspect], return_counts=True), strict=True):
            away = max(low - number, number - high)
            if count >= OFTEN and away > FAR * max(high - low, 1e-9 * abs(high)):
                found.setdefault(float(number), []).append((column.name, int(count)))
    return [_told(number, where) for number, where in found.items()]


def _told(number: float, where: list[tuple[str, int]]) -> str:
    names = ", ".join(repr(name) for name, _ in where[:4]) + (f" and {len(where) - 4} more" if len(where) > 4 else "")
    times = sum(count for _, count in where)
    said = f"{number:.10g} occurs {times} times in {names}, far from all else"
    return f"{said}; say so if it stands for a missing value (missing {number:.10g})"


def constants(columns: Sequence[Column]) -> list[str]:
    """Columns that never change, beside others that do."""
    seen = [(one.name, one.entries[np.isfinite(one.entries)]) for one in columns]
    names = [name for name, values in seen if len(values) > 1 and values.min() == values.max()]
    if not names or len(names) == len(seen):
        return []
    listed = ", ".join(map(repr, names[:4])) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
    what, it = ("never changes", "it") if len(names) == 1 else ("never change", "them")
    return [f"{listed} {what}, and may hide or feign changes of others without noise; choose columns without {it} (columns)"]


def gaps(series: Mapping[str, Table]) -> list[str]:
    """Rows that are absent, where times go on in steps of one tick but for these."""
    found = {name: steps for name, table in series.items() if (steps := _absent(table)) is not None and steps.any()}
    if not found:
        return []
    together = np.concatenate([steps[steps > 0] for steps in found.values()])
    total, count, longest = int(together.sum()), len(together), int(together.max())
    rows = "1 row is absent" if total == 1 else f"{total} rows are absent"
    some = f" in {len(found)} of {len(series)} series" if len(found) < len(series) else " in all series"
    where = some if len(series) > 1 else ""
    long = "" if count == 1 else f" ({count} gaps, the longest of {longest} row{'s' if longest > 1 else ''})"
    return [f"{rows}{where}{long}, by the steps of the times"]


def _absent(table: Table) -> np.ndarray | None:
    """How many rows are absent after each; None where times have no tick."""
    if table.times is None or len(table) < 4:
        return None
    steps = np.diff(table.times).astype(np.float64)
    steps = steps[steps > 0]
    sizes, counts = np.unique(steps, return_counts=True)
    if not len(sizes) or counts.max() < REGULAR * len(steps):
        return None
    ticks = steps / sizes[counts.argmax()]
    whole = np.round(ticks)
    return None if (np.abs(ticks - whole) > 1e-3).any() or (whole < 1).any() else whole - 1
