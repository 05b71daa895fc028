"""Parameters from the training sequences of a noise level: from the observations alone, without their trees."""

import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

from recbayes.family.saved import from_json, to_json
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.learn.fit import fit
from recbayes.studies.synthetic.data import SHIFTS, make_sequences
from recbayes.studies.synthetic.settings import Settings


def learn(settings: Settings, noise: float) -> dict[str, Any]:
    """The model of highest evidence by charts, from starting values that the data suggest, as in the paper.

    What is assumed: which shifts there are (at first with equal weights), and that deviations are the same in all columns.
    """
    series = [values for values, _ in make_sequences(settings, noise, "training", range(settings.training))]
    start = GaussianRBN.guess(series, shifts=dict.fromkeys(SHIFTS, 1.0 / len(SHIFTS)))
    with ThreadPoolExecutor(1) as one:  # other levels are learnt beside this one
        found = fit(start, series, priors=None, restarts=0, exact=None, covariance="scalar", progress=False, executor=one)
    return {
        "model": to_json(found.model),
        "log_likelihood": found.log_likelihood,
        "converged": found.converged,
        "evaluations": len(found.history),
        "seconds": found.seconds,
        "parameters": [[row.name, row.estimate, _finite(row.standard_error)] for row in found.table],
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def learnt_model(learnt: dict[str, Any]) -> GaussianRBN:
    """The model that `learn` found."""
    return cast(GaussianRBN, from_json(learnt["model"]))
