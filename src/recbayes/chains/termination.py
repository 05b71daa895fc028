"""When chains end."""

from recbayes.checks.arrays import number
from recbayes.errors import ModelError


def chances(termination: object) -> tuple[float, float]:
    """The probabilities to go on and to end after an observation."""
    stop = number(termination, "termination")
    if not 0 < stop < 1:
        raise ModelError(f"termination must lie between 0 and 1, got {stop:.6g}")
    return 1.0 - stop, stop
