"""Hidden Markov models and linear dynamical systems against a forward-backward pass and a Kalman smoother in NumPy."""

import itertools

import numpy as np
import pytest

import recbayes as rb
from tests.fuzz.all_trees import exact
from tests.fuzz.hostile import attempt, finite, is_probability, seeds


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(150))
def test_hidden_markov_model(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, symbols, N = int(rng.integers(1, 4)), int(rng.integers(1, 4)), int(rng.integers(1, 6))
    sharp = float(rng.choice([1.0, 0.1, 0.01]))

    def rows(*shape: int) -> np.ndarray:
        table = rng.dirichlet(np.full(shape[-1], sharp), size=shape[:-1])
        table = np.where(table < 1e-200, 0.0, table)
        if rng.random() < 0.3:
            table[rng.random(table.shape) < 0.3] = 0.0
        table = table + np.where(table.sum(axis=-1, keepdims=True) == 0, 1.0, 0.0)
        return table / table.sum(axis=-1, keepdims=True)

    start, A, B = rows(n), rows(n, n), rows(n, symbols)
    stop = None if rng.random() < 0.5 else float(rng.uniform(0.01, 0.99))
    model = attempt(rb.HMM, start, A, B, termination=stop)
    assert model, model.text
    tokens = [None if rng.random() < 0.2 else str(int(rng.integers(symbols))) for _ in range(N)]
    seen = np.array([np.ones(n) if token is None else B[:, int(token)] for token in tokens])
    paths = {}
    for path in itertools.product(range(n), repeat=N):
        p = start[path[0]] * np.prod([A[a, b] for a, b in itertools.pairwise(path)])
        paths[path] = p * np.prod([seen[t, state] for t, state in enumerate(path)])
    ends = 0.0 if stop is None else (N - 1) * np.log1p(-stop) + np.log(stop)
    total = sum(paths.values())
    chart = attempt(rb.inside, model, tokens)
    if total < 1e-290:  # zero, or too small to say
        assert total > 0 or not chart or chart.log_evidence < -600
        return
    assert chart, chart.text
    assert chart.log_evidence == pytest.approx(np.log(total) + ends, abs=1e-9)
    smoothed = attempt(rb.smoothed_states, model, tokens)
    wanted = np.zeros((N, n))
    for path, p in paths.items():
        for t, state in enumerate(path):
            wanted[t, state] += p / total
    assert np.allclose(smoothed, wanted, atol=1e-9)
    forward = start * seen[0]
    filtered = attempt(rb.filtered_states, model, tokens)
    for t in range(N):
        assert np.allclose(filtered[t], forward / forward.sum(), atol=1e-9)
        forward = forward @ A * seen[min(t + 1, N - 1)]
    path, weight = attempt(rb.best_states, model, tokens)
    assert weight == pytest.approx(np.log(max(paths.values())) + ends, abs=1e-9)
    assert paths[tuple(int(state) for state in path)] == pytest.approx(max(paths.values()))
    posterior = attempt(rb.sample_posterior, model, tokens, draws=20, seed=seed)
    is_probability(posterior.node_probability, "node probability")
    learnt = attempt(rb.reestimate, model, [tokens] * 2, steps=3)
    if learnt:
        finite(learnt.history, "history")
        assert learnt.history[-1] >= learnt.history[0] - 1e-9


def kalman(F: np.ndarray, Q: np.ndarray, H: np.ndarray, R: np.ndarray, m: np.ndarray, S: np.ndarray, y: np.ndarray) -> tuple:
    """Log density, filtered and smoothed means and covariances, in sixty digits."""

    def big(values: np.ndarray) -> np.ndarray:
        return np.vectorize(exact.mpf, otypes=[object])(values)

    def inverse(matrix: np.ndarray) -> np.ndarray:
        return np.array((exact.matrix(matrix.tolist()) ** -1).tolist(), dtype=object)

    F, Q, H, R, mean, cov = map(big, (F, Q, H, R, m, S))
    total, filtered, predicted = exact.mpf(0), [], []
    for t, row in enumerate(y):
        if t:
            mean, cov = F @ mean, F @ cov @ F.T + Q
        predicted.append((mean, cov))
        keep = ~np.isnan(row)
        if keep.any():
            h, r = H[keep], R[np.ix_(keep, keep)]
            V = h @ cov @ h.T + r
            W = inverse(V)
            apart = big(row[keep]) - h @ mean
            gain = cov @ h.T @ W
            size = int(keep.sum())
            total -= (
                apart @ W @ apart + exact.log(exact.det(exact.matrix(V.tolist()))) + size * exact.log(2 * exact.pi)
            ) / 2
            mean, cov = mean + gain @ apart, cov - gain @ h @ cov
        filtered.append((mean, cov))
    smoothed = [filtered[-1]]
    for (mean, cov), (ahead, wide) in zip(filtered[-2::-1], predicted[:0:-1], strict=True):
        gain = cov @ F.T @ inverse(wide)
        later, narrow = smoothed[-1]
        smoothed.append((mean + gain @ (later - ahead), cov + gain @ (narrow - wide) @ gain.T))
    as_floats = [[part.astype(float) for part in one] for one in (*filtered, *smoothed[::-1])]
    return float(total), as_floats[: len(y)], as_floats[len(y) :]


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(100))
def test_linear_dynamical_system(seed: int) -> None:
    rng = np.random.default_rng(seed)
    d, c, N = int(rng.integers(1, 4)), int(rng.integers(1, 3)), int(rng.integers(1, 8))
    spread = float(rng.choice([0.3, 1.0, 2.0]))

    def covariance(size: int) -> np.ndarray:
        factor = rng.normal(size=(size, size)) + 2 * np.eye(size)
        return factor @ factor.T * 10.0 ** (2 * rng.uniform(-spread, spread))

    F, H = rng.normal(size=(d, d)) * 0.7, rng.normal(size=(c, d))
    Q, R, S, m = covariance(d), covariance(c), covariance(d), rng.normal(size=d)
    y = rng.normal(size=(N, c)) * 10.0 ** rng.uniform(-spread, spread)
    y[rng.random(y.shape) < 0.2] = np.nan
    model = attempt(rb.LinearDynamicalSystem, F, Q, H, R, m, S, termination=0.1)
    assert model, model.text
    wanted, filtered, smoothed = kalman(F, Q, H, R, m, S, y)
    chart = attempt(rb.inside, model, y)
    if not chart:
        assert spread > 0.3, chart.text
        assert "ill-conditioned" in chart.text
        return
    assert chart.log_evidence - (N - 1) * np.log(0.9) - np.log(0.1) == pytest.approx(wanted, rel=1e-8, abs=1e-6)
    for verb, right in ((rb.filtered_states, filtered), (rb.smoothed_states, smoothed)):
        found = attempt(verb, model, y)
        assert found, found.text
        for t, (mean, cov) in enumerate(right):
            deviations = np.sqrt(np.diag(cov))
            assert (np.abs(found.mean[t] - mean) <= 1e-5 * deviations + 1e-7 * np.abs(mean).max()).all(), verb
            assert (
                np.allclose(found.covariance[t], cov, atol=0, rtol=1e-4)
                or (np.abs(found.covariance[t] - cov) <= 1e-5 * np.outer(deviations, deviations)).all()
            ), (verb, found.covariance[t], cov)
