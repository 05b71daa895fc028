"""Fits on hostile data and at the edges of settings: a usable model, no worse than the start, or one line."""

import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import recbayes as rb
from tests.fuzz.hostile import attempt, finite, seeds
from tests.fuzz.random_gaussian import random_model


def hostile_data(rng: np.random.Generator) -> list[np.ndarray]:
    columns, count = int(rng.integers(1, 4)), int(rng.choice([1, 2, 3, 8]))
    scale = 10.0 ** float(rng.choice([-8, -3, 0, 0, 3, 8, 100]))
    kinds = ["plain", "constant", "collinear", "one", "missing", "holes", "offset", "zeros", "steps", "outlier", "integers"]
    kind = str(rng.choice(kinds))
    series = []
    for _ in range(count):
        length = 1 if kind == "one" else int(rng.integers(1, 12))
        y = rng.normal(size=(length, columns))
        if kind == "constant":
            y[:] = 1.5
        if kind == "collinear":
            y[:] = y[:, :1]
        if kind == "missing":
            y[:, 0] = np.nan
        if kind == "holes":
            y[rng.random(y.shape) < 0.5] = np.nan
        if kind == "offset":
            y += 1e9
        if kind == "zeros":
            y[:] = 0.0
        if kind == "steps":
            y = np.sign(y)
        if kind == "outlier":
            y[0, 0] = 1e12
        if kind == "integers":
            y = np.rint(3 * y)
        series.append(y * scale)
    return series


def _settings(rng: np.random.Generator) -> dict[str, Any]:
    settings: dict[str, Any] = {"standard_errors": bool(rng.random() < 0.3), "max_evaluations": 60}
    settings["covariance"] = str(rng.choice(["keep", "scalar", "diagonal", "circulant", "full"]))
    extras: list[dict[str, Any]] = [
        {},
        {"tied": True},
        {"restarts": 1},
        {"exact": 5},
        {"climb": rb.Adam(batch=1, epochs=2)},
        {"penalty": rb.Penalty(smallest_std=0.0, pseudo_count=0.0)},
        {"tolerance": 0.0},
        {"fixed": ["prior.*"]},
        {"fixed": "*"},
        {"on_error": "skip"},
        {"max_evaluations": 1},
        {"method": "adam", "learning_rate": 100.0, "epochs": 2},
        {"smallest_std": 1e300},
        {"pseudo_count": 1e6},
        {"tolerance": 1e300},
    ]
    extra = extras[int(rng.integers(len(extras)))]
    if "climb" in extra:
        settings.pop("max_evaluations")
    return {**settings, **extra}


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(50))
def test_fit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    series = hostile_data(rng)
    before = [y.copy() for y in series]
    columns = series[0].shape[1]
    model = attempt(rb.GaussianRBN.guess, series)
    if model and rng.random() < 0.3:
        model = random_model(rng, "tame", simple=True)
        if model.observed_dim != columns:
            model = rb.GaussianRBN.create(dim=columns, termination=0.5, extra_observations=1.0)
    settings = _settings(rng)
    given = series[0] if len(series) == 1 and rng.random() < 0.5 else series
    if "exact" not in settings and rng.random() < 0.5:
        settings |= {"priors": None, "exact": None}
    if not model:
        assert not attempt(rb.fit, None, given, **settings)
        return
    found = attempt(rb.fit, model, given, **settings)
    for y, same in zip(series, before, strict=True):
        assert np.array_equal(y, same, equal_nan=True)
    if not found:
        return
    assert str(found)
    assert repr(found)
    finite(found.log_likelihood, "log likelihood")
    charts = attempt(rb.inside, found.model, series)
    assert charts or found.skipped, charts.text
    if charts and not found.skipped and not settings.get("exact"):
        total = sum(chart.log_evidence for chart in charts)
        assert total == pytest.approx(found.chart_log_likelihood, rel=1e-6, abs=1e-3)
    start = attempt(rb.inside, model, series)
    plain = not {"smallest_std", "pseudo_count", "penalty", "climb", "method"} & set(settings) and "priors" in settings
    if start and charts and plain and settings["covariance"] == "keep" and not settings.get("tied"):
        first = sum(chart.log_evidence for chart in start)
        assert total >= first - 1e-2 - 1e-6 * abs(first), (total, first)
    posterior = attempt(rb.sample_posterior, found.model, series[0], draws=5, seed=0)
    if charts:
        assert posterior, posterior.text


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(10))
def test_segmenter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    series = hostile_data(rng)
    X: Any = series[0] if rng.random() < 0.3 else series
    segmenter = rb.HierarchicalSegmenter(
        draws=20,
        level=[None, 0, 1, 50][seed % 4],
        covariance=str(rng.choice(["diagonal", "scalar"])),
        learn=[None, True][seed % 2],
    )
    found = attempt(segmenter.fit, X)
    if not found:
        return
    trees = attempt(segmenter.predict, X)
    assert not isinstance(trees, bool)
    if not trees:
        return
    labels = attempt(segmenter.transform, X)
    many = [(trees, labels, X)] if isinstance(X, np.ndarray) else list(zip(trees, labels, X, strict=True))
    for tree, numbers, y in many:
        assert tree.spans[0] == (0, len(y))
        assert numbers.shape == (len(y), 1)
        assert (np.diff(numbers[:, 0]) >= 0).all()
    finite(attempt(segmenter.score, X), "score")


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(5))
def test_compare(seed: int) -> None:
    rng = np.random.default_rng(seed)
    series = hostile_data(rng)
    columns = series[0].shape[1]
    models = {
        "one": attempt(rb.GaussianRBN.guess, series),
        "two": rb.GaussianRBN.create(dim=columns, extra_observations=1.0),
    }
    if not models["one"]:
        return
    found = attempt(rb.compare, models, series, folds=2, max_evaluations=30)
    if found:
        assert str(found)
        assert len(found.by_series) == 2


