"""The evidence by draws: compared with the chart's, and climbed where the two differ.

A chart's evidence is that of one Gaussian per message, and may be wrong; the evidence of draws has exact weights, and says
how large its error is. With the trees drawn at one model it is a smooth function of models nearby, which can be climbed:
not too far, as long as enough of the draws stay in effect, and then again from fresh draws.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from recbayes.learn.climb import Summit, Terrain
from recbayes.learn.here import Centre, ExactEvidence, Here
from recbayes.learn.nearby import RADIUS, Reached, climb_nearby, first_inverse
from recbayes.learn.run import Run

AUTOMATIC = 200  # draws per series, unless told
ROUNDS = 40  # at most
STEPS = 10  # evaluations of a round, at most
ENOUGH = 0.02  # nats: a round that gains less, or half the error, has gained nothing
CALM = 3  # such rounds in a row, after which there is nothing more to gain
KEPT = 0.3  # of the effect of its draws, which a round keeps to
MATTERS = 0.1, 1.0  # nats between chart and draws, beyond three errors, on average for a series and in all, that matter
CAREFUL = 0.1  # nats: the error of the evidence of a series that is reported, if that takes not more than
MOST = 8  # times as many draws


class Gap(NamedTuple):
    """Log evidences of all series that are used, at one model, by the chart and by draws.

    Attributes:
        chart: by the chart, one for each series.
        drawn: by draws.
        variance: of the latter.
        efficiency: what share of the draws is effective.
        draws: how many there are for each series.
    """

    chart: np.ndarray
    drawn: np.ndarray
    variance: np.ndarray
    efficiency: np.ndarray
    draws: int

    @property
    def total(self) -> float:
        """How much higher the chart's evidence of all series is."""
        return float((self.chart - self.drawn).sum())

    @property
    def matters(self) -> bool:
        """Whether it could change where the top is: more than errors explain."""
        apart = np.maximum(np.abs(self.chart - self.drawn) - 3.0 * np.sqrt(self.variance), 0.0)
        return bool(apart.mean() > MATTERS[0] or apart.sum() > MATTERS[1])


class Plan(NamedTuple):
    """How evidence is drawn: trees per series, the seed, and Gaussians per message (None: as many as draws need)."""

    draws: int
    seed: int
    components: int | None

    def centre(self, vector: np.ndarray, number: int, times: int = 1) -> Centre:
        return Centre(vector, times * self.draws, self.seed + number, self.components)


def gap_at(run: Run, vector: np.ndarray, plan: Plan, number: int, times: int = 1) -> Gap:
    """Chart and draws compared, series by series."""
    chart, drawn = run.by_series(vector, None), run.by_series(vector, plan.centre(vector, number, times))
    found = Gap(
        np.array([one.log_evidence for one in chart]),
        np.array([one.log_evidence for one in drawn]),
        np.array([one.variance for one in drawn]),
        np.array([one.efficiency for one in drawn]),
        times * plan.draws,
    )
    run.gap = found.total if np.isfinite(found.total) else None
    return found


class Climbed(NamedTuple):
    """Where the drawn evidence was climbed to (its objective is that of draws, its log likelihood the chart's), and its
    function nearby."""

    summit: Summit
    nearby: Callable[[np.ndarray], Here]


def climb_drawn(
    run: Run, best: Summit, terrain: Terrain, tolerance: float, plan: Plan, note: Callable[[Summit], None]
) -> Climbed:
    """From the top of the chart's evidence to that of the drawn one; what rounds come to is noted, lest it be lost.

    A round climbs the evidence of its own draws, and always gains something there. What it has gained in truth is seen by
    the next one's draws, which it did not know. Where several rounds have gained nothing, their ends are scattered about the
    top, and their mean is nearer to it.
    """
    inverse, radius, highest, ends = best.inverse, RADIUS, -np.inf, [best.vector]
    rounds, calm = 0, 0
    for rounds in range(1, ROUNDS + 1):
        run.enter(f"drawn evidence, round {rounds}", length=(CALM + 1 - calm) * STEPS)  # if it gains nothing more
        exactly = partial(run, around=plan.centre(ends[-1], rounds))
        before = exactly(ends[-1])
        if not np.isfinite(before.objective):
            reason = f"{best.reason}; the drawn evidence cannot be computed further on"
            last = best._replace(vector=ends[max(len(ends) - 2, 0)], converged=False, reason=reason)
            return Climbed(last, run)
        note(Summit(ends[-1], before.objective, before.log_likelihood, False, f"{rounds - 1} rounds on draws"))
        calm = calm + 1 if before.objective < highest + max(ENOUGH, 0.5 * before.standard_error) else 0
        highest = max(highest, before.objective)
        if calm == CALM:
            break
        if inverse is None:
            inverse = first_inverse(before, terrain.units)
        known = partial(_keeps, KEPT * before.efficiency)
        reached = climb_nearby(exactly, known, Reached(ends[-1], before, inverse, radius), terrain, tolerance, STEPS)
        inverse, radius = reached.inverse, reached.radius
        ends.append(reached.vector)
    settled = calm == CALM
    reason = f"{best.reason}; climbed on draws, {'settled' if settled else 'not settled'} in {rounds} rounds"
    choices = [np.mean(ends[-CALM - 1 :], axis=0)] if settled else []
    for vector in [*choices, *ends[: -CALM - 1 : -1]]:  # the first of these that charts allow
        chart = run(vector)
        exactly = partial(run, around=plan.centre(vector, ROUNDS + 1))
        here = exactly(vector)
        if np.isfinite(chart.objective) and np.isfinite(here.objective):
            break
    return Climbed(Summit(vector, here.objective, chart.log_likelihood, settled, reason), exactly)


def _keeps(least: float, here: Here) -> bool:
    """Whether draws keep enough of their effect."""
    return here.efficiency >= least


def evidence_of(run: Run, vector: np.ndarray, plan: Plan, known: Gap | None = None) -> tuple[ExactEvidence, Gap] | None:
    """The evidence that is reported: by draws that no climb has seen (such as are known already), as many as make its error
    small."""
    times = 1
    while True:
        gap = known if known is not None and times == 1 else gap_at(run, vector, plan, ROUNDS + 1 + times, times)
        if not np.isfinite(gap.drawn).all():
            return None
        if times >= MOST or np.sqrt(gap.variance).max() <= CAREFUL:
            break
        times *= 2
    error = float(np.sqrt(gap.variance.sum()))
    return ExactEvidence(float(gap.drawn.sum()), error, float(gap.efficiency.min())), gap
