"""One fit under way: every evaluation goes through here, to be remembered, shown and counted."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from recbayes.errors import DataError, ModelError
from recbayes.learn.candidates import Found
from recbayes.learn.checkpoint import Checkpoint, Evaluation
from recbayes.learn.climb import Climb
from recbayes.learn.here import Centre, Here
from recbayes.learn.penalty import Strength, nearly_singular, penalise
from recbayes.learn.priors import ParameterPrior, log_prior
from recbayes.learn.progress import Progress, evaluations_left
from recbayes.learn.workers import Outcome, Workers
from recbayes.parameters.parameters import Parameters


class Shape(NamedTuple):
    """What is added to the log likelihood: a light penalty, and priors of blocks."""

    penalty: Strength
    priors: Mapping[str, ParameterPrior]

    def at(self, parameters: Parameters, vector: np.ndarray) -> tuple[float, np.ndarray]:
        value, slope = penalise(parameters, vector, self.penalty)
        more, further = log_prior(parameters, vector, self.priors)
        return value + more, slope + further


class Stopped(Exception):
    """The evaluations that were granted are used up."""


class Run:
    """Evaluates free vectors, and keeps the best one."""

    def __init__(
        self,
        parameters: Parameters,
        workers: Workers,
        shape: Shape,
        checkpoint: Checkpoint,
        progress: Progress,
        series: int,
        climb: Climb,
    ) -> None:
        self.parameters = parameters
        self.history: list[float] = []
        self.best: tuple[np.ndarray, Here] | None = None
        self._last: np.ndarray | None = None
        self.gap: float | None = None  # nats that charts said more than draws, when they were last compared
        self.skipped: dict[int, str] = {}
        self._stage, self._stage_began, self._stage_length, self._climbs, self._extra = "", 0, 0, 0, 0
        self._workers, self._shape, self._checkpoint, self._progress = workers, shape, checkpoint, progress
        self.series, self._most, self._tolerance = series, climb.max_evaluations, climb.tolerance
        self._name = ""  # what tells evaluations with these candidates from others

    def restrict(self, found: Found) -> None:
        """Go on with other candidates: what was best under others is not to be compared."""
        self._workers.replace(found.series)
        self._name, self.best = found.name, None

    def enter(self, stage: str, *, length: int = 0, climbs: int = 0, extra: int = 0) -> None:
        """Begin a stage: of `length` evaluations if that is known, else a climb, with more climbs and extra ones to come."""
        self._stage, self._stage_began = stage, len(self.history)
        self._stage_length, self._climbs, self._extra = length, climbs, extra

    def _left(self) -> int | None:
        """How many evaluations are still to come, as far as one can tell."""
        done = len(self.history) - self._stage_began
        if self._stage_length:
            return max(self._stage_length - done, 0)
        left = evaluations_left(self.history[self._stage_began :], self._tolerance)
        return None if left is None else left + self._climbs * (done + left) + self._extra

    def settle(self) -> None:
        """See that there is a best vector if anything was evaluated: where only batches were, the last one is it."""
        if self.best is None and self._last is not None:
            self._most = len(self.history) + 1
            self(self._last)

    def begin(self, start: np.ndarray, skip: bool) -> np.ndarray:
        """The first evaluation of all series, which finds those that the model cannot explain at all; its gradient."""
        value, slope = self._shape.at(self.parameters, start)
        if not np.isfinite(value):
            edge = nearly_singular(self.parameters, start)
            raise ModelError(f"the model to begin with is out of all proportion to the data: {edge}")
        outcomes = self._workers(start)
        bad = {number: one.problem for number, one in enumerate(outcomes) if one is not None and one.problem}
        if bad and not skip:
            number, problem = next(iter(bad.items()))
            others = "" if len(bad) == 1 else f" ({len(bad)} series have such problems)"
            raise DataError(f'series {number}: {problem}{others}; on_error="skip" leaves such series out')
        if len(bad) == self.series:
            raise DataError(f"no series can be used; the first: {next(iter(bad.values()))}")
        self.skipped = bad
        found = self._checkpoint.find(f"{self._name}all", start)
        if found is None:
            found = self._sum(outcomes, range(self.series))
            self._checkpoint.add(f"{self._name}all", start, found)
        self.best = start.copy(), Here(found.log_likelihood + value, found.gradient + slope, *found[:1], *found[2:])
        return self.best[1].gradient

    def __call__(self, vector: np.ndarray, *, chosen: Sequence[int] | None = None, around: Centre | None = None) -> Here:
        """The objective at a free vector; estimated from chosen series if there are any, exact by draws around a centre.

        It is -inf where it cannot be computed: no climb may end there.
        """
        if len(self.history) >= self._most:
            raise Stopped
        task = self._name + ("all" if chosen is None else ",".join(map(str, chosen)))
        if around is not None:
            task = f"exact {task} {around.draws} {around.seed} {around.components} {around.vector.tobytes().hex()}"
        value, slope = self._shape.at(self.parameters, vector)
        found = self._checkpoint.find(task, vector) if np.isfinite(value) else Evaluation(-np.inf, slope)
        if found is None:
            numbers = range(self.series) if chosen is None else chosen
            wanted = [number for number in numbers if number not in self.skipped]
            found = self._sum(self._workers(vector, wanted, around), wanted)
            self._checkpoint.add(task, vector, found)
        here = Here(found.log_likelihood + value, found.gradient + slope, *found[:1], *found[2:])
        if np.isfinite(here.objective):
            self._last = vector.copy()
            if chosen is None and around is None and (self.best is None or here.objective > self.best[1].objective):
                self.best = vector.copy(), here
        self.history.append(here.log_likelihood)
        self._progress.say(self._stage, len(self.history), max(self.history), self._left(), self.gap)
        return here

    def log_prior(self, vector: np.ndarray) -> float:
        """What priors and penalties add to the log likelihood."""
        return self._shape.at(self.parameters, vector)[0]

    def by_series(self, vector: np.ndarray, around: Centre | None) -> list[Outcome]:
        """The outcomes of all series that are used, one by one."""
        wanted = [number for number in range(self.series) if number not in self.skipped]
        return [one for one in self._workers(vector, wanted, around) if one is not None]

    def _sum(self, outcomes: Sequence[Outcome | None], wanted: Sequence[int]) -> Evaluation:
        """Sums in the order of the series; scaled up to all series if these are only some."""
        used = [outcomes[number] for number in wanted if number not in self.skipped]
        share = (self.series - len(self.skipped)) / max(len(used), 1)
        value = sum(one.log_evidence for one in used if one is not None)
        none = np.zeros(self.parameters.size)  # where all that were chosen are skipped
        gradient = none + np.sum([one.gradient for one in used if one is not None], axis=0)
        variance = sum(one.variance for one in used if one is not None)
        efficiency = min((one.efficiency for one in used if one is not None), default=1.0)
        return Evaluation(share * value, share * gradient, float(np.sqrt(variance)), efficiency)
