"""Sampling: reproducible, within bounds, and distributed as theory says."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare, poisson

import recbayes as rb
from recbayes.errors import LengthError
from recbayes.gaussian.model import sampling
from tests.random_models import one_variable, two_variables

PAPER = rb.GaussianRBN.create(dim=3, termination=0.6, shifts={0: 0.5, 1: 0.5}, extra_observations=5.0)


def test_a_seed_determines_the_sample() -> None:
    one, other, third = (PAPER.sample(seed=seed, min_length=20, max_length=40) for seed in (5, 5, 6))
    np.testing.assert_array_equal(one[0], other[0])
    assert one[1] == other[1]
    for node, twin in zip(one[1], other[1], strict=True):
        np.testing.assert_array_equal(node.value, twin.value)
    assert one[0].shape != third[0].shape or (one[0] != third[0]).any()


def test_a_generator_moves_on_and_the_global_state_does_not() -> None:
    before = np.random.get_state(legacy=True)  # noqa: NPY002
    rng = np.random.default_rng(5)
    first, second = PAPER.sample(seed=rng), PAPER.sample(seed=rng)
    assert first[0].shape != second[0].shape or (first[0] != second[0]).any()
    np.testing.assert_array_equal(first[0], PAPER.sample(seed=5)[0])
    after = np.random.get_state(legacy=True)  # noqa: NPY002
    for one, other in zip(before, after, strict=True):
        np.testing.assert_array_equal(one, other)


@given(st.one_of(one_variable(), two_variables()), st.integers(0, 2**32 - 1))
def test_the_tree_covers_the_series(model: rb.GaussianRBN, seed: int) -> None:
    series, tree = model.sample(seed=seed, max_length=60)
    assert series.shape == (tree.length, model.observed_dim)
    assert np.isfinite(series).all()
    assert tree.spans[0] == (0, len(series))
    dims = {variable.name: variable.dim for variable in model.variables}
    for node, arity in zip(tree, tree.arities, strict=True):
        assert arity == (0 if node.rule.startswith("emit") else 2)
        assert node.value is not None
        assert node.value.shape == (dims[node.label],)
    assert tree.nodes[0].label in model.prior.weights_of_roots


@given(st.integers(1, 30), st.integers(0, 10), st.integers(0, 2**32 - 1))
def test_bounds_are_respected(shortest: int, more: int, seed: int) -> None:
    series, _ = PAPER.sample(seed=seed, min_length=shortest, max_length=shortest + more)
    assert shortest <= len(series) <= shortest + more


def test_only_a_lower_bound() -> None:
    assert len(PAPER.sample(seed=0, min_length=40)[0]) >= 40


def test_lengths_of_leaves_and_numbers_of_leaves() -> None:
    """Leaves are 1 + Poisson long. One, two, three leaves have probabilities t, (1 - t) t^2, 2 (1 - t)^2 t^3."""
    stop, rate, draws = 0.7, 1.5, 3000
    model = rb.GaussianRBN.create(dim=1, termination=stop, extra_observations=rate)
    rng = np.random.default_rng(0)
    trees = [model.sample(seed=rng)[1] for _ in range(draws)]

    leaves = np.bincount(np.minimum([len(tree.leaves) for tree in trees], 4), minlength=5)[1:]
    chances = [stop, (1 - stop) * stop**2, 2 * (1 - stop) ** 2 * stop**3]
    assert chisquare(leaves, draws * np.array([*chances, 1 - sum(chances)])).pvalue > 1e-3

    lengths = np.array([leaf.end - leaf.start for tree in trees for leaf in tree.leaves])
    counts = np.bincount(np.minimum(lengths, 7), minlength=8)[1:]
    chances = poisson(rate).pmf(np.arange(6)).tolist()
    assert chisquare(counts, len(lengths) * np.array([*chances, 1 - sum(chances)])).pvalue > 1e-3


def test_shapes_of_equal_probability_are_equally_frequent() -> None:
    """Four leaves can be grouped in five ways, which the paper's model holds equally likely."""
    model = rb.GaussianRBN.create(dim=1, termination=0.5)
    rng = np.random.default_rng(1)
    counts: dict[tuple, int] = {}
    for _ in range(1000):
        spans = model.sample(seed=rng, min_length=4, max_length=4)[1].spans
        counts[spans] = counts.get(spans, 0) + 1
    assert len(counts) == 5
    assert chisquare(list(counts.values())).pvalue > 1e-3


