"""Adam: some series at a time, for many of them, until nothing more is gained."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from recbayes.checks.arrays import not_negative, whole_number
from recbayes.learn.climb import Climb, Enough, Summit, Terrain
from recbayes.learn.here import Centre, Here

FIRST_DECAY, SECOND_DECAY, TINY = 0.9, 0.999, 1e-8  # Adam's usual constants
LITTLE = 0.1  # nats: an epoch that gains less has gained nothing
PATIENCE = 3  # such epochs in a row, after which steps become shorter
SHORTER, PACES = 0.3, 4  # times as long; different paces, after the last of which the climb ends

Around = Callable[[np.ndarray, int], Centre]  # where trees are drawn for a step, given its vector and number


@dataclass(frozen=True)
class Adam(Climb):
    """Some series at a time, for many of them, by the steps of Adam.

    Steps become shorter where a look at all series (an epoch) gains nothing, and end where the shortest ones gain nothing.
    The result is the mean of the last epochs.

    Arguments:
        batch: how many series a step looks at.
        learning_rate: how long the first steps are, in units of the free numbers.
        epochs: how many, at most.
        tolerance: in nats, of the quasi-Newton steps that may follow on the evidence of draws.
        max_evaluations: of the evidence and its slopes; then the best so far is returned.
    """

    batch: int = 10
    learning_rate: float = 0.05
    epochs: int = 200
    tolerance: float = 1e-5
    max_evaluations: int = 5000

    def __post_init__(self) -> None:
        not_negative(self.learning_rate, "learning_rate")
        not_negative(self.tolerance, "tolerance")
        for name in ("batch", "epochs", "max_evaluations"):
            whole_number(getattr(self, name), name, least=1)

    def climb(
        self, run: Callable[..., Here], start: np.ndarray, terrain: Terrain, series: int, seed: int, enough: Enough = None
    ) -> Summit:
        return climb_in_batches(self, run, start, terrain, series, seed)


def climb_in_batches(
    how: Adam,
    run: Callable[..., Here],
    start: np.ndarray,
    terrain: Terrain,
    series: int,
    seed: int,
    around: Around | None = None,
) -> Summit:
    """From a start to a summit, on the evidence of charts, or of draws where it is said where these are made."""
    epochs = (batches(series, how.batch, seed, epoch) for epoch in range(how.epochs))
    return adam(run, terrain.inside(start), terrain, epochs, how.learning_rate, around)


def batches(series: int, size: int, seed: int, epoch: int) -> list[list[int]]:
    """Which series the steps of an epoch see: all of them, in a new order."""
    order = np.random.default_rng([seed, epoch]).permutation(series).tolist()
    return [sorted(order[first : first + size]) for first in range(0, series, size)]


def adam(
    run: Callable[..., Here],
    start: np.ndarray,
    terrain: Terrain,
    epochs: Iterator[Sequence[Sequence[int]]],
    learning_rate: float,
    around: Around | None,
) -> Summit:
    """Adam (Kingma and Ba, 2015), its steps becoming shorter where epochs gain nothing; the mean of the last epochs."""
    vector = held = start
    first, second, step = np.zeros(len(start)), np.zeros(len(start)), 0
    pace, paces, calm, highest, count = learning_rate, 1, 0, -np.inf, 0
    means: deque[np.ndarray] = deque(maxlen=PATIENCE)  # of the vectors of the last epochs
    for batches_ in epochs:
        count += 1
        seen, reached = [], 0.0
        for chosen in batches_:
            here = run(vector, chosen=chosen, around=None if around is None else around(vector, step))
            step += 1
            reached += here.objective * len(chosen) / sum(map(len, batches_))
            if not np.isfinite(here.objective):  # a step into the impossible: back, and on from rest
                vector, first = held, np.zeros(len(start))
                continue
            held, slope = vector, here.gradient * terrain.units
            first = FIRST_DECAY * first + (1.0 - FIRST_DECAY) * slope
            second = SECOND_DECAY * second + (1.0 - SECOND_DECAY) * slope**2
            spread = np.sqrt(second / (1.0 - SECOND_DECAY**step))
            vector = terrain.inside(vector + pace * terrain.units * first / (1.0 - FIRST_DECAY**step) / (spread + TINY))
            seen.append(held)
        if seen:
            means.append(np.mean(seen, axis=0))
        calm = calm + 1 if reached < highest + LITTLE else 0
        highest = max(highest, reached)
        if calm == PATIENCE:
            if paces == PACES:
                break
            pace, paces, calm = SHORTER * pace, paces + 1, 0
            vector = np.mean(means, axis=0) if means else vector
    ended = calm == PATIENCE
    for vector in ([np.mean(means, axis=0)] if means else []) + [held, start]:  # the first of these that all series allow
        here = run(vector)
        if np.isfinite(here.objective):
            break
    reason = "shorter steps gain nothing" if ended else "epochs used up"
    return Summit(vector, here.objective, here.log_likelihood, ended, f"{reason} after {count} epochs")
