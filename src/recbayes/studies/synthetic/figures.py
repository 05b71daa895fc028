"""The study's figures, after the paper's."""

import io
from pathlib import Path
from typing import Any

import numpy as np

from recbayes.checks.files import write_whole
from recbayes.plot.calibration import calibration
from recbayes.plot.colours import BLUE, GREEN, ORANGE, PURPLE, colour
from recbayes.plot.scape import scape
from recbayes.plot.scores import scores
from recbayes.plot.series import series
from recbayes.plot.tree import tree as draw_tree
from recbayes.studies.published import TREE_INDUCTION
from recbayes.studies.synthetic.data import make_sequence
from recbayes.studies.synthetic.learning import learnt_model
from recbayes.studies.synthetic.methods import BASELINES, BAYESIAN, BEST_TREE, EXPECTED_F1, HC_CPD, NODES, OUTSIDE, Method
from recbayes.studies.synthetic.study import Results
from recbayes.studies.synthetic.tables import MEASURES, Row, find_score
from recbayes.studies.synthetic.testing import Clock, draw_seed, infer
from recbayes.studies.synthetic.tuning import change_point_tree

METHODS = (HC_CPD, BAYESIAN, BEST_TREE, EXPECTED_F1, OUTSIDE, NODES)
COLOURS = {method: colour(number) for number, method in enumerate(METHODS)}  # as `scores` has them
EXAMPLES = (0.01, 0.15)  # the noise levels of the paper's example
LINES: dict[str, Any] = {"Pelt": "-", "Binseg": "--", "BottomUp": ":", "Window": "-."}


def draw_figures(results: Results, tables: dict[str, list[Row]], folder: Path) -> list[Path]:
    """All of them, as PNG files; backends and settings of the caller's figures are not touched."""
    figures = {
        "scores": scores_figure(results, tables["scores"]),
        "tuning": tuning_figure(results),
        "calibration": calibration_figure(tables["calibration"]),
        "example": example_figure(results),
    }
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, figure in figures.items():
        paths.append(folder / f"{name}.png")
        picture = io.BytesIO()
        figure.savefig(picture, format="png", dpi=110)
        write_whole(paths[-1], picture.getvalue())
    return paths


def _figure(width: float, height: float) -> Any:
    """Without pyplot, so that no window opens and nothing stays in memory."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def scores_figure(results: Results, rows: list[Row]) -> Any:
    """Precision, recall and F1 by noise level, with learnt parameters; what is published is dashed."""
    figure = _figure(11.0, 4.4)
    levels = results.settings.noise_levels
    for ax, measure in zip(figure.subplots(1, 3, sharey=True), MEASURES, strict=True):
        ours = {method: [_triple(rows, method, noise, measure) for noise in levels] for method in COLOURS}
        scores(levels, {method.name: values for method, values in ours.items()}, ax=ax)
        for method, own in COLOURS.items():
            published = TREE_INDUCTION.get(method.published or "", {})
            known = [noise for noise in levels if noise in published]
            if known:
                means = {f"{method.published}, published": [[getattr(published[noise], measure)] for noise in known]}
                scores(known, means, ax=ax, color=own, linestyle="--", marker="x")
        ax.set_xticks(levels)
        ax.set(title={"f1": "F1"}.get(measure, measure), xlabel="noise")
    figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=5, fontsize=8)
    return figure


def _triple(rows: list[Row], method: Method, noise: float, measure: str) -> tuple[float, float, float]:
    row = find_score(rows, noise, method, "" if method in BASELINES else "learnt")
    return row[measure], row[f"{measure}_low"], row[f"{measure}_high"]


def tuning_figure(results: Results) -> Any:
    """F1 of the change points by penalty: colours are costs, line styles are search methods, the choice is marked."""
    from matplotlib.lines import Line2D

    levels = list(results.change_points)
    columns = min(3, len(levels))
    figure = _figure(4.0 * columns, 1.2 + 2.8 * -(-len(levels) // columns))
    axes = np.atleast_1d(figure.subplots(-(-len(levels) // columns), columns, sharex=True, sharey=True)).ravel()
    colours: dict[str, str] = {}
    for ax, noise in zip(axes, levels, strict=False):
        choice = results.change_points[noise]
        for row in choice["candidates"]:
            candidate = row["candidate"]
            if candidate["search"] not in LINES:
                continue  # KernelCPD repeats Pelt; it and Dynp have numbers in place of penalties
            own = colours.setdefault(candidate["cost"], colour(len(colours)))
            ax.semilogx(row["grid"], row["f1"], LINES[candidate["search"]], color=own, linewidth=0.8)
        if not choice["chosen"]["candidate"]["counted"]:
            ax.semilogx([choice["chosen"]["value"]], [choice["chosen"]["best_f1"]], "ko", markersize=5)
        ax.set_title(f"noise {noise}: {choice['chosen']['name']}", fontsize=9)
        ax.set_ylim(0.0, 1.02)
    for ax in axes[: len(levels)]:
        ax.set_xlabel("penalty", fontsize=8)
    for ax in axes[len(levels) :]:
        ax.set_visible(False)
    axes[0].set_ylabel("F1 of change points")
    handles = [Line2D([], [], color=own, label=cost) for cost, own in colours.items()]
    handles += [Line2D([], [], color="k", linestyle=style, label=search) for search, style in LINES.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=6, fontsize=8)
    return figure


def calibration_figure(rows: list[Row]) -> Any:
    """Node probabilities with learnt and true parameters, and the paper's outside marginals."""
    figure = _figure(8.4, 4.4)
    shown = {
        (NODES.name, "learnt"): PURPLE,
        (NODES.name, "true"): "0.4",
        (OUTSIDE.name, "true"): GREEN,
    }
    for ax, data in zip(figure.subplots(1, 2, sharey=True), ("with transpositions", "without transpositions"), strict=True):
        for (method, parameters), own in shown.items():
            bins = [
                (row["probability"], row["share"], row["share_low"], row["share_high"])
                for row in rows
                if (row["data"], row["method"], row["parameters"]) == (data, method, parameters)
            ]
            if bins:
                calibration(bins, label=f"{method} ({parameters} parameters)", ax=ax, color=own)
        ax.set_title(data, fontsize=10)
        ax.legend(fontsize=7, loc="lower right")
    return figure


