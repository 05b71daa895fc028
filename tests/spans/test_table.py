"""Probabilities of spans, kept for those alone that have any, equal the arrays that have all."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import recbayes as rb
from recbayes.errors import DataError, LengthError, SizeError
from recbayes.spans.table import SpanTable
from tests.random_models import one_variable, series_for, two_variables


def by_counting(posterior: rb.Posterior) -> np.ndarray:
    """Weights of all trees that have a node, tree by tree."""
    found = np.zeros((posterior.length + 1, posterior.length + 1))
    for tree, weight in zip(posterior.trees, posterior.weights, strict=True):
        for span in set(tree.spans):
            found[span] += weight
    return found


def errors_by_counting(posterior: rb.Posterior) -> np.ndarray:
    """Root of the sum over draws of w^2 (z - p)^2, and at least what two draws are worth; the root is certain."""
    p, size = by_counting(posterior), posterior.length + 1
    variance = np.zeros((size, size))
    for tree, weight in zip(posterior.trees, posterior.weights, strict=True):
        z = np.zeros((size, size))
        for span in tree.spans:
            z[span] = 1.0
        variance += weight**2 * (z - p) ** 2
    least = np.triu(np.full((size, size), min(2.0 / posterior.effective_sample_size, 1.0)), 1)
    least[0, -1] = 0.0
    return np.maximum(np.sqrt(variance), least) * np.triu(np.ones((size, size)), 1)


@settings(max_examples=15)
@given(st.data())
def test_sparse_equals_dense(data: st.DataObject) -> None:
    model = data.draw(st.one_of(one_variable(), two_variables()))
    y = data.draw(series_for(model.observed_dim))
    try:
        posterior = rb.sample_posterior(model, y, draws=40, seed=0)
    except LengthError:
        return
    expected = by_counting(posterior)
    np.testing.assert_allclose(posterior.node_probability, expected, atol=1e-12)
    if posterior.method != "resample-move":
        np.testing.assert_allclose(posterior.node_probability_error, errors_by_counting(posterior), atol=1e-7)
    nodes = posterior.nodes
    assert [one[:2] for one in nodes] == sorted({span for tree in posterior.trees for span in tree.spans})
    for start in range(len(y)):
        for end in range(start + 1, len(y) + 1):
            one = nodes.at(start, end)
            assert one.probability == pytest.approx(expected[start, end], abs=1e-12)
            assert one.error == posterior.node_probability_error[start, end]
    likely = nodes.at_least(0.5)
    assert [one[:2] for one in likely] == [one[:2] for one in nodes if one.probability >= 0.5]
    np.testing.assert_array_equal(nodes.between_points(), posterior.node_probability)


def test_spans_between_few_points() -> None:
    table = SpanTable.summed(np.array([0, 3, 10]), np.array([3, 0, 3, 0]), np.array([10, 10, 10, 3]), np.full(4, 0.4))
    assert [(one.start, one.end, one.probability) for one in table] == [(0, 3, 0.4), (0, 10, 0.4), (3, 10, 0.8)]
    np.testing.assert_array_equal(table.between_points(), [[0, 0.4, 0.4], [0, 0, 0.8], [0, 0, 0]])
    assert table.dense()[3, 10] == 0.8
    assert table.dense().sum() == pytest.approx(1.6)
    np.testing.assert_array_equal(table.of(np.array([3, 1]), np.array([10, 2])), [0.8, 0.0])
    assert table.at(1, 2).probability == 0.0


def test_an_empty_table() -> None:
    table = SpanTable.summed(np.array([0, 5]), *np.zeros((2, 0), dtype=np.int64), np.zeros(0))
    assert len(table) == len(list(table)) == 0
    assert table.at(0, 5).probability == 0.0
    assert not table.of(np.array([0]), np.array([5])).any()


@pytest.mark.parametrize("span", [(2, 2), (-1, 3), (0, 11), (0.5, 3)])
def test_spans_that_are_none(span: tuple) -> None:
    table = SpanTable.summed(np.array([0, 10]), np.array([0]), np.array([10]), np.ones(1))
    with pytest.raises(DataError):
        table.at(*span)


def test_what_is_too_large_says_how_large_and_what_to_use() -> None:
    long = SpanTable.summed(np.array([0, 100_000]), np.array([0]), np.array([100_000]), np.ones(1))
    for dense in (long.dense, long.dense_error):
        with pytest.raises(SizeError, match=r"100001 x 100001 numbers, 80 GB.*nodes"):
            dense()
    with pytest.raises(SizeError, match=r"10 GB.*KnownSpans"):
        rb.known_spans(100_000, [(0, 5)])
    with pytest.raises(SizeError, match="80 GB"):
        rb.balanced_preference(100_000)


def test_exact_probabilities_of_grammars_are_those_of_enumeration() -> None:
    """All bracketings of four tokens are equally probable: five trees."""
    grammar = rb.PCFG("S", [rb.Rule("S", ("S", "S"), 0.5), rb.Rule("S", (rb.Terminal("a"),), 0.5)])
    posterior = rb.sample_posterior(grammar, list("aaaa"), draws=10, seed=0)
    expected = {(0, 4): 1.0, (0, 1): 1.0, (1, 2): 1.0, (2, 3): 1.0, (3, 4): 1.0}
    expected |= {(0, 2): 0.4, (1, 3): 0.4, (2, 4): 0.4, (0, 3): 0.4, (1, 4): 0.4}
    assert {one[:2]: pytest.approx(one.probability) for one in posterior.nodes} == expected
    assert not posterior.nodes.error.any()
    assert posterior.nodes.unseen == 0.0
