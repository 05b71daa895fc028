"""Merging against scikit-learn and against a plain search."""

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import AgglomerativeClustering

from recbayes.studies.merging import PAIRED, by_ward, merge_by_pairs, merge_segments
from tests.studies.series import jumping_series


@given(jumping_series(3, 20))
@settings(max_examples=40, deadline=None)
def test_ward_against_scikit_learn(values: np.ndarray) -> None:
    """On single observations: agglomeration along a chain."""
    length = len(values)
    chain = np.eye(length, k=1) + np.eye(length, k=-1)
    clustering = AgglomerativeClustering(linkage="ward", connectivity=chain, n_clusters=1).fit(values)
    spans = [(place, place + 1) for place in range(length)]
    for one, two in clustering.children_:
        spans.append((min(spans[one][0], spans[two][0]), max(spans[one][1], spans[two][1])))
    assert set(merge_segments(values, range(1, length + 1), linkage=by_ward).spans) == set(spans)


@given(jumping_series(4, 20), st.data())
@settings(max_examples=60, deadline=None)
def test_closest_means_first(values: np.ndarray, data: st.DataObject) -> None:
    """Means are taken from the observations anew at every step."""
    inner = data.draw(st.lists(st.integers(1, len(values) - 1), unique=True).map(sorted))
    edges = [0, *inner, len(values)]
    expected = set(itertools.pairwise(edges))
    while len(edges) > 2:
        means = [values[start:end].mean(axis=0) for start, end in itertools.pairwise(edges)]
        distances = [np.linalg.norm(one - two) for one, two in itertools.pairwise(means)]
        place = int(np.argmin(distances))
        del edges[place + 1]
        expected.add((edges[place], edges[place + 1]))
    assert set(merge_segments(values, [*inner, len(values)]).spans) == expected


@given(jumping_series(4, 12), st.sampled_from(sorted(PAIRED)), st.data())
@settings(max_examples=60, deadline=None)
def test_pairs_of_segments(values: np.ndarray, linkage: str, data: st.DataObject) -> None:
    """Distances of all pairs are taken anew at every step; of equals the first."""
    inner = data.draw(st.lists(st.integers(1, len(values) - 1), unique=True).map(sorted))
    leaves = list(itertools.pairwise([0, *inner, len(values)]))
    means = {span: values[slice(*span)].mean(axis=0) for span in leaves}
    make = {"single": min, "complete": max, "average": lambda many: sum(many) / len(many)}[linkage]
    groups = [[leaf] for leaf in leaves]
    expected = set(leaves)
    while len(groups) > 1:
        linked = [
            make([float(np.linalg.norm(means[a] - means[b])) for a in left for b in right])
            for left, right in itertools.pairwise(groups)
        ]
        place = int(np.argmin(np.round(linked, 12)))
        groups[place : place + 2] = [groups[place] + groups[place + 1]]
        expected.add((groups[place][0][0], groups[place][-1][1]))
    assert set(merge_by_pairs(values, [*inner, len(values)], PAIRED[linkage]).spans) == expected


def test_a_left_child_may_be_turned() -> None:
    """(0, 1, 0) is (1, 0, 0) turned by one; what it is merged with decides, from right to left."""
    levels = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.9, 0.4, 0.0]])
    values = np.repeat(levels, 4, axis=0)
    assert (4, 12) in merge_segments(values, [4, 8, 12]).spans
    assert (0, 8) in merge_segments(values, [4, 8, 12], shifts=(0, 1)).spans
    assert merge_segments(values, [12]).spans == ((0, 12),)
