"""Draws for other tools: xarray, as ArviZ reads it."""

from typing import TYPE_CHECKING, Any

import numpy as np

from recbayes.errors import DataError, ModelError

if TYPE_CHECKING:
    from recbayes.family.posterior import Posterior

DRAWN = ("chain", "draw")


def equal_draws(weights: np.ndarray) -> np.ndarray:
    """As many draws that count equally: numbers of the given ones, each as often as its weight says, but for one.

    Copies stand side by side, so that tools which estimate effective sample sizes from neighbours see them.
    """
    edges = np.cumsum(weights)
    chosen = np.searchsorted(edges / edges[-1], (np.arange(len(weights)) + 0.5) / len(weights), side="right")
    return np.minimum(chosen, len(weights) - 1)


def rows_of_nodes(posterior: "Posterior", least: float) -> tuple[dict[str, Any], np.ndarray]:
    """Coordinates of the spans that are nodes with some probability, and for every node of the draws its span or -1."""
    forest, likely = posterior.trees, posterior.nodes.at_least(least)
    size = posterior.length + 1
    wanted = likely.starts.astype(np.int64) * size + likely.ends
    codes = forest.positions[forest.starts].astype(np.int64) * size + forest.positions[forest.ends]
    rows = np.full(len(codes), -1)
    if len(wanted):
        places = np.minimum(np.searchsorted(wanted, codes), len(wanted) - 1)
        rows = np.where(wanted[places] == codes, places, -1)
    spans = {
        "span": [f"{start}:{end}" for start, end in zip(likely.starts.tolist(), likely.ends.tolist(), strict=True)],
        "start": ("span", likely.starts),
        "end": ("span", likely.ends),
        "probability": ("span", likely.probability),
        "probability_error": ("span", likely.error),
    }
    return spans, rows


def to_xarray(posterior: "Posterior", least: float, trees: np.ndarray | None = None) -> Any:
    """The chosen trees, which count equally, in one chain."""
    try:
        import xarray
    except ImportError:
        raise ModelError("this needs xarray: pip install 'recbayes[xarray]'") from None
    if not 0 <= least <= 1:
        raise DataError(f"least must be a probability from 0 to 1, got {least:g}")
    forest = posterior.trees
    trees = equal_draws(posterior.weights) if trees is None else trees
    spans, rows = rows_of_nodes(posterior, least)
    exists = np.zeros((len(forest), len(spans["span"])), dtype=np.bool_)
    exists[forest.owners[rows >= 0], rows[rows >= 0]] = True
    edges = posterior.boundary_probability
    points = np.flatnonzero(edges >= least)
    leaves = forest.arities == 0
    ends = forest.positions[forest.ends[leaves]]
    place = np.minimum(np.searchsorted(points, ends), len(points) - 1)  # both ends of the series are always there
    hit = points[place] == ends
    boundary = np.tile(points == 0, (len(forest), 1))
    boundary[forest.owners[leaves][hit], place[hit]] = True
    segments = np.bincount(forest.owners[leaves], minlength=len(forest))
    return xarray.Dataset(
        {
            "exists": ((*DRAWN, "span"), exists[trees][None]),
            "boundary": ((*DRAWN, "position"), boundary[trees][None]),
            "segments": (DRAWN, segments[trees][None]),
            "log_joint": (DRAWN, posterior.log_joint_of_trees[trees][None]),
        },
        coords={
            "chain": [0],
            "draw": np.arange(len(trees)),
            **spans,
            "position": points,
            "boundary_probability": ("position", edges[points]),
        },
        attrs={
            "method": posterior.method,
            "effective_sample_size": posterior.effective_sample_size,
            "log_evidence": posterior.log_evidence,
            "log_evidence_error": posterior.log_evidence_error,
            "length": posterior.length,
        },
    )
