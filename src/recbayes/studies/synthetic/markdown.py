"""The tables of the report."""

from collections.abc import Callable, Iterable, Sequence

from recbayes.studies.synthetic.methods import (
    BAYESIAN,
    BEST_TREE,
    EXPECTED_F1,
    HC_CPD,
    NODES,
    OUTSIDE,
    PARAMETERS,
    QUICK,
    Method,
)
from recbayes.studies.synthetic.study import Results
from recbayes.studies.synthetic.tables import MEASURES, Row, find_score, levels_of
from recbayes.studies.writing import interval, markdown

Columns = Sequence[tuple[Method, str]]


def check_table(rows: list[Row]) -> str:
    body = [[row["claim"], row["measured"], "yes" if row["holds"] else "**no**"] for row in rows]
    return markdown(["claim", "measured", "holds"], body)


def f1_table(rows: list[Row]) -> str:
    wanted: Columns = [(HC_CPD, ""), (BAYESIAN, ""), (BEST_TREE, "learnt"), (EXPECTED_F1, "learnt"), (EXPECTED_F1, "true")]
    names = []
    for method, parameters in wanted:
        names.append(method.name + (", true parameters" if parameters == "true" else ""))
        names += ["published"] if method.published else []

    def cells(noise: float) -> Iterable[str]:
        for method, parameters in wanted:
            row = find_score(rows, noise, method, parameters)
            yield interval(row, "f1")
            if method.published:
                yield _number(row["published_f1"])

    return by_noise(rows, names, cells)


def score_table(rows: list[Row]) -> str:
    """All measures of all methods, with intervals."""
    names = ["noise", "method", *MEASURES, "published"]
    body = [
        [str(row["noise"]), row["method"], *(interval(row, measure) for measure in MEASURES), _published(row)]
        for row in rows
        if row["truth"] == "true tree" and row["parameters"] != "true"
    ]
    return markdown(names, body)


def precision_recall_table(rows: list[Row]) -> str:
    network = (BEST_TREE, EXPECTED_F1, OUTSIDE, QUICK, NODES)
    wanted: Columns = [(HC_CPD, ""), (BAYESIAN, ""), *((method, "learnt") for method in network)]

    def cells(noise: float) -> Iterable[str]:
        for method, parameters in wanted:
            row = find_score(rows, noise, method, parameters)
            yield f"{row['precision']:.3f} / {row['recall']:.3f}"

    return by_noise(rows, [method.name for method, _ in wanted], cells)


def published_table(rows: list[Row]) -> str:
    wanted: Columns = [(HC_CPD, ""), (BEST_TREE, "learnt"), (OUTSIDE, "learnt")]
    names = [name for method, _ in wanted for name in (method.name, f"{method.published}, published")]

    def cells(noise: float) -> Iterable[str]:
        for method, parameters in wanted:
            row = find_score(rows, noise, method, parameters, truth="as published")
            yield " / ".join(_number(row[measure]) for measure in MEASURES)
            yield _published(row)

    return by_noise(rows, names, cells)


def difference_table(rows: list[Row]) -> str:
    pairs = list(dict.fromkeys((row["method"], row["minus"]) for row in rows))
    found = {(row["method"], row["minus"], row["noise"]): row for row in rows}

    def cells(noise: float) -> Iterable[str]:
        for pair in pairs:
            yield interval(found[*pair, noise], "f1", "+.3f")

    return by_noise(rows, [f"{method} − {minus}" for method, minus in pairs], cells)


def node_count_table(rows: list[Row]) -> str:
    found = {(row["data"], row["method"], row["noise"]): row for row in rows if row["parameters"] == "true"}
    kinds = list(dict.fromkeys((data, method) for data, method, _ in found))

    def cells(noise: float) -> Iterable[str]:
        for kind in kinds:
            row = found[*kind, noise]
            yield f"{row['nodes_claimed_per_node']:.3f} ({row['precision']:.3f} / {row['recall']:.3f})"

    return by_noise(rows, [f"{method}, {data}" for data, method in kinds], cells)


