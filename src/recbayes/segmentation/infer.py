"""From a series to draws of its trees, averaged over the default's models; and to draws of trees over given segments."""

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy.special import softmax

from recbayes.checks.many import run_many
from recbayes.errors import DataError
from recbayes.gaussian.posterior.careful import careful_inside
from recbayes.gaussian.posterior.draws import draw
from recbayes.gaussian.posterior.posterior import GaussianPosterior
from recbayes.segmentation.average import AveragePosterior, average, leaf_counts
from recbayes.segmentation.defaults import Candidate
from recbayes.segmentation.progress import Progress
from recbayes.spans.constraints import Constraints
from recbayes.tree.known import INNER, NODE

FEWEST = 100  # draws of a model, unless fewer are wished for in all
MATTERS = 0.05  # a model with a smaller share of the posterior is not drawn from once more
LIKELIER = 2.0  # times as probable a length must be, for trees to be drawn with it once more


@dataclass(frozen=True, eq=False)
class GivenSegments(Constraints):
    """Trees whose leaves are the segments between the boundaries."""

    def mask_between(self, points: np.ndarray, length: int) -> np.ndarray:
        mask = np.triu(np.full((len(points), len(points)), INNER, dtype=np.int8), 1)
        mask[np.arange(len(points) - 1), np.arange(1, len(points))] = NODE
        return mask


@dataclass(frozen=True)
class Task:
    """What is known of the trees of a series, and how to draw them."""

    constraints: Constraints
    draws: int
    seed: int
    count: tuple[int, int]  # fewest and most segments
    executor: Executor | None = None
    progress: Progress | None = None


def draw_average(models: Sequence[Candidate], shares: np.ndarray, task: Task) -> AveragePosterior:
    """Draws from each model, as many as its likely share of the posterior says; their evidence tells the true share. Where
    that is much larger, or segments are longer or shorter than those that trees were drawn with, there are draws once more.
    """
    rng = np.random.default_rng(task.seed)
    what = "describing segments" if isinstance(task.constraints, GivenSegments) else "drawing trees"
    parts = _draw_all(models, _counts(shares, task), f"{what} by several models", task, rng)
    for number in range(len(models[0].lengths)):  # no tree with as many segments as are wished for: others are drawn
        if any(np.isfinite(one).any() for one in _log_ratios(models, parts, task)):
            break
        models = [replace(one, drawn=number) for one in models]
        parts = _draw_all(models, _counts(shares, task), f"{what} with other lengths", task, rng)
    else:
        raise DataError(
            f"no tree was drawn with {task.count[0]} to {task.count[1]} segments; give other numbers, or a "
            "smaller min_length"
        )
    found = average(models, parts, _log_ratios(models, parts, task))
    better = dict(enumerate(map(_with_likeliest_length, models, parts, found.log_ratios)))
    counts = _counts(found.shares, task)
    again = [
        n
        for n, one in better.items()
        if found.shares[n] >= MATTERS and (one is not models[n] or counts[n] > 2 * len(parts[n].log_weights))
    ]
    if again:
        drawn = _draw_all([better[n] for n in again], counts[again], f"{what} once more", task, rng)
        new = dict(zip(again, drawn, strict=True))
        models = [better[n] if n in new else one for n, one in enumerate(models)]
        parts = [new.get(n, part) for n, part in enumerate(parts)]
        found = average(models, parts, _log_ratios(models, parts, task))
    return found


def _counts(shares: np.ndarray, task: Task) -> np.ndarray:
    """How many draws models get, by their shares."""
    if not np.isfinite(shares).all():
        raise DataError("no model can be computed for these data; values far beyond all others are better missing (NaN)")
    return np.maximum(np.ceil(task.draws * shares), min(FEWEST, task.draws)).astype(np.int64)


def _with_likeliest_length(one: Candidate, part: GaussianPosterior, ratios: np.ndarray) -> Candidate:
    """The model, to be drawn from with the length that suits its draws best; with its own, unless another is much likelier
    or the user wishes for a number of segments."""
    if not one.shares[one.drawn] or not np.isfinite(ratios).any():
        return one
    logs = part.log_weights + ratios
    shares = one.length_shares(leaf_counts(part), softmax(logs))
    best = int(shares.argmax())
    return one if shares[best] <= LIKELIER * shares[one.drawn] else replace(one, drawn=best)


def _log_ratios(models: Sequence[Candidate], parts: Sequence[GaussianPosterior], task: Task) -> list[np.ndarray]:
    return [one.log_ratios(*task.count)[leaf_counts(part)] for one, part in zip(models, parts, strict=True)]


def _draw_all(
    models: Sequence[Candidate], counts: np.ndarray, what: str, task: Task, rng: np.random.Generator
) -> list[GaussianPosterior]:
    seeds = rng.integers(2**62, size=len(models)).tolist()
    constraints = [task.constraints] * len(models)
    if task.progress is not None:
        task.progress.stage(what, len(models))
    told = _draw if task.executor is not None or task.progress is None else partial(_draw_and_tell, task.progress)
    return list(run_many(told, models, constraints, counts.tolist(), seeds, executor=task.executor))


def _draw_and_tell(progress: Progress, *arguments: Any) -> GaussianPosterior:
    found = _draw(*arguments)
    progress.advance()
    return found


def _draw(one: Candidate, constraints: Constraints, draws: int, seed: int) -> GaussianPosterior:
    return draw(careful_inside(one.model, one.view.series, constraints, 1), draws, seed)
