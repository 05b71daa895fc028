"""Chains of unary rules, cycles included, and the links that they amount to.

Linear Gaussian links compose to linear Gaussian links, so all that a chain of unary rules from A does is to arrive at some
variable B, with some probability, through one link. Chains that arrive at the same variable through the same link, up to
rounding, are one *state*; from state to state the chains form a Markov chain, and what counts is where it is left for a rule
that is not unary. Three cases come out of this one view:

- without cycles there are finitely many states, and all is exact;
- a cycle that does not change the value (identity without noise) comes back to a state already known, and so, after enough
  rounds, does one whose map is a contraction: its link has become the stationary distribution that the paper suggests for
  cycles that are left too rarely to be truncated. Probabilities of going round without end follow from linear equations;
- any other cycle is followed until the probability to be still inside is at most a tolerance: the error that is reported.
"""

import heapq
from collections import defaultdict
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np

from recbayes.errors import ModelError
from recbayes.gaussian.model.linear import LinearGaussianRBN, name_of_rule, unary_child
from recbayes.gaussian.model.links import compose
from recbayes.gaussian.model.parts import Link, Variable

MOST_STATES = 10_000  # beyond which a cycle is too slow to be followed
LARGEST = 1e100  # entry of a link beyond which a cycle is taken to grow without end
DIGITS = 2.0**40  # links that agree to about twelve digits are the same


@dataclass(frozen=True, eq=False, repr=False)
class Step:
    """The last unary node of a path, its label and rule, and the path before. Paths share their beginnings.

    They may be long: they are shown and sent as lists, not as what is nested as deep as they are long.
    """

    before: "Path"
    node: tuple[str, str]

    def __repr__(self) -> str:
        return repr(unroll(self))

    def __reduce__(self) -> tuple:
        return _rolled, (unroll(self),)


Path = Step | None  # None is no node


class Ending(NamedTuple):
    """A way to arrive: at which variable, how probably, through which link (None: nothing happens) and by which chain.

    The path is the most probable one where several chains amount to the same link.
    """

    variable: str
    weight: float
    link: Link | None
    path: Path


class Endings(NamedTuple):
    """All ways to arrive from one variable, with weights that sum to one, and the probability of those left out."""

    ways: tuple[Ending, ...]
    error: float


def unroll(path: Path) -> list[tuple[str, str]]:
    """Labels and rules of the unary nodes of a path, from the first to the last."""
    nodes = []
    while path is not None:
        nodes.append(path.node)
        path = path.before
    return nodes[::-1]


def _rolled(nodes: list[tuple[str, str]]) -> Path:
    return reduce(Step, nodes, None)


def stopping(variable: Variable) -> float:
    """The probability of all rules that are not unary together."""
    if all(unary_child(rule) is None for rule in variable.rules):
        return 1.0  # and not some last digit away from it
    return sum(rule.probability for rule in variable.rules if unary_child(rule) is None)


def endings(rbn: LinearGaussianRBN, start: str, tolerance: float) -> Endings:
    """Where the chains of unary rules from the variable `start` end, the empty chain included."""
    variables = {variable.name: variable for variable in rbn.variables}
    stops = {name: stopping(variable) for name, variable in variables.items()}
    _check_that_cycles_are_left(variables, stops, start)
    states = _States(variables, start)
    finished: dict[int, float] = defaultdict(float)
    mass = {0: 1.0}
    while True:
        arriving: dict[int, float] = defaultdict(float)
        for state, weight in mass.items():
            finished[state] += weight * stops[states.variables[state]]
            for following, probability, _ in states.successors(state):
                arriving[following] += weight * probability
        remaining = sum(arriving.values())
        if remaining <= tolerance:
            break
        if states.closed:
            finished, remaining = _left_for_good(states, stops), 0.0
            break
        mass = arriving
    total = sum(finished.values())
    paths = _most_probable_paths(states, variables)
    ways = [
        Ending(states.variables[state], weight / total, states.links[state], paths[state])
        for state, weight in finished.items()
        if weight > 0.0
    ]
    return Endings(tuple(ways), remaining)


def _check_that_cycles_are_left(variables: dict[str, Variable], stops: dict[str, float], start: str) -> None:
    children = {
        name: {child[0] for rule in variable.rules if (child := unary_child(rule)) is not None and rule.probability > 0.0}
        for name, variable in variables.items()
    }
    reached, waiting = {start}, [start]
    while waiting:
        fresh = children[waiting.pop()] - reached
        reached |= fresh
        waiting += fresh
    leaving = {name for name in reached if stops[name] > 0.0}
    while more := {name for name in reached - leaving if children[name] & leaving}:
        leaving |= more
    if leaving != reached:
        trapped = sorted(reached - leaving)
        raise ModelError(
            f"unary rules lead from {start} into a cycle that is never left, of {trapped}; give it another rule"
        )


