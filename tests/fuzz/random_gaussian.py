"""Random Gaussian models and hostile series for them."""

from typing import Any

import numpy as np

import recbayes as rb

LEVELS = {"tame": 0.5, "rough": 2.0, "wild": 6.0}  # orders of magnitude by which standard deviations differ, either way


def random_model(rng: np.random.Generator, level: str, *, simple: bool = False) -> rb.GaussianRBN:
    """One to three variables with all there is; "tame" has no extremes, `simple` one rule of each kind and no shifts."""
    tame, spread = level == "tame", LEVELS[level]
    unit = 1.0 if tame else 10.0 ** rng.uniform(-8, 8)
    count = 1 if simple else int(rng.integers(1, 4))
    dims = [int(rng.integers(1, 4)) for _ in range(count)]
    columns = int(rng.integers(1, 4))
    names = ["x", "ein Ü", "\n"][:count]

    def scale() -> float:
        return unit * 10.0 ** rng.uniform(-spread, spread)

    def covariance(size: int, definite: bool) -> np.ndarray:
        kind = rng.choice(["scalar", "diagonal", "full", "near", "zero", "rank one"])
        if kind in ("zero", "rank one") and (definite or tame):
            kind = "diagonal"
        if kind == "near" and tame:
            kind = "full"
        roots = np.array([scale() for _ in range(size)])
        if kind == "scalar":
            return np.eye(size) * roots[0] ** 2
        if kind == "zero":
            return np.zeros((size, size))
        factor = np.eye(size)
        if kind in ("full", "near"):
            factor = rng.normal(size=(size, size)) + np.eye(size)
            if kind == "near" and size > 1:
                factor[-1] = factor[0] + 10.0 ** rng.uniform(-5, -1) * factor[-1]
        if kind == "rank one":
            factor = np.outer(rng.normal(size=size), np.eye(size)[0])
        factor = roots[:, None] * factor
        return factor @ factor.T

    def linear(rows: int, size: int) -> np.ndarray:
        kind = rng.choice(["plain", "zero", "rank one", "wild"], p=[0.6, 0.1, 0.2, 0.1])
        if kind == "zero" and not tame:
            return np.zeros((rows, size))
        if kind == "rank one" and not tame:
            return np.outer(rng.normal(size=rows), rng.normal(size=size))
        return rng.normal(size=(rows, size)) * (10.0 ** rng.uniform(-3, 3) if kind == "wild" and not tame else 0.7)

    def offset(size: int) -> Any:
        return None if rng.random() < 0.6 else rng.normal(size=size) * scale()

    def link(size: int, child: int, shifted: bool) -> rb.Link:
        needs = child != size or (not shifted and rng.random() < 0.3)
        return rb.Link(covariance(child, False), linear(child, size) if needs else None, offset(child))

    def length() -> Any:
        table = rng.dirichlet(np.ones(3))
        return [
            rb.ExactlyOne(),
            rb.OnePlusPoisson(10.0 ** rng.uniform(-2, 1)),
            rb.OnePlusNegativeBinomial(10.0 ** rng.uniform(-2, 1), 10.0 ** rng.uniform(-4, 2)),
            rb.LengthTable(tuple(table)),
            rb.LengthTable((0.0, 1.0)),
            rb.Geometric(2.0 + 10.0 ** rng.uniform(-2, 1), minimum=2),
        ][int(rng.integers(4 if tame or simple else 6))]

    def emit(probability: float, size: int) -> rb.Emit:
        shows = size == columns and rng.random() < 0.6
        return rb.Emit(
            probability, covariance(columns, True), length(), None if shows else linear(columns, size), offset(columns)
        )

    def split(probability: float, size: int) -> rb.Split:
        left, right = (int(rng.integers(count)) for _ in range(2))
        shifted = not simple and dims[left] == dims[right] == size and rng.random() < 0.4
        shifts: dict = {(0, 0): 1.0}
        if shifted:
            a = rng.dirichlet(np.ones(size))
            shifts = {(s, int(rng.integers(size))): float(p) for s, p in enumerate(a)}
        return rb.Split(
            probability,
            names[left],
            names[right],
            link(size, dims[left], shifted),
            link(size, dims[right], shifted),
            shifts,
        )

    variables = []
    for name, size in zip(names, dims, strict=True):
        emits = 1 if simple else int(rng.choice([1, 1, 2]))
        splits = 1 if simple else int(rng.choice([0, 1, 1, 2]))
        chances = rng.dirichlet(np.ones(emits + splits))
        chances /= chances.sum()
        rules = [emit(p, size) for p in chances[:emits]] + [split(p, size) for p in chances[emits:]]
        variables.append(rb.Variable(name, size, tuple(rules)))
    root = int(rng.integers(count))
    parts = 1 if simple else int(rng.choice([1, 1, 2]))
    weights = rng.dirichlet(np.ones(parts))
    components = tuple(
        rb.Component(rng.normal(size=dims[root]) * scale(), covariance(dims[root], True), float(weight))
        for weight in weights / weights.sum()
    )
    return rb.GaussianRBN(tuple(variables), rb.Prior(names[root], components))


def hostile_series(rng: np.random.Generator, model: rb.GaussianRBN, length: int, level: str) -> np.ndarray:
    """Observations of about the model's size, or anything but."""
    tame = level == "tame"
    columns = model.observed_dim
    emission = next(rule for variable in model.variables for rule in variable.rules if isinstance(rule, rb.Emit))
    scale = float(np.sqrt(np.diag(emission.covariance).max())) * (1.0 if tame else 10.0 ** rng.choice([-6, 0, 0, 0, 2, 6]))
    y = rng.normal(size=(length, columns)) * scale
    kind = rng.choice(["plain", "constant", "offset", "holes", "no rows", "no column", "nothing", "zeros", "integers"])
    if kind == "constant":
        y = np.repeat(y[:1], length, axis=0)
    if kind == "offset" and not tame:
        y = y + scale * 1e8
    if kind == "holes":
        y = np.where(rng.random(y.shape) < 0.4, np.nan, y)
    if kind == "no rows":
        y[rng.random(length) < 0.5] = np.nan
    if kind == "no column":
        y[:, rng.integers(columns)] = np.nan
    if kind == "nothing":
        y[:] = np.nan
    if kind == "zeros":
        y = np.zeros_like(y)
    if kind == "integers":
        y = np.rint(y / scale)
    return y


def disguised(rng: np.random.Generator, y: np.ndarray) -> Any:
    """The same series as something else that users have."""
    kind = rng.choice(["array", "list", "frame", "fortran", "view", "masked", "objects"])
    if kind == "list":
        return y.tolist()
    if kind == "frame":
        import pandas

        return pandas.DataFrame(y, index=rng.permutation(len(y)))
    if kind == "fortran":
        return np.asfortranarray(y)
    if kind == "view":
        return np.repeat(y, 2, axis=0)[::2]
    if kind == "masked":
        return np.ma.masked_invalid(y)
    if kind == "objects":
        return np.where(np.isnan(y), None, y.astype(object))
    return y
