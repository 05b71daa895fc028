"""Special cases of posterior draws with known answers, and the record's manners."""

import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import recbayes as rb
from recbayes.errors import DataError, LengthError, ModelError
from recbayes.reference.enumeration import exact_log_evidence

PAPER = {"dim": 3, "noise_std": 0.1, "termination": 0.6, "shifts": {0: 0.5, 1: 0.5}, "extra_observations": 5.0}


def chain(length_probability: float = 0.9) -> rb.GaussianRBN:
    """A linear dynamical system as a right-linear model: every series has exactly one tree."""
    split = rb.Split(length_probability, "shown", "state", rb.Link(np.zeros((1, 1))), rb.Link(np.eye(1) * 0.1))
    return rb.GaussianRBN(
        (
            rb.Variable("state", 1, (split, rb.Emit(1 - length_probability, np.eye(1) * 0.2))),
            rb.Variable("shown", 1, (rb.Emit(1.0, np.eye(1) * 0.2),)),
        ),
        rb.Prior("state", (rb.Component(np.zeros(1), np.eye(1)),)),
    )


@pytest.mark.parametrize("length", [1, 2, 30, 3000])
def test_a_chain_has_one_tree(length: int) -> None:
    model = chain()
    y = np.cumsum(np.random.default_rng(0).normal(scale=0.3, size=(length, 1)), axis=0)
    posterior = rb.sample_posterior(model, y, draws=3, seed=0)
    assert posterior.log_evidence == pytest.approx(rb.inside(model, y).log_evidence, rel=1e-9)
    assert posterior.log_evidence_error == pytest.approx(0.0, abs=1e-6)
    assert posterior.efficiency == pytest.approx(1.0)
    tree = posterior.tree()
    assert (len(tree), tree.depth) == (2 * length - 1, length)
    assert all(node.probability == pytest.approx(1.0) for node in tree)
    assert rb.log_joint(model, y, tree) == pytest.approx(posterior.log_evidence, rel=1e-9)


def test_a_chain_smooths_like_a_kalman_smoother() -> None:
    """The posterior means of a random walk with noise solve a tridiagonal system."""
    model, n = chain(), 40
    y = np.cumsum(np.random.default_rng(1).normal(scale=0.3, size=(n, 1)), axis=0)
    tree = rb.sample_posterior(model, y, draws=2, seed=0).tree()
    states = np.array([node.value[0] for node in tree if node.label == "state" and node.value is not None])
    precision = np.zeros((n, n))
    precision[0, 0] = 1.0
    for t in range(n - 1):
        precision[t : t + 2, t : t + 2] += 10.0 * np.array([[1.0, -1.0], [-1.0, 1.0]])
    np.testing.assert_allclose(states, np.linalg.solve(precision + 5.0 * np.eye(n), 5.0 * y[:, 0]), rtol=1e-9)


def test_a_single_observation() -> None:
    model = rb.GaussianRBN.create(**PAPER)  # type: ignore[arg-type]
    posterior = rb.sample_posterior(model, [[0.3, -0.2, 1.0]], draws=10, seed=0)
    assert posterior.node_probability[0, 1] == pytest.approx(1.0)
    assert posterior.efficiency == pytest.approx(1.0)
    assert str(posterior.tree()) == "0:1 x emit p=1.00"
    assert posterior.segment_count_probability.tolist() == pytest.approx([0.0, 1.0])
    assert posterior.boundary_probability.tolist() == pytest.approx([1.0, 1.0])


def test_all_missing_data_gives_the_prior() -> None:
    """Without data the posterior over trees is the prior given the length: structure does not depend on values."""
    model = rb.GaussianRBN.create(**PAPER)  # type: ignore[arg-type]
    length = 8
    posterior = rb.sample_posterior(model, np.full((length, 3), np.nan), draws=20_000, seed=0)
    assert posterior.efficiency > 0.85  # some trees are drawn without heed of the chart
    sampled = np.zeros((length + 1, length + 1))
    count = 4000
    for seed in range(count):
        _, tree = model.sample(seed=seed, min_length=length, max_length=length)
        sampled[tuple(np.array(tree.spans).T)] += 1 / count
    error = np.sqrt(sampled * (1 - sampled) * (1 / count + 1 / 20_000))
    assert (np.abs(posterior.node_probability - sampled) <= 4.5 * error + 1e-3).all()
    for node in posterior.tree():
        np.testing.assert_allclose(node.value, 0.0, atol=1e-9)


