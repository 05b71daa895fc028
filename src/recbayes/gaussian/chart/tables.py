"""A model as flat arrays: the form in which the compiled charts read it.

All variables share one dimension D, the largest; smaller ones leave their last dimensions blank (zero precision), which
the potentials' algebra carries along exactly. Lists per variable are stored one after the other with their starts.
"""

from typing import NamedTuple

import numpy as np

from recbayes.checks.kept import kept
from recbayes.compiled.layout import (
    HEIGHT,
    lanes_room,
    link_blocks,
    link_entries,
    message_entries,
    pack_messages,
    whole_groups,
)
from recbayes.errors import ModelError
from recbayes.gaussian.chart.coordinates import inner_model
from recbayes.gaussian.chart.references import reference_constants, references_of
from recbayes.gaussian.chart.shifts import Shifts
from recbayes.gaussian.emissions.emission import Emission
from recbayes.gaussian.model.parts import Link, Split
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.gaussian.model.roots import inverse

IDENTITY, OFFSET, GENERAL = 0, 1, 2  # kinds of links: how much work passing a message upwards takes
LEFT, RIGHT = 0, 1


VARIABLE = np.dtype(
    [(name, np.int64) for name in ("first_rule", "end_rule", "first_link", "end_link", "first_emit", "end_emit")],
    align=True,
)
RULE = np.dtype(
    [(name, np.int64) for name in ("left", "right", "left_shift", "right_shift")] + [("log_probability", np.float64)],
    align=True,
)  # left and right are links
LINK = np.dtype([(name, np.int64) for name in ("child", "side", "kind")], align=True)
EMIT = np.dtype([(name, np.int64) for name in ("shortest", "longest")] + [("log_probability", np.float64)], align=True)
# of leaves, and longest is -1 without a limit


class Tables(NamedTuple):
    """V variables, R rules (each shift is one), K links sorted by child, E emissions, S shifts."""

    variables: np.ndarray  # (V,) of VARIABLE: where the variable's rules, links (as a child) and emissions stand
    rules: np.ndarray  # (R,) of RULE
    links: np.ndarray  # (K,) of LINK
    emits: np.ndarray  # (E,) of EMIT
    constants: np.ndarray  # for every link covariance, map and offset, then for every variable its reference as a potential:
    # a broad Gaussian for mixing what is flat in different directions; its height lacks the 2 pi
    shifts: np.ndarray  # (S, D) shifts[s, a]: which of the child's dimensions is the parent's dimension a
    shifts_packed: np.ndarray  # (S, D (D + 1) / 2) the same for packed symmetric matrices
    prior: np.ndarray  # (entries, C) the Gaussians of the prior as potentials, up to whole groups of lanes
    roots: np.ndarray  # (C,) of each of these, the variable that it is about

    @property
    def size(self) -> int:
        """The largest dimension (in kernels: shifts.shape[1])."""
        return self.shifts.shape[1]


class Origins(NamedTuple):
    """Where in the model each row of the tables comes from: positions of variables, rules, shifts and components."""

    rules: list[tuple[int, int, tuple[int, int]]]  # (variable, rule, shift)
    links: list[tuple[int, int, int]]  # (variable, rule, side)
    emits: list[tuple[int, int, int]]  # (variable, rule, member)
    prior: list[tuple[int, int]]  # (component, shift)


