"""Sequences of tokens: which terminals they are, and telling one sequence from many."""

from collections.abc import Iterable, Mapping, Set, Sized
from typing import Any

import numpy as np

from recbayes.checks.numbers import is_missing
from recbayes.discrete.model.flat import FlatGrammar
from recbayes.errors import DataError


def listed(tokens: Any) -> Any:
    """Tokens that can be gone through more than once. A string is a token, never a sequence."""
    single = isinstance(tokens, np.ndarray) and tokens.ndim == 0
    if single or isinstance(tokens, str | bytes | Mapping | Set) or not isinstance(tokens, Iterable):
        raise DataError(f"tokens must be a sequence of terminals, got {tokens!r}; split a sentence into its words")
    return tokens if isinstance(tokens, Sized) else list(tokens)


def are_many(tokens: Any) -> bool:
    """Whether these are several sequences of tokens rather than one."""
    if isinstance(tokens, np.ndarray) and tokens.dtype != object:
        return tokens.ndim > 1
    return any(issubclass(kind, Iterable) and not issubclass(kind, str | bytes) for kind in set(map(type, tokens)))


def token_numbers(grammar: FlatGrammar, tokens: Iterable[Any]) -> np.ndarray:
    """Numbers of terminals; -1 for None and NaN. Every distinct token is looked up once."""
    if isinstance(tokens, np.ndarray) and tokens.dtype.kind in "iuU":
        distinct, which = np.unique(tokens, return_inverse=True)
        numbers = np.array([_token_number(grammar, token, tokens) for token in distinct.tolist()], dtype=np.int64)[which]
    else:
        given = list(tokens)
        known = {token: _token_number(grammar, token, given) for token in dict.fromkeys(given)}
        numbers = np.array([known[token] for token in given], dtype=np.int64)
    if not len(numbers):
        raise DataError("the sequence is empty; a tree spans at least one token")
    return numbers


def _token_number(grammar: FlatGrammar, token: Any, tokens: Any) -> int:
    if is_missing(token):
        return -1
    whole = isinstance(token, float | np.floating) and float(token).is_integer()
    name = token if isinstance(token, str) else str(int(token)) if whole else str(token)
    if name not in grammar.terminal_numbers:
        position = next(n for n, other in enumerate(tokens) if other is token or other == token)
        raise DataError(f"token {position} is {token!r}, which is no terminal of the grammar")
    return grammar.terminal_numbers[name]
