"""The final stage: climbing the exact evidence, in rounds of fresh draws."""

from recbayes.learn.climb import Summit, Terrain, quasi_newton
from recbayes.learn.exact import Around
from recbayes.learn.record import ExactEvidence
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
) -> tuple[Summit, ExactEvidence]:
    """From the top of the approximate evidence to that of the exact one, and the exact evidence there.

    Every round draws trees where the last one ended, and climbs the exact evidence they give. The evidence that is reported
    comes from draws that no climb has seen.
    """
    vector, rounds, settled = best.vector, 0, False
    for rounds in range(1, ROUNDS + 1):
        run.enter(f"exact refinement, round {rounds}")
        run.around = Around(vector, draws, seed + rounds)
        before = run(vector)
        summit = quasi_newton(run, vector, terrain, tolerance)
        vector, settled = summit.vector, summit.objective - before.objective < ENOUGH
        if settled:
            break
    run.around = Around(vector, draws, seed + ROUNDS + 1)
    here = run(vector)
    around, run.around = run.around, None
    matched = run(vector)
    run.around = around
    reason = f"{best.reason}; exact refinement {'settled' if settled else 'did not settle'} in {rounds} rounds"
    found = Summit(vector, here.objective, matched.log_likelihood, best.converged and settled, reason)
    return found, ExactEvidence(here.log_likelihood, here.standard_error, here.efficiency)
