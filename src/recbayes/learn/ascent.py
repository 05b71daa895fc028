"""The whole way up: from all starts, on the chart's evidence and, where that is not to be trusted, on that of draws."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np

from recbayes.learn.adam import Adam, climb_in_batches
from recbayes.learn.candidates import ENOUGH, TIMES, Found, Moving, missed
from recbayes.learn.climb import Climb, Summit, Terrain
from recbayes.learn.drawn import AUTOMATIC, ROUNDS, Climbed, Gap, Plan, climb_drawn, evidence_of, gap_at
from recbayes.learn.here import ExactEvidence, Here
from recbayes.learn.information import observed_information
from recbayes.learn.priors import Priors
from recbayes.learn.run import Run, Stopped
from recbayes.learn.settings import Groups
from recbayes.learn.starts import SHORT, broken_up, different, explored, number_of, starts_of

FEW, FINALS = 2, 2  # series, up to which so many starts are climbed to the end; of more, the best one is;
SHORTER = 4  # of one that is short, so many are
LOOK = 40  # evaluations after which a climb is compared with draws; then after twice as many, and so on


class How(NamedTuple):
    """All that a fit was told."""

    groups: Groups
    priors: Priors
    restarts: int | None
    seed: int
    exact: int | str | None
    components: int | None
    standard_errors: bool
    skip: bool


@dataclass
class Ended:
    """What is known when a fit ends, however that comes about."""

    given_up: list[float] = field(default_factory=list)  # log likelihoods that other starts had come to
    summits: list[Summit] = field(default_factory=list)
    refined: Summit | None = None
    evidence: tuple[ExactEvidence, Gap] | None = None
    information: np.ndarray | None = None
    reason: str = ""


def ascend(run: Run, ended: Ended, terrain: Terrain, how: How, lengths: Sequence[int], moving: Moving) -> None:
    """From all starts to the end; what is known on the way is noted in `ended`."""
    parameters, climb = run.parameters, how.groups.climb
    family = parameters.model.family
    candidates = moving.at(parameters.model)
    if moving.any:
        run.restrict(candidates)
    restarts = how.restarts if climb.explores else how.restarts or 0
    further = number_of(restarts, family, parameters.model, lengths, climb.max_evaluations)
    starts = starts_of(parameters, terrain, further, how.seed)
    slope = run.begin(starts[0], how.skip)
    starts[0] = broken_up(parameters, starts[0], slope, terrain.units, how.seed)
    plan = None
    if how.exact is not None and family.has("draw_around"):
        plan = Plan(AUTOMATIC if how.exact == "auto" else int(how.exact), how.seed, how.components)
    short = len(lengths) == 1 and lengths[0] <= SHORT
    if family.has("inside"):
        _climb_charts(run, ended, starts, terrain, how, plan, SHORTER if short else FINALS)
    else:  # there is no evidence but that of draws
        ended.summits = [_as_summit(run, start) for start in starts]
    if moving.any and family.has("inside"):
        _follow(run, ended, terrain, how, moving, candidates)
    best = max(ended.summits, key=lambda summit: summit.objective)
    nearby: Callable[[np.ndarray], Here] = run
    known = None
    if plan is not None and parameters.size:
        gaps = {n: gap_at(run, one.vector, plan, 0) for n, one in enumerate(ended.summits) if np.isfinite(one.objective)}
        always = how.exact != "auto" or not family.has("inside")
        if gaps and (always or any(gap.matters for gap in gaps.values())):
            number = max(gaps, key=lambda n: ended.summits[n].objective - gaps[n].total)
            best, nearby = _climb_draws(run, ended, ended.summits[number], terrain, climb, plan)
            ended.refined = best
        else:
            known = next((gap for n, gap in gaps.items() if ended.summits[n] is best), None)
    if plan is not None:
        ended.evidence = evidence_of(run, best.vector, plan, known)
    if how.standard_errors:
        run.enter("standard errors", length=2 * parameters.size)
        ended.information = observed_information(nearby, best.vector, terrain.units)


def _climb_charts(
    run: Run, ended: Ended, starts: list[np.ndarray], terrain: Terrain, how: How, plan: Plan | None, most: int
) -> None:
    """All starts a little, and the best of them to the end: at most so many, where there are few series."""
    climb, used = how.groups.climb, [number for number in range(run.series) if number not in run.skipped]
    extra = 2 * run.parameters.size if how.standard_errors else 0
    if len(starts) > 1 and climb.explores and run.parameters.size:
        tried = explored(run, starts, terrain, used)
        finals = most if len(used) <= FEW else 1
        starts = different(tried, finals if how.restarts is None else 1 + how.restarts // 2) or starts[:1]
        ended.given_up = [run(one.vector).log_likelihood for one in tried[len(starts) :]]
    for number, start in enumerate(starts):
        stage = "fitting" if len(starts) == 1 else f"climb {number + 1} of {len(starts)}"
        run.enter(stage, climbs=len(starts) - number - 1, extra=extra)
        looks = None if plan is None or how.exact != "auto" else _Looks(run, plan)
        ended.summits.append(climb.climb(run, start, terrain, run.series, how.seed + number, looks))


def _follow(run: Run, ended: Ended, terrain: Terrain, how: How, moving: Moving, candidates: Found) -> None:
    """From the best summit on, with candidates found there, until those that there were are nearly all that it needs."""
    for number in range(TIMES):
        best = max(ended.summits, key=lambda summit: summit.objective)
        if not np.isfinite(best.objective):
            return
        found = moving.at(run.parameters.with_vector(best.vector))
        if missed(candidates.series, found.series) < ENOUGH:
            return
        run.restrict(found)
        candidates = found
        run.enter(f"candidates found again, {number + 1}")
        ended.summits = [how.groups.climb.climb(run, best.vector, terrain, run.series, how.seed, None)]


def _climb_draws(run: Run, ended: Ended, best: Summit, terrain: Terrain, climb: Climb, plan: Plan) -> Climbed:
    """On the evidence of draws: some series at a time, if that is the way."""

    def note(summit: Summit) -> None:
        ended.refined = summit

    if not isinstance(climb, Adam):
        try:
            return climb_drawn(run, best, terrain, climb.tolerance, plan, note)
        except Stopped:
            if ended.refined is not None:
                ended.evidence = evidence_of(run, ended.refined.vector, plan)
            raise
    run.enter("drawn evidence")
    found = climb_in_batches(climb, run, best.vector, terrain, run.series, plan.seed, plan.centre)
    return Climbed(found, partial(run, around=plan.centre(found.vector, ROUNDS + 1)))


def _as_summit(run: Run, start: np.ndarray) -> Summit:
    here = run(start)
    return Summit(start, here.objective, here.log_likelihood, False, "the start")


class _Looks:
    """Whether a climb on the chart's evidence has gone on for long enough, as draws say otherwise."""

    def __init__(self, run: Run, plan: Plan) -> None:
        self._run, self._plan = run, plan
        self._next = len(run.history) + LOOK

    def __call__(self, vector: np.ndarray) -> bool:
        if len(self._run.history) < self._next:
            return False
        self._next = 2 * self._next
        return gap_at(self._run, vector, self._plan, 0).matters