def test_a_constraint_that_leaves_one_tree() -> None:
    model = rb.GaussianRBN.create(**{**PAPER, "shifts": {0: 1.0}, "extra_observations": None})  # type: ignore[arg-type]
    y = np.random.default_rng(0).normal(size=(5, 3))
    only = rb.Tree.from_spans([(0, 5), (0, 2), (0, 1), (1, 2), (2, 5), (2, 3), (3, 5), (3, 4), (4, 5)])
    posterior = rb.sample_posterior(model, y, draws=50, seed=0, allowed=only.span_mask())
    assert set(posterior.tree().spans) == set(only.spans)
    assert posterior.efficiency == pytest.approx(1.0)
    assert posterior.log_evidence == pytest.approx(rb.log_joint(model, y, posterior.tree()), abs=1e-9)
    np.testing.assert_allclose(posterior.node_probability[only.span_mask() > 0], 1.0)
    assert posterior.node_probability.sum() == pytest.approx(9.0)


def test_boundaries_restrict_all_nodes() -> None:
    model = rb.GaussianRBN.create(**PAPER)  # type: ignore[arg-type]
    y, _ = model.sample(seed=3, min_length=30, max_length=30)
    posterior = rb.sample_posterior(model, y, draws=300, seed=0, boundaries=[7, 12, 20])
    points = {0, 7, 12, 20, 30}
    for tree in [posterior.tree(), posterior.tree("map"), *posterior.trees[:10]]:
        assert {edge for span in tree.spans for edge in span} <= points
    assert set(np.flatnonzero(posterior.boundary_probability)) <= points
    assert posterior.latent(0, 30).probability == pytest.approx(1.0)


def test_segments_and_boundaries_agree_with_the_trees() -> None:
    model = rb.GaussianRBN.create(**PAPER)  # type: ignore[arg-type]
    y, _ = model.sample(seed=1, min_length=30, max_length=30)
    posterior = rb.sample_posterior(model, y, draws=200, seed=0)
    boundary, count = np.zeros(31), np.zeros(31)
    for tree, weight in zip(posterior.trees, posterior.weights, strict=True):
        boundary[[0, *(leaf.end for leaf in tree.leaves)]] += weight
        count[len(tree.leaves)] += weight
    np.testing.assert_allclose(posterior.boundary_probability, boundary, atol=1e-12)
    np.testing.assert_allclose(posterior.segment_count_probability, count, atol=1e-12)
    np.testing.assert_allclose(count.sum(), 1.0)


def test_draws_depend_on_the_seed_alone() -> None:
    model = rb.GaussianRBN.create(**PAPER)  # type: ignore[arg-type]
    series = [model.sample(seed=seed, min_length=15, max_length=20)[0] for seed in range(5)]
    many = rb.sample_posterior(model, series, draws=40, seed=7)
    with ThreadPoolExecutor(1) as pool:
        again = rb.sample_posterior(model, series, draws=40, seed=7, executor=pool)
    for one, two in zip(many, again, strict=True):
        assert list(one.trees) == list(two.trees)
        np.testing.assert_array_equal(one.weights, two.weights)
    other = rb.sample_posterior(model, series[0], draws=40, seed=8)
    assert list(other.trees) != list(many[0].trees)


def test_extending_is_drawing_more_at_once() -> None:
    model = rb.GaussianRBN.create(**PAPER)  # type: ignore[arg-type]
    y, _ = model.sample(seed=0, min_length=20, max_length=20)
    short = rb.sample_posterior(model, y, draws=60, seed=4)
    long = rb.sample_posterior(model, y, draws=100, seed=4)
    assert list(short.extend(40).trees) == list(long.trees)
    assert list(long.trees[:60]) == list(short.trees)