def example_figure(results: Results) -> Any:
    """The first test sequence at a low and a high noise level: trees over the scape, the series with its change points."""
    chosen: list[float] = []
    for wanted in EXAMPLES[: len(results.settings.noise_levels)]:
        left = [level for level in results.settings.noise_levels if level not in chosen]
        chosen.append(min(left, key=lambda level: abs(level - wanted)))
    figure = _figure(6.0 * len(chosen), 8.0)
    axes = figure.subplots(2, len(chosen), sharex="col", height_ratios=[3.0, 1.3], squeeze=False)
    for column, noise in enumerate(chosen):
        values, true_tree = make_sequence(results.settings, noise, "test", 0)
        model = learnt_model(results.learnt[noise])
        seed = draw_seed(results.settings, noise, "test", 0)
        found = infer(model, values, results.settings.draws, seed, Clock(), (EXPECTED_F1, NODES))
        baseline = change_point_tree(results.change_points[noise]["chosen"], values)
        upper, lower = axes[:, column]
        scape(found.probabilities[NODES], colour_bar=False, ax=upper)
        trees = {GREEN: true_tree, BLUE: baseline, ORANGE: found.trees[EXPECTED_F1]}
        for (own, tree), width in zip(trees.items(), (4.0, 2.2, 1.4), strict=True):
            draw_tree(tree, by_width=True, ax=upper, color=own, linewidth=width, alpha=0.9)
        upper.set_title(f"noise {noise}", fontsize=10)
        upper.set_xlabel("")
        series(values, ax=lower)
        for leaf in baseline.leaves[1:]:
            lower.axvline(leaf.start - 0.5, color="0.5", linestyle="--", linewidth=0.8)
    from matplotlib.lines import Line2D

    names = (("true tree", GREEN), ("HC/CPD", BLUE), ("expected-F1 tree, learnt parameters", ORANGE))
    handles = [Line2D([], [], color=own, linewidth=2, label=name) for name, own in names]
    handles.append(Line2D([], [], color="0.5", linestyle="--", linewidth=0.8, label="change points of HC/CPD"))
    figure.legend(handles=handles, loc="outside lower center", ncols=4, fontsize=9)
    figure.colorbar(axes[0, -1].collections[0], ax=list(axes[0]), label="probability of a node", fraction=0.03)
    return figure
