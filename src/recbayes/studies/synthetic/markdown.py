"""The tables of the report."""

from collections.abc import Iterable, Sequence

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

Columns = Sequence[tuple[Method, str]]


def check_table(rows: list[Row]) -> str:
    body = [[row["claim"], row["measured"], "yes" if row["holds"] else "**no**"] for row in rows]
    return markdown(["claim", "measured", "holds"], body)


def f1_table(rows: list[Row]) -> str:
    wanted: Columns = [(HC_CPD, ""), (BAYESIAN, ""), (BEST_TREE, "learnt"), (EXPECTED_F1, "learnt"), (EXPECTED_F1, "true")]
    names = ["noise"]
    for method, parameters in wanted:
        names.append(method.name + (", true parameters" if parameters == "true" else ""))
        names += ["published"] if method.published else []
    body = []
    for noise in levels_of(rows):
        cells = [str(noise)]
        for method, parameters in wanted:
            row = find_score(rows, noise, method, parameters)
            cells.append(f"{row['f1']:.3f} [{row['f1_low']:.3f}, {row['f1_high']:.3f}]")
            cells += [_number(row["published_f1"])] if method.published else []
        body.append(cells)
    return markdown(names, body)


def precision_recall_table(rows: list[Row]) -> str:
    wanted: Columns = [
        (HC_CPD, ""),
        (BAYESIAN, ""),
        *((method, "learnt") for method in (BEST_TREE, EXPECTED_F1, OUTSIDE, QUICK, NODES)),
    ]
    names = ["noise", *(method.name for method, _ in wanted)]
    body = []
    for noise in levels_of(rows):
        cells = [str(noise)]
        for method, parameters in wanted:
            row = find_score(rows, noise, method, parameters)
            cells.append(f"{row['precision']:.3f} / {row['recall']:.3f}")
        body.append(cells)
    return markdown(names, body)


def published_table(rows: list[Row]) -> str:
    wanted: Columns = [(HC_CPD, ""), (BEST_TREE, "learnt"), (OUTSIDE, "learnt")]
    names = ["noise", *(name for method, _ in wanted for name in (method.name, f"{method.published}, published"))]
    body = []
    for noise in levels_of(rows):
        cells = [str(noise)]
        for method, parameters in wanted:
            row = find_score(rows, noise, method, parameters, truth="as published")
            for prefix in ("", "published_"):
                values = [row[f"{prefix}{measure}"] for measure in MEASURES]
                cells.append("" if None in values else " / ".join(map(_number, values)))
        body.append(cells)
    return markdown(names, body)


def difference_table(rows: list[Row]) -> str:
    pairs = list(dict.fromkeys((row["method"], row["minus"]) for row in rows))
    names = ["noise", *(f"{method} − {minus}" for method, minus in pairs)]
    body = []
    for noise in dict.fromkeys(row["noise"] for row in rows):
        cells = [str(noise)]
        for pair in pairs:
            row = next(row for row in rows if (row["method"], row["minus"]) == pair and row["noise"] == noise)
            cells.append(f"{row['f1']:+.3f} [{row['f1_low']:+.3f}, {row['f1_high']:+.3f}]")
        body.append(cells)
    return markdown(names, body)


def node_count_table(rows: list[Row]) -> str:
    kinds = list(dict.fromkeys((row["data"], row["method"], "true") for row in rows))
    names = ["noise", *(f"{method}, {data}" for data, method, _ in kinds)]
    body = []
    for noise in levels_of(rows):
        cells = [str(noise)]
        for kind in kinds:
            row = next(r for r in rows if (r["data"], r["method"], r["parameters"]) == kind and r["noise"] == noise)
            cells.append(f"{row['nodes_claimed_per_node']:.3f} ({row['precision']:.3f} / {row['recall']:.3f})")
        body.append(cells)
    return markdown(names, body)


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
    body = []
    for noise in levels_of(rows):
        here = {row["parameters"]: row for row in rows if row["noise"] == noise}
        cells = [f"{here[kind][which]:.3f}" for kind in PARAMETERS for which in ("mean", "smallest")]
        body.append([str(noise), *cells])
    names = [f"{kind} parameters, {which}" for kind in PARAMETERS for which in ("mean", "smallest")]
    return markdown(["noise", *names], body)


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
    body = []
    for noise in levels_of(rows):
        cells = [values[noise, name] for name in wanted]
        body.append([str(noise), *(f"{cell['estimate']:.3g} ± {_error(cell['standard_error'])}" for cell in cells)])
    return markdown(["noise", *wanted.values()], body)


def time_table(rows: list[Row]) -> str:
    return markdown(
        ["work", "seconds", "each"],
        [[row["work"], f"{row['seconds']:.0f}", f"{row['milliseconds_each']:.1f} ms a {row['each']}"] for row in rows],
    )


def _error(value: float | None) -> str:
    return "not determined" if value is None else f"{value:.2g}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def markdown(names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])
