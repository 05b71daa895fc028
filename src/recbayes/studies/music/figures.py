"""The study's figures, after the paper's."""

import io
from pathlib import Path
from typing import Any

import numpy as np

from recbayes.checks.files import write_whole
from recbayes.music.keys import PITCH_CLASSES
from recbayes.studies.music.analysis import BEST, EXPECTED_F1, MOST_PROBABLE, Analysis, restored
from recbayes.studies.music.baselines import CLUSTERINGS
from recbayes.studies.music.comparing import DRAWN, expert_tree
from recbayes.studies.music.learning import learnt_model
from recbayes.studies.music.models import prior_means
from recbayes.studies.music.profiles import Published, Template, best_keys, key_templates
from recbayes.studies.music.scapes import key_legend, key_scape, probability_scape, tree_over
from recbayes.studies.music.stages import FREE, WITHOUT, Analysed, Climb
from recbayes.studies.music.study import Results
from recbayes.studies.music.tables import MEAN, Row

PAPER = {0: 0.78, 7: 0.22}  # weights of transpositions in the paper; all others are zero
ROW = 3  # pieces beside each other on a page
OURS = (EXPECTED_F1, MOST_PROBABLE, BEST, DRAWN)
SHOWN = ("best nodes", "boundary rank", "T f", "L f")


def draw_figures(
    results: Results, tables: dict[str, list[Row]], published: tuple[Published, ...], folder: Path
) -> list[Path]:
    """All of them, as PNG files; backends and settings of the caller's figures are not touched."""
    figures = {"profile": profile_figure(tables["profiles"], published), "weights": weights_figure(tables["weights"])}
    if tables["region_means"]:
        figures["regions"] = region_figure(tables["region_means"])
    for model in results.plan.models:
        figures[f"pieces-{model.name}"] = page(results, model.name)
        for piece in results.plan.experts:
            figures[f"expert-{model.name}-{piece.name}"] = expert_figure(results, model.name, piece.name)
        for piece in results.plan.pieces:
            figures[f"pieces/{model.name}-{piece.name}"] = piece_figure(results, model.name, piece.name)
    paths = []
    for name, figure in figures.items():
        paths.append(folder / f"{name}.png")
        paths[-1].parent.mkdir(parents=True, exist_ok=True)
        picture = io.BytesIO()
        figure.savefig(picture, format="png", dpi=130)
        write_whole(paths[-1], picture.getvalue())
    return paths


def profile_figure(rows: list[Row], published: tuple[Published, ...]) -> Any:
    """What pieces begin with, from every start with all pieces, against published profiles of the same modes."""
    modes = list(dict.fromkeys(row["mode"] for row in rows))
    figure = _figure(7.0 * len(modes), 4.0)
    for ax, mode in zip(np.atleast_1d(figure.subplots(1, len(modes), sharey=True)), modes, strict=True):
        for row in rows:
            if row["mode"] == mode and not row.get("without"):
                values = [row[f"pc{step}"] for step in range(12)]
                plain = row["model"] == MEAN
                name = row["model"] if plain else f"{row['model']}, start {row['start']}"
                ax.plot(values, "ks-" if plain else "o-", markersize=3, linewidth=1.2, label=name)
        for number, one in enumerate(one for one in published if one.mode == mode):
            style = {"color": f"C{5 + number % 5}", "linestyle": "--", "linewidth": 1.0}
            ax.plot(one.values, label=f"published: {one.source}", **style)
        ax.set_xticks(range(12), PITCH_CLASSES)
        ax.set_ylim(bottom=0.0)
        ax.set(title=f"{mode}, in C", ylabel="proportion")
        ax.legend(fontsize=7)
    return figure


def weights_figure(rows: list[Row]) -> Any:
    """Weights of transpositions of left parts, from every start and set of pieces; the paper's are circles."""
    models = list(dict.fromkeys(row["model"] for row in rows))
    figure = _figure(7.0, 0.6 + 2.6 * len(models))
    for ax, model in zip(np.atleast_1d(figure.subplots(len(models), 1, sharex=True)), models, strict=True):
        climbs = list(dict.fromkeys((row["without"], row["start"]) for row in rows if row["model"] == model))
        for number, (without, start) in enumerate(climbs):
            here = [row for row in rows if (row["model"], row["without"], row["start"]) == (model, without, start)]
            places = np.array([row["semitones"] for row in here]) + 0.8 * ((number + 0.5) / len(climbs) - 0.5)
            name = f"start {start}" + (f", without {without}" if without else "")
            ax.bar(places, [row["weight"] for row in here], 0.8 / len(climbs), label=name)
        ax.plot(range(12), [PAPER.get(step, 0.0) for step in range(12)], "o", color="0.2", fillstyle="none", label="paper")
        ax.set(title=model, ylabel="weight")
        ax.legend(fontsize=7, ncols=2)
    ax.set_xticks(range(12))
    ax.set_xlabel("semitones by which the left part is turned")
    return figure