class _States:
    """States by number, in the order of discovery, and what leads from each to which."""

    def __init__(self, variables: dict[str, Variable], start: str) -> None:
        self._known = variables
        self._start = start
        self._numbers: dict[tuple, int] = {}
        self._units: dict[str, np.ndarray] = {}  # by variable: the size of each row of the first map that leads to it
        self.variables: list[str] = []
        self.links: list[Link | None] = []
        self.edges: dict[int, list[tuple[int, float, int]]] = {}  # from a state: to, probability, position of the rule
        self._number(start, None)

    @property
    def closed(self) -> bool:
        """Whether no state is known from which it is not known where it leads."""
        return len(self.edges) == len(self.variables)

    def successors(self, state: int) -> list[tuple[int, float, int]]:
        if state not in self.edges:
            self.edges[state] = []
            for position, rule in enumerate(self._known[self.variables[state]].rules):
                child = unary_child(rule)
                if child is not None and rule.probability > 0.0:
                    following = self._number(child[0], compose(self.links[state], child[1]))
                    self.edges[state].append((following, rule.probability, position))
        return self.edges[state]

    def _number(self, variable: str, link: Link | None) -> int:
        key = (variable, self._rounded(variable, link))
        if key not in self._numbers:
            if len(self.variables) == MOST_STATES:
                raise ModelError(
                    f"more than {MOST_STATES} chains of unary rules from {self._start} matter: cycles are left too rarely, "
                    "or there are too many ways round. Raise cycle_tolerance, or lower the probabilities of the unary rules"
                )
            self._numbers[key] = len(self.variables)
            self.variables.append(variable)
            self.links.append(link)
        return self._numbers[key]

    def _rounded(self, variable: str, link: Link | None) -> bytes:
        """The digits of a link that count: of maps relative to the first that leads here, else relative to themselves.

        A map that shrinks round by round thus becomes zero in the end, while small offsets and variances keep their digits.
        That two equal links sometimes round differently does no harm: they are then two states.
        """
        dim = self._known[variable].dim
        map_ = np.eye(dim) if link is None or link.map is None else link.map
        offset = np.zeros(dim) if link is None or link.offset is None else link.offset
        spread = np.zeros((dim, dim)) if link is None else link.covariance
        if not all(np.abs(values).max() <= LARGEST for values in (map_, offset, spread)):
            raise ModelError(
                f"a cycle of unary rules from {self._start} grows beyond {LARGEST:.0g}: its map is no contraction. "
                "Raise cycle_tolerance, or lower the probabilities of the unary rules"
            )
        if variable not in self._units:
            sizes = np.abs(map_).max(axis=1, keepdims=True)
            self._units[variable] = np.where(sizes > 0.0, sizes, 1.0)
        powers = _power(offset), _power(np.sqrt(np.abs(np.diag(spread))))
        rounded = [map_ / self._units[variable], offset / powers[0], spread / powers[1] / powers[1][:, None]]
        return b"".join([*((np.round(part * DIGITS) + 0.0).tobytes() for part in rounded), *(p.tobytes() for p in powers)])


def _power(values: np.ndarray) -> np.ndarray:
    """The power of two just above each value; one for zero."""
    return np.ldexp(1.0, np.frexp(values)[1])


def _left_for_good(states: _States, stops: dict[str, float]) -> dict[int, float]:
    """How probably each of finitely many states is the last: expected visits v = e_0 + T'v, times the chance to stop."""
    from scipy.sparse import coo_matrix, identity
    from scipy.sparse.linalg import spsolve

    count = len(states.variables)
    triples = [(target, state, p) for state, edges in states.edges.items() for target, p, _ in edges]
    rows, columns, values = zip(*triples, strict=True)
    moves = coo_matrix((values, (rows, columns)), shape=(count, count))
    unit = np.zeros(count)
    unit[0] = 1.0
    visits = np.atleast_1d(spsolve((identity(count) - moves).tocsc(), unit))
    return {state: float(visits[state]) * stops[states.variables[state]] for state in range(count)}


def _most_probable_paths(states: _States, variables: dict[str, Variable]) -> list[Path]:
    """For each state the most probable chain that leads to it (Dijkstra's algorithm on probabilities)."""
    paths: list[Path] = [None] * len(states.variables)
    complete: set[int] = set()
    waiting: list[tuple[float, int, int, int]] = [(-1.0, 0, -1, -1)]
    while waiting:
        likelihood, state, before, position = heapq.heappop(waiting)
        if state in complete:
            continue
        complete.add(state)
        if before >= 0:
            variable = variables[states.variables[before]]
            paths[state] = Step(paths[before], (variable.name, name_of_rule(variable, position)))
        for target, probability, rule in states.edges.get(state, ()):
            if target not in complete:
                heapq.heappush(waiting, (likelihood * probability, target, state, rule))
    return paths
