"""Random small Gaussian models of all kinds, and short series for them: numbers from a seed."""

from contextlib import suppress
from dataclasses import replace

import numpy as np

import recbayes as rb


def covariance(rng: np.random.Generator, size: int, scale: float) -> np.ndarray:
    """In one unit, in many, correlated, or nearly singular."""
    kind = rng.integers(4)
    if kind < 2:
        return np.diag((scale * 10.0 ** (rng.uniform(-1, 1, size=size) * kind)) ** 2)
    root = rng.normal(size=(size, size))
    if kind == 2 or size == 1:
        return scale**2 * (root @ root.T / size + 0.1 * np.eye(size))
    return scale**2 * (np.outer(root[0], root[0]) + 1e-6 * np.eye(size))


def small_model(rng: np.random.Generator) -> rb.GaussianRBN:
    """One to three variables of one to three dimensions, with maps, offsets, shifts, links without noise, and mixtures."""
    names = "abc"[: rng.integers(1, 4)]
    alike = rng.random() < 0.5
    dims = dict(zip(names, rng.integers(1, 4, size=len(names)).tolist(), strict=True))
    dims = dict.fromkeys(names, dims["a"]) if alike else dims
    columns = dims["a"] if alike else int(rng.integers(1, 3))

    def link(child: str, parent: str) -> rb.Link:
        size = dims[child]
        mapped = size != dims[parent] or rng.random() < 0.25
        noise = np.zeros((size, size)) if rng.random() < 0.05 else covariance(rng, size, 10.0 ** rng.uniform(-1.5, 0.7))
        offset = rng.normal(size=size) * rng.choice([0.3, 3.0]) if rng.random() < 0.3 else None
        return rb.Link(noise, rng.normal(size=(size, dims[parent])) if mapped else None, offset)

    variables = []
    for name in names:
        weights = rng.dirichlet([1.5] * rng.integers(2, 4))
        rules: list[rb.Split | rb.Emit] = []
        for weight in weights[1:]:
            left, right = rng.choice(list(names), size=2)
            links = link(left, name), link(right, name)
            shifts = {(0, 0): 1.0}
            if dims[name] > 1 and links[0].map is None and links[1].map is None and rng.random() < 0.4:
                share = float(rng.random())
                shifts = {(0, int(rng.integers(2))): share, (1, 0): 1.0 - share}
            rules.append(rb.Split(weight, left, right, *links, shifts))
        lengths = (rb.ExactlyOne(), rb.OnePlusPoisson(rng.uniform(0.3, 2)), rb.LengthTable(tuple(rng.dirichlet([1, 1, 1]))))
        shown = None if dims[name] == columns and rng.random() < 0.8 else rng.normal(size=(columns, dims[name]))
        noise = covariance(rng, columns, 10.0 ** rng.uniform(-1.5, 0.5))
        rules.append(rb.Emit(weights[0], noise, lengths[rng.integers(3)], shown))
        variables.append(rb.Variable(name, dims[name], tuple(rules)))
    shares = rng.dirichlet([1, 1]) if rng.random() < 0.2 else [1.0]
    components = tuple(
        rb.Component(2 * rng.normal(size=dims["a"]), covariance(rng, dims["a"], 10.0 ** rng.uniform(-1, 1)), share)
        for share in shares
    )
    if len(names) > 1 and rng.random() < 0.3:
        other = rb.Component(2 * rng.normal(size=dims["b"]), covariance(rng, dims["b"], 1.0), 0.4, variable="b")
        components = (*(replace(one, weight=0.6 * one.weight) for one in components), other)
    return rb.GaussianRBN(tuple(variables), rb.Prior("a", components))


def small_case(seed: int) -> tuple[rb.GaussianRBN, np.ndarray]:
    """A model, and a series that comes from it or does not, possibly with missing entries."""
    rng = np.random.default_rng(seed)
    model = small_model(rng)
    length = int(rng.integers(2, 6))
    series = rng.choice([1.0, 3.0]) * rng.normal(size=(length, model.observed_dim))
    if rng.random() < 0.6:
        with suppress(rb.LengthError):
            series, _ = model.sample(seed=seed, min_length=length, max_length=length, attempts=2000)
    if rng.random() < 0.25:
        series = np.where(rng.random(series.shape) < 0.2, np.nan, series)
    return model, series
