"""What general models are made of: steps from a variable to its children, and all of them together.

Densities are functions of the parameters and the parent's value. They give one distribution for each child, in a list, or
one for all of them: over the children's values one after the other, or an object whose `log_prob` takes a tuple of them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from recbayes.general.extra import jax_module
from recbayes.general.model.supports import Support
from recbayes.lengths import Length

OBSERVED = "observed"  # the rule of an observation that is a child beside others

Density = Callable[[Any, Any], Any]  # (parameters, value of the parent) -> distributions


@dataclass(frozen=True)
class Step:
    """A way on from a variable, to some children: variables, and terminals, which are observed.

    Arguments:
        children: names of variables and terminals, from left to right.
        density: a function of parameters and the parent's value, in JAX, that gives distributions of the children: a list
            with one for each, or one for all.
        length: for a step to one terminal alone, which may lead to several observations of it, each from the same
            distribution: how many, a length distribution such as `OnePlusPoisson`. None: exactly one.
    """

    children: tuple[str, ...]
    density: Density
    length: Length | None = None


@dataclass(frozen=True, eq=False)
class Parts:
    """All of a model but its parameters; `steps` are those of every variable by name, `structures` give their probabilities,
    and the prior is a distribution of the root's value."""

    variables: Mapping[str, Support]
    terminals: tuple[str, ...]
    steps: Mapping[str, Mapping[str, Step]]
    structures: Mapping[str, Callable[[Any, Any], Mapping[str, Any]]]
    root: str
    prior: Callable[[Any], Any]
    kept: dict[Any, Any] = field(default_factory=dict)  # functions of parameters that have been compiled

    @cached_property
    def unary(self) -> dict[str, list[str]]:
        """To which variables each has steps with no other child."""
        return {
            name: [step.children[0] for step in steps.values() if len(step.children) == 1 and step.children[0] in self.steps]
            for name, steps in self.steps.items()
        }


def compiled(parts: Parts, name: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, compiled when it is first asked for by this name: models that differ in parameters alone share it."""
    if name not in parts.kept:
        parts.kept[name] = jax_module().jit(function)
    return parts.kept[name]
