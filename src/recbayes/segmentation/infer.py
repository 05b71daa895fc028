"""From a series to draws of its trees, averaged over the default's models; and to draws of trees over given segments."""

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

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
    """Draws from each model, as many as its likely share of the posterior says; their evidence tells the true share."""
    counts = np.maximum(np.ceil(task.draws * shares), min(FEWEST, task.draws)).astype(np.int64).tolist()
    seeds = np.random.default_rng(task.seed).integers(2**62, size=len(models)).tolist()
    constraints = [task.constraints] * len(models)
    what = "describing segments" if isinstance(task.constraints, GivenSegments) else "drawing trees"
    if task.progress is not None:
        task.progress.stage(f"{what} by several models", len(models))
    told = _draw if task.executor is not None or task.progress is None else partial(_draw_and_tell, task.progress)
    parts = run_many(told, models, constraints, counts, seeds, executor=task.executor)
    ratios = [one.log_ratios(*task.count)[leaf_counts(part)] for one, part in zip(models, parts, strict=True)]
    if all((ratio == -np.inf).all() for ratio in ratios):
        raise DataError(
            f"no tree was drawn with {task.count[0]} to {task.count[1]} segments; give other numbers, or a "
            "smaller min_length"
        )
    return average(models, parts, ratios)


def _draw_and_tell(progress: Progress, *arguments: Any) -> GaussianPosterior:
    found = _draw(*arguments)
    progress.advance()
    return found


def _draw(one: Candidate, constraints: Constraints, draws: int, seed: int) -> GaussianPosterior:
    return draw(careful_inside(one.model, one.view.series, constraints, 1), draws, seed)
