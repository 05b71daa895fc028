"""A model as flat arrays: the form in which the compiled charts read it.

All variables share one dimension D, the largest; smaller ones leave their last dimensions blank (zero precision), which
the potentials' algebra carries along exactly. Lists per variable are stored one after the other with their starts.
"""

from typing import NamedTuple

import numpy as np

from recbayes.checks.kept import kept
from recbayes.compiled.lanes import LANES
from recbayes.errors import ModelError
from recbayes.gaussian.emissions.emission import Emission
from recbayes.gaussian.model.parts import Link, Reference, Split
from recbayes.gaussian.model.rbn import GaussianRBN

IDENTITY, OFFSET, GENERAL = 0, 1, 2  # kinds of links: how much work passing a message upwards takes
LEFT, RIGHT = 0, 1
REFERENCE_SPREAD = 3.0  # standard deviations of the reference Gaussian, in those of the variable's own distribution


VARIABLE = np.dtype(
    [(name, np.int64) for name in ("first_rule", "end_rule", "first_link", "end_link", "first_emit", "end_emit")],
    align=True,
)
RULE = np.dtype(
    [(name, np.int64) for name in ("left", "right", "left_turn", "right_turn")] + [("log_probability", np.float64)],
    align=True,
)  # left and right are links
LINK = np.dtype([(name, np.int64) for name in ("child", "side", "kind")], align=True)
EMIT = np.dtype([("longest", np.int64), ("log_probability", np.float64)], align=True)  # longest is -1 without a limit


class Tables(NamedTuple):
    """V variables, R rules (each shift is one), K links sorted by child, E emissions, S rotations."""

    variables: np.ndarray  # (V,) of VARIABLE: where the variable's rules, links (as a child) and emissions stand
    rules: np.ndarray  # (R,) of RULE
    links: np.ndarray  # (K,) of LINK
    emits: np.ndarray  # (E,) of EMIT
    constants: np.ndarray  # for every link covariance, map and offset (2 D * D + D numbers), then for every variable its
    # reference as a potential: a broad Gaussian for mixing what is flat in different directions; its height lacks the 2 pi
    turn: np.ndarray  # (S, D) turn[s, a]: which of the child's dimensions is the parent's dimension a
    turn_packed: np.ndarray  # (S, D (D + 1) / 2) the same for the lower triangle of a matrix, row by row
    prior: np.ndarray  # (1 + D + D (D + 1) / 2, C) the Gaussians of the prior as potentials, up to whole groups of lanes
    root: int  # the variable of the prior


class Origins(NamedTuple):
    """Where in the model each row of the tables comes from: positions of variables, rules, shifts and components."""

    rules: list[tuple[int, int, tuple[int, int]]]  # (variable, rule, shift)
    links: list[tuple[int, int, int]]  # (variable, rule, side)
    emits: list[tuple[int, int]]  # (variable, rule)
    prior: list[tuple[int, int]]  # (component, shift)


