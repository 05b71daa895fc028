"""Learning: recovered parameters, penalties, constraints, the exact evidence, interruptions."""

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import recbayes as rb
from recbayes.checks.series import Series
from recbayes.errors import FileError, ModelError
from recbayes.gaussian.learn.units import units_of
from recbayes.learn import fit as fit_module
from recbayes.learn.penalty import Penalty, bounds, penalise, strength_of
from recbayes.learn.progress import evaluations_left
from recbayes.learn.units import free_scales
from recbayes.learn.workers import Workers
from recbayes.reference import enumeration
from tests.learn.sampled import TRUTH, samples
from tests.random_models import one_variable, two_variables

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def trained() -> tuple[list[np.ndarray], rb.Fit]:
    """Sequences without bounds on their lengths, and five starts."""
    series = samples(100)
    return series, rb.fit(rb.GaussianRBN.guess(series, shifts={0: 0.5, 1: 0.5}), series, covariance="scalar", restarts=4)


def test_parameters_are_recovered(trained: tuple[list[np.ndarray], rb.Fit]) -> None:
    series, found = trained
    truth = {
        "x.rules[0]": 0.35,
        "x.rules[1]": 0.65,
        "x.rules[0].shifts[0]": 0.5,
        "x.rules[0].shifts[1]": 0.5,
        "x.rules[1].length.rate": 3.0,
        "prior.components[0].std": 1.0,
        "x.rules[0].left_link.std": 0.2,
        "x.rules[0].right_link.std": 0.2,
        "x.rules[1].std": 0.05,
        "prior.components[0].mean[0]": 0.0,
        "prior.components[0].mean[1]": 0.0,
    }
    assert [row.name for row in found.table] == list(truth)
    errors = np.array([(row.estimate - truth[row.name]) / row.standard_error for row in found.table])
    assert (np.abs(errors) < 3.0).mean() >= 0.9
    assert (np.abs(errors) < 4.5).all()
    relative = [row.standard_error / abs(truth[row.name]) for row in found.table if truth[row.name]]
    assert max(relative) < 0.3  # the errors are not large because nothing was learnt
    at_truth = rb.log_evidence_and_gradient(rb.GaussianRBN.create(**TRUTH), series).log_evidence
    assert found.log_likelihood >= at_truth
    assert found.converged


def test_starts_reach_the_same_end(trained: tuple[list[np.ndarray], rb.Fit]) -> None:
    _, found = trained
    assert len(found.starts) == 5
    assert found.agreeing >= 2  # of the three that were climbed to the end


def test_the_record(trained: tuple[list[np.ndarray], rb.Fit]) -> None:
    series, found = trained
    assert found.free == 9
    assert found.observations == sum(map(len, series))
    assert found.aic == pytest.approx(18 - 2 * found.log_likelihood)
    assert found.bic == pytest.approx(9 * np.log(found.observations) - 2 * found.log_likelihood)
    assert max(found.history) >= found.chart_log_likelihood - 1e-9
    text = str(found)
    assert "x.rules[1].length.rate" in text
    assert "log likelihood by start" in text
    at_end = rb.log_evidence_and_gradient(found.model, series).log_evidence
    assert at_end == pytest.approx(found.chart_log_likelihood, abs=1e-8)
    assert found.log_likelihood == pytest.approx(at_end, abs=4 * found.log_likelihood_error + 0.5)


@settings(max_examples=30)
@given(st.one_of(one_variable(), two_variables()))
def test_the_gradient_of_the_penalty(model: rb.GaussianRBN) -> None:
    parameters = rb.Parameters(model)
    units = units_of(model, [Series(np.random.default_rng(0).normal(size=(5, model.observed_dim)))])
    penalty = strength_of(Penalty(pseudo_count=0.7), parameters, units, share=0.3)
    vector = parameters.vector()
    _, slope = penalise(parameters, vector, penalty)
    for number in range(len(vector)):
        step = 1e-6 * np.eye(len(vector))[number]
        high, low = (penalise(parameters, vector + sign * step, penalty)[0] for sign in (1, -1))
        assert slope[number] == pytest.approx((high - low) / 2e-6, rel=1e-5, abs=1e-6)
    low, high = bounds(parameters, units)
    assert (low < vector).all()
    assert (vector < high).all()
    assert (free_scales(parameters, units) > 0).all()


