"""Right-linear models are linear dynamical systems: the chart must give a Kalman filter's likelihood, in linear time."""

import numpy as np
import pytest
from statsmodels.tsa.statespace.mlemodel import MLEModel

import recbayes as rb

F = np.array([[1.0, 0.1], [0.0, 0.95]])
Q = np.array([[0.02, 0.01], [0.01, 0.05]])
H = np.array([[1.0, 0.0]])
R = np.array([[0.3]])
STOP = 1e-3


def chain(*, left_linear: bool = False) -> rb.GaussianRBN:
    """Position and velocity, of which only the position is seen: every single observation leaves the velocity flat."""
    shown, state = rb.Link(np.zeros((2, 2))), rb.Link(Q, map=F)
    split = rb.Split(1 - STOP, "shown", "state", shown, state)
    if left_linear:
        split = rb.Split(1 - STOP, "state", "shown", state, shown)
    return rb.GaussianRBN(
        (
            rb.Variable("state", 2, (split, rb.Emit(STOP, R, map=H))),
            rb.Variable("shown", 2, (rb.Emit(1.0, R, map=H),)),
        ),
        rb.Prior("state", (rb.Component(np.zeros(2), np.eye(2)),)),
    )


def kalman(y: np.ndarray) -> float:
    filter_ = MLEModel(y, k_states=2, k_posdef=2)
    for name, value in (("design", H), ("obs_cov", R), ("transition", F), ("selection", np.eye(2)), ("state_cov", Q)):
        filter_[name] = value
    filter_.ssm.tolerance = 0.0
    filter_.initialize_known(np.zeros(2), np.eye(2))
    return float(filter_.loglike([])) + (len(y) - 1) * np.log(1 - STOP) + np.log(STOP)


def simulate(length: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    steps = rng.multivariate_normal(np.zeros(2), Q, size=length)
    noise = rng.normal(scale=R[0, 0] ** 0.5, size=length)
    state, values = np.zeros(2), []
    for step, error in zip(steps, noise, strict=True):
        values.append(state[0] + error)
        state = F @ state + step
    return np.array(values)


@pytest.mark.parametrize("length", [1, 2, 10, 500, 10_000])
def test_likelihood_of_a_kalman_filter(length: int) -> None:
    y = simulate(length)
    assert rb.inside(chain(), y).log_evidence == pytest.approx(kalman(y), rel=1e-8, abs=1e-8)


def test_missing_observations() -> None:
    y = simulate(300)
    y[[0, 5, 6, 7, 100, 299]] = np.nan
    assert rb.inside(chain(), y).log_evidence == pytest.approx(kalman(y), rel=1e-8)


def test_left_linear_is_the_reversed_chain() -> None:
    y = simulate(400)
    expected = rb.inside(chain(), y).log_evidence
    assert rb.inside(chain(left_linear=True), y[::-1]).log_evidence == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("left_linear", [False, True])
def test_cells_grow_linearly(left_linear: bool) -> None:
    sizes = [rb.inside(chain(left_linear=left_linear), simulate(n)).messages.size for n in (1000, 2000, 4000)]
    assert sizes[1] - sizes[0] == pytest.approx((sizes[2] - sizes[1]) / 2, rel=0.01)
    assert sizes[2] < 4.1 * sizes[0]


def test_best_tree_is_the_chain() -> None:
    y = simulate(3000)
    tree = rb.best_tree(rb.inside(chain(), y))
    assert tree.depth == 3000
    assert len(tree.leaves) == 3000