@pytest.mark.slow
def test_executors_agree() -> None:
    """Threads, processes, one thread: the same bits."""
    model = rb.GaussianRBN.create(dim=2, termination=0.6, extra_observations=2.0)
    series = [model.sample(seed=seed, max_length=9)[0] for seed in range(5)]
    settings: dict[str, Any] = {"standard_errors": False, "max_evaluations": 15}
    first = rb.fit(model, series, **settings)
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(5) as five, ProcessPoolExecutor(2) as processes:
        for pool in (one, five, processes):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # forks of a process with threads
                found = rb.fit(model, series, executor=pool, **settings)
            assert found.log_likelihood == first.log_likelihood
    closed = ThreadPoolExecutor(1)
    closed.shutdown()
    assert not attempt(rb.fit, model, series, executor=closed, **settings)


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(40))
def test_settings(seed: int) -> None:
    """Values that settings should not have: one line, at once."""
    rng = np.random.default_rng(seed)
    y = [np.zeros((3, 1)), np.ones((2, 1))]
    names = ["tolerance", "max_evaluations", "batch", "epochs", "learning_rate", "smallest_std", "pseudo_count", "executor"]
    names += [
        "checkpoint",
        "resume",
        "progress",
        "restarts",
        "seed",
        "exact",
        "standard_errors",
        "on_error",
        "covariance",
        "tied",
    ]
    names += ["fixed", "climb", "penalty", "work", "boundaries", "allowed", "method"]
    values: list[Any] = [
        -1,
        1.5,
        "x",
        float("nan"),
        float("inf"),
        None,
        [],
        {},
        np.zeros(3),
        True,
        10**30,
        object(),
        [["a"]],
        b"x",
    ]
    for name in rng.choice(names, size=4, replace=False):
        value = values[int(rng.integers(len(values)))]
        if name in ("checkpoint", "restarts", "exact") and not isinstance(value, int | float):
            continue
        settings = {"max_evaluations": 3, "standard_errors": False, str(name): value}
        attempt(rb.fit, None, y, **settings)
