"""What is known at one point of a climb."""

from typing import NamedTuple

import numpy as np


class Here(NamedTuple):
    """What is climbed (the log likelihood and penalties) at a free vector, its gradient, and the log likelihood alone.

    Where that is exact, by draws: its standard error, and the smallest effective share of the draws of any series.
    """

    objective: float
    gradient: np.ndarray
    log_likelihood: float
    standard_error: float
    efficiency: float


class Centre(NamedTuple):
    """Where trees are drawn, how many per series, by which seed, and with how many Gaussians per message (None: as many as
    the draws need)."""

    vector: np.ndarray
    draws: int
    seed: int
    components: int | None = None


class ExactEvidence(NamedTuple):
    """The log evidence by draws with exact weights.

    Attributes:
        log_evidence: of all series together.
        standard_error: of it.
        efficiency: the smallest effective share of the draws of any series.
    """

    log_evidence: float
    standard_error: float
    efficiency: float
