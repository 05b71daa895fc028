"""Rules of grammars and how they are written: NLTK's text format, and NLTK's own objects.

    %start S
    S -> NP VP [0.9] | VP [0.1]     # a comment
    NP -> 'the' N [0.5]
        | "dog's" [0.5]

Terminals stand in quotes, weights in square brackets. A rule goes on after a backslash at the end of a line, or with a
bar at the beginning of the next. What NLTK reads is read here, and a little more: comments after rules, bars on new
lines, weights with exponents, and names of non-terminals with any characters but blanks, quotes, brackets, bars, `#` and
backslashes (and without `->`, or a leading `%`), so that symbols of treebanks such as `PRP$` or `-NONE-` need no care.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from recbayes.checks.arrays import short
from recbayes.checks.kept import kept
from recbayes.discrete.model.flat import FlatGrammar
from recbayes.errors import ModelError
from recbayes.tree.formats.assembly import need


@dataclass(frozen=True)
class Terminal:
    """Marks a symbol of a right-hand side as a terminal: something that is observed.

    Arguments:
        name: what is observed.
    """

    name: str


Symbol = str | Terminal


@dataclass(frozen=True)
class Rule:
    """A rule `left -> right` and its weight.

    Arguments:
        left: a non-terminal.
        right: one or more symbols: plain strings are non-terminals, others are `Terminal`s.
        weight: not negative; a probability, if those of a left-hand side sum to one.
    """

    left: str
    right: tuple[Symbol, ...]
    weight: float = 1.0

    @property
    def text(self) -> str:
        """The rule without its weight, as trees show it: `NP -> 'the' N`."""
        return rule_text(self.left, self.right)


def quoted(name: str) -> str:
    """A terminal as texts and trees show it: in single quotes, or in double ones if it has a single one inside."""
    return f'"{name}"' if "'" in name else f"'{name}'"


def rule_text(left: str, right: Sequence[Symbol]) -> str:
    """The text of a rule without its weight."""
    symbols = [quoted(symbol.name) if isinstance(symbol, Terminal) else symbol for symbol in right]
    return " ".join([left, "->", *symbols])


@kept
def rule_names(flat: FlatGrammar) -> tuple[str, ...]:
    """The texts of all rules of a flat grammar, in their order."""
    return tuple(
        rule_text(
            flat.nonterminals[left],
            [flat.nonterminals[s] if s >= 0 else Terminal(flat.terminals[-1 - s]) for s in right],
        )
        for left, right in zip(flat.lefts, flat.rights, strict=True)
    )


def fresh_symbol(taken: Iterable[str]) -> str:
    """A name for a start symbol that nobody else has: S, S0, S1, ..."""
    names = set(taken)
    return next(name for name in ("S", *(f"S{number}" for number in range(len(names) + 1))) if name not in names)


# No two parts of a pattern can match one text in more than one way, and what lacks its end is given up at the next that
# begins: so every text is read in time linear in its length.
_TOKEN = re.compile(
    r"""  (?P<blank>     (?: [^\S\n] | \\ [^\S\n]* \n )+ | \#[^\n]* )
        | (?P<end>       \n )
        | (?P<arrow>     -> )
        | (?P<bar>       \| )
        | (?P<weight>    \[ [^\[\]\n]* \] )
        | (?P<terminal>  "[^"\n]*" | '[^'\n]*' )
        | (?P<directive> % \S* )
        | (?P<name>      (?: (?!->) [^\s'"\[\]|\#\\] )+ )
        | (?P<other>     . )""",
    re.VERBOSE,
)
_WEIGHT = re.compile(r"\[\s*((?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)\s*\]")


def read_rules(text: str, missing: float | None) -> tuple[str | None, list[Rule]]:
    """The symbol of the last `%start` directive and all rules; `missing` is the weight of rules without one.

    Without `missing`, every rule needs its weight.
    """
    if not isinstance(text, str):
        raise ModelError(f"a grammar is read from a string, got {type(text).__name__}")
    reader = _Reader(text.removeprefix("\ufeff"))  # the mark of the byte order, which some editors put before a text
    start: str | None = None
    rules: list[Rule] = []
    while reader.kind != "stop":
        if reader.kind == "end":
            reader.take()
        elif reader.kind == "directive":
            if reader.token != "%start":
                reader.complain("the directive %start")
            reader.take()
            start = reader.expect("name", "the start symbol")
            reader.expect("end", "the end of the line")
        else:
            if reader.kind != "bar" or not rules:
                left = reader.expect("name", "a non-terminal or %start at the beginning of a rule")
                reader.expect("arrow", "'->'")
            else:
                left = rules[-1].left
                reader.take()
            rules += reader.alternatives(left, missing)
    if not rules:
        raise ModelError("the text has no rules; a rule is written S -> NP VP [0.9] | 'word' [0.1]")
    return start, rules


class _Reader:
    """A text cut into tokens, and the one to be read next."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = [match for match in _TOKEN.finditer(text) if match.lastgroup != "blank"]
        self._next = 0

    @property
    def kind(self) -> str:
        return str(self._tokens[self._next].lastgroup) if self._next < len(self._tokens) else "stop"

    @property
    def token(self) -> str:
        return self._tokens[self._next][0] if self._next < len(self._tokens) else ""

    def take(self) -> str:
        token = self.token
        self._next += 1
        return token

    def expect(self, kind: str, what: str) -> str:
        if self.kind == kind or (kind == "end" and self.kind == "stop"):
            return self.take()
        self.complain(what)

    def complain(self, expected: str) -> NoReturn:
        place = self._tokens[self._next].start() if self._next < len(self._tokens) else len(self._text)
        line = self._text.count("\n", 0, place) + 1
        column = place - (self._text.rfind("\n", 0, place) + 1) + 1
        found = {"end": "the end of the line", "stop": "the end of the text"}.get(self.kind, short(self.token))
        if self.kind == "other" and self.token in "'\"[":
            expected, found = f"{self.token.replace('[', ']')} to close it", f"{self.token} without an end"
        raise ModelError(f"line {line}, column {column}: expected {expected}, found {found}")

    def alternatives(self, left: str, missing: float | None) -> list[Rule]:
        """The right-hand sides up to the end of the line."""
        rules = []
        while True:
            right = self._symbols()
            rules.append(Rule(left, right, self._weight(missing)))
            if self.kind != "bar":
                self.expect("end", "'|' or the end of the line")
                return rules
            self.take()

    def _symbols(self) -> tuple[Symbol, ...]:
        symbols: list[Symbol] = []
        while self.kind in ("name", "terminal"):
            if self.token in ("''", '""'):
                self.complain("a symbol (there are no empty terminals and no epsilon rules)")
            symbols.append(self.take() if self.kind == "name" else Terminal(self.take()[1:-1]))
        if not symbols:
            self.complain("a non-terminal or a terminal in quotes (epsilon rules, without any symbol, are not supported)")
        return tuple(symbols)

    def _weight(self, missing: float | None) -> float:
        if self.kind != "weight":
            if missing is None or self.kind not in ("bar", "end", "stop"):
                self.complain("a weight in square brackets" if missing is None else "a symbol, a weight, '|' or a new line")
            return missing
        match = _WEIGHT.fullmatch(self.token)
        if not match or not math.isfinite(float(match[1])):
            self.complain("a weight that is a number, zero or more, such as [0.5]")
        self.take()
        return float(match[1])


def write_rules(start: str, rules: Sequence[Rule]) -> str:
    """Text from which `read_rules` reads exactly these rules, one a line; NLTK reads it as well where it knows the names.

    Weights are written without exponents, which NLTK does not read, in as few digits as tell them from all others.
    """
    lines = [] if rules[0].left == start else [f"%start {_writable(start)}"]
    for rule in rules:
        symbols = [_writable(symbol) for symbol in (rule.left, *rule.right)]
        weight = np.format_float_positional(rule.weight, unique=True, trim="0")
        lines.append(" ".join([symbols[0], "->", *symbols[1:], f"[{weight}]"]))
    return "\n".join(lines)


def _writable(symbol: Symbol) -> str:
    text = quoted(symbol.name) if isinstance(symbol, Terminal) else symbol
    match = _TOKEN.fullmatch(text)
    if match and match.lastgroup == ("terminal" if isinstance(symbol, Terminal) else "name"):
        return text
    kind, allowed = (
        ("terminal", "line breaks or both kinds of quotes")
        if isinstance(symbol, Terminal)
        else ("non-terminal", "blanks, quotes, brackets, bars, '#', backslashes, '->' or a leading '%'")
    )
    name = symbol.name if isinstance(symbol, Terminal) else symbol
    raise ModelError(f"the {kind} {name!r} cannot be written as text, which has no {allowed}; rename it, or save as JSON")


def read_nltk(grammar: Any) -> tuple[str, list[Rule]]:
    """Start symbol and rules of an `nltk.PCFG`."""
    nltk = need("nltk")
    if not isinstance(grammar, nltk.grammar.PCFG):
        raise ModelError(f"expected an nltk.PCFG, got {type(grammar).__name__}")
    rules = []
    for production in grammar.productions():
        right = tuple(
            symbol.symbol() if isinstance(symbol, nltk.grammar.Nonterminal) else Terminal(symbol)
            for symbol in production.rhs()
        )
        rules.append(Rule(production.lhs().symbol(), right, production.prob()))
    return grammar.start().symbol(), rules


def write_nltk(start: str, rules: Sequence[Rule]) -> Any:
    """The `nltk.PCFG` of these rules."""
    grammar = need("nltk").grammar
    productions = [
        grammar.ProbabilisticProduction(
            grammar.Nonterminal(rule.left),
            [symbol.name if isinstance(symbol, Terminal) else grammar.Nonterminal(symbol) for symbol in rule.right],
            prob=rule.weight,
        )
        for rule in rules
    ]
    try:
        return grammar.PCFG(grammar.Nonterminal(start), productions)
    except ValueError as problem:
        raise ModelError(f"NLTK refuses the grammar: {problem}; make its weights sum to one with .normalised()") from problem
