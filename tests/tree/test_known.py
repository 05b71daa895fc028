"""What is known of trees, as spans and as masks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import recbayes as rb
from recbayes.errors import DataError
from recbayes.tree.known import INNER, NO_NODE, NODE


@st.composite
def nested(draw: st.DrawFn, length: int) -> list[tuple[int, int]]:
    """Spans of a random tree, some of them."""
    spans, waiting = [], [(0, length)]
    while waiting:
        start, end = waiting.pop()
        if draw(st.booleans()):
            spans.append((start, end))
        if end - start > 1 and draw(st.booleans()):
            middle = draw(st.integers(start + 1, end - 1))
            waiting += [(start, middle), (middle, end)]
    return draw(st.permutations(spans))


def by_definition(known: list[tuple[int, int]], start: int, end: int) -> int:
    """What a span is that must neither cross known ones nor be a leaf above them."""
    if start >= end or any(start < a < end < b or a < start < b < end for a, b in known):
        return NO_NODE
    return INNER if any(start <= a and b <= end and (a, b) != (start, end) for a, b in known) else NODE


@given(st.data())
def test_known_spans_between_points_are_those_of_the_definition(data: st.DataObject) -> None:
    length = data.draw(st.integers(1, 12))
    known = data.draw(nested(length))
    inner = data.draw(st.sets(st.integers(0, length)))
    points = np.array(sorted({0, length} | inner))
    mask = rb.KnownSpans(length, known).between(points)
    expected = [[by_definition(known, a, b) for b in points.tolist()] for a in points.tolist()]
    np.testing.assert_array_equal(mask, expected)
    np.testing.assert_array_equal(rb.known_spans(length, known)[np.ix_(points, points)], mask)


@given(st.data())
def test_a_tree_between_points_has_its_spans_alone(data: st.DataObject) -> None:
    length = data.draw(st.integers(1, 12))
    tree = rb.Tree.from_spans([(0, length), *data.draw(nested(length))])
    points = np.array(sorted({0, length} | data.draw(st.sets(st.integers(0, length)))))
    mask = tree.only_spans().between(points)
    leaves = {leaf.span for leaf in tree.leaves}
    divided = {node.span for node, arity in zip(tree, tree.arities, strict=True) if arity}
    for i, start in enumerate(points.tolist()):
        for k, end in enumerate(points.tolist()):
            span = start, end
            assert mask[i, k] == (INNER if span in divided else NODE if span in leaves else NO_NODE)
    np.testing.assert_array_equal(tree.span_mask()[np.ix_(points, points)], mask)


def test_masks_are_for_series_of_their_length() -> None:
    model = rb.GaussianRBN.create(dim=1, noise_std=0.5, termination=0.5)
    with pytest.raises(DataError, match="allowed is for 4 observations, the series has 5"):
        rb.inside(model, np.zeros((5, 1)), allowed=rb.KnownSpans(4, [(0, 2)]))
