"""The final stage: climbing the exact evidence, in rounds of fresh draws."""

from collections.abc import Callable
from functools import partial

import numpy as np

from recbayes.learn.climb import Summit, Terrain, quasi_newton
from recbayes.learn.here import Centre, ExactEvidence, Here
from recbayes.learn.run import Run

ROUNDS = 8  # at most
ENOUGH = 0.02  # nats: a round that gains less has only fitted its own draws


def refine(
    run: Run,
    best: Summit,
    terrain: Terrain,
    tolerance: float,
    draws: int,
    seed: int,
) -> tuple[Summit, ExactEvidence | None, Callable[[np.ndarray], Here]]:
    """From the top of the approximate evidence to that of the exact one, the exact evidence there, and its function nearby.

    Every round draws trees where the last one ended, and climbs the exact evidence they give. The evidence that is reported
    comes from draws that no climb has seen. Where it cannot be computed, the approximate one has the last word.
    """
    vector, rounds, settled = best.vector, 0, False
    for rounds in range(1, ROUNDS + 1):
        run.enter(f"exact refinement, round {rounds}")
        exactly = partial(run, around=Centre(vector, draws, seed + rounds))
        before = exactly(vector)
        summit = quasi_newton(exactly, vector, terrain, tolerance)
        vector, gain = summit.vector, summit.objective - before.objective
        settled = gain < ENOUGH and summit.converged
        if not gain >= ENOUGH:  # nor where there is none, as nothing could be evaluated
            break
    exactly = partial(run, around=Centre(vector, draws, seed + ROUNDS + 1))
    here = exactly(vector)
    if not np.isfinite(here.objective):
        return best._replace(reason=f"{best.reason}; the exact evidence cannot be computed"), None, run
    reason = f"{best.reason}; exact refinement {'settled' if settled else 'did not settle'} in {rounds} rounds"
    found = Summit(vector, here.objective, run(vector).log_likelihood, best.converged and settled, reason)
    return found, ExactEvidence(here.log_likelihood, here.standard_error, here.efficiency), exactly
