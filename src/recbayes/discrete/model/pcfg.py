"""Probabilistic context-free grammars."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from recbayes.checks.arguments import choice, instance, listed
from recbayes.checks.arrays import number, short
from recbayes.checks.kept import kept
from recbayes.discrete.model.abstraction import abstract, rules_of
from recbayes.discrete.model.flat import Discrete, FlatGrammar
from recbayes.discrete.model.grammar_text import Rule, Symbol, Terminal, read_nltk, read_rules, write_nltk, write_rules
from recbayes.discrete.model.rbn import DiscreteRBN
from recbayes.errors import ModelError
from recbayes.family.saved import Saved
from recbayes.tree.tree import Tree

if TYPE_CHECKING:
    from recbayes.convert.expansion import GaussianRBN
    from recbayes.convert.general import RBN
    from recbayes.discrete.model.normal_form import NormalForm

TOLERANCE = 1e-9  # by which the weights of a normalised grammar may miss one
LARGEST = 1e150  # sums of larger weights could overflow


class PCFG(Saved, Discrete):
    """An immutable, validated probabilistic context-free grammar without empty right-hand sides.

    Where the weights of some left-hand side do not sum to one it is a weighted grammar. Two grammars are equal if start
    symbol, rules and their order are.

    >>> grammar = rb.PCFG.from_string("S -> S S [0.3] | 'a' [0.7]")
    >>> round(rb.inside(grammar, ["a", "a", "a"]).log_evidence, 4)
    -2.7848

    Arguments:
        start: the start symbol.
        rules: all rules. Those given several times are one rule, their weights added; weights are not negative.
    """

    __slots__ = ("_rules", "_start")

    format = "recbayes.PCFG"

    def __init__(self, start: str, rules: Iterable[Rule]) -> None:
        if not isinstance(start, str) or not start:
            raise ModelError(f"start must be the name of a non-terminal, a non-empty string, got {start!r}")
        if isinstance(rules, Rule | str) or not isinstance(rules, Iterable):
            raise ModelError(f"rules must be a list of Rules, got {rules!r}; PCFG.from_string reads texts")
        merged: dict[tuple[str, tuple[Symbol, ...]], float] = {}
        for position, rule in enumerate(rules):
            left, right, weight = _checked(rule, f"rules[{position}]")
            merged[left, right] = merged.get((left, right), 0.0) + weight
        self._start = start
        self._rules = tuple(Rule(left, right, weight) for (left, right), weight in merged.items())
        self._check_symbols()

    def _check_symbols(self) -> None:
        if not self._rules:
            raise ModelError("rules must not be empty")
        for rule in self._rules:
            if rule.weight > LARGEST:
                raise ModelError(f"the weight of {rule.text} must be at most {LARGEST:g}, got {rule.weight:.6g}; rescale it")
        totals = self._totals()
        if self._start not in totals:
            raise ModelError(f"the start symbol {self._start!r} has no rules; there are rules for {_list(totals)}")
        lost = [symbol for symbol in self.nonterminals if symbol not in totals]
        if lost:
            raise ModelError(
                f"non-terminals without rules: {_list(lost)}; give each a rule, or, where it is a terminal, "
                "write it in quotes in texts and as Terminal(...) in rules"
            )
        idle = [left for left, total in totals.items() if not total]
        if idle:
            raise ModelError(f"all weights of {_list(idle)} are zero; each non-terminal needs a rule with a positive weight")
        if not self.terminals:
            raise ModelError("no rule has a terminal, so the grammar generates nothing")

    @property
    def start(self) -> str:
        """The start symbol."""
        return self._start

    @property
    def rules(self) -> tuple[Rule, ...]:
        """All rules, in the order in which they were given."""
        return self._rules

    @property
    def nonterminals(self) -> tuple[str, ...]:
        """The start symbol, then all others in the order in which they first appear."""
        found = {self._start: None}
        for rule in self._rules:
            found[rule.left] = None
            found.update((symbol, None) for symbol in rule.right if isinstance(symbol, str))
        return tuple(found)

    @property
    def terminals(self) -> tuple[str, ...]:
        """Names of the terminals in the order in which they first appear."""
        return tuple(dict.fromkeys(s.name for rule in self._rules for s in rule.right if isinstance(s, Terminal)))

    @property
    def is_normalised(self) -> bool:
        """Whether the weights of every left-hand side sum to one."""
        return all(abs(total - 1.0) <= TOLERANCE for total in self._totals().values())

    def weight_of(self, left: str, right: Sequence[Symbol]) -> float:
        """The weight of the rule `left -> right`; zero if there is no such rule.

        Arguments:
            left: a non-terminal.
            right: the symbols of the right-hand side, terminals as `Terminal(...)`.
        """
        symbols = tuple(listed(right, "right", "symbols", ModelError))
        if not all(isinstance(symbol, str | Terminal) for symbol in (left, *symbols)):
            raise ModelError(f"symbols are texts, or Terminal(...) of one, got {short(left)} -> {short(right)}")
        return _weights(self).get((left, symbols), 0.0)

    def normalised(self) -> Self:
        """The grammar with the weights of every left-hand side divided by their sum, if that is not one already."""
        totals = self._totals()
        # Sums of quotients miss one by less than this, so what was divided once is not divided again.
        exact = {left: abs(total - 1.0) <= 4 * np.finfo(float).eps for left, total in totals.items()}
        if all(exact.values()):
            return self
        rules = (rule if exact[rule.left] else _scaled(rule, totals[rule.left]) for rule in self._rules)
        return type(self)(self._start, rules)

    def _totals(self) -> dict[str, float]:
        weights: dict[str, list[float]] = {}
        for rule in self._rules:
            weights.setdefault(rule.left, []).append(rule.weight)
        return {left: math.fsum(parts) for left, parts in weights.items()}

    @classmethod
    def from_string(
        cls, text: str, start: str | None = None, weights: Literal["normalise", "check", "keep"] = "normalise"
    ) -> Self:
        """Read a grammar from NLTK's text format; see `recbayes.discrete.model.grammar_text`.

        Arguments:
            text: rules such as `S -> NP VP [0.9] | VP [0.1]`, terminals in quotes. Rules without a weight have weight 1,
                except that weights="check" demands one.
            start: the start symbol. None takes that of the directive `%start`, else the left-hand side of the first rule.
            weights: "normalise" divides them by the sum for each left-hand side, "check" demands that they sum to one, and
                "keep" leaves them as they are.
        """
        choice(weights, ("normalise", "check", "keep"), "weights")
        directive, rules = read_rules(text, missing=None if weights == "check" else 1.0)
        if start is None:
            start = rules[0].left if directive is None else directive
        grammar = cls(start, rules)
        if weights == "check":
            grammar.check_normalised()
        return grammar.normalised() if weights == "normalise" else grammar

    def check_normalised(self) -> None:
        """An error that names the symbol if the weights of some left-hand side do not sum to one."""
        for left, total in self._totals().items():
            if abs(total - 1.0) > TOLERANCE:
                raise ModelError(
                    f"the weights of {left} must sum to one, they sum to {total:.12g}; correct them, or use "
                    'weights="normalise" to divide by the sum, or weights="keep" for a weighted grammar'
                )

    @classmethod
    def from_nltk(cls, grammar: Any) -> Self:
        """The grammar of an `nltk.PCFG`, weights as they are (NLTK lets them miss one by up to a hundredth).

        Arguments:
            grammar: the `nltk.PCFG`.
        """
        return cls(*read_nltk(grammar))

    def to_nltk(self) -> Any:
        """The grammar as an `nltk.PCFG`."""
        return write_nltk(self._start, self._rules)

    @classmethod
    def from_treebank(cls, trees: Iterable[Any], smoothing: float = 0.0, start: str | None = None) -> Self:
        """Relative frequencies of the rules in trees.

        Arguments:
            trees: each an `nltk.Tree`, or a pair of a `Tree` and its tokens; see `recbayes.discrete.model.treebank`.
            smoothing: added to the count of each rule seen.
            start: the start symbol. Where the trees have several root labels, or one that is not this, it leads to them by
                unary rules. None takes the trees' only root label, or else a fresh symbol.
        """
        from recbayes.discrete.model.treebank import count_rules

        return cls(*count_rules(trees, smoothing=smoothing, start=start)).normalised()

    @classmethod
    def from_rbn(cls, rbn: DiscreteRBN) -> Self:
        """Theorem 2: W(A -> X) = p(z = i | A) p_i(X | A), and a fresh start symbol S with W(S -> A) = prior(A).

        No start symbol is added if the prior is sure of one value. If S is taken, it is S0, S1, ...

        Arguments:
            rbn: the discrete RBN.
        """
        return cls(*rules_of(instance(rbn, DiscreteRBN, "rbn", error=ModelError)))

    def to_rbn(self) -> DiscreteRBN:
        """Theorem 1, for grammars in any form: one latent variable `x`, one observed variable `y`.

        There is one transition for each pattern of non-terminals and terminals on right-hand sides, say (x, x), (y) and
        (y, x), with p(z | A) the share of its rules in the weights of A and p(X | A) the share of a rule in those. The
        prior is the theorem's W(S -> A) if the start symbol S does nothing but choose another one, that is if all its
        rules are unary and it is on no right-hand side; otherwise S is a value as all others, and the certain root.
        Weights that do not sum to one are normalised, as in the theorem.
        """
        return abstract(self.flat())

    def flat(self) -> FlatGrammar:
        """The grammar as a list of weighted rules over numbers; rules with weight zero are left out."""
        return _flat(self)

    def sample(
        self, *, seed: int | np.random.Generator, min_length: int = 1, max_length: int | None = None, attempts: int = 100_000
    ) -> tuple[list[str], Tree]:
        """Terminals drawn from the grammar, and the tree they came from.

        Arguments:
            seed: a whole number or a `numpy.random.Generator`.
            min_length: the fewest terminals; trees of other lengths are drawn anew.
            max_length: the most. None is no limit.
            attempts: how many trees are drawn, before there is a `LengthError`.
        """
        from recbayes.discrete.model.sampling import sample

        return sample(self.flat(), seed=seed, min_length=min_length, max_length=max_length, attempts=attempts)

    def expand(self, *, dim: int | Mapping[str, int], emissions: Mapping[str, Any], **options: Any) -> "GaussianRBN":
        """A Gaussian RBN on the skeleton of this grammar, as `recbayes.convert.expansion.expand` makes it.

        Arguments:
            dim: the dimension of all variables, or one for each non-terminal.
            emissions: what terminals look like: for each name an (offset, standard deviation) pair, an `Observe` or an
                `Emit`.
            **options: of `expand`: `std`, `prior_mean`, `prior_std`, `cycle_tolerance`.
        """
        from recbayes.convert.expansion import expand

        return expand(self, dim=dim, emissions=emissions, **options)

    def to_cnf(self) -> "NormalForm":
        """The model in Chomsky normal form, with the way back for its trees; see `recbayes.discrete.model.normal_form`."""
        from recbayes.discrete.model.normal_form import normal_form

        return normal_form(self)

    def to_general(self) -> "RBN":
        """The same distribution as a general model, whose densities JAX computes; see `recbayes.convert.general`."""
        from recbayes.convert.general import discrete_to_general

        return discrete_to_general(self.to_rbn())

    def to_data(self) -> dict[str, Any]:
        return {
            "start": self._start,
            "normalised": self.is_normalised,
            "rules": [
                {
                    "left": rule.left,
                    "right": [{"terminal": one.name} if isinstance(one, Terminal) else one for one in rule.right],
                    "weight": rule.weight,
                }
                for rule in self._rules
            ],
        }

    @classmethod
    def from_data(cls, document: dict[str, Any]) -> Self:
        rules = [
            Rule(
                one["left"],
                tuple(Terminal(symbol["terminal"]) if isinstance(symbol, dict) else symbol for symbol in one["right"]),
                one["weight"],
            )
            for one in document["rules"]
        ]
        grammar = cls(document["start"], rules)
        if document["normalised"]:
            grammar.check_normalised()
        return grammar

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PCFG) and (self._start, self._rules) == (other._start, other._rules)

    def __hash__(self) -> int:
        return hash((self._start, self._rules))

    def __str__(self) -> str:
        """Text from which `from_string(..., weights="keep")` reads the same grammar, to the last bit of the weights."""
        return write_rules(self._start, self._rules)

    def _repr_html_(self) -> str:
        from recbayes.discrete.model.shown import grammar_to_html

        return grammar_to_html(self)

    def __repr__(self) -> str:
        sizes = f"{len(self.nonterminals)} non-terminals, {len(self.terminals)} terminals, {len(self._rules)} rules"
        return f"PCFG(start {self._start}, {sizes})"


@kept
def _weights(grammar: PCFG) -> dict[tuple[str, tuple[Symbol, ...]], float]:
    return {(rule.left, rule.right): rule.weight for rule in grammar.rules}


@kept
def _flat(grammar: PCFG) -> FlatGrammar:
    nonterminals, terminals = grammar.nonterminals, grammar.terminals
    numbers: dict[Symbol, int] = {name: position for position, name in enumerate(nonterminals)}
    numbers.update((Terminal(name), -1 - position) for position, name in enumerate(terminals))
    rules = [rule for rule in grammar.rules if rule.weight > 0]
    return FlatGrammar(
        nonterminals=nonterminals,
        terminals=terminals,
        start=np.eye(len(nonterminals))[0],
        lefts=tuple(numbers[rule.left] for rule in rules),
        rights=tuple(tuple(numbers[symbol] for symbol in rule.right) for rule in rules),
        weights=np.array([rule.weight for rule in rules]),
    )


def _checked(rule: Rule, where: str) -> tuple[str, tuple[Symbol, ...], float]:
    if not isinstance(rule, Rule):
        raise ModelError(f"{where} must be a Rule, got {type(rule).__name__}")
    if isinstance(rule.right, str | Terminal) or not isinstance(rule.right, Iterable):
        raise ModelError(f"{where}.right must be a tuple of symbols, got {rule.right!r}; write ({rule.right!r},)")
    right = tuple(rule.right)
    if not right:
        raise ModelError(f"{where} is {rule.left} -> nothing; epsilon rules, without any symbol, are not supported")
    for symbol in (rule.left, *right):
        name = symbol.name if isinstance(symbol, Terminal) else symbol
        if not isinstance(name, str) or not name:
            raise ModelError(f"{where}: symbols must be non-empty strings, or Terminal(...) of one, got {symbol!r}")
    if isinstance(rule.left, Terminal):
        raise ModelError(f"{where}.left must be a non-terminal, got {rule.left!r}")
    weight = number(rule.weight, f"{where}.weight")
    if weight < 0:
        raise ModelError(f"{where}.weight must not be negative, got {weight:.6g}")
    return rule.left, right, weight


def _scaled(rule: Rule, total: float) -> Rule:
    return Rule(rule.left, rule.right, rule.weight / total)


def _list(names: Iterable[str]) -> str:
    names = list(map(short, names))
    return ", ".join(names if len(names) <= 10 else [*names[:10], f"... ({len(names)} in all)"])