def test_what_is_fixed_stays() -> None:
    series = samples(10)
    model = rb.GaussianRBN.create(**TRUTH)
    found = rb.fit(model, series, fixed=["prior.*", "x.rules[1].covariance", "x.rules"], tied=True, standard_errors=False)
    assert found.model.prior.components[0].mean.tolist() == [0.0, 0.0]
    np.testing.assert_array_equal(found.model.prior.components[0].covariance, np.eye(2))
    split, emit = found.model.variables[0].rules
    np.testing.assert_array_equal(emit.covariance, model.variables[0].rules[1].covariance)
    assert split.probability == pytest.approx(0.35)
    np.testing.assert_array_equal(split.left_link.covariance, split.right_link.covariance)
    assert found.free == 3
    everything = rb.fit(model, series, fixed=["*"])
    assert everything.free == 0
    assert everything.converged


def test_known_trees_condition_the_evidence() -> None:
    model = rb.GaussianRBN.create(**TRUTH)
    pairs = [model.sample(seed=seed, min_length=5, max_length=40) for seed in range(8)]
    series, masks = [y for y, _ in pairs], [tree.span_mask() for _, tree in pairs]
    masks[3] = None  # type: ignore[call-overload]
    masks[4] = rb.known_spans(len(series[4]), pairs[4][1].spans[1:3])  # type: ignore[call-overload]
    found = rb.fit(model, series, allowed=masks, covariance="scalar", priors=None, exact=None)
    total = sum(rb.inside(found.model, y, allowed=mask).log_evidence for y, mask in zip(series, masks, strict=True))
    assert found.log_likelihood == pytest.approx(total, abs=1e-8)
    slope = rb.log_evidence_and_gradient(
        found.model, series, allowed=masks, parameters=rb.Parameters(model, covariance="scalar")
    ).gradient
    assert np.abs(slope).max() < 0.1
    # Fully known trees say how often nodes split: relative frequencies, but for the penalty's pseudo-counts.
    supervised = rb.fit(
        model, series, allowed=[tree.span_mask() for _, tree in pairs], pseudo_count=0.0, standard_errors=False, priors=None
    )
    splits = sum(arity > 0 for _, tree in pairs for arity in tree.arities)
    leaves = sum(arity == 0 for _, tree in pairs for arity in tree.arities)
    assert supervised.model.variables[0].rules[0].probability == pytest.approx(splits / (splits + leaves), abs=1e-3)


def test_the_exact_evidence() -> None:
    """Refined by draws: the evidence reported is that of all trees, and no parameter moves it up."""
    model = rb.GaussianRBN.create(dim=1, noise_std=0.4, left_std=0.8, right_std=0.5, termination=0.55, shifts={0: 1.0})
    rng = np.random.default_rng(3)
    series = [rng.normal(size=(5, 1)) for _ in range(4)]
    fixed = ["prior.*"]
    found = rb.fit(model, series, exact=2000, fixed=fixed, covariance="scalar", priors=None)
    assert found.exact is not None

    def exact(one: rb.GaussianRBN) -> float:
        return sum(enumeration.exact_log_evidence(one, y) for y in series)

    assert found.exact.log_evidence == pytest.approx(exact(found.model), abs=4 * found.exact.standard_error + 1e-6)
    assert found.exact.standard_error < 0.1
    assert found.exact.efficiency > 0.5
    parameters = rb.Parameters(model, fixed=fixed, covariance="scalar")
    vector = parameters.vector(found.model)
    for number in range(len(vector)):  # in every direction, the exact evidence is at its top as far as draws can tell
        step = 1e-3 * np.eye(len(vector))[number]
        high, low = (exact(parameters.with_vector(vector + sign * step)) for sign in (1, -1))
        curvature = -(high + low - 2 * exact(found.model)) / 1e-6
        assert abs((high - low) / 2e-3) < 0.2 * np.sqrt(max(curvature, 0.05))


