"""Change points by the methods of the `ruptures` library: every search with every cost that applies to several columns.

Not here are `CostLinear` and `CostAR`, which are about regression on other columns and on the past of one column. `Dynp` has
costs of its own only where `KernelCPD`, which is compiled and finds the same, has none.
"""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

# Costs, and the shortest segments they can judge.
COSTS = {"l2": 1, "l1": 2, "normal": 2, "rbf": 1, "cosine": 1, "clinear": 3, "rank": 2, "mahalanobis": 2}
KERNELS = {"linear": "l2", "rbf": "rbf", "cosine": "cosine"}
WIDTHS = (4, 6, 10)  # of sliding windows, in observations
COUNTS = tuple(range(16))  # numbers of change points


@dataclass(frozen=True)
class Candidate:
    """A search method with a cost function; it stops at a penalty, or, if `counted`, at a number of change points."""

    search: str
    cost: str
    width: int | None = None
    counted: bool = False

    @property
    def name(self) -> str:
        search = self.search if self.width is None else f"{self.search} {self.width}"
        return f"{search}, {self.cost}" + (", by number" if self.counted else "")

    def grid(self, penalties: tuple[float, ...]) -> tuple[float, ...]:
        """What there is to choose from: penalties, or numbers of change points."""
        return COUNTS if self.counted else penalties


def all_candidates() -> tuple[Candidate, ...]:
    """The paper's choice (Pelt, L2) comes first, and wins ties."""
    candidates = []
    for cost, shortest in COSTS.items():
        candidates += [Candidate(search, cost) for search in ("Pelt", "Binseg", "BottomUp")]
        candidates += [Candidate("Window", cost, width) for width in WIDTHS if width >= 2 * shortest]
        candidates += [] if cost in KERNELS.values() else [Candidate("Dynp", cost, counted=True)]
    kernels = [Candidate("KernelCPD", cost, counted=counted) for cost in KERNELS.values() for counted in (False, True)]
    return (*candidates, *kernels)


def penalties(per_decade: int) -> tuple[float, ...]:
    """From 0.0001 to 1000, which no change point of any cost on data of unit scale escapes."""
    return tuple(float(value) for value in np.geomspace(1e-4, 1e3, 7 * per_decade + 1))


def segmentations(
    candidates: tuple[Candidate, ...], values: np.ndarray, grid: tuple[float, ...]
) -> Iterator[tuple[Candidate, list[list[int]]]]:
    """For every candidate, the ends of the segments at every point of its grid; costs of segments are computed once."""
    tables = {cost: _table(cost, values) for cost in {one.cost for one in candidates if one.search != "KernelCPD"}}
    for candidate in candidates:
        yield candidate, _along_grid(candidate, values, candidate.grid(grid), tables.get(candidate.cost))


def segment(candidate: Candidate, values: np.ndarray, value: float) -> list[int]:
    """The ends of the segments; the last one is the length of the series."""
    return _predict(_searcher(candidate, values, None), candidate, value, len(values))


def _along_grid(candidate: Candidate, values: np.ndarray, grid: tuple[float, ...], table: Any) -> list[list[int]]:
    """What a smaller penalty forbids, a larger one does too, so that nothing is left to do after the first that forbids all.

    That is so but for Pelt where segments must have several observations: there ruptures drops candidates too early.
    """
    searcher = _searcher(candidate, values, table)
    monotone = not candidate.counted and (candidate.search != "Pelt" or COSTS[candidate.cost] == 1)
    ends: list[list[int]] = []
    for value in grid:
        if monotone and ends and len(ends[-1]) == 1:
            ends.append(ends[-1])
        else:
            ends.append(_predict(searcher, candidate, value, len(values)))
    return ends


def _predict(searcher: Any, candidate: Candidate, value: float, length: int) -> list[int]:
    if not candidate.counted:
        return [int(end) for end in searcher.predict(pen=float(value))]
    count = min(int(value), length // COSTS[candidate.cost] - 1)  # more do not fit
    return [int(end) for end in searcher.predict(n_bkps=count)] if count else [length]


def _searcher(candidate: Candidate, values: np.ndarray, table: Any) -> Any:
    """Segments may be as short as the cost allows, and begin anywhere."""
    import ruptures

    if candidate.search == "KernelCPD":
        kernel = next(kernel for kernel, cost in KERNELS.items() if cost == candidate.cost)
        return ruptures.KernelCPD(kernel=kernel, min_size=1).fit(values)
    table = _table(candidate.cost, values) if table is None else table
    options = {} if candidate.width is None else {"width": candidate.width}
    return getattr(ruptures, candidate.search)(custom_cost=table, min_size=1, jump=1, **options).fit(values)


def _table(name: str, values: np.ndarray) -> Any:
    """One of ruptures' costs that remembers the segments it has been asked for."""
    from ruptures.base import BaseCost
    from ruptures.costs import cost_factory

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # CostNormal announces that it adds 1e-6 to variances
        cost = cost_factory(name)
    cost.fit(values)

    class Table(BaseCost):
        model = name
        min_size = cost.min_size

        def __init__(self) -> None:
            self.signal = values
            self.known: dict[tuple[int, int], float] = {}

        def fit(self, signal: np.ndarray) -> "Table":
            return self

        def error(self, start: int, end: int) -> float:
            value = self.known.get((start, end))
            if value is None:
                value = self.known[start, end] = float(np.squeeze(cost.error(start, end)))
            return value

    return Table()
