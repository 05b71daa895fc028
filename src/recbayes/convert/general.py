"""Gaussian and discrete models as general ones: the same distributions, as densities that JAX can compute."""

from collections.abc import Callable
from typing import Any

import numpy as np

from recbayes.discrete.model.rbn import DiscreteRBN
from recbayes.discrete.model.variables import Transition
from recbayes.errors import ModelError
from recbayes.gaussian.emissions.emit import Emit
from recbayes.gaussian.model.parts import Link, Split, Variable
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.general.extra import jax_module
from recbayes.general.model.parts import Step
from recbayes.general.model.rbn import RBN
from recbayes.general.model.supports import Discrete, Real

OBSERVED = "y"  # the terminal of a Gaussian model


def gaussian_to_general(model: GaussianRBN) -> RBN:
    """Every shift of a split is a step of its own. Links need a density, and emissions one for each observation."""
    roots = list(model.prior.weights_of_roots)
    if len(roots) > 1:
        raise ModelError(f"a general RBN has one root, and this model has {roots}")
    terminal = OBSERVED
    while terminal in [variable.name for variable in model.variables]:
        terminal += "'"
    found = {variable.name: _gaussian_steps(variable, terminal) for variable in model.variables}
    return RBN(
        variables={variable.name: Real(variable.dim) for variable in model.variables},
        steps={name: {one: step for one, (step, _) in steps.items()} for name, steps in found.items()},
        structures={name: _constant({one: p for one, (_, p) in steps.items()}) for name, steps in found.items()},
        root=roots[0],
        prior=_gaussian_prior(model),
    )


def _gaussian_steps(variable: Variable, terminal: str) -> dict[str, tuple[Step, float]]:
    """Steps by name, and their probabilities."""
    steps: dict[str, tuple[Step, float]] = {}
    for number, rule in enumerate(variable.rules):
        place = f" {number}" if len(variable.rules) > 2 else ""
        if isinstance(rule, Split):
            for shift, weight in rule.shifts.items():
                name = f"split{place}" if len(rule.shifts) == 1 else f"split{place} shift {shift[0]} {shift[1]}"
                density = _links([(rule.left_link, shift[0]), (rule.right_link, shift[1])])
                steps[name] = Step((rule.left, rule.right), density), rule.probability * weight
        elif isinstance(rule, Emit):
            link = Link(rule.covariance, rule.map, rule.offset)
            steps[f"emit{place}"] = Step((terminal,), _links([(link, 0)]), rule.length), rule.probability
        else:
            raise ModelError(f"{type(rule).__name__} has no density of single observations; only Emit can be made general")
    return steps


def _links(links: list[tuple[Link, int]]) -> Callable[[Any, Any], Any]:
    """Normal distributions of the children; of independent numbers, where covariances are diagonal."""
    for link, _ in links:
        if np.linalg.eigvalsh(link.covariance).min() <= 0.0:
            raise ModelError("a link without noise has no density; give it a small positive covariance")

    def density(parameters: Any, x: Any) -> list[Any]:
        jnp, dist = jax_module("jax.numpy"), jax_module("numpyro.distributions")
        found = []
        for link, steps in links:
            mean = jnp.roll(x, steps) if link.map is None else link.map @ x
            mean = mean if link.offset is None else mean + link.offset
            diagonal = np.diag(link.covariance)
            if np.array_equal(np.diag(diagonal), link.covariance):
                found.append(dist.Normal(mean, np.sqrt(diagonal)).to_event(1))
            else:
                found.append(dist.MultivariateNormal(mean, link.covariance))
        return found

    return density


def _gaussian_prior(model: GaussianRBN) -> Callable[[Any], Any]:
    parts = [
        (one.weight * weight, np.roll(one.mean, steps), one.covariance)
        for one in model.prior.components
        for steps, weight in one.shifts.items()
        if one.weight * weight > 0
    ]
    weights, means, covariances = (np.array(column) for column in zip(*parts, strict=True))

    def prior(parameters: Any) -> Any:
        dist = jax_module("numpyro.distributions")
        if len(parts) == 1:
            return dist.MultivariateNormal(means[0], covariances[0])
        return dist.MixtureSameFamily(dist.Categorical(weights), dist.MultivariateNormal(means, covariances))

    return prior


def discrete_to_general(model: DiscreteRBN) -> RBN:
    """Observations are numbers of the values of terminals, in their order."""
    if not model.is_normalised:
        raise ModelError("a weighted model is no distribution; only one whose probabilities sum to one can be made general")
    sizes = {one.name: len(one.values) for one in model.variables} | {one.name: len(one.values) for one in model.terminals}

    def prior(parameters: Any) -> Any:
        return jax_module("numpyro.distributions").Categorical(model.prior[1])

    return RBN(
        variables={one.name: Discrete(len(one.values)) for one in model.variables},
        steps={
            one.name: {
                f"step {n}": Step(tuple(way.children), _table(way, one.name, sizes)) for n, way in enumerate(one.transitions)
            }
            for one in model.variables
        },
        structures={
            one.name: _by_state({f"step {n}": np.asarray(way.probability) for n, way in enumerate(one.transitions)})
            for one in model.variables
        },
        root=model.prior[0],
        prior=prior,
    )


class Table:
    """A distribution of several children by a table of their log probabilities; terminals may be missing."""

    def __init__(self, logs: Any) -> None:
        self.logs = logs

    def log_prob(self, values: Any, seen: Any = None) -> Any:
        jax, jnp = jax_module(), jax_module("jax.numpy")
        logs = self.logs
        for n in range(len(values) - 1, -1, -1):  # the last axis first, so that those before it stay where they are
            chosen = jnp.take(logs, jnp.asarray(values[n]).reshape(()).astype(int), axis=n)
            if seen and n in seen:
                chosen = jnp.where(seen[n].reshape(()), chosen, jax.scipy.special.logsumexp(logs, axis=n))
            logs = chosen
        return logs

    def sample(self, key: Any) -> Any:
        jax, jnp = jax_module(), jax_module("jax.numpy")
        return tuple(jnp.unravel_index(jax.random.categorical(key, self.logs.reshape(-1)), self.logs.shape))


class OneOf:
    """Likewise of one child."""

    def __init__(self, logs: Any) -> None:
        self.logs = logs

    def log_prob(self, value: Any) -> Any:
        jnp = jax_module("jax.numpy")
        return jnp.take(self.logs, jnp.asarray(value).reshape(()).astype(int))

    def sample(self, key: Any) -> Any:
        return jax_module("jax.random").categorical(key, self.logs)


def _table(way: Transition, name: str, sizes: dict[str, int]) -> Callable[[Any, Any], Any]:
    """p(children | x)."""
    table = np.zeros((sizes[name], *(sizes[child] for child in way.children)))
    table[tuple(np.asarray(way.table.indices, dtype=np.int64).T)] = way.table.probabilities
    with np.errstate(divide="ignore"):
        logs = np.log(table)
    kind = OneOf if len(way.children) == 1 else Table
    return lambda parameters, x: kind(jax_module("jax.numpy").asarray(logs)[x])


def _constant(chances: dict[str, float]) -> Callable[[Any, Any], dict[str, float]]:
    return lambda parameters, x: chances


def _by_state(chances: dict[str, np.ndarray]) -> Callable[[Any, Any], dict[str, Any]]:
    return lambda parameters, x: {name: jax_module("jax.numpy").asarray(one)[x] for name, one in chances.items()}
