"""Random general models of all kinds, described by plain numbers, so that an oracle can compute their densities itself."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from scipy.special import expit, softmax
from scipy.stats import norm, poisson

import recbayes as rb

SHAPES = {  # variables with their numbers of states (0: continuous), and steps to their children; y and n are terminals
    "one": ({"a": 0}, {"a": [("a", "a"), ("y",)]}),
    "three at once": ({"a": 0}, {"a": [("a", "a", "a"), ("y",)]}),
    "two kinds": ({"a": 0, "b": 0}, {"a": [("b", "a"), ("y",)], "b": [("a", "a"), ("b",), ("y",)][::2]}),
    "unary": ({"a": 0, "b": 0}, {"a": [("b",), ("a", "b"), ("y",)], "b": [("y", "a"), ("y",)]}),
    "observed beside": ({"a": 0}, {"a": [("y", "a"), ("a", "n", "a"), ("n",)]}),
    "discrete": ({"d": 3}, {"d": [("d", "d"), ("y",)]}),
    "mixed": ({"a": 0, "d": 2}, {"a": [("d", "a"), ("y",)], "d": [("a", "d"), ("a",), ("n",)]}),
    "mixed three": ({"d": 2, "a": 0}, {"d": [("a", "d", "y"), ("n",)], "a": [("d",), ("y",)]}),
}
COLUMNS = 2  # numbers of a continuous value, and of an observation of y


@dataclass(frozen=True)
class Plain:
    """A model in plain numbers: every density is linear in a vector that stands for the parent's value."""

    shape: str
    numbers: dict[Any, np.ndarray]
    leaf: rb.OnePlusPoisson | None

    @property
    def variables(self) -> dict[str, int]:
        return SHAPES[self.shape][0]  # type: ignore[return-value]

    @property
    def steps(self) -> dict[str, list[tuple[str, ...]]]:
        return SHAPES[self.shape][1]  # type: ignore[return-value]

    @property
    def root(self) -> str:
        return next(iter(self.variables))

    def length(self, children: tuple[str, ...]) -> rb.OnePlusPoisson | None:
        return self.leaf if children == ("y",) else None


def plain(shape: str, seed: int, leaf: rb.OnePlusPoisson | None) -> Plain:
    rng = np.random.default_rng(seed)
    variables, steps = SHAPES[shape]
    numbers: dict[Any, np.ndarray] = {"prior": rng.normal(size=8)}
    for name, own in steps.items():  # type: ignore[union-attr]
        size = variables[name] or COLUMNS  # type: ignore[index]
        numbers[name] = rng.normal(size=(len(own), size))
        for number, children in enumerate(own):
            for position, child in enumerate(children):
                rows = {"y": COLUMNS, "n": 1}.get(child, variables.get(child, 0) or COLUMNS)  # type: ignore[union-attr]
                numbers[name, number, position] = 0.5 * rng.normal(size=(rows, size))
    return Plain(shape, numbers, leaf)


def as_model(one: Plain) -> rb.RBN:
    """The same, for JAX; all numbers are parameters."""
    import jax
    import jax.numpy as jnp
    import numpyro.distributions as dist

    keys = {f"{key}": key for key in one.numbers}

    def feature(name: str, x: Any) -> Any:
        return x if one.variables[name] == 0 else jax.nn.one_hot(x, one.variables[name])

    def child(kind: str, mean: Any) -> Any:
        if kind == "n":
            return dist.Poisson(jnp.exp(mean[0]))
        if one.variables.get(kind, 0):
            return dist.Categorical(logits=mean)
        return dist.Normal(mean, 0.7).to_event(1)

    def density(name: str, number: int, children: tuple[str, ...]) -> Any:
        def made(p: Any, x: Any) -> Any:
            return [child(kind, p[f"{(name, number, n)}"] @ feature(name, x)) for n, kind in enumerate(children)]

        return made

    def structure(name: str) -> Any:
        names = [f"step {n}" for n in range(len(one.steps[name]))]

        def made(p: Any, x: Any) -> Any:
            logits = p[name] @ feature(name, x)
            if len(names) == 2:
                return {names[1]: jax.nn.sigmoid(logits[1] - logits[0])}  # the other has the rest
            return dict(zip(names, jax.nn.softmax(logits), strict=True))

        return made

    def prior(p: Any) -> Any:
        states = one.variables[one.root]
        return dist.Categorical(logits=p["prior"][:states]) if states else dist.Normal(p["prior"][:COLUMNS], 1.3).to_event(1)

    return rb.RBN(
        variables={name: rb.Discrete(states) if states else rb.Real(COLUMNS) for name, states in one.variables.items()},
        steps={
            name: {
                f"step {n}": rb.Step(children, density(name, n, children), one.length(children))
                for n, children in enumerate(own)
            }
            for name, own in one.steps.items()
        },
        structures={name: structure(name) for name in one.steps},
        root=one.root,
        prior=prior,
        parameters={text: one.numbers[key] for text, key in keys.items()},
    )


@dataclass(frozen=True)
class Structure:
    """One of all structures below a node, with states of discrete nodes: its log density, and spans of its nodes."""

    log: float
    spans: tuple[tuple[int, int], ...]


