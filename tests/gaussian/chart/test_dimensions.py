"""Kernels are compiled for few dimensions and skip by bounds in many: all of them agree with the slow reference."""

import numpy as np
import pytest

import recbayes as rb
from recbayes.compiled.dimension import FEW, dimension_of
from recbayes.gaussian.kernels.adjoint import fill_adjoint
from recbayes.gaussian.kernels.inside import fill_inside
from tests.gaussian.chart.test_enumeration import check_against_reference

DIMENSIONS = (1, 2, 3, 4)
LENGTH = 20  # more than one group of lanes, and wide enough to try a neighbour's split first


def model_of(dim: int) -> rb.GaussianRBN:
    steps = range(min(dim, 3))
    return rb.GaussianRBN.create(
        dim=dim,
        noise_std=0.2,
        left_std=np.linspace(0.2, 0.4, dim),
        right_std=0.3,
        termination=0.55,
        shifts={step: 1.0 / len(steps) for step in steps},
        extra_observations=2.0,
    )


def series_of(dim: int, jump: float, seed: int = 0) -> np.ndarray:
    """Noise about levels that differ by a few jumps: where they are large, most splits are negligible."""
    rng = np.random.default_rng(seed)
    levels = np.repeat(rng.normal(scale=jump, size=(4, dim)), LENGTH // 4, axis=0)
    return levels + rng.normal(scale=0.2, size=(LENGTH, dim))


@pytest.mark.parametrize("dim", DIMENSIONS)
@pytest.mark.parametrize("jump", [0.0, 1.0, 30.0])
def test_dimensions_agree_with_the_reference(dim: int, jump: float) -> None:
    check_against_reference(model_of(dim), series_of(dim, jump))


@pytest.mark.parametrize("dim", DIMENSIONS)
def test_dimensions_agree_with_the_reference_where_data_is_missing(dim: int) -> None:
    y = series_of(dim, 1.0)
    y[[3, 4, 5, 11], 0] = np.nan
    y[7] = np.nan
    check_against_reference(model_of(dim), y)


@pytest.mark.parametrize("dim", DIMENSIONS)
@pytest.mark.parametrize("jump", [0.0, 1.0])
def test_slopes_in_all_dimensions_along_a_line(dim: int, jump: float) -> None:
    model, y = model_of(dim), series_of(dim, jump)
    parameters = rb.Parameters(model)
    vector = parameters.vector()
    along = np.random.default_rng(1).normal(size=len(vector))

    def value(step: float) -> float:
        return rb.inside(parameters.with_vector(vector + step * along), y).log_evidence

    estimates = [(value(step) - value(-step)) / (2 * step) for step in (2e-4, 1e-4)]
    found = rb.log_evidence_and_gradient(parameters.with_vector(vector), y, parameters=parameters).gradient @ along
    assert found == pytest.approx((4 * estimates[1] - estimates[0]) / 3, rel=1e-6)


def test_offsets_lose_no_digits() -> None:
    """Moments are taken about the mode of one of the heaviest alternatives, however far from zero."""
    y = series_of(1, 1.0)
    near, far = (
        rb.inside(rb.GaussianRBN.create(dim=1, prior_mean=offset, noise_std=0.2, extra_observations=2.0), y + offset)
        for offset in (0.0, 2.0**20)
    )
    assert far.log_evidence == pytest.approx(near.log_evidence, rel=1e-9)


def test_only_what_is_used_is_compiled() -> None:
    assert [len(dimension_of(size)) for size in (1, FEW, FEW + 1, 12)] == [1, FEW, 0, 0]
    rb.log_evidence_and_gradient(model_of(2), series_of(2, 1.0))
    for kernel in (fill_inside, fill_adjoint):
        lengths = [len(types[0]) for types in kernel.overloads]
        assert 2 in lengths
        assert len(lengths) == len(set(lengths))
