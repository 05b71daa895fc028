"""Parameters from the training sequences of a noise level: from the observations alone, without their trees."""

from typing import Any

from recbayes.learn.fit import fit
from recbayes.model.gaussian import GaussianRBN
from recbayes.model.storage import from_json, to_json
from recbayes.studies.synthetic.data import SHIFTS, make_sequences
from recbayes.studies.synthetic.settings import Settings


def learn(settings: Settings, noise: float) -> dict[str, Any]:
    """The model of highest evidence, from starting values that the data suggest."""
    series = [values for values, _ in make_sequences(settings, noise, "training", range(settings.training))]
    found = fit(GaussianRBN.guess(series, shifts=SHIFTS), series, covariance="scalar", progress=False)
    return {
        "model": to_json(found.model),
        "log_likelihood": found.log_likelihood,
        "converged": found.converged,
        "evaluations": len(found.history),
        "seconds": found.seconds,
        "parameters": [[row.name, row.estimate, row.standard_error] for row in found.table],
    }


def learnt_model(learnt: dict[str, Any]) -> GaussianRBN:
    """The model that `learn` found."""
    model = from_json(learnt["model"])
    assert isinstance(model, GaussianRBN)
    return model
