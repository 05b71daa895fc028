"""Scores by hand, by sets of positions, and by what must not change them."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recbayes.studies.real.scores import covering, margin_f1

LENGTH = 60
points = st.lists(st.integers(1, LENGTH - 1), max_size=6, unique=True)
annotators = st.lists(points, min_size=1, max_size=4)


def test_covering_by_hand() -> None:
    """Segments 0:4 and 4:10 against 0:5 and 5:10: 4/5 of the first, and of the second 5/6."""
    assert covering([[4]], [5], 10) == pytest.approx(0.4 * 4 / 5 + 0.6 * 5 / 6)
    assert covering([[4], []], [5], 10) == pytest.approx((0.4 * 4 / 5 + 0.6 * 5 / 6 + 5 / 10) / 2)
    assert covering([[4]], [], 10) == pytest.approx(0.4 * 0.4 + 0.6 * 0.6)
    assert covering([[]], [2, 4, 7], 10) == pytest.approx(3 / 10)
    assert covering([[0, 4]], [4, 0], 10) == 1.0


def test_f1_by_hand() -> None:
    """Found 0, 12, 40. All annotators: 0, 10, 20, of which 12 is near one; annotators 0, 10 and 0, 20."""
    precision, recall = 2 / 3, (2 / 2 + 1 / 2) / 2
    assert margin_f1([[10], [20]], [12, 40]) == pytest.approx(2 * precision * recall / (precision + recall))
    assert margin_f1([[10], []], []) == pytest.approx(2 * 1.0 * 0.75 / 1.75)
    assert margin_f1([[10]], [15]) == 1.0
    assert margin_f1([[10]], [16]) == 0.5
    assert margin_f1([[10]], [16], margin=6) == 1.0
    assert margin_f1([[3]], []) == pytest.approx(2 / 3)  # the 0 that was found is taken by 0


def test_each_point_found_is_used_once() -> None:
    """10 takes 12, and nothing is left for 13; nor for what lies between, where the annotators do not agree."""
    assert margin_f1([[10, 13]], [12]) == pytest.approx(2 * 1.0 * (2 / 3) / (1.0 + 2 / 3))
    assert margin_f1([[10], [13]], [12]) == 1.0
    assert margin_f1([[10]], [9, 11]) == pytest.approx(2 * (2 / 3) / (1 + 2 / 3))
    assert margin_f1([[10, 14]], [7, 13]) == 1.0
    assert margin_f1([[10, 15]], [8, 12]) == 1.0  # of equals the earlier: the later one is left for 15


def cover_by_sets(annotations: Sequence[Sequence[int]], found: Sequence[int], length: int) -> float:
    """Segments as sets of positions."""

    def parts(borders: Sequence[int]) -> list[set[int]]:
        rows: list[set[int]] = []
        for position in range(length):
            if position == 0 or position in borders:
                rows.append(set())
            rows[-1].add(position)
        return rows

    total = 0.0
    for truth in annotations:
        for part in parts(truth):
            total += len(part) * max(len(part & other) / len(part | other) for other in parts(found))
    return total / length / len(annotations)


def matches(truth: Sequence[int], found: Sequence[int], margin: int) -> int:
    """The rule as it is told: go through the true points, strike out the closest of those found."""
    left, count = sorted(found), 0
    for point in sorted(truth):
        distances = [abs(point - other) for other in left]
        if distances and min(distances) <= margin:
            left.pop(distances.index(min(distances)))
            count += 1
    return count


def f1_by_rule(annotations: Sequence[Sequence[int]], found: Sequence[int], margin: int) -> float:
    claimed = sorted({0, *found})
    everybody = sorted({0, *(point for truth in annotations for point in truth)})
    precision = matches(everybody, claimed, margin) / len(claimed)
    recall = sum(matches([0, *truth], claimed, margin) / (len(truth) + 1) for truth in annotations) / len(annotations)
    return 1.0 / (0.5 / precision + 0.5 / recall)


@given(annotators, points, st.integers(0, 8))
def test_against_plain_rules(annotations: list[list[int]], found: list[int], margin: int) -> None:
    assert covering(annotations, found, LENGTH) == pytest.approx(cover_by_sets(annotations, found, LENGTH))
    assert margin_f1(annotations, found, margin) == pytest.approx(f1_by_rule(annotations, found, margin))


@given(annotators, points)
def test_what_changes_nothing(annotations: list[list[int]], found: list[int]) -> None:
    """The order of annotators and points, position 0, an annotation repeated by all."""
    for other, again in (
        (annotations[::-1], found[::-1]),
        ([[*truth, 0] for truth in annotations], [0, *found]),
        ([*annotations, *annotations], [*found, *found]),
    ):
        assert covering(other, again, LENGTH) == pytest.approx(covering(annotations, found, LENGTH))
        assert margin_f1(other, again) == pytest.approx(margin_f1(annotations, found))


@given(annotators, points)
def test_bounds(annotations: list[list[int]], found: list[int]) -> None:
    """Covering is 1 for the truth alone, and does not mind which end is the first; F1 is 1 for the truth."""
    cover = covering(annotations, found, LENGTH)
    assert 0.0 < cover <= 1.0 + 1e-12
    assert (cover > 1.0 - 1e-12) == all(set(truth) == set(found) for truth in annotations)
    turned = [[LENGTH - point for point in truth] for truth in annotations]
    assert covering(turned, [LENGTH - point for point in found], LENGTH) == pytest.approx(cover)
    assert 0.0 < margin_f1(annotations, found) <= 1.0
    assert margin_f1([found, found], found) == 1.0


@given(annotators, points, st.integers(2, 4))
def test_covering_knows_no_units(annotations: list[list[int]], found: list[int], factor: int) -> None:
    """Every observation repeated."""
    longer = [[factor * point for point in truth] for truth in annotations]
    again = covering(longer, [factor * point for point in found], factor * LENGTH)
    assert again == pytest.approx(covering(annotations, found, LENGTH))
