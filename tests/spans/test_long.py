"""Series of hundreds of thousands of observations that may be cut at few: nothing has their square, 320 GB."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

import recbayes as rb
from recbayes.errors import SizeError

mpl.use("Agg")
LENGTH, STEP = 200_000, 10_000


def long_series() -> tuple[rb.GaussianRBN, np.ndarray, np.ndarray]:
    link, length = rb.Link(np.eye(1)), rb.Geometric(40_000.0, 1)
    rules = rb.Split(0.4, "x", "x", link, link), rb.Emit(0.6, np.eye(1), length)
    model = rb.GaussianRBN((rb.Variable("x", 1, rules),), rb.Prior("x", (rb.Component(np.zeros(1), np.eye(1)),)))
    levels = np.repeat([0.0, 1.0, -1.0, 0.5], LENGTH // 4)
    y = (levels + np.random.default_rng(0).normal(size=LENGTH))[:, None]
    return model, y, np.arange(STEP, LENGTH, STEP)


def test_draws_tree_tables_and_pictures_of_a_long_series() -> None:
    model, y, boundaries = long_series()
    posterior = rb.sample_posterior(model, y, draws=200, seed=0, boundaries=boundaries)
    tree = posterior.tree()
    assert [leaf.span for leaf in tree.leaves] == [(n * LENGTH // 4, (n + 1) * LENGTH // 4) for n in range(4)]
    assert [node.probability for node in tree.leaves] == pytest.approx([1.0] * 4, abs=0.01)
    assert posterior.nodes.at(0, LENGTH) == (0, LENGTH, pytest.approx(1.0), 0.0)
    assert len(tree.to_table()) == 7
    assert sum(posterior.rule_probability(0, LENGTH).values()) == pytest.approx(1.0)
    with pytest.raises(SizeError, match=r"320 GB.*nodes"):
        _ = posterior.node_probability
    with pytest.raises(SizeError, match="320 GB"):
        _ = posterior.node_probability_error
    mesh = rb.plot.scape(posterior, tree, ax=Figure().subplots()).collections[0]
    assert mesh.get_array().size == (len(boundaries) + 2) ** 2
    assert rb.plot.overview(y, posterior) is not None


def test_what_is_known_of_long_series() -> None:
    """Between candidates a mask is small, whether spans are known or a whole tree is."""
    model, y, boundaries = long_series()
    known = rb.KnownSpans(LENGTH, [(STEP, 3 * STEP)])
    posterior = rb.sample_posterior(model, y, draws=50, seed=0, boundaries=boundaries, allowed=known)
    assert posterior.nodes.at(STEP, 3 * STEP).probability == pytest.approx(1.0)
    tree = rb.Tree.from_spans([(0, LENGTH), (0, 3 * STEP), (0, STEP), (STEP, 3 * STEP), (3 * STEP, LENGTH)])
    of_tree = rb.inside(model, y, boundaries=boundaries, allowed=tree.only_spans())
    assert of_tree.log_evidence == pytest.approx(rb.log_joint(model, y, tree), rel=1e-9)
    with pytest.raises(SizeError, match="40 GB"):
        tree.span_mask()


def test_outside_and_quick_probabilities_of_long_series() -> None:
    model, y, boundaries = long_series()
    chart = rb.inside(model, y, boundaries=boundaries)
    for found in (rb.outside(chart), rb.quick_node_probability(chart)):
        assert found.nodes.at(0, LENGTH).probability == pytest.approx(1.0)  # type: ignore[attr-defined]
        with pytest.raises(SizeError):
            _ = found.node_probability
