"""The template variables of discrete RBNs, and the checks that turn what users give into what models hold."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from recbayes.checks.arguments import listed
from recbayes.checks.arrays import frozen, vector, whole_number
from recbayes.errors import ModelError

TOLERANCE = 1e-9  # by which probabilities may miss one
MOST_VALUES = 1_000_000  # of one variable; a larger number is more likely a mistake than a model


class SparseTable(NamedTuple):
    """The positive entries of a table.

    Attributes:
        indices: numbers of the values of x and its children, (entries, 1 + children).
        probabilities: p, one for each entry.
    """

    indices: np.ndarray
    probabilities: np.ndarray


@dataclass(frozen=True, eq=False)
class Transition:
    """One way on from a variable x.

    Arguments:
        children: the names of its children, latent or observed, from left to right.
        probability: p(z = this | x): one number, or one for each value of x.
        table: p(children | x): an array of shape (values of x, values of child 1, ...), or, where most entries are zero, a
            mapping {(x, child 1, ...): p} from names or numbers of values, or a pair of arrays as in `SparseTable`. A
            validated model holds one number per value and sorted sparse tables.
    """

    children: tuple[str, ...]
    probability: Any
    table: Any


@dataclass(frozen=True, eq=False)
class DiscreteVariable:
    """A latent template variable.

    Arguments:
        name: of the variable, without "=".
        values: names of its values, or a whole number of values that are then named 0, 1, ...
        transitions: the ways on from it.
    """

    name: str
    values: Any
    transitions: tuple[Transition, ...]

    def to_data(self) -> dict[str, Any]:
        """A validated variable as plain data."""
        return {
            "name": self.name,
            "values": list(self.values),
            "transitions": [
                {
                    "children": list(one.children),
                    "probability": one.probability.tolist(),
                    "indices": one.table.indices.tolist(),
                    "probabilities": one.table.probabilities.tolist(),
                }
                for one in self.transitions
            ],
        }

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> "DiscreteVariable":
        """The variable that `to_data` described.

        Arguments:
            data: plain data.
        """
        transitions = []
        for one in data["transitions"]:
            width = 1 + len(one["children"])
            indices = np.array(one["indices"], dtype=np.float64).reshape(-1, width)  # a table may have no entries at all
            table = SparseTable(indices, one["probabilities"])
            transitions.append(Transition(tuple(one["children"]), one["probability"], table))
        return cls(data["name"], data["values"], tuple(transitions))


@dataclass(frozen=True, eq=False)
class TerminalVariable:
    """An observed template variable.

    Arguments:
        name: of the variable, without "=".
        values: names of its values, or a whole number of values that are then named 0, 1, ...
    """

    name: str
    values: Any


Values = Mapping[str, tuple[str, ...]]
"""The names of the values of each variable."""


def checked_values(variables: tuple[DiscreteVariable, ...], terminals: tuple[TerminalVariable, ...]) -> Values:
    found: dict[str, tuple[str, ...]] = {}
    for kind, members in ((DiscreteVariable, variables), (TerminalVariable, terminals)):
        for variable in members:
            if not isinstance(variable, kind):
                raise ModelError(f"expected a {kind.__name__}, got {type(variable).__name__}")
            name = variable.name
            if not isinstance(name, str) or not name or "=" in name:
                raise ModelError(f"a variable's name must be a non-empty string without '=', got {name!r}")
            if name in found:
                raise ModelError(f"variable {name!r} is defined twice")
            values = variable.values
            if isinstance(values, str | bytes):
                raise ModelError(f"{name}.values must be a tuple of names or a whole number, got {values!r}")
            if not isinstance(values, Iterable):
                count = whole_number(values, f"{name}.values")
                if count > MOST_VALUES:
                    raise ModelError(f"{name}.values must be at most {MOST_VALUES}, got more")
                values = tuple(str(value) for value in range(count))
            values = tuple(values)
            if not values or not all(isinstance(value, str) and value for value in values):
                raise ModelError(
                    f"{name}.values must be at least one non-empty string, or a positive number, got {values!r}"
                )
            if len(set(values)) < len(values):
                raise ModelError(f"{name}.values: {next(v for v in values if values.count(v) > 1)!r} is there twice")
            found[name] = values
    return found


def checked_variable(variable: DiscreteVariable, values: Values) -> DiscreteVariable:
    name, mine = variable.name, values[variable.name]
    transitions = []
    ways_on = np.zeros(len(mine))
    for position, transition in enumerate(listed(variable.transitions, f"{name}.transitions", "Transitions", ModelError)):
        where = f"{name}.transitions[{position}]"
        if not isinstance(transition, Transition):
            raise ModelError(f"{where} must be a Transition, got {type(transition).__name__}")
        given = transition.children
        children = [] if isinstance(given, str) else listed(given, f"{where}.children", "variables", ModelError)
        if not children or any(not isinstance(child, str) or child not in values for child in children):
            raise ModelError(f"{where}.children must be one or more of the variables {list(values)}, got {given!r}")
        probability = checked_weights(transition.probability, len(mine), f"{where}.probability")
        table = _checked_table(transition.table, [mine, *(values[child] for child in children)], f"{where}.table")
        transitions.append(Transition(tuple(children), probability, table))
        ways_on += np.bincount(table.indices[:, 0], table.probabilities, len(mine)) * probability
    if not ways_on.all():
        raise ModelError(f"{name}={mine[int(np.argmin(ways_on))]} has no transition with a positive probability")
    return DiscreteVariable(name, mine, tuple(transitions))


def _checked_table(table: Any, values: list[tuple[str, ...]], where: str) -> SparseTable:
    """The table as sorted positive entries, whichever way it was given."""
    shape = tuple(len(names) for names in values)
    if isinstance(table, Mapping):
        keys = [_numbers(key, values, where) for key in table]
        indices, weights = (
            np.array(keys, dtype=np.int64).reshape(-1, len(shape)),
            checked_weights(list(table.values()), None, where),
        )
    elif _is_pair(table):
        numbers = frozen(table[0], f"{where}: indices")
        weights = checked_weights(table[1], None, f"{where}: probabilities")
        if numbers.shape != (len(weights), len(shape)) or (numbers != np.round(numbers)).any():
            raise ModelError(f"{where}: indices must be whole numbers of shape ({len(weights)}, {len(shape)})")
        indices = numbers.astype(np.int64)
        if ((indices < 0) | (indices >= shape)).any():
            raise ModelError(f"{where}: indices must be at least 0 and less than {shape}, the numbers of values")
    else:
        dense = frozen(table, where)
        if dense.shape != shape:
            raise ModelError(
                f"{where} must have shape {shape} (values of x and of its children), got {dense.shape}; it may also be a "
                "mapping {(x, child, ...): p} or a pair of arrays (indices, probabilities)"
            )
        indices, weights = np.argwhere(dense), checked_weights(dense[dense != 0], None, where)
    indices, weights = indices[weights > 0], weights[weights > 0]
    order = np.lexsort(indices.T[::-1])
    indices, weights = indices[order], weights[order]
    twice = np.flatnonzero((indices[1:] == indices[:-1]).all(axis=1))
    if len(twice):
        entry = [names[at] for names, at in zip(values, indices[twice[0]], strict=True)]
        raise ModelError(f"{where}: the entry {tuple(entry)} is there twice")
    indices.setflags(write=False)
    weights.setflags(write=False)
    return SparseTable(indices, weights)


def _is_pair(table: Any) -> bool:
    if isinstance(table, SparseTable):
        return True
    try:
        return isinstance(table, tuple) and len(table) == 2 and (np.ndim(table[0]), np.ndim(table[1])) == (2, 1)
    except ValueError:  # lists of unequal lengths
        return False


def _numbers(key: Any, values: list[tuple[str, ...]], where: str) -> list[int]:
    if not isinstance(key, tuple) or len(key) != len(values):
        raise ModelError(f"{where}: keys must be tuples of {len(values)} values (x and its children), got {key!r}")
    numbers = []
    for one, names in zip(key, values, strict=True):
        at = (names.index(one) if one in names else -1) if isinstance(one, str) else whole_number(one, f"{where}: {key!r}")
        if not 0 <= at < len(names):
            raise ModelError(f"{where}: {one!r} in {key!r} is not among the values {list(names)}, nor the number of one")
        numbers.append(at)
    return numbers


def checked_weights(values: Any, size: int | None, where: str) -> np.ndarray:
    """A vector without negative numbers, of any size if that is None."""
    array = frozen(values, where) if size is None else vector(values, size, where)
    if array.ndim != 1:
        raise ModelError(f"{where} must be a list of numbers, got shape {array.shape}")
    if (array < 0).any():
        raise ModelError(f"{where} must not be negative, got {array.min():.6g}")
    return array


def first_problem(variables: tuple[DiscreteVariable, ...], prior: tuple[str, np.ndarray]) -> str | None:
    """What does not sum to one, if anything."""
    if abs(prior[1].sum() - 1.0) > TOLERANCE:
        return f"prior of {prior[0]} must sum to one, it sums to {prior[1].sum():.12g}"
    for variable in variables:
        structural = np.sum([transition.probability for transition in variable.transitions], axis=0)
        checks = [("the probabilities of the transitions", structural)]
        for position, one in enumerate(variable.transitions):
            sums = np.bincount(one.table.indices[:, 0], one.table.probabilities, len(variable.values))
            checks.append((f"transitions[{position}].table", np.where(one.probability > 0, sums, 1.0)))
        for what, sums in checks:
            worst = int(np.argmax(np.abs(sums - 1.0)))
            if abs(sums[worst] - 1.0) > TOLERANCE:
                name = f"{variable.name}={variable.values[worst]}"
                return f"{name}: {what} must sum to one, got {sums[worst]:.12g}"
    return None