def region_figure(rows: list[Row]) -> Any:
    """How much more than random trees with the same leaves, means over pieces with their intervals."""
    models = list(dict.fromkeys(row["model"] for row in rows))
    trees = list(dict.fromkeys(row["tree"] for row in rows))[::-1]
    figure = _figure(12.0, 1.2 + 0.28 * len(trees) * len(models))
    for line, model in zip(figure.subplots(len(models), len(SHOWN), sharey=True, squeeze=False), models, strict=True):
        for ax, measure in zip(line, SHOWN, strict=True):
            found = {row["tree"]: row for row in rows if (row["model"], row["measure"]) == (model, measure)}
            for height, tree in enumerate(trees):
                row = found[tree]
                colour = "tab:orange" if tree in OURS else "tab:blue" if tree in CLUSTERINGS else "0.5"
                ax.plot([row["gain_low"], row["gain_high"]], [height] * 2, color=colour, linewidth=1.5)
                ax.plot(row["gain"], height, "o", color=colour, markersize=4)
            ax.axvline(0.0, color="0.8", zorder=0)
            ax.set_yticks(range(len(trees)), trees, fontsize=7)
            ax.set_title(f"{model}: {measure}", fontsize=9)
            ax.locator_params(axis="x", nbins=4)
            ax.tick_params(axis="x", labelsize=7)
    figure.supxlabel("more than random trees with the same leaves", fontsize=9)
    return figure


def piece_figure(results: Results, model: str, piece: str) -> Any:
    """One piece: what every span would be like as a node, and how probable it is one, with the expected-F1 tree."""
    figure = _figure(9.0, 3.6)
    templates = _templates(results, model)
    draw_piece(figure.subplots(1, 2), results, model, piece, templates)
    key_legend(figure, list(dict.fromkeys(one.key.mode for one in templates)))
    return figure


def page(results: Results, model: str) -> Any:
    """All pieces, as the paper's table has them."""
    names = [piece.name for piece in results.plan.pieces]
    columns = min(ROW, len(names))
    lines = -(-len(names) // columns)
    figure = _figure(5.0 * columns, 0.5 + 1.9 * lines)
    templates = _templates(results, model)
    axes = figure.subplots(lines, 2 * columns, squeeze=False).reshape(-1, 2)
    for pair, name in zip(axes, names, strict=False):
        draw_piece(pair, results, model, name, templates)
    for pair in axes[len(names) :]:
        for ax in pair:
            ax.set_visible(False)
    key_legend(figure, list(dict.fromkeys(one.key.mode for one in templates)))
    return figure


def draw_piece(pair: Any, results: Results, model: str, piece: str, templates: tuple[Template, ...]) -> None:
    """Both triangles of a piece, by the model that was learnt from all pieces."""
    analysis, edges = _analysis(results, model, piece, FREE)
    assert analysis.means is not None
    key_scape(pair[0], best_keys(analysis.means, templates), templates, edges)
    probability_scape(pair[1], analysis.node_probability, edges)
    tree_over(pair[1], analysis.trees[EXPECTED_F1], edges, linewidth=0.8)
    pair[0].set_title(piece, fontsize=8, loc="left")


def expert_figure(results: Results, model: str, piece: str) -> Any:
    """An analyst's tree and that of the model that has not seen the piece, over probabilities of nodes."""
    from matplotlib.lines import Line2D

    analysis, edges = _analysis(results, model, piece, WITHOUT)
    known = results.plan.known(model, next(one for one in results.plan.pieces if one.name == piece))
    figure = _figure(10.0, 6.0)
    ax = figure.subplots()
    probability_scape(ax, analysis.node_probability, edges)
    tree_over(ax, expert_tree(known), edges, color="tab:blue", linewidth=2.5, alpha=0.8)
    tree_over(ax, analysis.trees[EXPECTED_F1], edges, shifts=True, color="tab:orange", linewidth=1.2)
    ax.set_xlabel("quarters")
    names = {"tab:blue": "analyst", "tab:orange": "expected-F1 tree; numbers are transpositions of left parts"}
    handles = [Line2D([], [], color=colour, label=name) for colour, name in names.items()]
    ax.legend(handles=handles, loc="upper left", fontsize=8)
    ax.set_title(f"{piece}, {model}; learnt from the other pieces", fontsize=10)
    return figure


def _analysis(results: Results, model: str, piece: str, how: str) -> tuple[Analysis, np.ndarray]:
    of = next(one for one in results.plan.pieces if one.name == piece)
    return restored(results.analyses[Analysed(model, piece, how)]), of.observed(results.plan.model(model).per).edges


def _templates(results: Results, model: str) -> tuple[Template, ...]:
    """What keys look like to the model itself: what a piece begins with, turned."""
    return key_templates(prior_means(learnt_model(results.climbs[Climb(model, None, results.best[model])])))


def _figure(width: float, height: float) -> Any:
    """Without pyplot, so that no window opens and nothing stays in memory."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure
