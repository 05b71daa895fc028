"""Choosing among models."""

import numpy as np
import pytest

import recbayes as rb
from recbayes.errors import DataError, ModelError

pytestmark = pytest.mark.slow

SHIFTED = rb.GaussianRBN.create(
    dim=3, noise_std=0.05, left_std=0.1, right_std=0.1, termination=0.6, shifts={0: 0.2, 1: 0.8}, extra_observations=3.0
)
PLAIN = rb.GaussianRBN.create(dim=3, noise_std=0.05, left_std=0.1, right_std=0.1, termination=0.6, extra_observations=3.0)


def test_the_true_structure_wins() -> None:
    series = [SHIFTED.sample(seed=seed, min_length=10, max_length=20)[0] for seed in range(9)]
    settings = {"covariance": "scalar", "restarts": 0, "exact": None}  # starts are where series come from
    found = rb.compare({"plain": PLAIN, "shifted": SHIFTED}, series, folds=3, **settings)
    assert found.best == "shifted"
    first, second = found.candidates
    assert first.bic < second.bic
    assert second.behind > 3 * second.behind_error > 0
    assert first.behind == first.behind_error == 0.0
    assert second.behind == pytest.approx(first.held_out - second.held_out)
    assert first.held_out == pytest.approx(found.by_series["shifted"].sum())
    # every series is evaluated by a model that has not seen it
    whole = rb.fit(SHIFTED, series, standard_errors=False, **settings).model
    seen = sum(rb.inside(whole, y).log_evidence for y in series)
    assert first.held_out < seen
    assert "held-out log evidence" in str(found)


def test_what_is_known_of_trees_goes_with_its_series() -> None:
    """Held-out evidence given masks is that of the trees that these leave: by hand, fold by fold."""
    pairs = [PLAIN.sample(seed=seed, min_length=6, max_length=12) for seed in range(4)]
    series, masks = [y for y, _ in pairs], [tree.span_mask() for _, tree in pairs]
    settings = {"covariance": "scalar", "restarts": 0, "max_evaluations": 5}
    found = rb.compare([PLAIN], series, folds=2, allowed=masks, exact=None, **settings)
    drawn = rb.compare([PLAIN], series, folds=2, allowed=masks, **settings)
    for held in (found, drawn):  # with its tree known, the evidence of a series is exact, however it is computed
        np.testing.assert_allclose(held.by_series["model 0"], found.by_series["model 0"], atol=1e-6)
    free = rb.compare([PLAIN], series, folds=2, exact=None, **settings)
    assert (free.by_series["model 0"] > found.by_series["model 0"]).any()


def test_what_cannot_be_compared() -> None:
    with pytest.raises(ModelError, match="no models"):
        rb.compare([], [np.zeros((3, 3))] * 2)
    with pytest.raises(DataError, match="several series"):
        rb.compare([PLAIN], np.zeros((3, 3)))
    with pytest.raises(DataError, match="two folds and two series"):
        rb.compare([PLAIN], [np.zeros((3, 3))])
    with pytest.raises(ModelError, match="knows no"):
        rb.compare([PLAIN], [np.zeros((3, 3))] * 2, work=rb.Work(checkpoint="fit.json"))
    with pytest.raises(DataError, match="one entry for each"):
        rb.compare([PLAIN], [np.zeros((3, 3))] * 2, boundaries=np.arange(3))
    with pytest.raises(ModelError, match="folds"):
        rb.compare([PLAIN], [np.zeros((3, 3))] * 2, folds="many")  # type: ignore[arg-type]
