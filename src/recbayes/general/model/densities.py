"""Log densities of a model's parts at values, with errors that say which part is wrong: in JAX."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from recbayes.errors import DataError, ModelError
from recbayes.general.extra import jax_module
from recbayes.general.model.parts import Parts

CLOSE = 1e-6  # probabilities of steps sum to one but for so much


def in_arrays(parameters: Any) -> Any:
    """Parameters as arrays of JAX, in doubles."""
    jax, jnp = jax_module(), jax_module("jax.numpy")
    return jax.tree_util.tree_map(lambda one: jnp.asarray(one, dtype=jnp.float64), parameters)


def called(where: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function of the user's gives; its errors, in one line that says where they came from."""
    try:
        return function(*arguments)
    except (ModelError, DataError):
        raise
    except Exception as problem:
        words = str(problem).strip().splitlines() or [type(problem).__name__]
        raise ModelError(f"{where}: its density fails: {words[0]}") from problem


def log_structure(parts: Parts, given: Any, variable: str, x: Any) -> dict[str, Any]:
    """Log probabilities of all steps from a variable at a value; the one that is not told has what is left."""
    jnp = jax_module("jax.numpy")
    names = list(parts.steps[variable])
    told = called(f"the structure of {variable!r}", parts.structures[variable], given, x)
    if not isinstance(told, Mapping) or not set(told) <= set(names) or len(told) < len(names) - 1:
        got = sorted(told) if isinstance(told, Mapping) else type(told).__name__
        raise ModelError(
            f"the structure of {variable!r} must give probabilities of {names}, of all but one at least, got {got}"
        )
    wrong = [name for name, one in told.items() if jnp.shape(one) != ()]
    if wrong:
        raise ModelError(
            f"the structure of {variable!r} must give one number for {wrong[0]!r}, got the shape {jnp.shape(told[wrong[0]])}"
        )
    logs = {name: safe_log(one) for name, one in told.items()}
    if len(told) == len(names):  # what does not sum to one is no number, which charts and draws refuse
        fair = jnp.abs(sum(told.values()) - 1.0) < CLOSE
        logs = {name: jnp.where(fair, one, jnp.nan) for name, one in logs.items()}
    for name in names:
        if name not in told:
            logs[name] = safe_log(1.0 - sum(told.values()))
    return logs


def safe_log(probability: Any) -> Any:
    """Minus infinity for zero, without derivatives that are no numbers; no number for what is negative."""
    jnp = jax_module("jax.numpy")
    positive = probability > 0.0
    return jnp.where(
        positive, jnp.log(jnp.where(positive, probability, 1.0)), jnp.where(probability < -1e-9, jnp.nan, -jnp.inf)
    )


def log_density(parts: Parts, density: Any, children: Sequence[str], values: Sequence[Any], where: str) -> Any:
    """Of the children's values (of terminals: values, and which of them were seen), by one distribution or one for each."""
    jnp = jax_module("jax.numpy")
    if isinstance(density, list | tuple):
        if len(density) != len(children):
            raise ModelError(f"{where} has {len(children)} children, and its density {len(density)} distributions")
        total = 0.0
        for child, one, value in zip(children, density, values, strict=True):
            if child not in parts.variables:
                total += log_prob(one, value[0], value[1], where, None)
            else:
                total += log_prob(one, value, None, where, parts.variables[child].size)
        return total
    if len(children) == 1:
        return log_density(parts, [density], children, values, where)
    plain = tuple(value if child in parts.variables else value[0] for child, value in zip(children, values, strict=True))
    seen = {
        n: value[1] for n, (child, value) in enumerate(zip(children, values, strict=True)) if child not in parts.variables
    }
    if not hasattr(density, "event_shape"):
        return _number(density.log_prob(plain, seen) if seen else density.log_prob(plain), where)
    if seen:
        raise ModelError(f"{where}: with terminals among several children, give a list with one distribution for each")
    if any(parts.variables[child].is_discrete for child in children):
        raise ModelError(f"{where}: one distribution of numpyro for all children is for continuous ones; give a list")
    together = jnp.concatenate(plain)
    return log_prob(density, together, None, where, len(together))


def log_prob(one: Any, value: Any, seen: Any, where: str, size: int | None) -> Any:
    """The log density of one value; of what was observed, only what was seen counts."""
    jnp = jax_module("jax.numpy")
    if not callable(getattr(one, "log_prob", None)):
        raise ModelError(f"{where}: a distribution with log_prob is needed, got {type(one).__name__}")
    event = getattr(one, "event_shape", None)
    expected = () if size == 0 else jnp.shape(value)
    if event is not None and seen is not None and event == () and jnp.shape(value) == (1,):
        value, seen, expected = value[0], seen[0], ()
    if event is not None and (tuple(event) != tuple(expected) or tuple(one.batch_shape)):
        hint = "; .to_event(1) makes of several numbers one value" if one.batch_shape else ""
        what = "an observation" if seen is not None else "a value"
        raise ModelError(
            f"{where}: {what} has the shape {tuple(expected)}, its distribution batch shape {tuple(one.batch_shape)} and "
            f"event shape {tuple(event)}{hint}"
        )
    if seen is None:
        return _number(one.log_prob(value), where)
    if getattr(one, "is_discrete", False):
        value = jnp.asarray(value).astype(jnp.int64)  # observations are read as real numbers
    base = getattr(one, "base_dist", None)
    if getattr(one, "reinterpreted_batch_ndims", 0) == 1 and base is not None and base.event_shape == ():
        return jnp.where(seen, _within(base, value, base.log_prob(value)), 0.0).sum()
    if hasattr(one, "loc") and hasattr(one, "covariance_matrix") and jnp.shape(value):
        return _log_normal_of_seen(one, value, seen)
    partly = jnp.where(jnp.any(seen), jnp.nan, 0.0)  # what this distribution says of a part of its value is not known
    return jnp.where(jnp.all(seen), _within(one, value, _number(one.log_prob(value), where)), partly)


def _within(one: Any, value: Any, log: Any) -> Any:
    """Minus infinity where an observation is none of the distribution's; it need not say so itself."""
    jnp, constraints = jax_module("jax.numpy"), jax_module("numpyro.distributions.constraints")
    support = getattr(one, "support", None)
    if support is None or support is constraints.real or support is constraints.real_vector:
        return log
    return jnp.where(support(value), log, -jnp.inf)


def _log_normal_of_seen(one: Any, value: Any, seen: Any) -> Any:
    """Of those numbers of a normal vector that were seen: the others are made independent, and as they are expected."""
    jnp, dist = jax_module("jax.numpy"), jax_module("numpyro.distributions")
    together = jnp.outer(seen, seen)
    covariance = jnp.where(together, one.covariance_matrix, jnp.eye(len(seen)))
    full = dist.MultivariateNormal(one.loc, covariance).log_prob(jnp.where(seen, value, one.loc))
    return full + 0.5 * jnp.log(2.0 * jnp.pi) * jnp.sum(~seen)


def _number(log: Any, where: str) -> Any:
    if jax_module("jax.numpy").shape(log) != ():
        raise ModelError(f"{where}: log_prob must be one number, got the shape {jax_module('jax.numpy').shape(log)}")
    return log
