"""Climbs that come to where nothing can be computed: they turn back, and end in a model that says so."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import recbayes as rb
from recbayes.errors import DataError, ModelError
from recbayes.gaussian.family import GaussianFamily
from tests.learn.sampled import samples

pytestmark = pytest.mark.slow

STEPS = np.repeat([0.0, 2.0, 0.0], [8, 6, 6]) + 0.1 * np.random.default_rng(0).normal(size=20)
PARTS = np.exp(np.random.default_rng(1).normal(size=(20, 3)))
PLAIN: dict[str, Any] = {"priors": None, "restarts": 0, "exact": None}  # maximum likelihood by charts, from one start
EDGES = {
    "multiples": np.column_stack([STEPS, 2.0 * STEPS]),
    "equal": np.column_stack([STEPS, STEPS]),
    "very different units": np.column_stack([STEPS, 1e9 * STEPS]),
    "shares": PARTS / PARTS.sum(axis=1, keepdims=True),
}


@pytest.mark.parametrize("settings", [{}, {"smallest_std": 0.0}, {"exact": 20}, {"method": "adam", "epochs": 60}], ids=str)
@pytest.mark.parametrize("series", EDGES.values(), ids=EDGES)
def test_columns_that_follow_from_each_other(series: np.ndarray, settings: dict[str, Any], tmp_path: Path) -> None:
    """Their noise is singular, or nearly: a model is found that can be used, and resuming finds the same."""
    settings = {"covariance": "full", "restarts": 1, "max_evaluations": 100, "checkpoint": tmp_path / "fit.json", **settings}
    found = rb.fit(None, series, **settings)
    assert rb.inside(found.model, series).log_evidence == pytest.approx(found.chart_log_likelihood, rel=1e-6)
    again = rb.fit(None, series, resume=True, **settings)
    assert np.array_equal(found.vector, again.vector)  # type: ignore[arg-type]
    assert str(found) == str(again).replace(f"{again.seconds:.1f} s", f"{found.seconds:.1f} s")


def test_what_is_nearly_singular_is_named() -> None:
    series = np.column_stack([STEPS, PARTS[:, 0], -STEPS])
    found = rb.fit(None, series, covariance="full", max_evaluations=300, standard_errors=False, **PLAIN)
    assert r"x.rules[1].std is nearly singular in the dimensions [0, 2]" in found.reason
    assert 'covariance="diagonal"' in str(found)
    assert "singular" not in rb.fit(None, series, covariance="diagonal", standard_errors=False, **PLAIN).reason


@pytest.fixture
def edge(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """No evidence where the noise is below 0.06; it is 0.05 in truth."""
    evidence = GaussianFamily.evidence_and_gradient

    def fails(self: Any, model: Any, *rest: Any) -> Any:
        if model.variables[0].rules[1].covariance[0, 0] >= 0.06**2:
            return evidence(self, model, *rest)
        if isinstance(request.param, Exception):
            raise request.param
        return request.param, evidence(self, model, *rest)[1]

    monkeypatch.setattr(GaussianFamily, "evidence_and_gradient", fails)


PROBLEMS = [
    np.linalg.LinAlgError("singular"),
    ValueError("array must not contain infs or NaNs"),
    FloatingPointError("underflow"),
    ZeroDivisionError(),
    OverflowError(),
    np.nan,
]


@pytest.mark.parametrize("edge", PROBLEMS, ids=repr, indirect=True)
@pytest.mark.parametrize("method", ["quasi-newton", "adam"])
@pytest.mark.usefixtures("edge")
def test_an_optimum_on_an_edge(method: Any) -> None:
    start = rb.GaussianRBN.create(dim=2, noise_std=0.2, left_std=0.2, right_std=0.2, extra_observations=3.0)
    found = rb.fit(start, samples(3), method=method, epochs=100, restarts=1, max_evaluations=400)
    assert np.isfinite(found.log_likelihood)
    assert 0.06 <= np.sqrt(found.model.variables[0].rules[1].covariance[0, 0]) < 0.08  # type: ignore[union-attr]
    assert str(found)


@pytest.mark.parametrize("edge", PROBLEMS[:1], indirect=True)
@pytest.mark.usefixtures("edge")
def test_no_standard_errors_on_an_edge() -> None:
    start = rb.GaussianRBN.create(dim=2, noise_std=0.06 * (1 + 1e-9), left_std=0.2, right_std=0.2, extra_observations=3.0)
    found = rb.fit(start, samples(3))
    assert np.isnan([row.standard_error for row in found.table]).all()
    assert "no standard errors" in found.reason


@pytest.mark.parametrize("edge", [ZeroDivisionError()], indirect=True)
@pytest.mark.usefixtures("edge")
def test_a_start_on_an_edge() -> None:
    with pytest.raises(DataError, match=r"series 0: ZeroDivisionError\(\)"):
        rb.fit(rb.GaussianRBN.create(dim=2, noise_std=0.01), samples(3))


def test_a_start_beyond_the_bounds() -> None:
    """Links so far from the data that bounds, which hold for every number by itself, make them singular."""
    start = rb.GaussianRBN.create(dim=2, left_std=[[1e20, 0.0], [1e20, 1e20]], extra_observations=3.0)
    with pytest.raises(ModelError, match=r"out of all proportion to the data: .*left_link.std is nearly singular"):
        rb.fit(start, samples(3))
