"""The ways on from a variable of a model of any family: what a picture of its cell tells of them."""

from typing import Any, NamedTuple

import numpy as np

from recbayes.checks.arguments import text
from recbayes.checks.arrays import short
from recbayes.errors import DataError
from recbayes.lengths import ExactlyOne

OBSERVED = "y"  # the name of observations in models that have only one kind of them


class Child(NamedTuple):
    name: str
    observed: bool


class Way(NamedTuple):
    """One value of the structural variable: its name, p(z = this | x) as a text, and the children; whether there may be
    several observations, and which children are shifted."""

    name: str
    probability: str
    children: tuple[Child, ...]
    several: bool = False
    shifted: tuple[bool, ...] = ()


class Cell(NamedTuple):
    """A variable and its ways on."""

    variable: str
    discrete: bool
    ways: tuple[Way, ...]


def cell_of(model: Any, variable: str | None) -> Cell:
    """What models say of one of their variables; None is the root. Grammars are looked at as discrete networks."""
    if hasattr(model, "to_rbn"):
        model = model.to_rbn()
    if hasattr(model, "parts"):
        return _general(model.parts, variable)
    known = getattr(model, "variables", None)
    if known is None or not hasattr(model, "family"):
        raise DataError(f"a cell is that of a model (GaussianRBN, DiscreteRBN, PCFG, RBN and others), got {short(model)}")
    root = getattr(model.prior, "variable", None) or model.prior[0]
    one = _chosen({one.name: one for one in known}, root, variable)
    if hasattr(one, "rules"):
        names = _distinct([_rule_name(rule) for rule in one.rules])
        return Cell(one.name, False, tuple(map(_gaussian, one.rules, names)))
    observed = {terminal.name for terminal in model.terminals}
    names = _distinct(["emit" if set(way.children) <= observed else "split" for way in one.transitions])
    return Cell(
        one.name, True, tuple(_discrete(way, name, observed) for way, name in zip(one.transitions, names, strict=True))
    )


def _chosen(known: dict[str, Any], root: str, variable: str | None) -> Any:
    name = root if variable is None else text(variable, "variable")
    if name not in known:
        raise DataError(f"there is no variable {short(name)}; the model has {list(known)}")
    return known[name]


def _distinct(names: list[str]) -> list[str]:
    """Names with numbers where they occur several times."""
    return [f"{name} {names[:n].count(name) + 1}" if names.count(name) > 1 else name for n, name in enumerate(names)]


def _rule_name(rule: Any) -> str:
    return "split" if hasattr(rule, "left") or hasattr(rule, "children") else "emit"


def _gaussian(rule: Any, name: str) -> Way:
    p = _number(rule.probability)
    if hasattr(rule, "left"):
        moved = tuple(any(shift[side] for shift in rule.shifts) for side in (0, 1))
        return Way(name, p, (Child(rule.left, False), Child(rule.right, False)), shifted=moved)
    if hasattr(rule, "children"):
        children = tuple(Child(one[0], False) if isinstance(one, tuple) else Child(OBSERVED, True) for one in rule.children)
        return Way(name, p, children)
    return Way(name, p, (Child(OBSERVED, True),), several=not isinstance(rule.length, ExactlyOne))


def _discrete(way: Any, name: str, observed: set[str]) -> Way:
    values = np.unique(np.round(way.probability, 12))
    p = _number(values[0]) if len(values) == 1 else "p(z | x)"
    return Way(name, p, tuple(Child(child, child in observed) for child in way.children))


def _general(parts: Any, variable: str | None) -> Cell:
    steps = _chosen(dict(parts.steps), parts.root, variable)
    name = parts.root if variable is None else variable
    ways = []
    for own, step in steps.items():
        children = tuple(Child(child, child not in parts.variables) for child in step.children)
        several = step.length is not None and not isinstance(step.length, ExactlyOne)
        ways.append(Way(own, "p(z | x)", children, several))
    return Cell(name, parts.variables[name].is_discrete, tuple(ways))


def _number(p: float) -> str:
    return f"{float(p):.3g}"
