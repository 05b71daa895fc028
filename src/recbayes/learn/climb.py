"""The ways up: quasi-Newton steps on all series, or Adam on a few at a time."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from recbayes.learn.run import Run

FIRST_DECAY, SECOND_DECAY, TINY = 0.9, 0.999, 1e-8  # Adam's usual constants


class Summit(NamedTuple):
    """Where a climb ended."""

    vector: np.ndarray
    objective: float
    log_likelihood: float
    converged: bool
    reason: str


def quasi_newton(
    run: Run, start: np.ndarray, limits: Sequence[tuple[float | None, float | None]], tolerance: float
) -> Summit:
    """L-BFGS with bounds, from SciPy, until an iteration gains less than `tolerance` nats."""
    from scipy.optimize import minimize

    first = run(start)
    if not len(start):
        return Summit(start, first.objective, first.log_likelihood, True, "there is nothing to learn: all is fixed")
    worst = abs(first.objective) + 1.0

    def downhill(vector: np.ndarray) -> tuple[float, np.ndarray]:
        here = run(vector)
        if not np.isfinite(here.objective):  # a step into the impossible: the line search turns back
            return worst + 1e3 * (1.0 + worst), np.zeros(len(vector))
        return -here.objective, -here.gradient

    options = {"ftol": tolerance / worst, "gtol": 1e-6, "maxiter": 10**9, "maxfun": 10**9, "maxls": 40}
    found = minimize(downhill, start, jac=True, method="L-BFGS-B", bounds=limits, options=options)
    here = run(found.x)
    reason = found.message if isinstance(found.message, str) else found.message.decode()
    converged = bool(found.success)
    if not converged and np.abs(here.gradient).max() < 1e-2 * np.sqrt(1.0 + abs(here.objective)):
        converged, reason = True, "no step gains more than rounding"  # the line search has come to the end of the digits
    return Summit(found.x, here.objective, here.log_likelihood, converged, _plain(reason))


def adam(
    run: Run,
    start: np.ndarray,
    limits: Sequence[tuple[float | None, float | None]],
    batches: Callable[[int], Sequence[int]],
    steps: int,
    learning_rate: float,
) -> Summit:
    """Adam (Kingma and Ba, 2015), its steps falling to zero along a cosine; `batches` says which series a step sees."""
    low = np.array([-np.inf if bound is None else bound for bound, _ in limits])
    high = np.array([np.inf if bound is None else bound for _, bound in limits])
    vector, first, second = start.copy(), np.zeros(len(start)), np.zeros(len(start))
    for step in range(steps):
        slope = run(vector, batches(step)).gradient
        first = FIRST_DECAY * first + (1.0 - FIRST_DECAY) * slope
        second = SECOND_DECAY * second + (1.0 - SECOND_DECAY) * slope**2
        corrected = first / (1.0 - FIRST_DECAY ** (step + 1))
        spread = np.sqrt(second / (1.0 - SECOND_DECAY ** (step + 1)))
        pace = learning_rate * 0.5 * (1.0 + np.cos(np.pi * step / steps))
        vector = np.clip(vector + pace * corrected / (spread + TINY), low, high)
    here = run(vector)
    return Summit(vector, here.objective, here.log_likelihood, True, f"{steps} steps")


def _plain(reason: str) -> str:
    """SciPy's message in plain words."""
    if "REDUCTION OF F" in reason or "F_RELATIVE" in reason.upper():
        return "the gain fell below the tolerance"
    if "PROJECTED GRADIENT" in reason:
        return "the gradient vanished"
    return reason.lower()