def test_forests_are_sequences() -> None:
    model = rb.GaussianRBN.create(**PAPER)  # type: ignore[arg-type]
    y, _ = model.sample(seed=0, min_length=12, max_length=12)
    posterior = rb.sample_posterior(model, y, draws=20, seed=4)
    trees = posterior.trees
    assert len(trees) == len(list(trees)) == 20
    assert trees[-1] == trees[19]
    assert trees[3:5] == [trees[3], trees[4]]
    with pytest.raises(IndexError):
        trees[20]
    assert "20 draws" in repr(posterior)
    assert "20 trees" in repr(trees)


@pytest.mark.parametrize("draws", [0, -1, 2.5, True, "many"])
def test_draws_must_be_a_positive_number(draws: object) -> None:
    with pytest.raises(DataError, match="draws must be"):
        rb.sample_posterior(rb.GaussianRBN.create(dim=1), np.zeros((3, 1)), draws=draws, seed=0)  # type: ignore[arg-type]


def test_one_draw_has_no_error_bar() -> None:
    posterior = rb.sample_posterior(rb.GaussianRBN.create(dim=1), np.zeros((3, 1)), draws=1, seed=0)
    assert posterior.log_evidence_error == np.inf
    assert posterior.effective_sample_size == 1.0


def test_impossible_series_say_so() -> None:
    model = rb.GaussianRBN.create(dim=1, termination=1.0)
    with pytest.raises(LengthError, match="cannot generate"):
        rb.sample_posterior(model, np.zeros((3, 1)), draws=10, seed=0)


@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("noise", [1e-5, 1.0])
def test_offsets_and_small_noise(offset: float, noise: float) -> None:
    """The same series elsewhere, and in other units, has the same trees."""
    base = rb.GaussianRBN.create(dim=1, prior_std=2.0, left_std=0.5, right_std=0.5, noise_std=1.0, extra_observations=2.0)
    y, _ = base.sample(seed=2, min_length=12, max_length=12)
    moved = rb.GaussianRBN.create(
        dim=1,
        prior_mean=offset,
        prior_std=2.0 * noise,
        left_std=0.5 * noise,
        right_std=0.5 * noise,
        noise_std=noise,
        extra_observations=2.0,
    )
    one = rb.sample_posterior(base, y, draws=400, seed=0)
    if offset / noise < 1e10:  # beyond, the series itself has lost its digits
        two = rb.sample_posterior(moved, y * noise + offset, draws=400, seed=0)
        np.testing.assert_allclose(two.node_probability, one.node_probability, atol=0.02)


def test_zero_links_copy_the_parent() -> None:
    """Deterministic links make contexts singular; draws stay exact."""
    model = rb.GaussianRBN.create(
        dim=2, left_std=0.0, right_std=0.0, noise_std=0.5, termination=0.6, shifts={0: 0.5, 1: 0.5}
    )
    y = np.random.default_rng(0).normal(size=(6, 2))
    posterior = rb.sample_posterior(model, y, draws=2000, seed=0)
    better = rb.sample_posterior(model, y, draws=2000, seed=1, components=8)
    together = np.hypot(posterior.log_evidence_error, better.log_evidence_error)
    assert posterior.log_evidence == pytest.approx(better.log_evidence, abs=5 * together)
    assert np.isfinite(posterior.tree().nodes[0].covariance).all()


def test_quick_node_probability() -> None:
    model = rb.GaussianRBN.create(**PAPER)  # type: ignore[arg-type]
    y, _ = model.sample(seed=0, min_length=30, max_length=30)
    posterior = rb.sample_posterior(model, y, draws=4000, seed=0)
    quick = rb.quick_node_probability(posterior.chart)
    assert np.abs(quick.node_probability - posterior.node_probability).max() < 0.06
    assert quick.node_probability.sum() == pytest.approx(posterior.node_probability.sum(), rel=0.02)
    assert 0.0 <= quick.clipped < 1e-6
    line = np.cumsum(np.ones((5, 1)), axis=0)
    exact = rb.quick_node_probability(rb.inside(chain(), line)).node_probability
    assert exact[0, 5] == pytest.approx(1.0)
    assert exact.sum() == pytest.approx(9.0)


