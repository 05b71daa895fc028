"""`rb.RBN`: recursive Bayesian networks with any densities."""

from collections.abc import Callable, Mapping, Sequence
from inspect import get_annotations
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from recbayes.checks.arguments import instance
from recbayes.checks.arrays import short
from recbayes.errors import ModelError
from recbayes.general.model.checks import check_domains, check_parameters, checked_parts
from recbayes.general.model.parts import Parts, Step
from recbayes.general.model.supports import Support
from recbayes.lengths import Length
from recbayes.tree.tree import Tree

if TYPE_CHECKING:
    from recbayes.general.family import GeneralFamily

VALUE, OBSERVED = "x", "y"  # names of the variable and the terminal of a model that is a class


class RBN:
    """A recursive Bayesian network with densities of your own.

    The common case is a class: one variable that splits in two, or emits observations.

        class Counts(rb.RBN):
            value = rb.Real(1)
            length = rb.OnePlusPoisson(3.0)            # of leaves; without it they have one observation
            spread: float = 0.3                        # fields with annotations are parameters
            def prior(self):        return dist.Normal(0.0, 1.0).expand([1]).to_event(1)
            def structure(self, x): return {"emit": jax.nn.sigmoid(0.4 + 2.0 * x[0])}    # the rest: split
            def split(self, x):     return [dist.Normal(x, self.spread).to_event(1)] * 2
            def emit(self, x):      return dist.Poisson(jnp.exp(x)).to_event(1)

        model = Counts(spread=0.5)

    Models with several variables, or steps of other arities, are given by their parts:

        model = rb.RBN(
            variables={"x": rb.Real(2), "z": rb.Discrete(3)},
            steps={"x": {"split": rb.Step(("x", "z"), to_both), "emit": rb.Step(("y",), emit)}, "z": {...}},
            structures={"x": lambda p, x: {"emit": 0.6}, ...},        # one step of each may be left out: it has the rest
            root="x",
            prior=lambda p: dist.Normal(jnp.zeros(2), 1.0).to_event(1),
            parameters={"spread": 0.3},
            domains={"spread": rb.Positive()},                        # for learning; others may be any numbers
        )

    Densities are functions of parameters and the parent's value (for the state of a discrete one: a whole number), written
    in JAX, and give distributions of numpyro, or anything with `log_prob` and `sample`: a list with one for each child, or
    one for all. Names of children that are no variables are terminals; a model with several reads pairs (terminal, value).

    Arguments:
        variables: where the values of each variable lie, by name: `Real`, `Positive`, `Simplex` or `Discrete`. None, and so
            the next five, for a class, which has methods instead.
        steps: for each variable its ways on, by name. None for a class.
        structures: for each variable the probabilities of its steps, by name, as a function of parameters and value; one
            step may be left out, and has the rest. None for a class.
        root: the variable at the top of trees. None for a class.
        prior: the distribution of the root's value, as a function of the parameters. None for a class.
        parameters: what densities depend on: numbers and arrays, or any nesting of them that JAX knows. None for a class,
            or if there are none.
        domains: where parameters lie, by name, for learning. None: they may be any numbers.
        **own: of a class, values of its fields.
    """

    value: ClassVar[Support]
    length: ClassVar[Length | None] = None
    domains: Mapping[str, Support] = MappingProxyType({})

    def __init__(
        self,
        variables: Mapping[str, Support] | None = None,
        steps: Mapping[str, Mapping[str, Step]] | None = None,
        structures: Mapping[str, Callable[[Any, Any], Mapping[str, Any]]] | None = None,
        root: str | None = None,
        prior: Callable[[Any], Any] | None = None,
        parameters: Any = None,
        domains: Mapping[str, Support] | None = None,
        **own: Any,
    ) -> None:
        self._kept: dict[Any, Any] = {}
        if domains is not None:
            self.domains = domains
        if type(self) is not RBN:
            given = [name for name, one in (("variables", variables), ("steps", steps), ("prior", prior)) if one is not None]
            if given or parameters is not None:
                raise ModelError(f"{type(self).__name__} is a class with methods; it takes its parameters only, got {given}")
            self._fields = _fields(type(self), own)
            check_parameters(self._fields, "parameters")
            check_domains(self._fields, self.domains)
            self._parts = checked_parts(_parts_of_class(type(self)))
            for name, one in self._fields.items():
                object.__setattr__(self, name, one)
            return
        if own:
            raise TypeError(f"RBN has no argument {next(iter(own))!r}")
        self._fields = {} if parameters is None else parameters
        check_parameters(self._fields, "parameters")
        check_domains(self._fields, self.domains)
        terminals = _terminals(variables, steps)
        self._parts = checked_parts(
            Parts(variables, terminals, steps, structures, root, prior)  # type: ignore[arg-type]
        )

    @property
    def family(self) -> "GeneralFamily":
        """What is done with models of this kind; see `recbayes.family.family`."""
        from recbayes.general.family import GENERAL

        return GENERAL

    @property
    def parts(self) -> Parts:
        """Variables, steps, their probabilities and the prior, as functions of the parameters."""
        return self._parts

    @property
    def parameters(self) -> Any:
        """What densities depend on: fields of a class, or what was given."""
        return self._fields

    def with_parameters(self, parameters: Any) -> Self:
        """The model with other parameters, of the same form.

        Arguments:
            parameters: all of them; of a class a mapping, by the names of its fields.
        """
        check_parameters(parameters, "parameters")
        other = object.__new__(type(self))  # with the same parts, and so with all that was compiled for them
        other.__dict__.update(self.__dict__)
        other._kept = {}
        if type(self) is RBN:
            other._fields = parameters
            return other
        if not isinstance(parameters, Mapping) or set(parameters) != set(self._fields):
            raise ModelError(f"parameters must have the names {sorted(self._fields)}, got {short(parameters)}")
        other._fields = dict(parameters)
        for name, one in parameters.items():
            object.__setattr__(other, name, one)
        return other

    def called_with(self, parameters: Any) -> Any:
        """What densities are called with first: the model itself if it is a class, else the parameters.

        Arguments:
            parameters: all of them.
        """
        return parameters if type(self) is RBN else self.with_parameters(parameters)

    def sample(
        self,
        *,
        seed: int | np.random.Generator,
        min_length: int = 1,
        max_length: int | None = None,
        attempts: int = 1000,
    ) -> tuple[Any, Tree]:
        """A sequence and the tree that it came from, with the values of its nodes.

        Arguments:
            seed: a whole number or a `numpy.random.Generator`.
            min_length: the fewest observations; trees of other lengths are drawn anew.
            max_length: the most. None is no limit.
            attempts: how many trees are drawn, before there is a `LengthError`.
        """
        from recbayes.general.model.sampling import sample

        return sample(self, seed=seed, min_length=min_length, max_length=max_length, attempts=attempts)

    def __reduce__(self) -> tuple:
        """Other processes make it again, without what was compiled."""
        if type(self) is not RBN:
            return _again, (type(self), (), self._fields)
        parts = self._parts
        return _again, (
            RBN, (parts.variables, parts.steps, parts.structures, parts.root, parts.prior, self._fields, self.domains), {}
        )  # fmt: skip

    def _repr_html_(self) -> str:
        from recbayes.general.model.shown import general_to_html

        return general_to_html(self)

    def __repr__(self) -> str:
        name = type(self).__name__
        lines = [f"{name}(root {self._parts.root})"]
        for variable, support in self._parts.variables.items():
            lines.append(f"  {variable}: {support}")
            for step_name, step in self._parts.steps[variable].items():
                length = "" if step.length is None else f", {step.length}"
                lines.append(f"    {step_name} -> {' '.join(step.children)}{length}")
        return "\n".join(lines)


