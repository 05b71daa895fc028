"""Chains say that they are chains; names of variables say nothing."""

from pathlib import Path

import numpy as np
import pytest

import recbayes as rb
from recbayes.errors import DataError, ModelError

Y = np.random.default_rng(0).normal(size=(8, 1))


def system(**changes: object) -> rb.GaussianRBN:
    """A linear dynamical system, written by hand."""
    settings = {"state": "state", "shown": "shown", "copy": np.zeros((1, 1)), "length": rb.ExactlyOne(), **changes}
    state, shown = settings["state"], settings["shown"]
    emit = rb.Emit(1.0, np.eye(1), settings["length"], map=np.eye(1))
    split = rb.Split(0.9, shown, state, rb.Link(settings["copy"]), rb.Link(np.eye(1), map=np.eye(1)))
    return rb.GaussianRBN(
        (
            rb.Variable(state, 1, (split, rb.Emit(0.1, np.eye(1), map=np.eye(1)))),
            rb.Variable(shown, 1, (emit,)),
        ),
        rb.Prior(state, (rb.Component(np.zeros(1), np.eye(1)),)),
        chain=settings.get("chain"),
    )


def test_names_do_not_make_a_chain() -> None:
    """A user's own model, left-branching or not, keeps its noises apart and has no filtered states."""
    emit = rb.Emit(0.5, np.eye(1))
    left = rb.Split(0.5, "state", "shown", rb.Link(np.eye(1)), rb.Link(np.zeros((1, 1))))
    model = rb.GaussianRBN(
        (rb.Variable("state", 1, (left, emit)), rb.Variable("shown", 1, (rb.Emit(1.0, np.eye(1)),))),
        rb.Prior("state", (rb.Component(np.zeros(1), np.eye(1)),)),
    )
    assert model.chain is None
    found = rb.fit(model, [Y, Y[::-1] * 2.0], standard_errors=False, max_evaluations=30)
    last, others = (found.model.variables[v].rules[-1].covariance for v in (0, 1))
    assert last != pytest.approx(others)
    with pytest.raises(DataError, match="states are those of a chain"):
        rb.filtered_states(model, Y)
    with pytest.raises(DataError, match="states are those of a chain"):
        rb.filtered_states(system(), Y)


def test_leaves_of_several_observations_are_no_chain() -> None:
    with pytest.raises(ModelError, match="more than one observation"):
        system(length=rb.OnePlusPoisson(2.0), chain=rb.Chain())
    with pytest.raises(DataError, match="states are those of a chain"):
        rb.smoothed_states(system(length=rb.OnePlusPoisson(2.0)), Y)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"chain": rb.Chain("x", "y")}, "its variables are"),
        ({"copy": np.eye(1), "chain": rb.Chain()}, "does not copy"),
        ({"chain": rb.Chain("shown", "state")}, "its variables are"),
    ],
)
def test_what_says_that_it_is_a_chain_must_be_one(changes: dict, complaint: str) -> None:
    with pytest.raises(ModelError, match=complaint):
        system(**changes)


def test_a_chain_by_any_name(tmp_path: Path) -> None:
    """A chain written by hand, with names of its own, answers like the one of `LinearDynamicalSystem`."""
    ours = system(state="position", shown="radar", chain=rb.Chain("position", "radar"))
    theirs = rb.LinearDynamicalSystem(1.0, 1.0, 1.0, 1.0, 0.0, 1.0, termination=0.1)
    for verb in (rb.filtered_states, rb.smoothed_states):
        np.testing.assert_allclose(verb(ours, Y).mean, verb(theirs, Y).mean, rtol=1e-12)
    found = rb.fit(ours, [Y, 2.0 * Y], standard_errors=False)
    assert found.model.chain == rb.Chain("position", "radar")
    last, others = (found.model.variables[v].rules[-1].covariance for v in (0, 1))
    np.testing.assert_array_equal(last, others)  # one quantity: the last observation is like all others
    found.model.save(tmp_path / "chain.json")
    again = rb.load(tmp_path / "chain.json")
    assert again == found.model
    assert again.chain == rb.Chain("position", "radar")
    np.testing.assert_array_equal(rb.filtered_states(again, Y).mean, rb.filtered_states(found.model, Y).mean)


def test_hidden_markov_models_are_chains(tmp_path: Path) -> None:
    model = rb.HMM([0.6, 0.4], [[0.7, 0.3], [0.2, 0.8]], [[0.9, 0.1], [0.3, 0.7]])
    assert model.chain == rb.Chain()
    model.save(tmp_path / "hmm.json")
    again = rb.load(tmp_path / "hmm.json")
    assert again == model
    np.testing.assert_array_equal(rb.best_states(again, [0, 1, 1])[0], rb.best_states(model, [0, 1, 1])[0])
    bare = rb.DiscreteRBN(model.variables, model.terminals, model.prior, weights="keep")
    assert bare.chain is None
    with pytest.raises(DataError, match="states are those of a chain"):
        rb.best_states(bare, [0, 1])
    with pytest.raises(ModelError, match="not probabilities"):
        rb.reestimate(bare, [[0, 1]])
    renamed = rb.Chain("weather", "sky")
    with pytest.raises(ModelError, match="its variables are"):
        rb.DiscreteRBN(model.variables, model.terminals, model.prior, weights="keep", chain=renamed)


def test_switching_systems_are_no_chains() -> None:
    model = rb.SwitchingLinearDynamicalSystem(
        [0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]], [1.0, 1.0], [0.1, 1.0], [1.0, 1.0], [0.1, 0.1], [0.0], [[1.0]]
    )
    assert model.chain is None
    with pytest.raises(DataError, match="mixtures without a closed form"):
        rb.smoothed_states(model, Y)
