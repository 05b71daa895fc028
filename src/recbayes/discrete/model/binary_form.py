"""Rules with at most two children: the form in which discrete charts work.

Terminals that stand beside other symbols get a non-terminal of their own, and a rule with more than two children unpacks
them one by one: A -> B C D becomes A -> B [C D] and [C D] -> C D (steps 1 and 2 of the paper's normal form; equal
remainders share a symbol). Every tree of the grammar is a tree of its binary form, of the same weight, and back. Unary
rules stay: charts sum over chains of them exactly.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from recbayes.checks.kept import kept
from recbayes.discrete.model.flat import FlatGrammar
from recbayes.errors import ModelError

SHORT = 8  # unary rules in a chain, at most, that are summed over one by one


class Lexical(NamedTuple):
    """Rules A -> terminal, sorted by terminal; `first` says where each terminal's rules begin."""

    parent: np.ndarray
    terminal: np.ndarray
    weight: np.ndarray
    rule: np.ndarray  # the grammar's rule, or -1 if the step is only unpacking
    first: np.ndarray
    log_weight: np.ndarray


class Unary(NamedTuple):
    """Rules A -> B, sorted by parent."""

    parent: np.ndarray
    child: np.ndarray
    weight: np.ndarray
    rule: np.ndarray
    first: np.ndarray
    log_weight: np.ndarray


class Binary(NamedTuple):
    """Rules A -> B C, sorted by the pair of children: a chart sums over split points once per pair, not once per rule."""

    parent: np.ndarray
    weight: np.ndarray
    rule: np.ndarray
    log_weight: np.ndarray
    pair: np.ndarray  # the pair of each rule
    first: np.ndarray  # where each pair's rules begin
    left: np.ndarray  # of each pair
    right: np.ndarray
    first_pair: np.ndarray  # where each left child's pairs begin


class Chains(NamedTuple):
    """The closure of unary rules by rows: entries first[A] to first[A + 1] are (child, weight). Empty without rules."""

    child: np.ndarray
    weight: np.ndarray
    first: np.ndarray


@dataclass(frozen=True, eq=False)
class BinaryForm:
    """A grammar's rules by kind. Symbols below `real` are the grammar's own; the others are fresh."""

    grammar: FlatGrammar
    symbols: int
    real: int
    lexical: Lexical
    unary: Unary
    binary: Binary
    start: np.ndarray  # (symbols,)
    closure: np.ndarray | None  # (symbols, symbols) total weight of all unary chains between two symbols, if there are any
    chains: Chains  # the same by rows
    contents: tuple[tuple[int, ...], ...]  # for every fresh symbol, its terminal (negative), or the two that it unpacks
    lowest: float  # the log of the smallest weight of any rule
    visible: np.ndarray  # (symbols,) which symbols are nodes of the grammar's trees: all but those that only unpack

    @property
    def _kept(self) -> dict[Callable[..., Any], Any]:
        """What follows from the form is kept with its grammar."""
        return self.grammar._kept

    @property
    def rules(self) -> np.ndarray:
        """For every rule of the binary form, lexical, binary and unary ones in this order, the grammar's rule, or -1."""
        return np.concatenate([self.lexical.rule, self.binary.rule, self.unary.rule])


@kept
def binary_form(grammar: FlatGrammar) -> BinaryForm:
    """The binary form of a grammar, made once."""
    real = len(grammar.nonterminals)
    fresh: dict[tuple[int, ...], int] = {}  # by terminal, or by the two symbols to unpack
    lexical: list[tuple[int, int, float, int]] = []
    unary: list[tuple[int, int, float, int]] = []
    binary: list[tuple[int, int, int, float, int]] = []

    def single(symbol: int) -> int:
        """The non-terminal itself, or the fresh one that stands for a terminal."""
        if symbol >= 0:
            return symbol
        if (symbol,) not in fresh:
            fresh[symbol,] = real + len(fresh)
            lexical.append((fresh[symbol,], -1 - symbol, 1.0, -1))
        return fresh[symbol,]

    def unpacking(content: tuple[int, ...]) -> int:
        """The symbol that unpacks a right-hand side, made from its end on."""
        rest = single(content[-1])
        for symbol in content[-2::-1]:
            pair = single(symbol), rest
            if pair not in fresh:
                fresh[pair] = real + len(fresh)
                binary.append((fresh[pair], *pair, 1.0, -1))
            rest = fresh[pair]
        return rest

    for rule, (left, right, weight) in enumerate(zip(grammar.lefts, grammar.rights, grammar.weights.tolist(), strict=True)):
        if len(right) == 1 and right[0] < 0:
            lexical.append((left, -1 - right[0], weight, rule))
        elif len(right) == 1:
            unary.append((left, right[0], weight, rule))
        else:
            binary.append((left, single(right[0]), unpacking(right[1:]), weight, rule))
    symbols = real + len(fresh)
    closure = _closure(grammar, unary, symbols)
    start = np.zeros(symbols)
    start[:real] = grammar.start
    return BinaryForm(
        grammar=grammar,
        symbols=symbols,
        real=real,
        lexical=Lexical(*_columns(lexical, 1, len(grammar.terminals))),
        unary=Unary(*_columns(unary, 0, symbols)),
        binary=_binary(binary, symbols),
        start=start,
        closure=closure,
        chains=_chains(closure, symbols),
        contents=tuple(fresh),
        lowest=float(np.log(grammar.weights).min()),
        visible=np.array([True] * real + [len(content) == 1 for content in fresh]),
    )


