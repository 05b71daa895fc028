"""Which columns have one value most of the time and others in between, and which only seem so."""

from collections.abc import Callable

import numpy as np
import pytest

from recbayes.segmentation.sparse import sparse_columns

Draw = Callable[[np.random.Generator], np.ndarray]
SPARSE: dict[str, Draw] = {
    "yes and no": lambda rng: rng.random(300) < 0.5,
    "mostly yes": lambda rng: rng.random(300) < 0.8,
    "rarely no": lambda rng: rng.random(3000) < 0.97,
    "yes and no, turned": lambda rng: rng.random(300) < np.repeat([0.2, 0.8], 150),
    "sparse counts": lambda rng: rng.poisson(0.1, 300),
    "counts of a third": lambda rng: rng.poisson(0.35, 300),
    "rain": lambda rng: (rng.random(300) < 0.3) * rng.gamma(1.0, 5.0, 300),
}
OTHERS: dict[str, Draw] = {
    "counts of one": lambda rng: rng.poisson(1.0, 300),
    "counts of two": lambda rng: rng.poisson(2.0, 300),
    "steps without noise": lambda rng: np.repeat(np.arange(15) % 2, 20),
    "steps at random": lambda rng: np.cumsum(rng.random(300) < 0.05) % 2,
    "a stuck sensor": lambda rng: np.concatenate([rng.normal(size=100), np.full(200, 0.3)]),
    "stuck twice": lambda rng: np.concatenate([rng.normal(size=60), np.full(100, 0.3)] * 2),
    "rounded": lambda rng: rng.normal(size=300).round(),
    "rounded steps": lambda rng: (np.repeat([0, 5, 0], 100) + 0.3 * rng.normal(size=300)).round(),
    "a constant with spikes": lambda rng: np.where(np.arange(300) % 100 == 50, 9, 1),
    "a constant": lambda rng: np.ones(300),
    "nothing": lambda rng: np.full(300, np.nan),
    "few": lambda rng: np.arange(12) % 2,
}


@pytest.mark.parametrize("seed", range(5))
def test_sparse_columns(seed: int) -> None:
    for name, draw in {**SPARSE, **OTHERS}.items():
        y = np.asarray(draw(np.random.default_rng(seed)), dtype=np.float64)
        assert [one.column for one in sparse_columns(np.stack([y, np.arange(float(len(y)))], axis=1))] == (
            [0] if name in SPARSE else []
        ), name


def test_what_is_usual_is_said() -> None:
    y = np.tile([3.0, 3.0, 7.0, 3.0, np.nan], 20)
    assert [tuple(one) for one in sparse_columns(y[:, None])] == [(0, 3.0, 0.75)]
