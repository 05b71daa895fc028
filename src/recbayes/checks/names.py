"""Names that are not there, and what may have been meant."""

from collections.abc import Iterable
from difflib import get_close_matches


def unknown_name(name: str, known: Iterable[str]) -> str:
    """What to say of a public name that the package does not have."""
    lower = {one.lower(): one for one in known}
    near = get_close_matches(name.lower(), lower, n=1)
    advice = f"did you mean {lower[near[0]]!r}?" if near else "dir(recbayes) lists its names"
    return f"recbayes has no {name!r}; {advice}"