def _again(kind: type[RBN], given: tuple[Any, ...], own: Mapping[str, Any]) -> RBN:
    return kind(*given, **own)


def _fields(kind: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a class: its annotated fields, with the values given or their defaults."""
    known: dict[str, Any] = {}
    for one in reversed(kind.__mro__):
        if one is not RBN and issubclass(one, RBN):
            known |= {name: getattr(kind, name, None) for name in get_annotations(one)}
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise ModelError(f"{kind.__name__} has no parameter {unknown[0]!r}; it has {sorted(known)}")
    found = {**known, **given}
    missing = [name for name, one in found.items() if one is None]
    if missing:
        raise ModelError(f"{kind.__name__} needs a value of {missing[0]!r}")
    return found


def _parts_of_class(kind: Any) -> Parts:
    for name in ("value", "prior", "structure", "split", "emit"):
        if not hasattr(kind, name):
            raise ModelError(f"{kind.__name__} needs {name}: see the example of recbayes.RBN")
    instance(kind.value, Support, f"{kind.__name__}.value", error=ModelError)
    steps = {
        "split": Step((VALUE, VALUE), lambda model, x: model.split(x)),
        "emit": Step((OBSERVED,), lambda model, x: model.emit(x), kind.length),
    }
    return Parts(
        variables={VALUE: kind.value},
        terminals=(OBSERVED,),
        steps={VALUE: steps},
        structures={VALUE: lambda model, x: model.structure(x)},
        root=VALUE,
        prior=lambda model: model.prior(),
    )


def _terminals(variables: Any, steps: Any) -> tuple[str, ...]:
    """Children that are no variables, in the order in which they are met."""
    if not isinstance(variables, Mapping) or not isinstance(steps, Mapping):
        raise ModelError("RBN needs variables and steps, each a mapping from the variables' names")
    children = [
        child
        for by_name in steps.values()
        if isinstance(by_name, Mapping)
        for step in by_name.values()
        if isinstance(step, Step) and isinstance(step.children, Sequence)
        for child in step.children
    ]
    return tuple(dict.fromkeys(child for child in children if child not in variables))