def test_moments_of_two_observations() -> None:
    """With a fixed shift P, (y_0, y_1) is Gaussian: means P m and m, covariances P S P' + Q_L + R, S + Q_R + R and P S."""
    rng = np.random.default_rng(2)
    roots = [rng.normal(size=(2, 2)) for _ in range(4)]
    mean = np.array([1.0, -3.0])
    model = rb.GaussianRBN.create(
        dim=2,
        prior_mean=mean,
        prior_std=roots[0],
        left_std=roots[1],
        right_std=roots[2],
        noise_std=roots[3],
        termination=0.5,
        shifts={1: 1.0},
    )
    S, left, right, noise = (root @ root.T for root in roots)
    P = np.array([[0.0, 1.0], [1.0, 0.0]])
    expected_mean = np.concatenate([P @ mean, mean])
    expected = np.block([[P @ S @ P.T + left + noise, P @ S], [S @ P.T, S + right + noise]])

    draws = 4000
    samples = np.array([model.sample(seed=rng, min_length=2, max_length=2)[0].ravel() for _ in range(draws)])
    error = np.sqrt(np.diag(expected) / draws)
    assert (np.abs(samples.mean(axis=0) - expected_mean) < 4.5 * error).all()
    centred = samples - expected_mean
    error = np.sqrt((np.outer(np.diag(expected), np.diag(expected)) + expected**2) / draws)
    assert (np.abs(centred.T @ centred / draws - expected) < 4.5 * error).all()


def test_moments_through_maps_offsets_and_a_mixture_prior() -> None:
    """y = H (F x + f) + h + noise for the left of two leaves, x from two Gaussians, one of them shifted half of the time."""
    F, f, H, h = np.array([[1.0, 2.0]]), np.array([0.5]), np.array([[2.0], [-1.0], [0.0]]), np.array([0.0, 1.0, 2.0])
    components = (
        rb.Component([1.0, 0.0], 0.1, 0.25),  # type: ignore[arg-type]
        rb.Component([0.0, 2.0], 0.1, 0.75, {0: 0.5, 1: 0.5}),  # type: ignore[arg-type]
    )
    link = rb.Link(0.1, F, f)  # type: ignore[arg-type]
    model = rb.GaussianRBN(
        (
            rb.Variable("root", 2, (rb.Split(1.0, "leaf", "leaf", link, link),)),
            rb.Variable("leaf", 1, (rb.Emit(1.0, 0.1, map=H, offset=h),)),  # type: ignore[arg-type]
        ),
        rb.Prior("root", components),
    )
    means = np.array([[1.0, 0.0], [0.0, 2.0], [2.0, 0.0]])
    weights = np.array([0.25, 0.375, 0.375])
    prior_mean = weights @ means
    prior_covariance = (weights * (means - prior_mean).T) @ (means - prior_mean) + 0.1 * np.eye(2)
    expected_mean = H @ (F @ prior_mean + f) + h
    expected = H @ (F @ prior_covariance @ F.T + 0.1) @ H.T + 0.1 * np.eye(3)

    rng = np.random.default_rng(3)
    draws = 4000
    samples = np.array([model.sample(seed=rng)[0][0] for _ in range(draws)])
    assert (np.abs(samples.mean(axis=0) - expected_mean) < 4.5 * np.sqrt(np.diag(expected) / draws)).all()
    np.testing.assert_allclose(np.cov(samples.T), expected, atol=0.1 * np.diag(expected).max())


def test_deterministic_links_copy_and_shifts_roll() -> None:
    shifts = {(0, 0): 0.25, (1, 0): 0.25, (2, 1): 0.25, (3, 2): 0.25}
    model = rb.GaussianRBN.create(dim=4, left_std=0.0, right_std=0.0, termination=0.55, shifts=shifts)
    series, tree = model.sample(seed=4, min_length=40, max_length=80)
    seen = set()
    first_child = {parent: index for index, parent in reversed(list(enumerate(tree.parents)))}
    for index, parent in enumerate(tree.parents):
        if parent < 0:
            continue
        rule = tree.nodes[parent].rule.removeprefix("split shift ")
        left, _, right = rule.partition(",")
        steps = int(left) if first_child[parent] == index else int(right or 0)
        seen.add(rule)
        expected = np.roll(np.asarray(tree.nodes[parent].value), steps)
        np.testing.assert_array_equal(np.asarray(tree.nodes[index].value), expected)
    assert seen == {"0", "1", "2,1", "3,2"}
    assert len(series) == tree.length