class Oracle:
    """All structures of a short sequence at fixed values, one by one. `values` are by variable (N + 1, N + 1, COLUMNS)."""

    def __init__(self, one: Plain, observed: list[tuple[str, Any]], values: dict[str, np.ndarray]) -> None:
        self.one, self.observed, self.values = one, observed, values

    def all(self) -> list[Structure]:
        end, root = len(self.observed), self.one.root
        found = []
        for value in self._choices(root, 0, end):
            mean = self.one.numbers["prior"]
            states = self.one.variables[root]
            log = np.log(softmax(mean[:states]))[value] if states else norm.logpdf(value, mean[:COLUMNS], 1.3).sum()
            found += [Structure(log + below.log, below.spans) for below in self._below(root, value, 0, end)]
        return found

    def _choices(self, name: str, start: int, end: int) -> list[Any]:
        states = self.one.variables[name]
        return list(range(states)) if states else [self.values[name][start, end]]

    def _below(self, name: str, value: Any, start: int, end: int) -> Iterator[Structure]:
        states = self.one.variables[name]
        feature = np.eye(states)[value] if states else value
        chances = softmax(self.one.numbers[name] @ feature)
        if len(chances) == 2:
            logits = self.one.numbers[name] @ feature
            chances = np.array([expit(logits[0] - logits[1]), expit(logits[1] - logits[0])])
        for number, children in enumerate(self.one.steps[name]):
            log = float(np.log(chances[number]))
            means = [self.one.numbers[name, number, n] @ feature for n in range(len(children))]
            if len(children) == 1 and children[0] in "yn":
                own = self._leaf(children, means[0], start, end)
                if own is not None:
                    yield Structure(log + own, ((start, end),))
                continue
            for edges in _divisions(start, end, len(children)):
                for below in self._children(children, means, edges, 0):
                    yield Structure(log + below.log, ((start, end), *below.spans))

    def _leaf(self, children: tuple[str, ...], mean: np.ndarray, start: int, end: int) -> float | None:
        length = self.one.length(children)
        if any(kind != children[0] for kind, _ in self.observed[start:end]) or (length is None and end - start > 1):
            return None
        log = 0.0 if length is None else float(length.log_probability(np.array([end - start]))[0])
        return log + sum(self._observation(t, mean) for t in range(start, end))

    def _observation(self, t: int, mean: np.ndarray) -> float:
        kind, value = self.observed[t]
        if kind == "n":
            return 0.0 if np.isnan(value) else float(poisson.logpmf(value, np.exp(mean[0])))
        return float(np.nansum(norm.logpdf(value, mean, 0.7)))

    def _children(
        self, children: tuple[str, ...], means: list[np.ndarray], edges: tuple[int, ...], n: int
    ) -> Iterator[Structure]:
        if n == len(children):
            yield Structure(0.0, ())
            return
        for rest in self._children(children, means, edges, n + 1):
            start, end, kind = edges[n], edges[n + 1], children[n]
            if kind in "yn":
                if end - start == 1 and self.observed[start][0] == kind:
                    yield Structure(rest.log + self._observation(start, means[n]), ((start, end), *rest.spans))
                continue
            for value in self._choices(kind, start, end):
                states = self.one.variables[kind]
                log = np.log(softmax(means[n]))[value] if states else norm.logpdf(value, means[n], 0.7).sum()
                for below in self._below(kind, value, start, end):
                    yield Structure(float(log) + below.log + rest.log, (*below.spans, *rest.spans))


def _divisions(start: int, end: int, parts: int) -> Iterator[tuple[int, ...]]:
    if parts == 1:
        yield start, end
        return
    for middle in range(start + 1, end - parts + 2):
        for rest in _divisions(middle, end, parts - 1):
            yield start, *rest


@st.composite
def cases(
    draw: st.DrawFn, most: int = 5, shapes: Sequence[str] = tuple(sorted(SHAPES))
) -> tuple[Plain, list[tuple[str, Any]], dict[str, np.ndarray]]:
    """A model, a short sequence that it may generate, with missing entries, and values for all spans."""
    shape = draw(st.sampled_from(shapes))
    leaf = rb.OnePlusPoisson(1.5) if draw(st.booleans()) else None
    seed = draw(st.integers(0, 2**32 - 1))
    one, rng = plain(shape, seed, leaf), np.random.default_rng([seed, 1])
    used = {child for own in one.steps.values() for children in own for child in children if child in "yn"}
    observed: list[tuple[str, Any]] = []
    for _ in range(draw(st.integers(1, most))):
        kind = draw(st.sampled_from(sorted(used)))
        missing = draw(st.integers(0, 5)) == 0
        row = rng.normal(size=COLUMNS) if kind == "y" else float(rng.poisson(1.5))
        if missing:
            row = np.where(rng.random(COLUMNS) < 0.6, np.nan, row) if kind == "y" else np.nan
        observed.append((kind, row))
    count = len(observed) + 1
    values = {name: rng.normal(size=(count, count, COLUMNS)) for name, states in one.variables.items() if not states}
    return one, observed, values
