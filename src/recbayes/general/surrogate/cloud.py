"""Values as a model has them by itself: draws of many nodes, generation by generation, without any observations.

From these follow the Gaussian that stands for each variable and each link: child = A parent + b + noise of covariance Q, by
regression of drawn children on their parents.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from recbayes.general.extra import in_doubles, jax_module
from recbayes.general.model.coordinates import to_coordinates, width
from recbayes.general.model.densities import called, in_arrays, log_structure
from recbayes.general.model.parts import Step, compiled
from recbayes.general.model.rbn import RBN
from recbayes.general.model.sampling import children_of
from recbayes.general.model.supports import Real, Support

DRAWS = 1024  # values of every variable in each generation
GENERATIONS = 6
WIDE = 2.0  # the Gaussian of a variable is so much wider than its draws, in variance
FAR = 5.0  # deviations (of the middle half) beyond which draws are taken to lie there: heavy tails have no variance
LEAST = 1e-6  # of a link's deviation, as a share of its variable's


class Normal(NamedTuple):
    mean: np.ndarray  # (D,)
    covariance: np.ndarray  # (D, D)


class Link(NamedTuple):
    """child = A parent + b + noise of covariance Q, in coordinates; of a discrete parent, A has no columns."""

    A: np.ndarray
    b: np.ndarray
    Q: np.ndarray


LinkKey = tuple[str, str, int, int]  # variable, step, which child, state of the parent


@dataclass(frozen=True)
class Cloud:
    """Of every continuous variable the Gaussian that its values are compared with, and some of its values; the root's prior
    (None if it is discrete); and all links."""

    around: Mapping[str, Normal]
    points: Mapping[str, np.ndarray]
    prior: Normal | None
    links: Mapping[LinkKey, Link]


def make_cloud(model: RBN, parameters: Any, seed: int) -> Cloud:
    """Draws from the prior on, and what follows from them."""
    with in_doubles():
        return _Simulation(model, in_arrays(parameters), seed).run()


class _Simulation:
    def __init__(self, model: RBN, parameters: Any, seed: int) -> None:
        self.model, self.parts, self.parameters = model, model.parts, parameters
        self.rng = np.random.default_rng(seed)
        self.values: dict[str, list[np.ndarray]] = {name: [] for name in self.parts.variables}
        self.pairs: dict[LinkKey, list[_Pairs]] = {}

    def run(self) -> Cloud:
        roots, known = self._roots()
        here = {self.parts.root: self._as_values(self.parts.root, roots)}
        for _ in range(GENERATIONS):
            here = self._next(here)
        around, points = {}, {}
        for name, support in self.parts.variables.items():
            if not support.is_discrete:
                values = np.concatenate(self.values[name]) if self.values[name] else np.ones((1, support.size))
                u = to_coordinates(support, values)
                found = normal_of(u, np.ones(len(u)))
                around[name] = Normal(found.mean, WIDE * found.covariance)
                points[name] = u[self.rng.permutation(len(u))[:DRAWS]]
        root = self.parts.variables[self.parts.root]
        top = None
        if not root.is_discrete:
            top = known or normal_of(to_coordinates(root, roots.reshape(DRAWS, -1)), np.ones(DRAWS))
        return Cloud(around, points, top, {key: self._link(key, pairs, around) for key, pairs in self.pairs.items()})

    def _roots(self) -> tuple[np.ndarray, Normal | None]:
        """Draws of the prior, and its mean and covariance where they are known."""
        jax = jax_module()
        support = self.parts.variables[self.parts.root]

        def make(parameters: Any, keys: Any) -> Any:
            prior = called("the prior", self.parts.prior, self.model.called_with(parameters))
            return jax.vmap(prior.sample)(keys), moments_of(prior, support)

        drawn, known = compiled(self.parts, "roots of a cloud", make)(self.parameters, self._keys(DRAWS))
        if known is not None and all(np.isfinite(one).all() for one in known):
            return np.asarray(drawn), Normal(np.asarray(known[0]), np.asarray(known[1]))
        return np.asarray(drawn), None

    def _keys(self, count: int) -> Any:
        return jax_module().random.split(jax_module().random.PRNGKey(int(self.rng.integers(2**31))), count)

    def _as_values(self, name: str, drawn: np.ndarray) -> np.ndarray:
        support = self.parts.variables[name]
        return drawn.reshape(len(drawn)) if support.is_discrete else drawn.reshape(len(drawn), support.size)

    def _next(self, here: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Values of the next generation: of every variable as many."""
        found: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {}
        for name, values in here.items():
            self.values[name].append(values)
            visit = compiled(self.parts, ("a generation of a cloud", name), partial(self._visit, name))
            chances, children, known = visit(self.parameters, values, self._keys(len(values)))
            for n, ((step_name, step), p) in enumerate(
                zip(self.parts.steps[name].items(), np.asarray(chances).T, strict=True)
            ):
                p = np.where(np.isfinite(p), np.maximum(p, 0.0), 0.0)
                for number, (child, one) in enumerate(zip(step.children, children[n], strict=False)):
                    if child in self.parts.variables:
                        below = self._as_values(child, np.asarray(one))
                        found.setdefault(child, []).append((below, p))
                        self._note((name, step_name, number), child, values, _Drawn(below, known[n][number], p))
        return {name: self._chosen(many) for name, many in found.items() if sum(p.sum() for _, p in many) > 0.0}

    def _visit(self, name: str, parameters: Any, values: Any, keys: Any) -> Any:
        """Probabilities of all steps, children by each of them and their moments, of many values at once."""
        jax, jnp = jax_module(), jax_module("jax.numpy")
        steps: Mapping[str, Step] = self.parts.steps[name]
        given = self.model.called_with(parameters)

        def one(x: Any, key: Any) -> Any:
            logs = log_structure(self.parts, given, name, x)
            own = jax.random.split(key, len(steps))
            drawn = [children_of(self.parts, given, step, x, k) for step, k in zip(steps.values(), own, strict=True)]
            known = [self._moments(given, step, x) for step in steps.values()]
            return jnp.exp(jnp.stack([logs[step_name] for step_name in steps])), drawn, known

        return jax.vmap(one)(values, keys)

    def _moments(self, given: Any, step: Step, x: Any) -> list[Any]:
        density = called(f"a step to {' '.join(step.children)}", step.density, given, x)
        if len(step.children) == 1 and not isinstance(density, list | tuple):
            density = [density]
        if not isinstance(density, list | tuple):
            return [None] * len(step.children)
        supports = [self.parts.variables.get(child) for child in step.children]
        return [None if own is None else moments_of(one, own) for one, own in zip(density, supports, strict=True)]

    def _note(self, key: tuple[str, str, int], child: str, values: np.ndarray, drawn: "_Drawn") -> None:
        """Keep parents and children, for the regression of these on those."""
        parent, own = self.parts.variables[key[0]], self.parts.variables[child]
        if own.is_discrete:
            return
        u, spread = to_coordinates(own, drawn.values), np.zeros((len(values), width(own), width(own)))
        known = drawn.moments
        if known is not None and all(np.isfinite(np.asarray(one)).all() for one in known):
            u, spread = np.asarray(known[0]), np.asarray(known[1])
        x = np.zeros((len(values), 0)) if parent.is_discrete else to_coordinates(parent, values)
        for state in range(parent.states):
            chosen = values == state if parent.is_discrete else np.ones(len(values), dtype=np.bool_)
            if chosen.any():
                pairs = _Pairs(x[chosen], u[chosen], spread[chosen], drawn.chances[chosen])
                self.pairs.setdefault((*key, state), []).append(pairs)

    def _chosen(self, many: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
        values, p = np.concatenate([one for one, _ in many]), np.concatenate([one for _, one in many])
        return values[self.rng.choice(len(values), DRAWS, p=p / p.sum())]

    def _link(self, key: LinkKey, pairs: "list[_Pairs]", around: Mapping[str, Normal]) -> Link:
        x, u, spread, p = (np.concatenate(one) for one in zip(*pairs, strict=True))
        name, step, number, _ = key
        scale = around[self.parts.steps[name][step].children[number]].covariance
        return link_of(x, u, spread, np.maximum(p, 1e-12), np.diagonal(scale))


class _Drawn(NamedTuple):
    """Children by one step: drawn, their means and covariances if they are known, and how probable the step was."""

    values: np.ndarray
    moments: Any
    chances: np.ndarray


class _Pairs(NamedTuple):
    """Parents, children (or their means), how much these vary beside, and weights."""

    parents: np.ndarray
    children: np.ndarray
    spread: np.ndarray
    weights: np.ndarray


def moments_of(one: Any, support: Support) -> Any:
    """Mean and covariance of a distribution of real numbers, in JAX; None if it does not tell them."""
    jnp = jax_module("jax.numpy")
    if not isinstance(support, Real) or tuple(getattr(one, "event_shape", ())) != (support.size,):
        return None
    try:
        mean = one.mean
        covariance = one.covariance_matrix if hasattr(one, "covariance_matrix") else jnp.diag(one.variance)
    except (NotImplementedError, AttributeError):
        return None
    return (mean, covariance) if jnp.shape(covariance) == (support.size, support.size) else None


def normal_of(u: np.ndarray, weights: np.ndarray) -> Normal:
    """Mean and covariance of values with weights; what is far out is taken to be nearer."""
    u = np.where(np.isfinite(u), u, 0.0)
    middle = np.median(u, axis=0)
    half = np.median(np.abs(u - middle), axis=0) / 0.6745
    bounded = np.clip(u, middle - FAR * half, middle + FAR * half) if (half > 0.0).all() else u
    mean = np.average(bounded, axis=0, weights=weights)
    apart = bounded - mean
    covariance = (weights[:, None] * apart).T @ apart / weights.sum()
    floor = 1e-12 * np.diagonal(covariance) + 1e-24 * mean**2 + 1e-200  # never flat, in whatever units
    return Normal(mean, covariance + np.diag(floor))


def link_of(x: np.ndarray, u: np.ndarray, spread: np.ndarray, weights: np.ndarray, scale: np.ndarray) -> Link:
    """The regression of children on parents, with weights; `spread` is what children vary by beside."""
    design = np.concatenate([x, np.ones((len(x), 1))], axis=1)
    root = np.sqrt(weights / weights.mean())[:, None]
    centre, unit = x.mean(axis=0), x.std(axis=0)
    unit = np.where(unit > 0.0, unit, 1.0)
    design[:, :-1] = (x - centre) / unit
    solution = np.linalg.lstsq(design * root, u * root, rcond=1e-10)[0]
    residual = normal_of(u - design @ solution, weights)
    A = solution[:-1].T / unit
    b = solution[-1] - A @ centre + residual.mean
    Q = residual.covariance + np.average(spread, axis=0, weights=weights)
    return Link(A, b, Q + np.diag(LEAST**2 * scale))
