"""The tables as they are shown, in the report and on the terminal: headings, and lines of cells."""

from typing import NamedTuple

from recbayes.studies.real.tables import GROUPS, MEASURES, Row
from recbayes.studies.writing import interval

TITLES = {"cover": "covering", "f1": "F1", "found": "change points found"}


class Shown(NamedTuple):
    """A table to be shown."""

    title: str
    names: list[str]
    lines: list[list[str]]


def shown_means(rows: list[Row]) -> Shown:
    return _by_group("Means over series", "method", rows, "method", ".3f")


def shown_differences(rows: list[Row]) -> Shown | None:
    """None where there is nothing to compare."""
    if not rows:
        return None
    return _by_group(f"Differences: {rows[0]['method']} minus others, on the same series", "other", rows, "minus", "+.3f")


def shown_field(rows: list[Row], field: str) -> Shown:
    """One number of every method on every series."""
    methods = list(dict.fromkeys(row["method"] for row in rows if field in row))
    found = {(row["series"], row["method"]): row for row in rows}
    lines = []
    for name, about in _series(rows).items():
        cells = [_number(found.get((name, method), {}), field) for method in methods]
        lines.append([name, str(about["observations"]), str(about["columns"]), *cells])
    return Shown(TITLES[field].capitalize(), ["series", "N", "columns", *methods], lines)


def shown_series(rows: list[Row]) -> Shown:
    """Everything of the methods that were run, and the best that was published: of any method, for each of both scores."""
    ran = list(dict.fromkeys(row["method"] for row in rows if "found" in row))
    known = any("found" not in row for row in rows)
    lines = []
    for name, about in _series(rows).items():
        here = {row["method"]: row for row in rows if row["series"] == name}
        cells = [" ".join(_number(here[method], field) for field in TITLES) for method in ran]
        published = [row for row in here.values() if "found" not in row]
        best = " ".join(f"{max(row[measure] for row in published):.3f}" for measure in MEASURES) if published else ""
        lines.append([name, str(about["observations"]), str(about["columns"]), *cells, *([best] if known else [])])
    names = ["series", "N", "columns", *ran, *(["best published"] if known else [])]
    return Shown("Covering, F1, change points found", names, lines)


def shown_times(rows: list[Row]) -> Shown:
    names = ["method", "series", "seconds", "slowest", "its seconds"]
    lines = [
        [row["method"], str(row["series"]), f"{row['seconds']:.1f}", row["slowest"], f"{row['its_seconds']:.1f}"]
        for row in rows
    ]
    return Shown("Time", names, lines)


def _by_group(title: str, heading: str, rows: list[Row], field: str, form: str) -> Shown:
    """A line per method. Where one has not all series of a group, its cells say how many."""
    groups = [group for group in GROUPS if any(row["group"] == group for row in rows)]
    sizes = {group: max(row["series"] for row in rows if row["group"] == group) for group in groups}
    lines = []
    for method in dict.fromkeys(row[field] for row in rows):
        cells = []
        for group in groups:
            row = next((row for row in rows if row["group"] == group and row[field] == method), None)
            few = "" if row is None or row["series"] == sizes[group] else f" ({row['series']} series)"
            cells += ["" if row is None else interval(row, measure, form) + few for measure in MEASURES]
        lines.append([method, *cells])
    names = [f"{group} ({sizes[group]}): {TITLES[measure]}" for group in groups for measure in MEASURES]
    return Shown(title, [heading, *names], lines)


def _series(rows: list[Row]) -> dict[str, Row]:
    return {row["series"]: row for row in rows}


def _number(row: Row, field: str) -> str:
    value = row.get(field)
    if value is None:
        return "failed" if row.get("problem") else ""
    return str(value) if isinstance(value, int) else f"{value:.3f}"
