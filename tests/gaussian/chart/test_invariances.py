"""Offsets, units, missing columns, order of dimensions and direction of time: what must not, or must exactly, change."""

import numpy as np
import pytest

import recbayes as rb


def model_with(scale: float = 1.0, offset: float = 0.0, **changes: object) -> rb.GaussianRBN:
    settings: dict = {
        "dim": 3,
        "prior_mean": offset,
        "prior_std": 1.0 * scale,
        "left_std": 0.1 * scale,
        "right_std": 0.2 * scale,
        "noise_std": 0.1 * scale,
        "termination": 0.6,
        "shifts": {0: 0.5, 1: 0.5},
        "extra_observations": 5.0,
    }
    return rb.GaussianRBN.create(**{**settings, **changes})


@pytest.fixture(scope="module")
def y() -> np.ndarray:
    return model_with().sample(seed=3, min_length=30, max_length=40)[0]


@pytest.mark.parametrize("offset", [1e3, 1e6, -1e6])
def test_offset(y: np.ndarray, offset: float) -> None:
    plain = rb.inside(model_with(), y)
    moved = rb.inside(model_with(offset=offset), y + offset)
    # Adding the offset to the data rounds them by 1e-10; the evidence has slopes of about 1/0.1^2 times that.
    assert moved.log_evidence == pytest.approx(plain.log_evidence, abs=1e-5)
    assert rb.best_tree(moved) == rb.best_tree(plain)


def test_offset_that_rounds_nothing() -> None:
    """With data and offset exactly representable, the evidence keeps all its digits."""
    y = np.round(model_with().sample(seed=3, min_length=20, max_length=25)[0] * 1024) / 1024
    plain = rb.inside(model_with(), y).log_evidence
    moved = rb.inside(model_with(offset=2.0**20), y + 2.0**20).log_evidence
    assert moved == pytest.approx(plain, abs=1e-8)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_units(y: np.ndarray, scale: float) -> None:
    """Scaling data and model shifts the log evidence by the Jacobian."""
    plain = rb.inside(model_with(), y).log_evidence
    scaled = rb.inside(model_with(scale=scale), y * scale).log_evidence
    assert scaled == pytest.approx(plain - y.size * np.log(scale), abs=1e-8)


def test_reversing_time_swaps_the_children(y: np.ndarray) -> None:
    one = model_with(shifts={(1, 0): 0.3, (0, 2): 0.7})
    other = model_with(shifts={(0, 1): 0.3, (2, 0): 0.7}, left_std=0.2, right_std=0.1)
    assert rb.inside(other, y[::-1]).log_evidence == pytest.approx(rb.inside(one, y).log_evidence, abs=1e-9)


def test_permuting_dimensions() -> None:
    rng = np.random.default_rng(0)
    root = rng.normal(size=(3, 3))
    order = [2, 0, 1]
    y = rng.normal(size=(15, 3))
    one = model_with(shifts=None, noise_std=np.array([0.3, 0.4, 0.5]), left_std=root)
    other = model_with(shifts=None, noise_std=np.array([0.5, 0.3, 0.4]), left_std=root[order])
    assert rb.inside(other, y[:, order]).log_evidence == pytest.approx(rb.inside(one, y).log_evidence, abs=1e-9)


def test_a_missing_column_is_a_missing_dimension() -> None:
    """With independent dimensions, a column that is missing throughout changes nothing for the others, exactly."""
    rng = np.random.default_rng(1)
    y = rng.normal(size=(20, 3))
    y[:, 1] = np.nan
    three = rb.inside(model_with(shifts=None), y).log_evidence
    two = rb.inside(model_with(shifts=None, dim=2), y[:, [0, 2]]).log_evidence
    assert three == pytest.approx(two, abs=1e-10)


def test_missing_rows_are_integrated_out() -> None:
    """The evidence with a missing entry is the integral over its values (single derivation, so exact)."""
    model = rb.GaussianRBN.create(dim=1, left_std=1.0, right_std=0.5, noise_std=0.7, termination=0.5)
    grid = np.linspace(-15, 15, 3001)
    evidence = [rb.inside(model, np.array([0.3, value])).log_evidence for value in grid[::30]]
    total = np.log(np.trapezoid(np.exp(evidence), grid[::30]))
    assert rb.inside(model, np.array([0.3, np.nan])).log_evidence == pytest.approx(total, abs=1e-6)


def test_noise_per_observation(y: np.ndarray) -> None:
    """Equal noise given per observation, as variances or matrices, is the model's own noise."""
    plain = rb.inside(model_with(), y).log_evidence
    other = model_with(noise_std=7.0)
    variances = np.full(y.shape, 0.01)
    assert rb.inside(other, rb.Series(y, variances)).log_evidence == pytest.approx(plain, abs=1e-9)
    matrices = variances[:, :, None] * np.eye(3)
    assert rb.inside(other, rb.Series(y, matrices)).log_evidence == pytest.approx(plain, abs=1e-9)


def test_enormous_noise_is_a_missing_observation(y: np.ndarray) -> None:
    """An observation with enormous noise says as little as a missing one, up to its own density."""
    model = model_with(shifts=None)
    noise = np.full(y.shape, 0.01)
    noise[7] = 1e12
    missing = y.copy()
    missing[7] = np.nan
    vague = rb.inside(model, rb.Series(y, noise)).log_evidence
    own_density = -1.5 * np.log(2 * np.pi * 1e12)
    assert vague == pytest.approx(rb.inside(model, missing).log_evidence + own_density, abs=1e-6)
