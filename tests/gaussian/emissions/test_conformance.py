"""Models with leaves of all kinds do what every family must do."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import strategies as st

import recbayes as rb
from recbayes.checks.series import as_series
from tests.family.conformance import Case, Conformance, Counting, Exact
from tests.gaussian.emissions import dense
from tests.gaussian.emissions.test_leaf import KINDS, model, series

pytestmark = pytest.mark.slow


def enumerate_trees(one: rb.GaussianRBN, sequence: np.ndarray) -> Exact:
    y = as_series(sequence, one.observed_dim)
    trees = dense.trees(one, len(y))
    return Exact(trees, [dense.log_joint(one, y, tree) for tree in trees])


def case(name: str, kind: str, length: int, columns: int = 1, missing: bool = False) -> Case:
    return Case(name, model(columns, **KINDS[kind]), series(length, columns, 7, missing), enumerate_trees, 0.2)


@st.composite
def problems(draw: st.DrawFn) -> Case:
    kind, columns = draw(st.sampled_from(sorted(KINDS))), draw(st.integers(1, 2))
    y = series(draw(st.integers(1, 3)), columns, draw(st.integers(0, 10**6)), draw(st.booleans()))
    return Case("random", model(columns, **KINDS[kind]), y, enumerate_trees, np.inf)


class TestLeaves(Conformance):
    cases = (
        case("trends", "trend", 4),
        case("seasons", "season", 4, missing=True),
        case("autoregressive noise of two columns", "autoregressive", 4, 2),
        case("a bank", "bank", 3),
        case("all together", "all", 3, missing=True),
    )
    problems = problems()
    exact = False
    start = model(1, **KINDS["trend"])

    def counting(self, length: int) -> Counting:
        """Where nothing was observed, all trees have the probabilities of their rules."""
        one = model(1, rb.LengthTable([1.0]), trend_std=2.0)
        return Counting(one, np.full((length, 1), np.nan), length * np.log(0.6) + (length - 1) * np.log(0.4))

    def root_mean(self, case: Case, tree: rb.Tree) -> np.ndarray:
        """With prior N(m, S) the mean of x given Y is m + S d log p(Y) / dm, and the logarithm is quadratic in m."""
        (component,) = case.model.prior.components
        y = as_series(case.sequence, case.model.observed_dim)

        def log_likelihood(mean: np.ndarray) -> float:
            prior = rb.Prior("x", (replace(component, mean=mean),))
            return dense.log_joint(rb.GaussianRBN(case.model.variables, prior), y, tree)

        units = np.eye(len(component.mean))
        slope = [0.5 * (log_likelihood(component.mean + unit) - log_likelihood(component.mean - unit)) for unit in units]
        return component.mean + component.covariance @ slope