def test_adam_comes_close() -> None:
    series = samples(24)
    start = rb.GaussianRBN.guess(series, shifts={0: 0.5, 1: 0.5})
    exact = rb.fit(start, series, covariance="scalar", standard_errors=False)
    found = rb.fit(start, series, covariance="scalar", method="adam", batch=6, standard_errors=False)
    assert found.log_likelihood == pytest.approx(exact.log_likelihood, abs=2.0)


def test_wrong_settings() -> None:
    series = [np.zeros((3, 2))]
    for settings_ in (
        {"method": "newton"},
        {"on_error": "ignore"},
        {"restarts": -1},
        {"max_evaluations": 0},
        {"exact": 10.5},
        {"smallest_std": np.nan},
        {"pseudo_count": -1.0},
        {"tolerance": -1.0},
    ):
        with pytest.raises(ModelError):
            rb.fit(None, series, **settings_)  # type: ignore[arg-type]
    with pytest.raises(FileError, match="needs the path"):
        rb.fit(None, series, resume=True)
    variable = rb.Variable("A", 1, (rb.Branch(0.5, (("A", rb.Link(np.eye(1))),)), rb.Emit(0.5, np.eye(1))))
    linear = rb.LinearGaussianRBN((variable,), rb.Prior("A", (rb.Component(np.zeros(1), np.eye(1)),)))
    with pytest.raises(ModelError, match="normal form"):
        rb.fit(linear, series)


def test_an_interrupt_returns_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    class Impatient(Workers):
        def __call__(self, *args: Any) -> Any:
            calls.append(1)
            if len(calls) > 8:
                raise KeyboardInterrupt
            return super().__call__(*args)

    monkeypatch.setattr(fit_module, "Workers", Impatient)
    series = samples(5)
    found = rb.fit(None, series)
    assert found.reason == "interrupted"
    assert not found.converged
    assert rb.log_evidence_and_gradient(found.model, series).log_evidence == pytest.approx(found.log_likelihood)


def test_evaluations_are_limited() -> None:
    found = rb.fit(None, samples(5), max_evaluations=6)
    assert len(found.history) == 6
    assert not found.converged
    assert "all 6 evaluations" in found.reason


def test_the_way_left_is_judged_by_shrinking_steps() -> None:
    climb = [-100.0 * 0.7**n for n in range(30)]
    left = evaluations_left(climb, 1e-3)
    assert left is not None
    needed = next(n for n in range(200) if 100.0 * 0.7 ** (29 + n) * (1 - 0.7**10) <= 1e-3)
    assert abs(left - needed) <= 12
    assert evaluations_left(climb[:5], 1e-3) is None
    assert evaluations_left([float(n) for n in range(30)], 1e-3) is None


def test_adam_that_is_cut_short() -> None:
    found = rb.fit(None, samples(9), method="adam", batch=4, max_evaluations=20)
    assert not found.converged
    assert np.isfinite(found.log_likelihood)
    far = rb.fit(rb.GaussianRBN.create(**TRUTH), [y + 100 for y in samples(4)], method="adam", standard_errors=False)
    assert not far.converged  # too few steps for so long a way, and it says so


def test_numbers_of_numpy_are_numbers() -> None:
    found = rb.fit(
        None, samples(3), seed=np.int64(3), restarts=np.int64(1), tolerance=np.float32(1e-4), standard_errors=False
    )  # type: ignore[arg-type]
    assert len(found.starts) == 2


def test_models_travel_after_use() -> None:
    model = rb.GaussianRBN.create(**TRUTH)
    rb.log_evidence_and_gradient(model, samples(2))
    assert pickle.loads(pickle.dumps(model)) == model