def above_one_table(rows: list[Row]) -> str:
    kinds = [row for row in rows if row["sequences_above_one"]]
    names = ["probabilities", "parameters", "data", "noise", "sequences with one above 1", "largest"]
    body = [
        [row["method"], row["parameters"], row["data"], str(row["noise"])]
        + [f"{row['sequences_above_one']} of {row['sequences']}", f"{row['largest']:.3g}"]
        for row in kinds
    ]
    return markdown(names, body) if body else "None is above 1."


def share_table(rows: list[Row]) -> str:
    columns = [(kind, which) for kind in PARAMETERS for which in ("mean", "smallest")]
    found = {(row["parameters"], row["noise"]): row for row in rows}
    names = [f"{kind} parameters, {which}" for kind, which in columns]
    return by_noise(rows, names, lambda noise: [f"{found[kind, noise][which]:.3f}" for kind, which in columns])


def calibration_table(rows: list[Row]) -> str:
    kinds = [("learnt", NODES), ("true", NODES), ("true", OUTSIDE)]
    names = ["probability"]
    for parameters, method in kinds:
        names += [f"{method.name} ({parameters}): mean", "exist"]
    body = []
    for low, high in sorted({(row["low"], row["high"]) for row in rows}):
        cells = [f"{low:.1f} to {high:.1f}"]
        for parameters, method in kinds:
            key = ("with transpositions", method.name, parameters, low)
            row = next((r for r in rows if (r["data"], r["method"], r["parameters"], r["low"]) == key), None)
            cells += (
                ["", ""]
                if row is None
                else [
                    f"{row['probability']:.3f}",
                    f"{row['share']:.3f} [{row['share_low']:.3f}, {row['share_high']:.3f}]",
                ]
            )
        body.append(cells)
    return markdown(names, body)


def tuning_table(results: Results) -> str:
    names = ["noise", "change points", "penalty or number", "their F1", "next best", "its F1"]
    names += ["Bayesian: eagerness", "threshold", "merging", "F1 of its trees", "without shifts"]
    body = []
    for noise, choice in results.change_points.items():
        chosen, tuned = choice["chosen"], results.bayesian[noise]
        others = [row for row in choice["candidates"] if row["name"] not in (chosen["name"], "KernelCPD, l2")]
        other = max(others, key=lambda row: row["best_f1"])
        cells = [str(noise), chosen["name"], f"{chosen['value']:.3g}", f"{chosen['best_f1']:.3f}"]
        cells += [other["name"], f"{other['best_f1']:.3f}"]
        cells += [f"{tuned['model']['eagerness']:g}", f"{tuned['threshold']:g}"]
        cells += [f"{tuned['linkage']}, shifts {' and '.join(map(str, tuned['shifts']))}"]
        body.append([*cells, f"{tuned['best_f1']:.3f}", f"{tuned['best_f1_without_shifts']:.3f}"])
    return markdown(names, body)


def parameter_table(rows: list[Row]) -> str:
    wanted = {
        "x.rules[1]": "termination (0.6)",
        "x.rules[1].length.rate": "rate (5)",
        "x.rules[0].shifts[1]": "shift (0.5)",
        "prior.components[0].std": "prior (1)",
        "x.rules[0].left_link.std": "left (0.1)",
        "x.rules[0].right_link.std": "right (0.1)",
        "x.rules[1].std": "noise",
    }
    values = {(row["noise"], row["parameter"]): row for row in rows}

    def cells(noise: float) -> Iterable[str]:
        for name in wanted:
            row = values[noise, name]
            yield f"{row['estimate']:.3g} ± {_error(row['standard_error'])}"

    return by_noise(rows, list(wanted.values()), cells)


def time_table(rows: list[Row]) -> str:
    body = [[row["work"], f"{row['seconds']:.0f}", str(row["times"]), f"{row['milliseconds_each']:.1f}"] for row in rows]
    return markdown(["work", "seconds", "times", "milliseconds each"], body)


def _error(value: float | None) -> str:
    return "not determined" if value is None else f"{value:.2g}"


def _published(row: Row) -> str:
    values = [row[f"published_{measure}"] for measure in MEASURES]
    return "" if None in values else " / ".join(map(_number, values))


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def by_noise(rows: list[Row], names: Sequence[str], cells: Callable[[float], Iterable[str]]) -> str:
    """A line for every noise level of the rows."""
    return markdown(["noise", *names], [[str(noise), *cells(noise)] for noise in levels_of(rows)])