def test_singular_covariances_of_any_scale_are_no_trouble() -> None:
    """Rounding leaves tiny negative eigenvalues, which must not be reported to the user."""
    rng = np.random.default_rng(0)
    for _ in range(10):
        root = 1e8 * np.outer(rng.normal(size=3), rng.normal(size=3))
        model = rb.GaussianRBN.create(dim=3, left_std=root, right_std=root, termination=0.5)
        series, _ = model.sample(seed=rng, min_length=4, max_length=8)
        assert np.isfinite(series).all()


@pytest.mark.parametrize(("shortest", "longest"), [(0, 5), (-1, None), (6, 5)])
def test_contradictory_bounds(shortest: int, longest: int | None) -> None:
    with pytest.raises(LengthError, match=f"1 <= min_length <= max_length, got {shortest} and {longest}"):
        PAPER.sample(seed=0, min_length=shortest, max_length=longest)


def test_no_attempts() -> None:
    with pytest.raises(LengthError, match="attempts"):
        PAPER.sample(seed=0, min_length=5, max_length=5, attempts=0)


def test_impossible_bounds_are_reported_soon() -> None:
    begin = time.perf_counter()
    with pytest.raises(LengthError, match=r"had 2 to 5 observations \(0 were longer, 100000 shorter\).*Widen the bounds"):
        rb.GaussianRBN.create(dim=1, termination=1.0).sample(seed=0, min_length=2, max_length=5)
    with pytest.raises(LengthError, match=r"had at least 500 observations.*0\.2 children on average\. Lower min_length"):
        rb.GaussianRBN.create(dim=1, termination=0.9).sample(seed=0, min_length=500)
    assert time.perf_counter() - begin < 15


def test_the_work_of_all_attempts_together_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "MOST_NODES", 20_000)
    begin = time.perf_counter()
    with pytest.raises(
        LengthError, match=r"had 2000 to 2000 observations.*1\.4 children on average, so trees grow without end"
    ):
        rb.GaussianRBN.create(dim=1, termination=0.3).sample(seed=0, min_length=2000, max_length=2000)
    assert time.perf_counter() - begin < 5


def test_supercritical_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "LONGEST", 10_000)
    model = rb.GaussianRBN.create(dim=1, termination=0.2)
    with pytest.raises(LengthError, match=r"grew beyond 10000 observations.*1\.6 children on average.*Give max_length"):
        model.sample(seed=0)
    assert len(model.sample(seed=0, max_length=5)[0]) <= 5


def test_expected_growth_of_several_variables() -> None:
    """a -> b b always, b -> a a with probability 0.6: two generations multiply by 2 * 1.2."""
    link = rb.Link(0.1)  # type: ignore[arg-type]
    emit = rb.Emit(0.4, 0.1)  # type: ignore[arg-type]
    model = rb.GaussianRBN(
        (
            rb.Variable("a", 1, (rb.Split(1.0, "b", "b", link, link),)),
            rb.Variable("b", 1, (rb.Split(0.6, "a", "a", link, link), emit)),
        ),
        rb.Prior("a", (rb.Component(0.0, 1.0),)),  # type: ignore[arg-type]
    )
    assert sampling.expected_growth(model) == pytest.approx(np.sqrt(2.4))


def test_roots_are_drawn_by_their_weights() -> None:
    """Either of two variables; trees that are too long are drawn anew, root and all."""
    kinds = [
        rb.Variable(name, 1, (rb.Emit(1.0, np.eye(1), rb.LengthTable(lengths)),))
        for name, lengths in (("short", (1.0,)), ("long", (0.0, 0.5, 0.5)))
    ]
    components = (
        rb.Component(np.zeros(1), np.eye(1), 0.75),
        rb.Component(np.array([50.0]), np.eye(1), 0.25, variable="long"),
    )
    model = rb.GaussianRBN(kinds, rb.Prior("short", components))
    drawn = [model.sample(seed=seed, max_length=2) for seed in range(2000)]
    labels = [tree.nodes[0].label for _, tree in drawn]
    assert np.mean([label == "long" for label in labels]) == pytest.approx(0.125 / 0.875, abs=0.03)
    assert all((label == "long") == (y.mean() > 25.0) for label, (y, _) in zip(labels, drawn, strict=True))
    assert all(len(y) == (2 if label == "long" else 1) for label, (y, _) in zip(labels, drawn, strict=True))
