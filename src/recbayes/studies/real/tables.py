"""The results as rows of numbers: what the CSV files hold, and what the report and the command line show."""

from collections.abc import Callable
from typing import Any

import numpy as np

from recbayes.studies.bootstrap import bootstrap_mean, columns
from recbayes.studies.real.methods import OURS
from recbayes.studies.real.series import AnnotatedSeries, Score
from recbayes.studies.real.study import Results

Row = dict[str, Any]
MEASURES = ("cover", "f1")
GROUPS: dict[str, Callable[[AnnotatedSeries], bool]] = {
    "univariate": lambda one: one.columns == 1,
    "multivariate": lambda one: one.columns > 1,
}


def method_scores(results: Results) -> dict[str, dict[str, Score]]:
    """By title of the method and name of the series, where there are any: those that were run, then the published ones."""
    scores: dict[str, dict[str, Score]] = {method.title: {} for method in results.methods}
    for finding in results.findings:
        if finding.score is not None:
            scores[finding.method.title][finding.series.name] = finding.score
    for name in sorted({name for one in results.series for name in one.published}):
        scores[published_title(name)] = {one.name: one.published[name] for one in results.series if name in one.published}
    return scores


def published_title(name: str) -> str:
    return f"{name}, published"


def series_rows(results: Results) -> list[Row]:
    """Every method on every series."""
    rows = []
    for one in results.series:
        about = {"series": one.name, "columns": one.columns, "observations": len(one), "annotators": len(one.annotations)}
        for finding in results.findings:
            if finding.series is one:
                row = {**about, "method": finding.method.title, **_scores(finding.score)}
                row |= {"found": None if finding.problem else len(finding.change_points), "seconds": finding.seconds}
                row |= {"change_points": " ".join(map(str, finding.change_points)), "problem": finding.problem}
                rows.append({**row, "warnings": " | ".join(finding.warnings)})
        rows += [{**about, "method": published_title(name), **_scores(score)} for name, score in one.published.items()]
    return rows


def mean_rows(results: Results) -> list[Row]:
    """Means over the series of a group that a method has scores of, with intervals over series."""
    rows = []
    for group, names in _groups(results).items():
        for title, known in method_scores(results).items():
            values = np.array([known[name] for name in names if name in known])
            if len(values):
                rows.append({"group": group, "method": title, **_estimates(values, results.seed)})
    return rows


def difference_rows(results: Results) -> list[Row]:
    """Our scores minus those of another method, on the series that have both."""
    rows = []
    scores = method_scores(results)
    mine = scores.pop(OURS.title, {})
    for group, names in _groups(results).items():
        for title, known in scores.items():
            both = [name for name in names if name in mine and name in known]
            if both:
                values = np.array([mine[name] for name in both]) - np.array([known[name] for name in both])
                rows.append({"group": group, "method": OURS.title, "minus": title, **_estimates(values, results.seed)})
    return rows


def time_rows(results: Results) -> list[Row]:
    """Seconds of all series together, and of the slowest."""
    rows = []
    for method in results.methods:
        spent = {one.series.name: one.seconds for one in results.findings if one.method == method}
        slowest = max(spent, key=lambda name: spent[name])
        row = {"method": method.title, "series": len(spent), "seconds": sum(spent.values())}
        rows.append({**row, "slowest": slowest, "its_seconds": spent[slowest]})
    return rows


TABLES: dict[str, Callable[[Results], list[Row]]] = {
    "series": series_rows,
    "means": mean_rows,
    "differences": difference_rows,
    "times": time_rows,
}


def _groups(results: Results) -> dict[str, list[str]]:
    return {group: [one.name for one in results.series if holds(one)] for group, holds in GROUPS.items()}


def _scores(score: Score | None) -> Row:
    return dict.fromkeys(MEASURES) if score is None else score._asdict()


def _estimates(values: np.ndarray, seed: int) -> Row:
    row: Row = {"series": len(values)}
    for measure, numbers in zip(MEASURES, values.T, strict=True):
        row |= columns(measure, bootstrap_mean(numbers, seed))
    return row
