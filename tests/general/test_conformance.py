"""Arbitrary RBNs do what every family must do, as far as it can be done without charts of messages."""

import numpy as np
import pytest

import recbayes as rb
from tests.family.conformance import Case, Conformance, Counting, Exact
from tests.gaussian.posterior.exact import enumerate_all

pytestmark = pytest.mark.slow  # densities are compiled for every model

GAUSSIAN = rb.GaussianRBN.create(
    1, prior_mean=0.5, left_std=0.6, right_std=0.4, noise_std=0.5, termination=0.6, extra_observations=1.0
)
COUNTING = rb.GaussianRBN.create(1, termination=0.6)


def case(name: str, length: int, missing: int | None = None) -> Case:
    series = np.random.default_rng(0).normal(size=(length, 1))
    if missing is not None:
        series[missing] = np.nan
    return Case(name, MODEL, series, lambda _, series: enumerate_trees(series), accuracy=0.0)


def enumerate_trees(series: np.ndarray) -> Exact:
    exact = enumerate_all(GAUSSIAN, series)
    assert exact is not None
    return Exact(exact.trees, exact.log_joints)


MODEL = GAUSSIAN.to_general()
GENERAL_COUNTING = COUNTING.to_general()


class TestGeneral(Conformance):
    exact = False
    lacks = frozenset(
        {"inside", "outside", "best_tree", "log_joint", "smooth", "quick_node_probability", "save", "preference"}
    )
    cases = (case("leaves of several observations", 4), case("missing", 3, 1))
    start = MODEL
    largest_count = 5

    def counting(self, length: int) -> Counting:
        """Nothing is observed, so that trees are as probable as their structures."""
        log_joint = length * np.log(0.6) + (length - 1) * np.log(0.4)
        return Counting(GENERAL_COUNTING, np.full((length, 1), np.nan), log_joint)
