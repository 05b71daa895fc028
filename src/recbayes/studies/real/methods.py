"""The methods that are compared. Another one is another `Method` in the list."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np

from recbayes.errors import StudyError
from recbayes.studies.real import penalised


@dataclass(frozen=True)
class Method:
    """A function of the module level, from values (observations, columns; NaN where missing) and a seed to change points.

    A change point is the first position of a new segment; position 0 may be among them or not. `name` is a word, for the
    command line and for files, `title` what tables say, `needs` a package that is not always there.
    """

    name: str
    title: str
    find: Callable[[np.ndarray, int], Sequence[int]]
    needs: str | None = None


def ours(values: np.ndarray, seed: int) -> Sequence[int]:
    """As users call it, with nothing told."""
    import recbayes

    return recbayes.segment(values, seed=seed).change_points  # type: ignore[attr-defined]


def no_change(values: np.ndarray, seed: int) -> Sequence[int]:
    return []


OURS = Method("recbayes", "recbayes", ours)
METHODS = (
    OURS,
    Method("pelt", "Pelt", penalised.pelt, needs="ruptures"),
    Method("binseg", "Binseg", penalised.binseg, needs="ruptures"),
    Method("pelt-noise", "Pelt, noise", penalised.pelt_noise, needs="ruptures"),
    Method("binseg-noise", "Binseg, noise", penalised.binseg_noise, needs="ruptures"),
    Method("none", "no change", no_change),
)


def choose_methods(names: Sequence[str] | None) -> tuple[Method, ...]:
    """Methods by name, in the order of the list; None takes all."""
    if names is None:
        return METHODS
    known = [method.name for method in METHODS]
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        raise StudyError(f"methods are one or more of {', '.join(known)}; got {', '.join(map(repr, unknown)) or 'none'}")
    return tuple(method for method in METHODS if method.name in names)


def check_methods(methods: Sequence[Method]) -> None:
    """An error if one of them cannot run here."""
    for method in methods:
        if method.needs is not None and find_spec(method.needs) is None:
            raise StudyError(
                f"{method.title} needs the package {method.needs}: pip install 'recbayes[study]', or leave it out"
            )