@kept
def tables_of(model: GaussianRBN) -> tuple[Tables, Origins]:
    """The model's tables, leaving out rules of probability zero, and where each row comes from. Made once per model."""
    size = max(variable.dim for variable in model.variables)
    index = {variable.name: position for position, variable in enumerate(model.variables)}
    splits = [
        (v, r, rule)
        for v, variable in enumerate(model.variables)
        for r, rule in enumerate(variable.rules)
        if isinstance(rule, Split) and rule.probability > 0
    ]
    emits = [
        (v, r, rule)
        for v, variable in enumerate(model.variables)
        for r, rule in enumerate(variable.rules)
        if isinstance(rule, Emission) and rule.probability > 0
    ]
    if not emits:
        raise ModelError("no rule with a positive probability emits observations, so the model generates no finite series")
    links = sorted(
        (index[rule.left if side == LEFT else rule.right], v, r, side) for v, r, rule in splits for side in (LEFT, RIGHT)
    )
    link_of = {(v, r, side): position for position, (_, v, r, side) in enumerate(links)}
    turns = _Turns(size)
    rules = [
        (v, r, shift, rule, rule.probability * weight)
        for v, r, rule in splits
        for shift, weight in rule.shifts.items()
        if weight > 0
    ]
    link_objects = [_link(model, v, r, side) for _, v, r, side in links]
    prior, prior_origins = _prior_potentials(model, size)
    dims = [variable.dim for variable in model.variables]
    rule_rows = [
        (
            link_of[v, r, LEFT],
            link_of[v, r, RIGHT],
            turns.of(dims[v], shift[0]),
            turns.of(dims[v], shift[1]),
            np.log(probability),
        )
        for v, r, shift, _, probability in rules
    ]
    emit_rows = [
        (-1 if rule.length.longest is None else rule.length.longest, np.log(rule.probability)) for *_, rule in emits
    ]
    owners = ([v for v, *_ in rules], [child for child, *_ in links], [v for v, *_ in emits])
    tables = Tables(
        variables=_ranges(owners, len(index)),
        rules=np.array(rule_rows, dtype=RULE),
        links=np.array([(key[0], key[3], _kind(o)) for key, o in zip(links, link_objects, strict=True)], dtype=LINK),
        emits=np.array(emit_rows, dtype=EMIT),
        constants=np.concatenate(
            [_link_constants(link, size) for link in link_objects]
            + [_reference_constants(reference, size) for reference in references_of(model)]
        ),
        turn=turns.table(),
        turn_packed=turns.packed(),
        prior=prior,
        root=index[model.prior.variable],
    )
    origins = Origins(
        rules=[(v, r, shift) for v, r, shift, *_ in rules],
        links=[(v, r, side) for _, v, r, side in links],
        emits=[(v, r) for v, r, _ in emits],
        prior=prior_origins,
    )
    return tables, origins


def emit_rules(model: GaussianRBN, origins: Origins) -> list[Emission]:
    """The emissions in the order of the tables."""
    return [model.variables[v].rules[r] for v, r in origins.emits]  # type: ignore[misc]


def _link(model: GaussianRBN, v: int, r: int, side: int) -> Link:
    rule = model.variables[v].rules[r]
    assert isinstance(rule, Split)
    return rule.left_link if side == LEFT else rule.right_link


def _kind(link: Link) -> int:
    if link.map is not None:
        return GENERAL
    return IDENTITY if link.offset is None else OFFSET


def _ranges(owners: tuple[list[int], ...], count: int) -> np.ndarray:
    """For every variable, where its rules, links and emissions begin and end, given the owner of each (sorted)."""
    table = np.zeros(count, dtype=VARIABLE)
    for column, owner in zip(("rule", "link", "emit"), owners, strict=True):
        edges = np.searchsorted(np.array(owner, dtype=np.int64), np.arange(count + 1))
        table[f"first_{column}"], table[f"end_{column}"] = edges[:-1], edges[1:]
    return table


def _stack(arrays: list[np.ndarray], shape: tuple[int, ...]) -> np.ndarray:
    """The arrays one after the other, each in the corner of a block of zeros."""
    stacked = np.zeros((len(arrays), *shape))
    for block, array in zip(stacked, arrays, strict=True):
        block[tuple(slice(length) for length in array.shape)] = array
    return stacked


