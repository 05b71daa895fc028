"""The worked example of the paper's appendix, digit by digit.

Four observations 0, 1, 2, 0, all variances 1, termination probability 1/2. Two split values printed in the paper are off:
c_0:2:4 is 6.434e-5 and c_0:1:4 / sqrt(Sigma) is 1.431e-4.
"""

import numpy as np
import pytest

import recbayes as rb
from recbayes.reference import enumeration
from recbayes.reference import gaussian as reference

Y = np.array([0.0, 1.0, 2.0, 0.0])


@pytest.fixture(scope="module")
def model() -> rb.GaussianRBN:
    return rb.GaussianRBN.create(dim=1, prior_std=1.0, left_std=1.0, right_std=1.0, noise_std=1.0, termination=0.5)


PRINTED = {  # span: coefficient, mean, variance, as printed
    (0, 1): (0.5, 0.0, 1.0),
    (1, 2): (0.5, 1.0, 1.0),
    (2, 3): (0.5, 2.0, 1.0),
    (3, 4): (0.5, 0.0, 1.0),
    (0, 2): (2.20e-2, 0.5, 1.0),
    (1, 3): (2.20e-2, 1.5, 1.0),
    (2, 4): (1.51e-2, 1.0, 1.0),
    (0, 3): (1.66e-3, 1.0, 17 / 16),
    (1, 4): (1.58e-3, 0.869, 1.016),
    (0, 4): (1.76e-4, 0.515, 1.021),
}


@pytest.mark.parametrize("span", PRINTED)
def test_inside_messages_have_the_printed_digits(model: rb.GaussianRBN, span: tuple[int, int]) -> None:
    message = rb.inside(model, Y).message(*span)
    coefficient, mean, variance = PRINTED[span]
    assert np.exp(message.log_coefficient) == pytest.approx(coefficient, rel=4e-3)
    assert message.mean[0] == pytest.approx(mean, abs=6e-4)
    assert message.covariance[0, 0] == pytest.approx(variance, abs=6e-4)


def test_exact_formulas_of_the_first_levels(model: rb.GaussianRBN) -> None:
    chart = rb.inside(model, Y)
    step = 1 / (2**4 * np.exp(1 / 8) * np.sqrt(2 * np.pi))
    assert np.exp(chart.message(0, 2).log_coefficient) == pytest.approx(step, rel=1e-13)
    # Two equal alternatives of weight 1/(2^7 pi e^(13/32)), halved by the probability to split.
    both = 1 / (2**7 * np.pi * np.exp(13 / 32))
    assert np.exp(chart.message(0, 3).log_coefficient) == pytest.approx(both, rel=1e-13)
    assert chart.message(0, 3).covariance[0, 0] == pytest.approx(17 / 16, rel=1e-13)


def test_split_values_at_the_root(model: rb.GaussianRBN) -> None:
    chart = reference.inside(model, Y)
    found = {one.split: one.message for one in chart.alternatives["x", 0, 4]}
    coefficients = {split: 2 * np.exp(message.log_mass) for split, message in found.items()}  # without 1 - p_term
    assert coefficients[1] == pytest.approx(1.43e-4, rel=4e-3)
    assert coefficients[2] == pytest.approx(6.434e-5, rel=1e-4)
    assert coefficients[3] == pytest.approx(1.45e-4, rel=4e-3)
    means = [found[split].mean[0] for split in (1, 2, 3)]
    assert means == pytest.approx([0.433, 0.75, 0.492], abs=6e-4)
    scores = [coefficients[split] / np.sqrt(found[split].covariance[0, 0]) for split in (1, 2, 3)]
    assert scores == pytest.approx([1.431e-4, 6.434e-5, 1.439e-4], rel=5e-4)


def test_evidence(model: rb.GaussianRBN) -> None:
    assert np.exp(rb.inside(model, Y).log_evidence) == pytest.approx(4.634e-5, rel=1e-4)
    assert np.exp(enumeration.exact_log_evidence(model, Y)) == pytest.approx(4.63430e-5, rel=1e-6)


def test_best_tree_with_its_tie(model: rb.GaussianRBN) -> None:
    """Split at 3; the tie below 0:3 goes to the smaller split point."""
    tree = rb.best_tree(rb.inside(model, Y))
    assert tree.spans == ((0, 4), (0, 3), (0, 1), (1, 3), (1, 2), (2, 3), (3, 4))


def test_node_marginals_are_close_to_the_truth(model: rb.GaussianRBN) -> None:
    """In this example the paper's marginals are within half a percent of the exact ones, by enumeration."""
    trees = list(enumeration.derivations(model, "x", 0, 4))
    weights = np.array([tree.log_probability + enumeration.log_density(model, tree, Y) for tree in trees])
    weights = np.exp(weights - np.logaddexp.reduce(weights))
    exact = np.zeros((5, 5))

    def mark(tree: enumeration.Derivation, weight: float) -> None:
        exact[tree.start, tree.end] += weight
        for child in tree.children:
            mark(child, weight)

    for tree, weight in zip(trees, weights, strict=True):
        mark(tree, weight)
    outside = rb.outside(rb.inside(model, Y))
    np.testing.assert_allclose(outside.node_probability, exact, atol=6e-3)
    assert outside.node_probability[0, 4] == pytest.approx(1.0, abs=1e-12)
