"""Whether the parts of a general model fit together."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from recbayes.checks.arguments import instance, text
from recbayes.checks.arrays import short
from recbayes.errors import ModelError
from recbayes.general.model.parts import Parts, Step
from recbayes.general.model.supports import Positive, Simplex, Support
from recbayes.lengths import Length

MOST = 8  # children of a step: a chart of N observations has N^(children + 1) / (children + 1)! edges


def checked_parts(parts: Parts) -> Parts:
    """The parts, or an error that says what is wrong."""
    if not isinstance(parts.variables, Mapping) or not parts.variables:
        raise ModelError(f"variables must map names to supports such as Real(2), got {short(parts.variables)}")
    for name, support in parts.variables.items():
        text(name, "a variable's name", ModelError)
        instance(support, Support, f"variable {name!r}", ", such as Real(2) or Discrete(3)", ModelError)
    for what, given in (("steps", parts.steps), ("structures", parts.structures)):
        if not isinstance(given, Mapping) or set(given) != set(parts.variables):
            named = sorted(given) if isinstance(given, Mapping) else short(given)
            raise ModelError(f"{what} must have the variables {sorted(parts.variables)}, got {named}")
    if not isinstance(parts.root, str) or parts.root not in parts.variables:
        raise ModelError(f"root must be one of the variables {sorted(parts.variables)}, got {short(parts.root)}")
    for what, function in (("prior", parts.prior), *((f"structures[{n!r}]", one) for n, one in parts.structures.items())):
        if not callable(function):
            raise ModelError(f"{what} must be a function, got {short(function)}")
    for name, steps in parts.steps.items():
        if not isinstance(steps, Mapping) or not steps:
            raise ModelError(f"steps[{name!r}] must map names to Steps, got {short(steps)}")
        for step_name, step in steps.items():
            _check_step(step, f"step {step_name!r} of {name!r}", parts)
    if not parts.terminals:
        raise ModelError("no step leads to a terminal, a child that is no variable, so that nothing is ever observed")
    _check_cycles(parts)
    return parts


def check_parameters(parameters: Any, name: str) -> None:
    """Whether parameters are numbers and arrays of numbers, in mappings, lists and tuples."""
    if isinstance(parameters, Mapping):
        for key, one in parameters.items():
            check_parameters(one, f"{name}[{key!r}]")
    elif isinstance(parameters, list | tuple):
        for n, one in enumerate(parameters):
            check_parameters(one, f"{name}[{n}]")
    elif hasattr(parameters, "dtype") or isinstance(parameters, bool | int | float):
        if np.dtype(getattr(parameters, "dtype", np.float64)).kind not in "biuf":
            raise ModelError(f"{name} must be real numbers, got {parameters.dtype}")
    else:
        raise ModelError(f"{name} must be numbers, arrays, or mappings and lists of these, got {short(parameters)}")


def named(parameters: Any, name: str = "") -> dict[str, Any]:
    """All numbers and arrays of parameters, by their names."""
    found: dict[str, Any] = {}
    if isinstance(parameters, Mapping):
        for key, one in parameters.items():
            found |= named(one, f"{name}.{key}" if name else str(key))
    elif isinstance(parameters, list | tuple):
        for n, one in enumerate(parameters):
            found |= named(one, f"{name}[{n}]")
    else:
        found[name or "parameters"] = parameters
    return found


def check_domains(parameters: Any, domains: Any) -> None:
    """Whether domains are of parameters that there are, and these lie in them."""
    if not isinstance(domains, Mapping):
        raise ModelError(f"domains must map names of parameters to Positive() or Simplex(...), got {type(domains).__name__}")
    there = named(parameters)
    for name, domain in domains.items():
        if name not in there:
            raise ModelError(f"domains: there is no parameter {name!r}; there are {sorted(there)}")
        if type(domain) not in (Positive, Simplex):
            raise ModelError(f"the domain of {name!r} must be Positive() or Simplex(n), got {domain!r}")
        value = np.atleast_1d(np.asarray(there[name], dtype=np.float64))
        if isinstance(domain, Simplex) and value.shape[-1] != domain.dim:
            raise ModelError(f"the parameter {name!r} has {value.shape[-1]} numbers in a row, its domain {domain.dim}")
        if not np.all(domain.holds(value)):
            raise ModelError(f"the parameter {name!r} is not in its domain, {domain}: {np.round(value, 6).tolist()}")


def _check_step(step: Any, where: str, parts: Parts) -> None:
    instance(step, Step, where, error=ModelError)
    if not isinstance(step.children, tuple | list) or not 1 <= len(step.children) <= MOST:
        raise ModelError(f"{where} must have one to {MOST} children, got {short(step.children)}")
    for child in step.children:
        text(child, f"{where}: a child", ModelError)
    if not callable(step.density):
        raise ModelError(f"{where}: the density must be a function of parameters and value, got {short(step.density)}")
    if step.length is not None:
        instance(step.length, Length, f"{where}: length", error=ModelError)
        if len(step.children) > 1 or step.children[0] in parts.variables:
            raise ModelError(f"{where}: a length is for steps to one terminal alone, got the children {step.children}")


def _check_cycles(parts: Parts) -> None:
    """Steps with one variable as their only child must not lead back to a continuous one: a span has one value of each."""
    for name, support in parts.variables.items():
        met, waiting = set(), list(parts.unary[name])
        while waiting:
            child = waiting.pop()
            if child not in met:
                met.add(child)
                waiting += parts.unary[child]
        if name in met and not support.is_discrete:
            raise ModelError(
                f"unary steps lead from {name!r} back to itself over one span, which has one value of it; "
                "only discrete variables may do that"
            )