def test_quick_node_probability_reports_what_it_clips() -> None:
    rng = np.random.default_rng(0)
    model = rb.GaussianRBN.create(
        dim=3, left_std=2.0, right_std=2.0, prior_std=0.1, noise_std=0.05, shifts={0: 0.3, 1: 0.3, 2: 0.4}, termination=0.6
    )
    total = 0.0
    for _ in range(20):
        chart = rb.inside(model, rng.normal(scale=3.0, size=(12, 3)))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            quick = rb.quick_node_probability(chart)
        assert ((quick.node_probability >= 0) & (quick.node_probability <= 1)).all()
        assert bool(caught) == (quick.clipped > 0.05)
        total += quick.clipped
    assert total > 0.0


def test_constant_children() -> None:
    """A link that forgets its parent and adds nothing: the child's context is a single point."""
    noise = 0.01 * np.eye(1)
    child = rb.Variable("b", 1, (rb.Emit(1.0, noise, rb.OnePlusPoisson(1.0)),))
    split = rb.Split(0.5, "a", "b", rb.Link(noise), rb.Link(np.zeros((1, 1)), map=np.zeros((1, 1)), offset=np.ones(1)))
    model = rb.GaussianRBN(
        (rb.Variable("a", 1, (rb.Emit(0.5, noise, rb.OnePlusPoisson(1.0)), split)), child),
        rb.Prior("a", (rb.Component(np.zeros(1), np.eye(1)),)),
    )
    y = np.array([0.0, 1.1, 0.9])
    exact = exact_log_evidence(model, y)
    for components in (1, 2):
        posterior = rb.sample_posterior(model, y, draws=2000, seed=0, components=components)
        assert abs(posterior.log_evidence - exact) <= 4 * posterior.log_evidence_error + 1e-9


def test_what_the_chart_deems_impossible_is_seen() -> None:
    """Emissions that show half of a variable lead the chart to the wrong derivation; the right one has half of the mass."""
    one = np.eye(1)
    spread = np.array([[0.25, 0.355], [0.355, 0.633]])
    after = rb.Split(0.33, "a", "b", rb.Link(0 * one), rb.Link(spread, np.array([[0.1], [-1.0]]), np.array([0.3, 0.5])))
    before = rb.Split(
        0.01, "b", "a", rb.Link(0.003 * np.eye(2), np.array([[0.44], [0.72]]), np.array([0.1, -0.34])), rb.Link(0 * one)
    )
    alone = rb.Emit(0.66, 0.0113 * one, rb.ExactlyOne(), 0.213 * one, np.array([-1.86]))
    shown = rb.Emit(1.0, 0.0246 * one, rb.OnePlusPoisson(1.5), np.array([[-0.213, 1.96]]))
    model = rb.GaussianRBN(
        (rb.Variable("a", 1, (after, before, alone)), rb.Variable("b", 2, (shown,))),
        rb.Prior("a", (rb.Component(np.array([-1.0]), 0.757 * one),)),
    )
    y = np.array([-0.8266, np.nan, 1.0379, 0.6422])
    posterior = rb.sample_posterior(model, y, draws=5000, seed=0)
    assert posterior.method == "importance"
    better = rb.sample_posterior(model, y, draws=5000, seed=0, components=4)
    assert abs(posterior.log_evidence - exact_log_evidence(model, y)) < 4 * posterior.log_evidence_error
    distance = abs(posterior.node_probability[0, 2] - better.node_probability[0, 2])
    assert distance < 4 * posterior.node_probability_error[0, 2]


def test_huge_offsets_are_noticed() -> None:
    model = rb.GaussianRBN.create(dim=1, extra_observations=3.0)
    y = np.random.default_rng(0).normal(size=(20, 1)) + 1e9
    with pytest.warns(rb.ApproximationWarning, match="centre and scale the data"):
        posterior = rb.sample_posterior(model, y, draws=50, seed=0)
    assert 1.0 <= posterior.effective_sample_size <= 50.0


@pytest.mark.parametrize("draws", [0, -5, 1.5, True])
def test_extending_by_nonsense(draws: object) -> None:
    posterior = rb.sample_posterior(rb.GaussianRBN.create(dim=1), np.zeros((3, 1)), draws=5, seed=0)
    with pytest.raises(DataError, match="draws must be"):
        posterior.extend(draws)  # type: ignore[arg-type]


def test_a_model_that_never_emits() -> None:
    with pytest.raises(ModelError, match="emits"):
        rb.inside(rb.GaussianRBN.create(dim=1, termination=0.0), [1.0, 2.0])
