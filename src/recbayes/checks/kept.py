"""What follows from an immutable value and is worth computing once."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Protocol, TypeVar


class Keeper(Protocol):
    """A value with room for what follows from it, which is no part of it: copies and files leave it out."""

    @property
    def _kept(self) -> dict[Callable[..., Any], Any]: ...


Owner = TypeVar("Owner", bound=Keeper)
Result = TypeVar("Result")


def kept(make: Callable[[Owner], Result]) -> Callable[[Owner], Result]:
    """The function, computed once for every owner; the result is kept with the owner, under the function itself."""

    @wraps(make)
    def once(owner: Owner) -> Result:
        if make not in owner._kept:
            owner._kept[make] = make(owner)
        return owner._kept[make]

    return once


def keep(owner: Keeper, function: Callable[..., Any], value: Any) -> None:
    """Have a function that is computed once per owner give this value."""
    owner._kept[function.__wrapped__] = value  # type: ignore[attr-defined]
