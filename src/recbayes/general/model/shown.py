"""General models as notebooks show them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from recbayes.family.shown import Way, model_html, said

if TYPE_CHECKING:
    from recbayes.general.model.rbn import RBN


def general_to_html(model: "RBN") -> str:
    """Variables with where their values lie, their steps, and the parameters. Probabilities are functions: none is shown."""
    about: list[tuple[str, object]] = [("root", model.parts.root)]
    about += [(name, support) for name, support in model.parts.variables.items()]
    if isinstance(model.parameters, Mapping):
        about += [(str(name), said(value)) for name, value in list(model.parameters.items())[:20]]
    ways = [
        Way(name, None, f"{step_name} → {' '.join(step.children)}", "" if step.length is None else said(step.length))
        for name, steps in model.parts.steps.items()
        for step_name, step in steps.items()
    ]
    return model_html(type(model).__name__, about, ways)
