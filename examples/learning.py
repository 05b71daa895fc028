"""Learning the paper's model from ten sequences per noise level, and from sequences of any length.

Run it with `.venv/bin/python examples/learning.py`; it prints the tables of docs/guides/learning.md. With the name of a JSON
file (a list of {"noise": ..., "values": [[...], ...]}) the sequences of the first table are read from there.
"""

import json
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

import recbayes as rb
from recbayes.studies.synthetic.data import paper_model, paper_parameters

NOISE = (0.01, 0.05, 0.1, 0.15, 0.2, 0.25)
SHIFTS = {0: 0.5, 1: 0.5}


class Level(NamedTuple):
    """How well the parameters were found: estimates minus truth, in standard errors."""

    found: rb.Fit
    at_truth: float
    errors: dict[str, float]


def learn(series: list[np.ndarray], noise: float, restarts: int) -> Level:
    """From starting values that the data suggest, and others around them."""
    found = rb.fit(rb.GaussianRBN.guess(series, shifts=SHIFTS), series, covariance="scalar", restarts=restarts)
    truth = paper_parameters(noise)
    rows = {row.name: row for row in found.table}
    errors = {name: (rows[name].estimate - value) / rows[name].standard_error for name, value in truth.items()}
    at_truth = sum(chart.log_evidence for chart in rb.inside(paper_model(noise), series))
    return Level(found, at_truth, errors)


def show(title: str, levels: dict[float, Level]) -> None:
    print(f"\n{title}\n")
    names = ["termination", "shift", "rate", "prior", "left", "right", "noise", "means"]
    print("| noise | log evidence - that of the truth | starts within 0.1 | evaluations | " + " | ".join(names) + " |")
    print("|---" * (4 + len(names)) + "|")
    for noise, (found, at_truth, errors) in levels.items():
        values = list(errors.values())
        means = " ".join(f"{value:+.1f}" for value in values[7:])
        same = sum(max(found.starts) - value < 0.1 for value in found.starts)
        numbers = " | ".join(f"{value:+.1f}" for value in values[:7])
        gain = f"{found.log_likelihood - at_truth:+.2f}"
        print(
            f"| {noise} | {gain} | {same} of {len(found.starts)} | {len(found.history)} | {numbers} | {means} |", flush=True
        )
    inside = [abs(value) < 3 for level in levels.values() for value in level.errors.values()]
    print(f"\nWithin three standard errors of the truth: {sum(inside)} of {len(inside)}")


def main(sequences: int = 10, many: int = 60, restarts: int = 4, path: str | None = None) -> list[dict[float, Level]]:
    """Print both tables."""
    bounded, free = {}, {}
    read = [] if path is None else json.loads(Path(path).read_text(encoding="utf-8"))
    for level, noise in enumerate(NOISE):
        series = [np.array(one["values"]) for one in read if one["noise"] == noise]
        if not series:
            series = [
                paper_model(noise).sample(seed=100 * level + n, min_length=50, max_length=55)[0] for n in range(sequences)
            ]
        bounded[noise] = learn(series, noise, restarts)
    show("Sequences of 50 to 55 observations; columns from termination on: errors in standard errors", bounded)
    for level, noise in enumerate(NOISE[::2]):
        series = [paper_model(noise).sample(seed=1000 * level + n, max_length=200)[0] for n in range(many)]
        free[noise] = learn(series, noise, 0)
    show("Sequences of any length (up to 200)", free)
    return [bounded, free]


if __name__ == "__main__":
    main(path=sys.argv[1] if len(sys.argv) > 1 else None)
