"""`rb.log_prefix_probability`: how probable it is that a sequence begins so."""

from collections.abc import Sequence
from typing import Any

from recbayes.family.family import Model, family_of


def log_prefix_probability(model: Model[Any, Any, Any], tokens: Sequence[Any]) -> float:
    """log p(y_1 ... y_n, and anything or nothing after it).

    The weights of all sentences together must be finite: a hidden Markov model needs a `termination`.

    Arguments:
        model: a `PCFG` or `DiscreteRBN`.
        tokens: how the sentence begins: names of terminals, None where one is missing.
    """
    return family_of(model).log_prefix_probability(model, tokens)
