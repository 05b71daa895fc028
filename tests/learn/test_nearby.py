"""Steps on a function that is known only nearby: on hills whose tops and curvatures are known."""

from itertools import chain

import numpy as np
import pytest

from recbayes.learn.adam import batches
from recbayes.learn.climb import Terrain
from recbayes.learn.here import Here
from recbayes.learn.nearby import Reached, climb_nearby, first_inverse, updated

TOP = np.array([1.0, -2.0, 0.5])
CURVATURE = np.array([[4.0, 1.0, 0.0], [1.0, 2.0, 0.3], [0.0, 0.3, 0.5]])
WIDE = Terrain(np.full(3, -10.0), np.full(3, 10.0), np.array([1.0, 2.0, 0.5]))


class Hill:
    """A quadratic function, and how often it was asked."""

    def __init__(self) -> None:
        self.asked: list[np.ndarray] = []

    def __call__(self, vector: np.ndarray) -> Here:
        self.asked.append(vector)
        away = vector - TOP
        return Here(float(-0.5 * away @ CURVATURE @ away), -CURVATURE @ away, 0.0, 0.0, 1.0)


def begin(hill: Hill, vector: np.ndarray, radius: float = 1.0) -> Reached:
    here = hill(vector)
    return Reached(vector, here, first_inverse(here, WIDE.units), radius)


def test_the_top_of_a_hill_is_reached() -> None:
    hill = Hill()
    reached = climb_nearby(hill, lambda here: True, begin(hill, np.zeros(3)), WIDE, 1e-12, 60)
    np.testing.assert_allclose(reached.vector, TOP, atol=1e-4)


def test_what_was_learnt_of_curvature_serves_once_more() -> None:
    hill = Hill()
    learnt = climb_nearby(hill, lambda here: True, begin(hill, np.zeros(3)), WIDE, 1e-12, 60)
    again, vector = Hill(), np.array([0.4, -1.7, 0.2])
    reached = climb_nearby(again, lambda here: True, learnt._replace(vector=vector, here=hill(vector)), WIDE, 1e-9, 3)
    assert len(again.asked) <= 3
    assert reached.here.objective > -1e-3


def test_the_edge_of_what_is_known_is_not_left() -> None:
    hill = Hill()

    def known(here: Here) -> bool:
        return here.objective < -2.0  # only the foot of the hill

    reached = climb_nearby(hill, known, begin(hill, np.zeros(3), radius=100.0), WIDE, 1e-9, 60)
    assert hill(np.zeros(3)).objective < reached.here.objective < -2.0
    assert len(hill.asked) < 20  # and it is not run against again and again


def test_bounds_are_kept_to() -> None:
    hill, narrow = Hill(), WIDE._replace(high=np.array([0.5, 10.0, 10.0]))
    reached = climb_nearby(hill, lambda here: True, begin(hill, np.zeros(3)), narrow, 1e-12, 80)
    assert reached.vector[0] == 0.5
    best = TOP[1:] - np.linalg.solve(CURVATURE[1:, 1:], CURVATURE[1:, 0] * (0.5 - TOP[0]))
    np.testing.assert_allclose(reached.vector[1:], best, atol=1e-3)


def test_an_updated_inverse_knows_the_last_step() -> None:
    rng = np.random.default_rng(0)
    step, change = rng.normal(size=3), np.zeros(3)
    change = CURVATURE @ step
    inverse = updated(np.eye(3), step, change)
    np.testing.assert_allclose(inverse @ change, step)  # the secant equation
    assert (np.linalg.eigvalsh(inverse) > 0).all()
    np.testing.assert_array_equal(updated(inverse, step, -change), inverse)


@pytest.mark.parametrize(("series", "size"), [(7, 3), (6, 3), (2, 10)])
def test_every_epoch_sees_all_series_once(series: int, size: int) -> None:
    first, second = (batches(series, size, 0, epoch) for epoch in (0, 1))
    assert sorted(chain(*first)) == sorted(chain(*second)) == list(range(series))
    assert max(map(len, first)) <= size
