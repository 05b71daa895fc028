"""boundaries="auto" in the verbs: the same as giving the candidates that it finds."""

from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import recbayes as rb

MODEL = rb.GaussianRBN.create(2, noise_std=0.05, termination=0.6, extra_observations=4.0)
Y = MODEL.sample(seed=0, min_length=60, max_length=60, attempts=1_000_000)[0]


def test_inside_and_gradient() -> None:
    chart = rb.inside(MODEL, Y, boundaries="auto")
    found = chart.candidates
    assert found is not None
    assert len(found) < 61
    again = rb.inside(MODEL, Y, boundaries=found.positions)
    assert again.candidates is None
    assert chart.log_evidence == again.log_evidence
    first, second = (rb.log_evidence_and_gradient(MODEL, Y, boundaries=one) for one in ("auto", found.positions))
    assert first.log_evidence == second.log_evidence == chart.log_evidence
    assert first.gradient == pytest.approx(second.gradient)
    drawn = [rb.log_evidence_and_gradient(MODEL, Y, boundaries=one, draws=20, seed=1) for one in ("auto", found.positions)]
    assert drawn[0].log_evidence == drawn[1].log_evidence


def test_draws() -> None:
    posterior = rb.sample_posterior(MODEL, Y, draws=50, seed=0, boundaries="auto")
    again = rb.sample_posterior(MODEL, Y, draws=50, seed=0, boundaries=posterior.candidates.positions)
    assert posterior.log_evidence == again.log_evidence
    used = {node.start for tree in posterior.trees for node in tree.leaves}
    assert used <= set(posterior.candidates.positions.tolist())
    assert "boundaries expected elsewhere" in repr(posterior)
    assert "boundaries expected elsewhere" not in repr(again)


def test_lists_take_one_word_or_a_list() -> None:
    both = rb.inside(MODEL, [Y, Y[:30]], boundaries="auto")
    one = rb.inside(MODEL, [Y, Y[:30]], boundaries=[None, "auto"])
    assert [chart.candidates is None for chart in both] == [False, False]
    assert [chart.candidates is None for chart in one] == [True, False]
    assert both[1].log_evidence == one[1].log_evidence


def test_by_default_in_long_series_of_draws_alone() -> None:
    model = rb.GaussianRBN.create(1, noise_std=0.02, termination=0.6, left_std=1.0, right_std=1.0, extra_observations=20.0)
    model_y = np.concatenate([model.sample(seed=n, min_length=100, max_length=150)[0] for n in range(4)])
    posterior = rb.sample_posterior(model, model_y, draws=10, seed=0)
    assert posterior.candidates is not None
    assert len(posterior.candidates) < len(model_y) / 2
    assert rb.inside(model, model_y).candidates is None
    assert rb.sample_posterior(model, model_y[:250], draws=10, seed=0).candidates is None
    everywhere = rb.sample_posterior(model, model_y, draws=10, seed=0, boundaries=range(len(model_y) + 1))
    assert everywhere.candidates is None
    assert posterior.log_evidence == pytest.approx(everywhere.log_evidence, abs=0.5)


def test_in_other_processes() -> None:
    with ProcessPoolExecutor(1) as pool:
        (found,) = rb.sample_posterior(MODEL, [Y], draws=5, seed=0, boundaries="auto", executor=pool)
    (here,) = rb.sample_posterior(MODEL, [Y], draws=5, seed=0, boundaries="auto")
    assert found.candidates.positions.tolist() == here.candidates.positions.tolist()
    assert found.log_evidence == here.log_evidence


@pytest.mark.parametrize("wrong", ["all", ["auto", 3], b"auto"])
def test_other_words_are_refused(wrong: object) -> None:
    with pytest.raises(rb.DataError, match="boundaries must be whole numbers"):
        rb.inside(MODEL, Y, boundaries=wrong)  # type: ignore[call-overload]


def test_discrete_models_refuse() -> None:
    grammar = rb.PCFG.from_string("S -> 'a' [0.5] | S S [0.5]")
    for verb in (rb.inside, lambda *given, **more: rb.sample_posterior(*given, draws=2, seed=0, **more)):
        with pytest.raises(rb.ModelError, match="know no boundaries"):
            verb(grammar, ["a", "a"], boundaries="auto")


def test_segmenter_with_a_model() -> None:
    segmenter = rb.HierarchicalSegmenter(model=MODEL, learn=False, draws=20).fit(Y)
    tree = segmenter.predict(Y, boundaries="auto")
    found = rb.inside(MODEL, Y, boundaries="auto").candidates
    assert {leaf.start for leaf in tree.leaves} <= set(found.positions.tolist())
