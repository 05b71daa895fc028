"""Draws from short series of random models of all kinds, against enumeration of all trees."""

import os
import warnings
from functools import cache

import numpy as np
import pytest

import recbayes as rb
from tests.gaussian.posterior.exact import Exact, enumerate_all
from tests.random_small import small_case

COUNT = int(os.environ.get("RECBAYES_CASES", "60"))  # 2000 for a long look


@cache
def exactly(seed: int) -> Exact | None:
    model, series = small_case(seed)
    try:
        return enumerate_all(model, series, 1500)
    except np.linalg.LinAlgError:  # too nearly singular for the oracle
        return None


def misses(seed: int, enumerated: bool) -> bool:
    """Whether some node probability is off by more than five stated errors without a warning; joints are checked too."""
    model, series = small_case(seed)
    exact = exactly(seed)
    if exact is None:
        return False
    likely = np.flatnonzero(exact.log_joints > exact.log_evidence - 30.0)  # it rounds too: of others, too much
    for n in likely[:5]:
        found = rb.log_joint(model, series, exact.trees[n])
        assert found == pytest.approx(exact.log_joints[n], rel=1e-8, abs=1e-6), seed
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", rb.ApproximationWarning)
        try:
            posterior = rb.sample_posterior(model, series, draws=2000, seed=seed)
        except rb.DataError as problem:
            if "ill-conditioned" not in str(problem):
                raise
            return False
    assert enumerated or not posterior.enumerated
    error = np.abs(posterior.node_probability - exact.node_probability)
    return bool((error > 5.0 * posterior.node_probability_error + 1e-9).any()) and not caught


@pytest.mark.slow
def test_draws_of_all_trees() -> None:
    assert sum(misses(seed, True) for seed in range(COUNT)) <= 1


@pytest.mark.slow
def test_draws_by_the_chart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without enumeration they may miss what a chart puts into the wrong place; few do."""
    monkeypatch.setattr("recbayes.gaussian.posterior.draws.all_trees", lambda chart: None)
    assert sum(misses(seed, False) for seed in range(COUNT)) <= max(2, COUNT // 100)


def test_all_trees_are_all_trees() -> None:
    for seed in range(12):
        model, series = small_case(seed)
        exact = exactly(seed)
        if exact is None:
            continue
        posterior = rb.sample_posterior(model, series, draws=5000, seed=0)
        assert posterior.method == "enumerated"
        assert posterior.log_evidence == pytest.approx(exact.log_evidence, abs=1e-6)
        assert posterior.log_evidence_error == 0.0
        error = np.abs(posterior.node_probability - exact.node_probability)
        assert error.max() < 0.02
        assert posterior.extend(100).log_evidence == posterior.log_evidence


def test_all_trees_heeds_what_is_known() -> None:
    model = rb.GaussianRBN.create(1)
    series = np.arange(5.0)
    allowed = rb.known_spans(5, [(1, 4)])
    posterior = rb.sample_posterior(model, series, draws=500, seed=0, allowed=allowed)
    assert posterior.method == "enumerated"
    assert posterior.node_probability[1, 4] == pytest.approx(1.0)
    assert posterior.log_evidence == pytest.approx(
        rb.sample_posterior(model, series, draws=500, seed=0, allowed=allowed, components=4).log_evidence
    )
    longer = rb.GaussianRBN.create(1, extra_observations=1.0)
    two = rb.sample_posterior(longer, series, draws=500, seed=0, boundaries=[2])
    assert two.method == "enumerated"
    assert set(two.trees[0].spans) <= {(0, 5), (0, 2), (2, 5)}
