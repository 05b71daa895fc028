"""What each library does. Facts that a small call can show are tried every time, and a changed answer is an error."""

from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec

import numpy as np

from benchmarks.compare import methods

LIBRARIES = ("recbayes", "ruptures", "claspy", "Rbeast", "hmmlearn", "torch-struct")
FACTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("finds", ("changes of level, slope, noise, memory", "changes of the cost chosen", "changes of recurring shapes",
               "changes of level and slope, of the season", "states that come back", "structure, given potentials")),
    ("number of changes unknown", ("yes", "by a penalty of yours", "yes", "yes (at most 10)", "states: BIC of yours", "-")),
    ("probability of each change", ("yes", "no", "p-value", "yes", "of each state", "marginals")),
    ("tree over segments", ("yes, with probabilities", "no", "no", "no", "no", "yes, of grammars")),
    ("missing values", ("yes", "no", "no", "yes", "no", "no")),
    ("several columns together", ("yes", "yes", "yes", "no", "yes", "-")),
    ("trends / seasons", ("yes / period told", "`clinear` / no", "no / shapes", "yes / yes", "no / no", "-")),
    ("autoregressive noise", ("yes", "`ar` cost", "no", "no", "no", "-")),
    ("as data come in", ("no", "no", "yes (ClaSS)", "no", "no", "-")),
    ("emissions of an HMM", ("symbols; Gaussian as regimes", "-", "-", "-", "Gaussian, mixtures, Poisson, symbols", "any")),
    ("learns parameters", ("yes", "-", "-", "-", "yes", "by PyTorch")),
    ("runs on GPUs", ("no", "no", "no", "no", "no", "yes")),
    ("licence", ("Apache-2.0", "BSD-2", "BSD-3", "MIT (Python package)", "BSD-3", "MIT")),
)  # fmt: skip
TRIED = ("missing values", "several columns together")
FIND: Mapping[str, Callable[[np.ndarray, int], Sequence[int]]] = {
    "recbayes": methods.recbayes,
    "ruptures": methods.ruptures_twice,
    "claspy": methods.claspy,
    "Rbeast": methods.rbeast,
    "hmmlearn": methods.hmmlearn,
}


def gap() -> tuple[np.ndarray, int]:
    """A jump that nobody misses, if missing values do no harm."""
    rng = np.random.default_rng(0)
    y = rng.normal(size=200) + 6.0 * (np.arange(200) >= 100)
    y[30:45] = np.nan
    return y[:, None], 100


def second_level() -> tuple[np.ndarray, int]:
    """A jump that only the second column has."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(200, 2)) + np.outer(np.arange(200) >= 100, [0.0, 6.0]), 100


def second_shape() -> tuple[np.ndarray, int]:
    """For claspy: waves, of which only those of the second column change."""
    rng = np.random.default_rng(0)
    t = np.arange(1200)
    wave = np.where(t < 600, np.sin(t / 5.0), 3.0 * np.sign(np.sin(t / 2.5)) + 8.0)
    return np.stack([np.sin(t / 5.0), wave], axis=1) + 0.1 * rng.normal(size=(1200, 2)), 600


def probe(feature: str, library: str) -> tuple[np.ndarray, int]:
    if feature == "missing values":
        return gap()
    return second_shape() if library == "claspy" else second_level()


def knows(find: Callable[[np.ndarray, int], Sequence[int]], values: np.ndarray, change: int) -> bool:
    """Whether a method tells this change and no other, and does not fail."""
    try:
        found = list(find(values.copy(), 0))
    except Exception:  # whatever a library says to data that it does not take
        return False
    return len(found) == 1 and abs(int(found[0]) - change) <= 5


def tried() -> list[str]:
    """Facts that are no longer so, in words."""
    wrong = []
    said = {feature: dict(zip(LIBRARIES, answers, strict=True)) for feature, answers in FACTS}
    for feature in TRIED:
        for library, find in FIND.items():
            if library != "recbayes" and find_spec(library) is None:
                continue
            found = knows(find, *probe(feature, library))
            if found is not (said[feature][library] == "yes"):
                wrong.append(f"{library}, {feature}: the table says {said[feature][library]!r}, a call says {found}")
    return wrong
