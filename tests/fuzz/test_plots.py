"""Pictures of hostile trees, series and numbers: drawn to the last pixel, or refused in one line."""

import io
import warnings
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

import matplotlib.pyplot as plt

import recbayes as rb
from tests.fuzz.hostile import attempt, seeds
from tests.fuzz.test_trees import random_tree

LABELS = ["$x$", "$\\frac{", "_", "\ud800", "\x00", "\n", "🎵", "", "w" * 500, "<b>", "%d", "{}", "ü", "$"]


def _values(rng: np.random.Generator) -> Any:
    things: list[Any] = [
        rng.normal(size=(6, 2)),
        np.full((6, 1), np.nan),
        np.zeros((6, 0)),
        np.zeros((0, 2)),
        np.full((6, 1), 1e149),
        np.full((6, 1), 1e-320),
        [1, 2, 3],
        "text",
        None,
        [[1, "a"]],
        np.array([1 + 2j] * 6),
        rng.normal(size=(6, 2, 2)),
        np.full((6, 1), np.inf),
        np.arange(6).astype("datetime64[D]"),
    ]
    return things[int(rng.integers(len(things)))]


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(60))
def test_pictures(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, hostile=True)
    label = LABELS[int(rng.integers(len(LABELS)))]
    square = rng.normal(size=(4, 4)) * 10.0 ** rng.uniform(-5, 5)
    square[0, 1] = rng.choice([np.nan, np.inf, 0.5])
    bins = rng.random((3, 4)) * float(rng.choice([1.0, 1e300, np.nan]))
    curves = {label: rng.random((3, 3)).tolist(), "b": rng.random((3, 1)).tolist()}
    levels = list(rng.choice([0.0, 1.0, 1e300, -5.0], size=3))
    calls: list[Any] = [
        lambda: rb.plot.tree(tree, labels=True, by_width=bool(seed % 2)),
        lambda: rb.plot.series(_values(rng)),
        lambda: rb.plot.series(rng.normal(size=(tree.length, 2)), tree, level=int(rng.integers(-1, 4))),
        lambda: rb.plot.scape(square, tree),
        lambda: rb.plot.calibration(bins, label=label),
        lambda: rb.plot.scores(levels, curves),
        lambda: rb.plot.scores(_values(rng), {label: _values(rng)}),
        lambda: rb.plot.scape(_values(rng)),
        lambda: rb.plot.calibration(_values(rng)),
    ]
    for call in calls:
        attempt(_draw, call)
        plt.close("all")


def _draw(call: Any) -> None:
    axes = call()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # glyphs that the font lacks
        axes.figure.savefig(io.BytesIO(), format="png", dpi=30)
