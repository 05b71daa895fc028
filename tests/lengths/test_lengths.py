"""Length distributions: proper probabilities, draws that follow them, clear errors."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare, geom, nbinom, poisson

import recbayes as rb
from recbayes.errors import ModelError
from recbayes.lengths import LENGTHS, Length

CASES = [
    rb.ExactlyOne(),
    rb.OnePlusPoisson(0.3),
    rb.OnePlusPoisson(5.0),
    rb.LengthTable((0.2, 0.0, 0.5, 0.3)),
    rb.OnePlusNegativeBinomial(3.0, 1.0),
    rb.OnePlusNegativeBinomial(4.0, 0.2),
    rb.OnePlusNegativeBinomial(1.5, 3.0),
    rb.Geometric(3.5),
    rb.Geometric(7.0, 5),
    rb.Geometric(10.01, minimum=10),
]


def test_every_kind_is_tested() -> None:
    assert {type(case) for case in CASES} == set(LENGTHS)


@pytest.mark.parametrize("length", CASES, ids=repr)
def test_probabilities_sum_to_one_over_positive_lengths(length: Length) -> None:
    lengths = np.arange(-3, 400)
    probabilities = np.exp(length.log_probability(lengths))
    assert probabilities.sum() == pytest.approx(1.0, abs=1e-12)
    assert (probabilities[lengths < 1] == 0).all()
    if length.longest is not None:
        assert (probabilities[lengths > length.longest] == 0).all()
        assert probabilities[lengths == length.longest] > 0


@pytest.mark.parametrize("length", CASES, ids=repr)
def test_draws_follow_the_probabilities(length: Length) -> None:
    rng = np.random.default_rng(1)
    draws = 20_000
    counts = np.bincount([length.sample(rng) for _ in range(draws)])
    expected = draws * np.exp(length.log_probability(np.arange(len(counts))))
    assert (counts[expected == 0] == 0).all()
    common = expected > 10
    rest = [counts[~common].sum()], [draws - expected[common].sum()]
    if rest[1][0] > 1e-6:
        test = chisquare(np.append(counts[common], rest[0]), np.append(expected[common], rest[1]))
    elif common.sum() > 1:
        test = chisquare(counts[common], expected[common])
    else:
        assert counts[common].sum() == draws
        return
    assert test.pvalue > 1e-3


@given(st.floats(1e-3, 200.0))
def test_one_plus_poisson_is_scipys_poisson_moved_by_one(rate: float) -> None:
    lengths = np.arange(1, 300)
    np.testing.assert_allclose(
        rb.OnePlusPoisson(rate).log_probability(lengths), poisson(rate).logpmf(lengths - 1), rtol=1e-9
    )


def test_values_compare_and_hash() -> None:
    assert rb.OnePlusPoisson(2) == rb.OnePlusPoisson(2.0) != rb.OnePlusPoisson(3.0)
    assert rb.LengthTable([0.5, 0.5]) == rb.LengthTable((0.5, 0.5))  # type: ignore[arg-type]
    assert hash(rb.ExactlyOne()) == hash(rb.ExactlyOne())


@pytest.mark.parametrize("rate", [0.0, -1.0, np.nan, np.inf, "one", "1", None, [1.0, 2.0]])
def test_impossible_rates(rate: object) -> None:
    with pytest.raises(ModelError, match="rate"):
        rb.OnePlusPoisson(rate)  # type: ignore[arg-type]


@pytest.mark.parametrize("table", [(), 1.0, (0.5, 0.4), (1.5, -0.5), (1.0, 0.0), (np.nan, 1.0), ("a", "b"), ((0.5, 0.5),)])
def test_impossible_tables(table: object) -> None:
    with pytest.raises(ModelError, match="length"):
        rb.LengthTable(table)  # type: ignore[arg-type]


@given(st.floats(1e-3, 200.0), st.floats(1e-3, 20.0))
def test_one_plus_negative_binomial_is_scipys_moved_by_one(mean: float, dispersion: float) -> None:
    lengths = np.arange(1, 300)
    r = 1.0 / dispersion
    expected = nbinom(r, r / (r + mean)).logpmf(lengths - 1)
    ours = rb.OnePlusNegativeBinomial(mean, dispersion).log_probability(lengths)
    np.testing.assert_allclose(ours, expected, rtol=1e-7, atol=1e-8)


@given(st.floats(1e-2, 50.0))
def test_dispersion_one_is_geometric_and_dispersion_zero_is_poisson(mean: float) -> None:
    lengths = np.arange(1, 100)
    stop = 1.0 / (1.0 + mean)
    geometric = np.log(stop) + (lengths - 1) * np.log1p(-stop)
    np.testing.assert_allclose(rb.OnePlusNegativeBinomial(mean, 1.0).log_probability(lengths), geometric, rtol=1e-9)
    nearly = rb.OnePlusNegativeBinomial(mean, 1e-12).log_probability(lengths)
    np.testing.assert_allclose(nearly, rb.OnePlusPoisson(mean).log_probability(lengths), rtol=1e-6, atol=1e-6)


@given(st.floats(1e-3, 200.0), st.integers(1, 50))
def test_geometric_is_scipys_moved_to_its_minimum(extra: float, minimum: int) -> None:
    length = rb.Geometric(minimum + extra, minimum)
    lengths = np.arange(-2, minimum + 300)
    expected = geom(1.0 / (1.0 + extra), loc=minimum - 1).logpmf(lengths)
    np.testing.assert_allclose(length.log_probability(lengths), expected, rtol=1e-7, atol=1e-9)
    assert length.shortest == minimum
    assert geom(1.0 / (1.0 + length.extra), loc=minimum - 1).mean() == pytest.approx(length.mean)


@given(st.floats(1e-2, 50.0))
def test_geometric_is_a_negative_binomial_of_dispersion_one(extra: float) -> None:
    lengths = np.arange(1, 100)
    one, other = rb.Geometric(1.0 + extra), rb.OnePlusNegativeBinomial(extra, 1.0)
    np.testing.assert_allclose(one.log_probability(lengths), other.log_probability(lengths), rtol=1e-9)


@given(st.integers(1, 10**9), st.floats(-30.0, 30.0))
def test_the_extra_of_a_geometric_is_free(minimum: int, free: float) -> None:
    """Anything that a climb may try is a distribution: also where the minimum swallows the extra."""
    length = rb.Geometric(minimum + 1.0, minimum).replaced({"extra": float(np.exp(free))})
    assert length.minimum == minimum
    assert length.extra == pytest.approx(np.exp(free), rel=1e-9, abs=3e-16 * minimum)
    assert np.isfinite(length.log_probability(np.array([minimum, minimum + 3]))).all()


@given(st.sampled_from([0, 1, 2, 3]), st.floats(0.05, 30.0), st.floats(1e-5, 5.0), st.integers(0, 2**32 - 1))
def test_slopes_are_derivatives(kind: int, mean: float, dispersion: float, seed: int) -> None:
    """Of sum counts[n] log p(n), by differences: with respect to positive numbers, or to logarithms of probabilities."""
    rng = np.random.default_rng(seed)
    kinds = rb.OnePlusPoisson(mean), rb.OnePlusNegativeBinomial(mean, dispersion), rb.LengthTable((0.2, 0.3, 0.5))
    length = (*kinds, rb.Geometric(4 + mean, 4))[kind]
    counts = np.append(0.0, rng.random(3 if kind == 2 else 25))
    counts[: length.shortest] = 0.0
    numbers = np.arange(len(counts))

    def total(one: Length) -> float:
        return float(counts[one.shortest :] @ one.log_probability(numbers[one.shortest :]))

    slopes = length.slopes(counts)
    assert set(slopes) == {quantity.name for quantity in length.quantities()}
    for quantity in length.quantities():
        if quantity.kind == "positive":
            step = 1e-5 * quantity.value
            high, low = (length.replaced({quantity.name: quantity.value + sign * step}) for sign in (1, -1))
            expected = (total(high) - total(low)) / (2 * step)
            assert slopes[quantity.name] == pytest.approx(expected, rel=1e-4, abs=1e-5 * counts.sum() / quantity.value)
        else:
            np.testing.assert_allclose(slopes[quantity.name], counts[1:])


@pytest.mark.parametrize("length", CASES, ids=repr)
def test_files_give_the_same_length(length: Length) -> None:
    assert type(length).from_data(length.to_data()) == length


@pytest.mark.parametrize(
    ("mean", "dispersion"), [(0.0, 1.0), (1.0, 0.0), (-1.0, 1.0), (np.nan, 1.0), ("one", 1.0), (1.0, None)]
)
def test_impossible_negative_binomials(mean: object, dispersion: object) -> None:
    with pytest.raises(ModelError, match=r"mean|dispersion"):
        rb.OnePlusNegativeBinomial(mean, dispersion)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("mean", "minimum"),
    [(1.0, 1), (4.9, 5), (0.0, 1), (np.inf, 1), (np.nan, 1), ("two", 1), (None, 1), (9.0, 0), (9.0, 2.5), (9.0, None)],
)
def test_impossible_geometrics(mean: object, minimum: object) -> None:
    with pytest.raises(ModelError, match=r"mean|minimum"):
        rb.Geometric(mean, minimum)  # type: ignore[arg-type]


def test_leaves_of_one_length_are_not_geometric() -> None:
    with pytest.raises(ModelError, match=r"more than the minimum, 1, got 1; .* use ExactlyOne\(\)"):
        rb.Geometric(1.0)
    with pytest.raises(ModelError, match=r"more than the minimum, 7, got 7; .* use a LengthTable"):
        rb.Geometric(7, 7)


def test_a_series_shorter_than_the_minimum_has_no_slope() -> None:
    """Another rule made it: its counts do not even reach the minimum."""
    assert rb.Geometric(9.0, 5).slopes(np.zeros(3)) == {"extra": 0.0}


def test_dispersed_lengths_are_learnt() -> None:
    """Many short leaves and a few long ones: both numbers are found, and a Poisson fits worse."""
    truth = rb.OnePlusNegativeBinomial(4.0, 1.5)
    emit = rb.Emit(0.6, np.eye(1) * 0.01, truth)
    split = rb.Split(0.4, "x", "x", rb.Link(np.eye(1)), rb.Link(np.eye(1)))
    model = rb.GaussianRBN((rb.Variable("x", 1, (split, emit)),), rb.Prior("x", (rb.Component(np.zeros(1), np.eye(1)),)))
    pairs = [model.sample(seed=seed, max_length=60) for seed in range(60)]
    series, masks = [y for y, _ in pairs], [tree.span_mask() for _, tree in pairs]
    found = rb.fit(model, series, allowed=masks)
    rows = {row.name: row for row in found.table}
    for name, value in (("mean", truth.mean), ("dispersion", truth.dispersion)):
        row = rows[f"x.rules[1].length.{name}"]
        assert abs(row.estimate - value) < 3.5 * row.standard_error
        assert row.standard_error < 0.5 * value
    lengths = np.array([leaf.end - leaf.start for _, tree in pairs for leaf in tree.leaves])
    assert found.model.variables[0].rules[1].length.mean == pytest.approx(lengths.mean() - 1, rel=0.02)
    poisson_model = rb.GaussianRBN(
        (rb.Variable("x", 1, (split, rb.Emit(0.6, np.eye(1) * 0.01, rb.OnePlusPoisson(4.0)))),), model.prior
    )
    other = rb.fit(poisson_model, series, allowed=masks, standard_errors=False)
    assert found.log_likelihood > other.log_likelihood + 10.0


def test_geometric_lengths_are_learnt_and_saved(tmp_path: Path) -> None:
    """With known trees the mean length of all leaves is the estimate, and the minimum stays."""
    emit = rb.Emit(0.6, np.eye(1) * 0.01, rb.Geometric(9.0, minimum=4))
    split = rb.Split(0.4, "x", "x", rb.Link(np.eye(1)), rb.Link(np.eye(1)))
    model = rb.GaussianRBN((rb.Variable("x", 1, (split, emit)),), rb.Prior("x", (rb.Component(np.zeros(1), np.eye(1)),)))
    pairs = [model.sample(seed=seed, max_length=60) for seed in range(40)]
    series, masks = [y for y, _ in pairs], [tree.span_mask() for _, tree in pairs]
    lengths = np.array([leaf.end - leaf.start for _, tree in pairs for leaf in tree.leaves])
    assert lengths.min() == 4
    found = rb.fit(model, series, allowed=masks)
    learnt = found.model.variables[0].rules[1].length
    assert isinstance(learnt, rb.Geometric)
    assert (learnt.mean, learnt.minimum) == (pytest.approx(lengths.mean(), rel=1e-3), 4)
    row = next(row for row in found.table if row.name == "x.rules[1].length.extra")
    assert row.estimate == pytest.approx(learnt.mean - 4)
    extra = lengths.mean() - 4
    assert row.standard_error == pytest.approx(np.sqrt(extra * (1 + extra) / len(lengths)), rel=0.01)
    poisson_model = rb.GaussianRBN(
        (rb.Variable("x", 1, (split, rb.Emit(0.6, np.eye(1) * 0.01, rb.OnePlusPoisson(4.0)))),), model.prior
    )
    assert rb.Parameters(model).size == rb.Parameters(poisson_model).size  # one number, as the rate of a Poisson
    found.model.save(tmp_path / "model.json")
    assert rb.load(tmp_path / "model.json") == found.model
