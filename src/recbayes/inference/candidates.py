"""Boundaries that are to be found: `boundaries="auto"`, and what is done by default in long series."""

from dataclasses import replace
from typing import Any

from recbayes.family.cost import warn_if_long
from recbayes.spans.constraints import Constraints

MANY = 2000  # candidates, up to which a chart never takes minutes


def with_candidates(model: Any, sequence: Any, constraints: Constraints, by_default: bool = False) -> Constraints:
    """The constraints with candidates where these are wanted: by the user or, `by_default`, by the family."""
    if not is_automatic(model, sequence, constraints, by_default):
        return constraints
    found = model.family.candidates(model, sequence, replace(constraints, boundaries=None))
    chosen = replace(constraints, boundaries=found)
    if len(found) > MANY:
        seconds = model.family.cost(model, len(sequence), chosen, 1).seconds
        warn_if_long(seconds, f"a chart over {len(found)} candidates", "give fewer boundaries=")
    return chosen


def is_automatic(model: Any, sequence: Any, constraints: Constraints, by_default: bool) -> bool:
    """Whether boundaries are to be found."""
    if constraints.are_wanted:
        return True
    return by_default and constraints.boundaries is None and model.family.wants_candidates(model, sequence, constraints)