class _Turns:
    """The rotations a model uses, numbered; the identity is number 0."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.numbers = {(size, 0): 0}

    def of(self, dim: int, steps: int) -> int:
        key = (dim, steps) if steps else (self.size, 0)
        return self.numbers.setdefault(key, len(self.numbers))

    def table(self) -> np.ndarray:
        """The child is np.roll(parent, steps), so the parent's dimension a is the child's a + steps."""
        rows = [[(a + s) % d if a < d else a for a in range(self.size)] for d, s in self.numbers]
        return np.array(rows, dtype=np.int64)

    def packed(self) -> np.ndarray:
        row, column = np.tril_indices(self.size)
        turn = self.table()
        high = np.maximum(turn[:, row], turn[:, column])
        low = np.minimum(turn[:, row], turn[:, column])
        return np.ascontiguousarray(high * (high + 1) // 2 + low)


def _prior_potentials(model: GaussianRBN, size: int) -> tuple[np.ndarray, list[tuple[int, int]]]:
    """Every Gaussian of the prior as a potential, its weight included, and its component and shift."""
    columns, origins = [], []
    for position, component in enumerate(model.prior.components):
        inverse = np.linalg.inv(component.covariance)
        height = -0.5 * np.linalg.slogdet(2 * np.pi * component.covariance)[1]
        precision = _stack([0.5 * (inverse + inverse.T)], (size, size))[0]
        for steps, weight in component.shifts.items():
            if component.weight * weight > 0:
                mode = _stack([np.roll(component.mean, steps)], (size,))[0]
                log_height = [height + np.log(component.weight * weight)]
                columns.append(np.concatenate([log_height, mode, precision[np.tril_indices(size)]]))
                origins.append((position, steps))
    padded = np.zeros((len(columns[0]), -(-len(columns) // LANES) * LANES))
    padded[0] = -np.inf
    padded[:, : len(columns)] = np.array(columns).T
    return padded, origins


def _link_constants(link: Link, size: int) -> np.ndarray:
    F = np.eye(len(link.covariance)) if link.map is None else link.map
    offset = np.zeros(0) if link.offset is None else link.offset
    blocks = (_stack([link.covariance], (size, size)), _stack([F], (size, size)), _stack([offset], (size,)))
    return np.concatenate([block.ravel() for block in blocks])


def references_of(model: GaussianRBN) -> tuple[Reference, ...]:
    """The model's references; by default the distribution a variable has where it is first reached, three times as wide."""
    if model.references is not None:
        return model.references
    references = []
    marginals = _first_marginals(model)
    widest = max(np.trace(covariance) / len(mean) for mean, covariance in marginals)
    for mean, covariance in marginals:
        floor = 1e-6 * max(np.trace(covariance) / len(mean), 1e-6 * widest)  # a variable may be constant
        references.append(Reference(mean, REFERENCE_SPREAD**2 * (covariance + floor * np.eye(len(mean)))))
    return tuple(references)


def _reference_constants(reference: Reference, size: int) -> np.ndarray:
    d = len(reference.mean)
    inverse = np.linalg.inv(reference.covariance)
    mode, precision = np.zeros(size), np.eye(size)
    mode[:d] = reference.mean
    precision[:d, :d] = 0.5 * (inverse + inverse.T)
    height = 0.5 * np.linalg.slogdet(precision)[1]
    return np.concatenate([[height], mode, precision[np.tril_indices(size)]])


def _first_marginals(model: GaussianRBN) -> list[tuple[np.ndarray, np.ndarray]]:
    """Mean and covariance of each variable where a breadth-first walk from the root first meets it."""
    index = {variable.name: position for position, variable in enumerate(model.variables)}
    known: dict[int, tuple[np.ndarray, np.ndarray]] = {}
    parts = [
        (component.weight * weight, np.roll(component.mean, steps), component.covariance)
        for component in model.prior.components
        for steps, weight in component.shifts.items()
    ]
    mean = sum(weight * m for weight, m, _ in parts)
    spread = sum(weight * (S + np.outer(m - mean, m - mean)) for weight, m, S in parts)
    known[index[model.prior.variable]] = (mean, spread)  # type: ignore[assignment]
    waiting = list(known)
    while waiting:
        v = waiting.pop(0)
        for rule in model.variables[v].rules:
            if isinstance(rule, Split):
                for child, link in ((rule.left, rule.left_link), (rule.right, rule.right_link)):
                    if index[child] not in known:
                        F = np.eye(len(known[v][0])) if link.map is None else link.map
                        offset = 0.0 if link.offset is None else link.offset
                        known[index[child]] = (F @ known[v][0] + offset, F @ known[v][1] @ F.T + link.covariance)
                        waiting.append(index[child])
    return [known.get(v, (np.zeros(one.dim), np.eye(one.dim))) for v, one in enumerate(model.variables)]
