"""Models that say of themselves that they are chains."""

from typing import Any, NamedTuple

from recbayes.checks.arrays import short
from recbayes.errors import ModelError


class Chain(NamedTuple):
    """The variables of a chain: a state leads on to what shows it and to the next state, until it emits the last one.

    A model is a chain only if it is given one of these, and then it is checked to have this form.

    Arguments:
        state: the name of the variable of the states.
        shown: that of what shows a state.
    """

    state: str = "state"
    shown: str = "shown"

    def demand(self, holds: bool, what: str) -> None:
        """An error if the model is not of the form that makes it a chain.

        Arguments:
            holds: whether it is.
            what: is wrong, in words.
        """
        if not holds:
            raise ModelError(f"a model with chain={tuple(self)} must be a chain, but {what}")


def checked_chain(chain: object) -> Chain:
    """The chain that a model is given."""
    if not isinstance(chain, Chain) or not all(isinstance(name, str) for name in chain):
        raise ModelError(f"chain must be a Chain of the names of two variables, or None, got {short(chain)}")
    return chain


def chain_to_data(chain: Chain | None) -> dict[str, Any]:
    """The field of a file, which models that are no chains do without."""
    return {} if chain is None else {"chain": chain._asdict()}


def chain_from_data(document: dict[str, Any]) -> Chain | None:
    data = document.get("chain")
    return None if data is None else Chain(data["state"], data["shown"])
