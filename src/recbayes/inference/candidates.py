"""Boundaries that are to be found: `boundaries="auto"`, and what is done by default in long series."""

from dataclasses import replace
from typing import Any

from recbayes.spans.constraints import Constraints


def with_candidates(model: Any, sequence: Any, constraints: Constraints, by_default: bool = False) -> Constraints:
    """The constraints with candidates where these are wanted: by the user or, `by_default`, by the family."""
    if is_automatic(model, sequence, constraints, by_default):
        return replace(
            constraints, boundaries=model.family.candidates(model, sequence, replace(constraints, boundaries=None))
        )
    return constraints


def is_automatic(model: Any, sequence: Any, constraints: Constraints, by_default: bool) -> bool:
    """Whether boundaries are to be found."""
    if constraints.are_wanted:
        return True
    return by_default and constraints.boundaries is None and model.family.wants_candidates(model, sequence, constraints)
