"""Gaussian RBNs do what every family must do."""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

import recbayes as rb
from recbayes.reference.enumeration import all_derivations, log_density
from tests.family.conformance import Case, Conformance, Counting, Exact
from tests.gaussian.posterior.exact import as_tree, enumerate_all
from tests.random_models import one_variable, series_for, two_variables

CREATE = rb.GaussianRBN.create
PAPER = CREATE(
    dim=2, left_std=0.6, right_std=0.4, noise_std=0.5, termination=0.6, shifts={0: 0.7, 1: 0.3}, extra_observations=1.0
)
SINGLE = CREATE(dim=1, prior_mean=0.5, left_std=0.6, right_std=0.4, noise_std=0.5, termination=0.6)
TRANSPOSED = CREATE(
    dim=3,
    prior_mean=[0.0, 1.0, 2.0],
    left_std=0.5,
    right_std=0.6,
    noise_std=0.7,
    termination=0.7,
    prior_shifts={0: 0.5, 2: 0.5},
    extra_observations=0.5,
)
SWAPPED = CREATE(
    dim=2,
    prior_mean=[0.0, 2.0],
    prior_std=0.3,
    left_std=0.3,
    right_std=0.3,
    noise_std=0.7,
    termination=0.6,
    shifts={0: 0.5, 1: 0.5},
)
CHAIN = rb.LinearDynamicalSystem([[0.9]], [[0.3]], [[1.0]], [[0.2]], [0.5], [[1.0]], termination=0.3)
COUNTING = CREATE(dim=2, termination=0.6)


def two_kinds() -> rb.GaussianRBN:
    """Two variables of different dimensions, one of which shows only part of itself; leaves of up to two observations."""
    tall = rb.Variable(
        "tall",
        2,
        (
            rb.Split(0.5, "tall", "flat", rb.Link(0.3 * np.eye(2)), rb.Link(np.eye(1), np.array([[0.5, 1.0]]))),
            rb.Emit(0.5, np.array([[0.4]]), rb.LengthTable((0.7, 0.3)), np.array([[1.0, 0.3]])),
        ),
    )
    flat = rb.Variable(
        "flat",
        1,
        (
            rb.Split(0.3, "flat", "flat", rb.Link(np.eye(1)), rb.Link(0.5 * np.eye(1), None, np.array([0.3]))),
            rb.Emit(0.7, np.array([[0.5]]), rb.ExactlyOne(), None, np.array([-0.2])),
        ),
    )
    return rb.GaussianRBN((tall, flat), rb.Prior("tall", (rb.Component(np.array([0.0, 0.5]), np.eye(2)),)))


def enumerate_trees(model: rb.GaussianRBN, series: np.ndarray) -> Exact:
    exact = enumerate_all(model, series)
    assert exact is not None
    return Exact(exact.trees, exact.log_joints)


def case(
    name: str, model: rb.GaussianRBN, length: int, accuracy: float, missing: float = 0.0, mean: float = 0.0, seed: int = 0
) -> Case:
    rng = np.random.default_rng(seed)
    series = mean + rng.normal(size=(length, model.observed_dim))
    series[rng.random(series.shape) < missing] = np.nan
    return Case(name, model, series, enumerate_trees, accuracy)


@st.composite
def problems(draw: st.DrawFn) -> Case | None:
    """Random models. The chart's evidence is exact where there is one tree; where one Gaussian stands for several it may be
    off by some nats, if emissions show only part of a variable, and only that of the draws is compared."""
    model = draw(st.one_of(one_variable(max_dim=2), two_variables()))
    series = draw(series_for(model.observed_dim, 4))
    exact = enumerate_all(model, series, most=50)
    if exact is None:
        return None
    return Case("random", model, series, enumerate_trees, 1e-8 if len(exact.trees) == 1 else np.inf)


class TestGaussian(Conformance):
    cases = (
        case("the paper's model", PAPER, 4, accuracy=0.1),
        case("one observation per leaf", SINGLE, 6, accuracy=0.1),
        case("prior over transpositions, missing entries", TRANSPOSED, 4, accuracy=0.1, missing=0.3),
        case("two kinds of nodes", two_kinds(), 4, accuracy=0.1),
        case("one Gaussian is too little", SWAPPED, 4, accuracy=0.3, mean=1.0, seed=2),  # so that weights matter
        case("only one tree", CHAIN, 6, accuracy=1e-9),
        case("everything missing", PAPER, 4, accuracy=1e-9, missing=1.0),
        case("one observation", PAPER, 1, accuracy=1e-9),
    )
    problems = problems()
    exact = False
    start = CREATE(
        dim=2, left_std=1.0, right_std=1.0, noise_std=1.5, termination=0.4, shifts={0: 0.5, 1: 0.5}, extra_observations=2.0
    )

    def counting(self, length: int) -> Counting:
        """Where nothing was observed, values cannot matter, and all trees have the probabilities of their rules."""
        log_joint = length * np.log(0.6) + (length - 1) * np.log(0.4)
        return Counting(COUNTING, np.full((length, 2), np.nan), log_joint)

    def root_mean(self, case: Case, tree: rb.Tree) -> np.ndarray:
        """With prior N(m, S) the mean of x given Y is m + S d log p(Y) / dm; for a mixture, averaged over its Gaussians."""
        model = case.model
        found = all_derivations(model, case.length)
        derivation = next(one for one in found if as_tree(model, one) == tree)
        means, logs = [], []
        for component in model.prior.components:
            if component.variable != derivation.variable:
                continue
            for steps, weight in component.shifts.items():

                def log_likelihood(mean: np.ndarray, component: rb.Component = component) -> float:
                    return log_density(with_root(model, component, mean), derivation, case.sequence)

                mean = np.roll(component.mean, steps)
                logs.append(np.log(component.weight * weight) + log_likelihood(mean))
                units = np.eye(len(mean))  # the logarithm is quadratic in the mean, so differences are exact
                slope = [0.5 * (log_likelihood(mean + unit) - log_likelihood(mean - unit)) for unit in units]
                means.append(mean + component.covariance @ slope)
        shares = np.exp(np.array(logs) - np.logaddexp.reduce(logs))
        return shares @ np.array(means)


def with_root(model: rb.GaussianRBN, component: rb.Component, mean: np.ndarray) -> rb.GaussianRBN:
    """The model with one Gaussian as its prior, at another mean."""
    alone = replace(component, mean=mean, weight=1.0, shifts={0: 1.0})
    return rb.GaussianRBN(model.variables, rb.Prior(model.prior.variable, (alone,)))
