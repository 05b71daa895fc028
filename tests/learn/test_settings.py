"""Settings of a fit: groups, and the older spellings, which mean the same."""

import pickle

import numpy as np
import pytest

import recbayes as rb
from recbayes.errors import FileError, ModelError
from tests.learn.sampled import TRUTH, samples


def test_groups_and_older_spellings_mean_the_same() -> None:
    series, model = samples(6), rb.GaussianRBN.create(**TRUTH)
    common = {"covariance": "scalar", "standard_errors": False}
    one = rb.fit(
        model,
        series,
        climb=rb.QuasiNewton(tolerance=1e-3, max_evaluations=50),
        penalty=rb.Penalty(smallest_std=1e-3, pseudo_count=0.5),
        work=rb.Work(progress=False),
        **common,
    )
    settings = {"tolerance": 1e-3, "max_evaluations": 50, "smallest_std": 1e-3, "pseudo_count": 0.5, "progress": False}
    two = rb.fit(model, series, **settings, **common)
    np.testing.assert_array_equal(one.vector, two.vector)
    assert one.history == two.history
    adam = rb.fit(model, series, climb=rb.Adam(batch=3, learning_rate=0.1), seed=3, **common)
    old = rb.fit(model, series, method="adam", batch=3, learning_rate=0.1, seed=3, **common)
    assert adam.history == old.history
    assert adam.converged
    assert len(adam.history) % 2 == 1
    short = rb.fit(model, series, climb=rb.Adam(batch=3, epochs=4), seed=3, **common)
    assert len(short.history) == 4 * 2 + 1


@pytest.mark.parametrize(
    "settings",
    [
        {"method": "newton"},
        {"climb": "adam"},
        {"tolerance": -1.0},
        {"tolerance": np.nan},
        {"max_evaluations": 0},
        {"batch": 0, "method": "adam"},
        {"learning_rate": np.inf, "method": "adam"},
        {"pseudo_count": -0.1},
        {"smallest_std": -1.0},
        {"restarts": -1},
        {"restarts": 1.5},
        {"seed": -1},
        {"exact": True},
        {"on_error": "ignore"},
        {"penalty": 3},
        {"work": "here"},
        {"method": "adam", "climb": rb.QuasiNewton()},
    ],
)
def test_nonsense_is_refused(settings: dict) -> None:
    with pytest.raises(ModelError, match=next(iter(settings))):
        rb.fit(None, np.zeros((4, 1)), **settings)


@pytest.mark.parametrize("value", [None, "x", [0.1, 0.2]])
def test_one_number_is_asked_for_as_one(value: object) -> None:
    with pytest.raises(ModelError, match="tolerance must be one number, got"):
        rb.fit(None, np.zeros((4, 1)), tolerance=value)  # type: ignore[call-overload]


def test_what_fit_does_not_know() -> None:
    with pytest.raises(TypeError, match="nonsense"):
        rb.fit(None, np.zeros((4, 1)), nonsense=1)  # type: ignore[call-arg]
    with pytest.raises(FileError, match="resume needs"):
        rb.fit(None, np.zeros((4, 1)), work=rb.Work(resume=True))


@pytest.mark.parametrize(
    "settings", [{"covariance": "full"}, {"climb": rb.Adam()}, {"on_error": "skip"}, {"restarts": 2}, {"exact": 5}]
)
def test_grammars_refuse_what_they_do_not_know(settings: dict) -> None:
    grammar = rb.PCFG.from_string("S -> S S [0.4] | 'a' [0.6]")
    with pytest.raises(ModelError, match="trained by reestimate"):
        rb.fit(grammar, [["a", "a"]], **settings)


def test_parameters_must_be_parameters() -> None:
    with pytest.raises(ModelError, match="parameters must be"):
        rb.log_evidence_and_gradient(rb.GaussianRBN.create(dim=1), np.zeros(3), parameters=3)  # type: ignore[arg-type]


def test_sentences_may_come_one_by_one() -> None:
    grammar, sentences = rb.PCFG.from_string("S -> S S [0.4] | 'a' [0.6]"), [["a"], ["a", "a", "a"]]
    assert rb.fit(grammar, (one for one in sentences)).model == rb.fit(grammar, sentences).model


def test_settings_of_the_other_way_up_are_checked_too() -> None:
    with pytest.raises(ModelError, match="batch must be a whole number of at least 1, got 'x'"):
        rb.fit(None, samples(2), method="quasi-newton", batch="x")  # type: ignore[arg-type]


def test_parameters_are_sent_elsewhere_and_come_back_the_same() -> None:
    model = rb.GaussianRBN.create(**TRUTH)
    for settings in ({}, {"tied": True, "fixed": "prior.*"}, {"covariance": "full", "fixed": ("prior.*",)}):
        parameters = rb.Parameters(model, **settings)  # type: ignore[arg-type]
        again = pickle.loads(pickle.dumps(parameters))
        assert again == parameters
        assert hash(again) == hash(parameters)
        np.testing.assert_array_equal(again.vector(), parameters.vector())
    assert rb.Parameters(model) != parameters
    with pytest.raises(ModelError, match="must have the variables and rules"):
        parameters.vector(rb.LinearDynamicalSystem(1.0, 1.0, 1.0, 1.0, 0.0, 1.0))  # type: ignore[arg-type]
