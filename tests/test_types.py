"""What type checkers see: one series gives one result and a list a list, with the types of the model's family."""

import subprocess
import sys
from pathlib import Path

import pytest

SEEN = """
import numpy as np
import recbayes as rb

model = rb.GaussianRBN.create(dim=2)
grammar = rb.PCFG.from_string("S -> S S [0.4] | 'a' [0.6]")
y = np.zeros((3, 2))
reveal_type(rb.inside(model, y))
reveal_type(rb.inside(model, [y, y]))
reveal_type(rb.inside(grammar, ["a", "a"]))
reveal_type(rb.inside(grammar, [["a"], ["a", "a"]]))
gaps: list[list[str | None]] = [["a", None], [None]]
reveal_type(rb.inside(grammar, gaps))
reveal_type(rb.inside(rb.HMM([1.0], [[1.0]], [[0.5, 0.5]]), [[0, 1], [1]]))
reveal_type(rb.inside(model, [rb.Series(y), rb.Series(y)]))
reveal_type(rb.sample_posterior(model, y, seed=0))
reveal_type(rb.sample_posterior(model, [y, y], seed=0, boundaries=None))
reveal_type(rb.sample_posterior(grammar, ["a"], seed=0).tree(rb.Threshold(0.5)))
reveal_type(rb.outside(rb.inside(model, y)))
reveal_type(rb.outside(rb.inside(grammar, ["a"])))
reveal_type(rb.best_tree(rb.inside(model, y)))
reveal_type(rb.log_joint(model, y, rb.best_tree(rb.inside(model, y))))
reveal_type(rb.fit(model, [y], climb=rb.Adam(batch=2), work=rb.Work(progress=False), tolerance=1e-3))
reveal_type(rb.fit(None, y).model)
reveal_type(rb.load("model.json"))
rb.inside(model, y, nonsense=1)
"""
EXPECTED = [
    "Chart",
    "list[Chart]",
    "DiscreteChart",
    "list[DiscreteChart]",
    "list[DiscreteChart]",
    "list[DiscreteChart]",
    "list[Chart]",
    "GaussianPosterior",
    "list[GaussianPosterior]",
    "Tree",
    "Outside",
    "DiscreteOutside",
    "Tree",
    "float",
    "Fit[GaussianRBN]",
    "GaussianRBN",
    "GaussianRBN | LinearGaussianRBN | PCFG | DiscreteRBN",
]


@pytest.mark.slow
def test_types_of_results(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    file = tmp_path / "seen.py"
    file.write_text(SEEN, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path), "--no-error-summary", str(file)]
    lines = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
    notes = [line.split('"')[1] for line in lines if "Revealed type is" in line]
    bare = [_without_modules(note) for note in notes]
    assert bare == EXPECTED
    errors = {line.split(":")[1] for line in lines if ": error:" in line}
    assert errors == {str(SEEN.count("\n"))}  # the last line, whose keyword nobody knows


def _without_modules(text: str) -> str:
    """list[recbayes.gaussian.chart.inside.Chart] -> list[Chart]."""
    words = text.replace("builtins.", "").replace("[", " [ ").replace("]", " ] ").split()
    return "".join(f" {one} " if one == "|" else one.rsplit(".", 1)[-1] for one in words)
