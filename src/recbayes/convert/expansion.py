"""Expansion of a grammar (appendix of the paper): the grammar is the skeleton, and every symbol becomes a Gaussian variable.

A non-terminal A becomes a variable x_A, a terminal b an observation, and a rule A -> X, of any symbols X = X_1 X_2 ..., a
branch with the probability W(A -> X) / sum over X' of W(A -> X') and a link to each child. The grammar says which *type* of
node follows which; their values, on which it is silent, follow the links.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from recbayes.checks.arrays import square, vector
from recbayes.errors import ModelError
from recbayes.gaussian.emissions.emission import Emission
from recbayes.gaussian.emissions.emit import Emit
from recbayes.gaussian.model.linear import Branch, LinearGaussianRBN, Observe
from recbayes.gaussian.model.parts import Component, Link, Prior, Variable
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.gaussian.model.validation import dimension
from recbayes.lengths import ExactlyOne


class GrammarRule(Protocol):
    """left -> right with a weight; of the symbols on the right, texts are non-terminals, the others have a `name`."""

    @property
    def left(self) -> str: ...
    @property
    def right(self) -> tuple[Any, ...]: ...
    @property
    def weight(self) -> float: ...


class Grammar(Protocol):
    """What is needed of a grammar, such as a `PCFG`. Weights need not sum to one."""

    @property
    def start(self) -> str: ...
    @property
    def rules(self) -> Sequence[GrammarRule]: ...


def expand(
    grammar: Grammar,
    *,
    dim: int | Mapping[str, int],
    emissions: Mapping[str, Any],
    std: Any = 0.1,
    prior_mean: object = 0.0,
    prior_std: object = 1.0,
    cycle_tolerance: float = 1e-9,
) -> GaussianRBN:
    """The Gaussian RBN on the skeleton of a grammar, in normal form.

    A grammar whose rules are all A -> B C or A -> b keeps its variables, rules and their order. For one that is not, use
    `expand_linear`, whose `to_cnf` knows the way back to the grammar's own trees.

    Arguments:
        grammar: a `PCFG`, or anything with `start` and `rules`.
        dim: the dimension of all variables, or one for each non-terminal.
        emissions: what terminals look like: for each name an (offset, standard deviation) pair, y ~ N(x + offset, std^2)
            with x the value of the node above, or an `Observe` or an `Emit` (its own probability is ignored), with a map
            where the dimensions differ. Where a terminal is alone in its rule, an `Emit` may produce several observations.
        std: the noise of the links from parents to children, whose map is the identity: a standard deviation, one per
            dimension, or a root matrix; or a whole `Link`. A mapping gives one for each non-terminal child, by its name, or
            for all the children of a rule, by (left, right) as the grammar has them; the rule comes first.
        prior_mean: mean of the root's value, a number or one per dimension.
        prior_std: its deviation: a number, one per dimension, or a root matrix.
        cycle_tolerance: cycles of unary rules are followed until the probability to go on is at most this.
    """
    options = {"emissions": emissions, "std": std, "prior_mean": prior_mean, "prior_std": prior_std}
    return expand_linear(grammar, dim=dim, **options).to_cnf(cycle_tolerance).model


def expand_linear(
    grammar: Grammar,
    *,
    dim: int | Mapping[str, int],
    emissions: Mapping[str, Any],
    std: Any = 0.1,
    prior_mean: object = 0.0,
    prior_std: object = 1.0,
) -> LinearGaussianRBN:
    """As `expand`, but with the rules as the grammar has them: of any length, with terminals beside non-terminals."""
    rules_of: dict[str, list[GrammarRule]] = {}
    for rule in grammar.rules:
        rules_of.setdefault(rule.left, []).append(rule)
    if grammar.start not in rules_of:
        raise ModelError(f"the start symbol {grammar.start!r} has no rules; there are rules for {sorted(rules_of)}")
    dims = _dimensions(dim, rules_of)
    variables = []
    for symbol, owned in rules_of.items():
        total = sum(rule.weight for rule in owned)
        if not total > 0.0:
            raise ModelError(f"the weights of {symbol} sum to {total:.6g}; some rule must have a positive weight")
        rules: tuple[Any, ...] = tuple(_expanded(rule, rule.weight / total, dims, emissions, std) for rule in owned)
        variables.append(Variable(symbol, dims[symbol], rules))
    size = dims[grammar.start]
    component = Component(vector(prior_mean, size, "prior_mean"), square(prior_std, size, "prior_std", definite=True))
    return LinearGaussianRBN(variables, Prior(grammar.start, (component,)))


def _dimensions(dim: int | Mapping[str, int], rules_of: Mapping[str, list[GrammarRule]]) -> dict[str, int]:
    if not isinstance(dim, Mapping):
        return dict.fromkeys(rules_of, dimension(dim, "dim"))
    missing = sorted(set(rules_of) - set(dim))
    if missing:
        raise ModelError(f"dim must have an entry for every non-terminal; there is none for {missing}")
    return {symbol: dimension(dim[symbol], f"dim[{symbol!r}]") for symbol in rules_of}


def _expanded(
    rule: GrammarRule, probability: float, dims: Mapping[str, int], emissions: Mapping[str, Any], std: Any
) -> Branch | Emission:
    parent = dims[rule.left]
    children: list[Any] = []
    for symbol in rule.right:
        if not isinstance(symbol, str):
            emission = _emission(symbol.name, emissions, parent)
            if isinstance(emission, Emission):
                if len(rule.right) == 1:
                    return emission.replaced({"probability": probability})
                if not isinstance(emission.length, ExactlyOne) or not isinstance(emission, Emit):
                    raise ModelError(
                        f"{_text(rule)}: a terminal beside other symbols is one observation, but the emission of "
                        f"{symbol.name!r} has the length {emission.length}; put it into a rule of its own"
                    )
                emission = Observe(emission.covariance, emission.map, emission.offset)
            children.append(emission)
        elif symbol not in dims:
            raise ModelError(f"{_text(rule)}: the non-terminal {symbol!r} has no rules; there are rules for {sorted(dims)}")
        else:
            children.append((symbol, _link(symbol, rule, dims[symbol], std)))
    return Branch(probability, tuple(children))


def _emission(terminal: str, emissions: Mapping[str, Any], dim: int) -> Observe | Emission:
    if not isinstance(emissions, Mapping) or terminal not in emissions:
        raise ModelError(f"emissions must say what every terminal looks like; {terminal!r} is missing")
    given = emissions[terminal]
    if isinstance(given, Observe | Emission):
        return given
    if not isinstance(given, tuple) or len(given) != 2:
        raise ModelError(
            f"emissions[{terminal!r}] must be an (offset, standard deviation) pair, an Observe or an Emit, got {given!r}"
        )
    offset, deviation = given
    where = f"emissions[{terminal!r}]"
    return Observe(
        square(deviation, dim, f"{where}: standard deviation", definite=True), None, vector(offset, dim, f"{where}: offset")
    )


def _link(symbol: str, rule: GrammarRule, dim: int, std: Any) -> Link:
    given = std
    if isinstance(std, Mapping):
        keys = [key for key in ((rule.left, tuple(rule.right)), symbol) if key in std]
        if not keys:
            raise ModelError(f"std has no entry for the child {symbol!r} of {_text(rule)}, nor for the rule")
        given = std[keys[0]]
    return given if isinstance(given, Link) else Link(square(given, dim, f"std of {symbol!r}", definite=False))


def _text(rule: GrammarRule) -> str:
    return f"{rule.left} -> " + " ".join(symbol if isinstance(symbol, str) else repr(symbol.name) for symbol in rule.right)