@kept
def tables_of(model: GaussianRBN) -> tuple[Tables, Origins]:
    """The model's tables, leaving out rules of probability zero, and where each row comes from. Made once per model.

    Numbers are those of the model in its coordinates (`recbayes.gaussian.chart.coordinates`).
    """
    model = inner_model(model)
    size = max(variable.dim for variable in model.variables)
    index = {variable.name: position for position, variable in enumerate(model.variables)}
    splits = [
        (v, r, rule)
        for v, variable in enumerate(model.variables)
        for r, rule in enumerate(variable.rules)
        if isinstance(rule, Split) and rule.probability > 0
    ]
    emits = [
        (v, r, m, rule, rule.probability * member.weight)
        for v, variable in enumerate(model.variables)
        for r, rule in enumerate(variable.rules)
        if isinstance(rule, Emission)
        for m, member in enumerate(rule.members)
        if rule.probability * member.weight > 0
    ]
    if not emits:
        raise ModelError("no rule with a positive probability emits observations, so the model generates no finite series")
    links = sorted(
        (index[rule.left if side == LEFT else rule.right], v, r, side) for v, r, rule in splits for side in (LEFT, RIGHT)
    )
    link_of = {(v, r, side): position for position, (_, v, r, side) in enumerate(links)}
    shifts = Shifts(size)
    rules = [
        (v, r, shift, rule, rule.probability * weight)
        for v, r, rule in splits
        for shift, weight in rule.shifts.items()
        if weight > 0
    ]
    link_objects = [_link(model, v, r, side) for _, v, r, side in links]
    prior, prior_origins = _prior_potentials(model, size)
    about = [index[model.prior.components[position].variable] for position, _ in prior_origins]  # type: ignore[index]
    roots = np.array(about + about[:1] * (prior.shape[1] - len(about)), dtype=np.int64)
    dims = [variable.dim for variable in model.variables]
    rule_rows = [
        (
            link_of[v, r, LEFT],
            link_of[v, r, RIGHT],
            shifts.of(dims[v], shift[0]),
            shifts.of(dims[v], shift[1]),
            np.log(probability),
        )
        for v, r, shift, _, probability in rules
    ]
    emit_rows = [
        (rule.length.shortest, -1 if rule.length.longest is None else rule.length.longest, np.log(probability))
        for *_, rule, probability in emits
    ]
    owners = ([v for v, *_ in rules], [child for child, *_ in links], [v for v, *_ in emits])
    tables = Tables(
        variables=_ranges(owners, len(index)),
        rules=np.array(rule_rows, dtype=RULE),
        links=np.array([(key[0], key[3], _kind(o)) for key, o in zip(links, link_objects, strict=True)], dtype=LINK),
        emits=np.array(emit_rows, dtype=EMIT),
        constants=np.concatenate(
            [_link_constants(link, size) for link in link_objects]
            + [reference_constants(reference, size) for reference in references_of(model)]
        ),
        shifts=shifts.table(),
        shifts_packed=shifts.packed(),
        prior=prior,
        roots=roots,
    )
    origins = Origins(
        rules=[(v, r, shift) for v, r, shift, *_ in rules],
        links=[(v, r, side) for _, v, r, side in links],
        emits=[(v, r, m) for v, r, m, *_ in emits],
        prior=prior_origins,
    )
    return tables, origins


def emit_rules(model: GaussianRBN, origins: Origins) -> list[Emission]:
    """The emissions in the order of the tables, one for every member, and in their coordinates."""
    model = inner_model(model)
    return [model.variables[v].rules[r].members[m].emission for v, r, m in origins.emits]


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


def _prior_potentials(model: GaussianRBN, size: int) -> tuple[np.ndarray, list[tuple[int, int]]]:
    """Every Gaussian of the prior as a potential, its weight included, and its component and shift."""
    columns, origins = [], []
    for position, component in enumerate(model.prior.components):
        precision, log_determinant = inverse(component.covariance)
        height = -0.5 * (log_determinant + len(precision) * np.log(2 * np.pi))
        precision = _in_corner(precision, (size, size))
        for steps, weight in component.shifts.items():
            if component.weight * weight > 0:
                mode = _in_corner(np.roll(component.mean, steps), (size,))
                columns.append(pack_messages(height + np.log(component.weight * weight), mode, precision))
                origins.append((position, steps))
    padded = np.zeros((message_entries(size), lanes_room(whole_groups(len(columns)))))
    padded[HEIGHT] = -np.inf
    padded[:, : len(columns)] = np.array(columns).T
    return padded, origins


def _link_constants(link: Link, size: int) -> np.ndarray:
    constants = np.zeros(link_entries(size))
    covariance, full_map, offset = link_blocks(constants, size)
    dim = len(link.covariance)
    covariance[:dim, :dim] = link.covariance
    F = np.eye(dim) if link.map is None else link.map
    full_map[: len(F), : F.shape[1]] = F
    if link.offset is not None:
        offset[:dim] = link.offset
    return constants


def _in_corner(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The array in the corner of a block of zeros."""
    block = np.zeros(shape)
    block[tuple(slice(length) for length in array.shape)] = array
    return block
