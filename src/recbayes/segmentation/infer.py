"""From a series to draws of its trees, averaged over the default's models; and to draws of trees over given segments."""

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from recbayes.checks.many import run_many
from recbayes.checks.series import Series
from recbayes.errors import DataError
from recbayes.gaussian.emissions.regression import ticks_of
from recbayes.gaussian.posterior.posterior import GaussianPosterior
from recbayes.inference.draws import draw_one
from recbayes.segmentation.average import AveragePosterior, average, counted
from recbayes.segmentation.defaults import TERMINATION, Candidate
from recbayes.segmentation.lengths import log_count_probability
from recbayes.spans.constraints import Constraints
from recbayes.tree.known import INNER, NODE

NEGLIGIBLE = 1e-3  # a model with a smaller share of the posterior is not drawn from
FEWEST = 50  # draws of a model


@dataclass(frozen=True, eq=False)
class GivenSegments(Constraints):
    """Trees whose leaves are the segments between the boundaries."""

    def mask_between(self, points: np.ndarray, length: int) -> np.ndarray:
        mask = np.triu(np.full((len(points), len(points)), INNER, dtype=np.int8), 1)
        mask[np.arange(len(points) - 1), np.arange(1, len(points))] = NODE
        return mask


@dataclass(frozen=True)
class Task:
    """A series with what is known of its trees, and how to draw them."""

    series: Series
    constraints: Constraints
    draws: int
    seed: int
    count: tuple[int, int]  # fewest and most segments
    executor: Executor | None = None


def draw_average(models: Sequence[Candidate], task: Task) -> AveragePosterior:
    """Draws from each model as its share of the posterior says. A few draws of each tell that share."""
    seeds = [int(one) for one in np.random.default_rng(task.seed).integers(2**62, size=len(models))]
    first = _drawn(models, seeds, [FEWEST] * len(models), task)
    if first is None:
        raise DataError(
            f"no tree was found with {task.count[0]} to {task.count[1]} segments; give other numbers, or a smaller min_length"
        )
    shares = dict(zip(map(id, first.models), first.shares, strict=True))
    chosen = [n for n, one in enumerate(models) if shares.get(id(one), 0.0) >= NEGLIGIBLE]
    counts = [max(int(np.ceil(task.draws * shares[id(models[n])])), FEWEST) for n in chosen]
    return _drawn([models[n] for n in chosen], [seeds[n] for n in chosen], counts, task) or first


def _drawn(models: Sequence[Candidate], seeds: Sequence[int], counts: Sequence[int], task: Task) -> AveragePosterior | None:
    settings = [task.series] * len(models), [task.constraints] * len(models), counts, seeds
    drawn = run_many(_draw, models, *settings, executor=task.executor)
    ticks = int(ticks_of(task.series)[-1])
    least, most = task.count
    kept, parts, log_evidences = [], [], []
    for one, whole in zip(models, drawn, strict=True):
        part, share = counted(whole, least, most)
        if part is not None:
            possible = log_count_probability(one.length, TERMINATION, ticks)[least : most + 1]
            kept.append(one)
            parts.append(part)
            log_evidences.append(whole.log_evidence + np.log(share) - logsumexp(possible))
    return average(kept, parts, log_evidences) if kept else None


def _draw(one: Candidate, series: Series, constraints: Constraints, draws: int, seed: int) -> GaussianPosterior:
    return draw_one(one.model, series, constraints, None, draws, seed)  # type: ignore[return-value]