def _columns(rows: list[tuple[int, int, float, int]], key: int, keys: int) -> list[np.ndarray]:
    """Columns of the rows, sorted by one of them; where each of its values begins; and the logarithms of the weights."""
    rows = sorted(rows, key=lambda row: row[key])
    one, two, rule = (np.array([row[column] for row in rows], dtype=np.int64) for column in (0, 1, 3))
    weight = np.array([row[2] for row in rows], dtype=np.float64)
    return [one, two, weight, rule, np.searchsorted((one, two)[key], np.arange(keys + 1)), np.log(weight)]


def _binary(rows: list[tuple[int, int, int, float, int]], symbols: int) -> Binary:
    rows = sorted(rows, key=lambda row: (row[1], row[2], row[0]))
    parent, left, right, rule = (np.array([row[n] for row in rows], dtype=np.int64) for n in (0, 1, 2, 4))
    weight = np.array([row[3] for row in rows], dtype=np.float64)
    begins = (np.diff(left, prepend=-1) != 0) | (np.diff(right, prepend=-1) != 0)
    new = np.flatnonzero(begins)
    first = np.append(new, len(rows))
    first_pair = np.searchsorted(left[new], np.arange(symbols + 1))
    return Binary(parent, weight, rule, np.log(weight), np.cumsum(begins) - 1, first, left[new], right[new], first_pair)


def _chains(closure: np.ndarray | None, symbols: int) -> Chains:
    if closure is None:
        return Chains(np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(symbols + 1, dtype=np.int64))
    parents, children = np.nonzero(closure)
    return Chains(children, closure[parents, children], np.searchsorted(parents, np.arange(symbols + 1)))


def _closure(grammar: FlatGrammar, unary: list[tuple[int, int, float, int]], symbols: int) -> np.ndarray | None:
    """(1 - U)^-1 = 1 + U + U^2 + ...: the total weight of all chains of unary rules, cycles included (step 3)."""
    if not unary:
        return None
    U = np.zeros((symbols, symbols))
    for parent, child, weight, _ in unary:
        U[parent, child] += weight
    touched = np.flatnonzero(U.any(axis=0) | U.any(axis=1))
    inner = U[np.ix_(touched, touched)]
    closure = np.eye(symbols)
    short = _short_chains(inner)
    if short is not None:
        closure[np.ix_(touched, touched)] = short
        return closure
    radius = float(np.abs(np.linalg.eigvals(inner)).max())
    if radius >= 1.0 - 1e-12:
        both = inner.any(axis=0) & inner.any(axis=1)
        cycle = sorted({grammar.nonterminals[symbol] for symbol in touched[both]})
        raise ModelError(
            f"unary rules among {cycle} lead round with a total weight of {radius:.6g}; it must be below one, or trees have "
            "infinitely many nodes"
        )
    closure[np.ix_(touched, touched)] = np.linalg.inv(np.eye(len(touched)) - inner)
    closure[closure < 0] = 0.0  # rounding of zeros
    return closure


def _short_chains(U: np.ndarray) -> np.ndarray | None:
    """1 + U + U^2 + ..., if that ends soon: if no chain of unary rules is long or leads round."""
    total, power = np.eye(len(U)), U
    for _ in range(SHORT):
        total, power = total + power, power @ U
        if not power.any():
            return total
    return None
