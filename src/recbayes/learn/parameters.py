"""A model's free parameters as one vector of unconstrained numbers, and back.

Probabilities become log odds against the first alternative, rates logarithms, and covariances logarithms of standard
deviations (scalar, diagonal) or the rows of a Cholesky factor with a logarithmic diagonal (full). Maps and offsets are free
where the model gives them. Numbers that are structurally fixed stay: zero probabilities, covariances that are zero or
singular, links without a map.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any, Literal

import numpy as np

from recbayes.chart.gradient import ModelGradient
from recbayes.chart.tables import LEFT, RIGHT, references_of
from recbayes.errors import ModelError
from recbayes.model.chains import SHOWN, STATE
from recbayes.model.gaussian import Component, Emit, GaussianRBN, Prior, Split, Variable
from recbayes.model.lengths import LengthTable, OnePlusPoisson
from recbayes.numerics.arrays import is_positive_definite

Covariance = Literal["keep", "scalar", "diagonal", "full"]
Kind = Literal["probabilities", "rate", "deviations", "factor", "numbers"]
Path = tuple[Any, ...]


@dataclass(frozen=True)
class Block:
    """Some neighbouring numbers of the free vector: one quantity of the model, at one or (if tied) several places."""

    name: str
    kind: Kind
    paths: tuple[Path, ...]
    size: int
    to_free: Callable[[Any], np.ndarray]
    from_free: Callable[[np.ndarray], Any]
    pull_back: Callable[[np.ndarray, Any], np.ndarray]  # (free numbers, derivatives of the quantity) -> free derivatives


class Parameters:
    """Which numbers of a model are free, and how they are parametrised.

    `covariance` chooses the structure of all covariances ("keep" takes each as it is: a multiple of the identity is
    scalar, a diagonal one diagonal, any other full). `tied` gives the left and right link of every split one common
    covariance, or lists groups of names of blocks that are one. `fixed` are names, or patterns such as "prior.*", of blocks
    that stay as they are; see `blocks`.
    """

    def __init__(
        self,
        model: GaussianRBN,
        *,
        covariance: Covariance = "keep",
        tied: bool | Sequence[Sequence[str]] = False,
        fixed: str | Sequence[str] = (),
    ) -> None:
        if covariance not in ("keep", "scalar", "diagonal", "full"):
            raise ModelError(f'covariance must be "keep", "scalar", "diagonal" or "full", got {covariance!r}')
        self.model = model
        fixed = (fixed,) if isinstance(fixed, str) else tuple(fixed)
        groups = () if isinstance(tied, bool) else tuple(tuple(group) for group in tied)
        self.options: dict[str, Any] = {"covariance": covariance, "tied": groups or bool(tied), "fixed": fixed}
        blocks = _probability_blocks(model) + _covariance_blocks(model, covariance, tied is True) + _real_blocks(model)
        for pattern in fixed:
            if not any(_matches(block, pattern) for block in blocks):
                raise ModelError(f"fixed: no parameter matches {pattern!r}; there are {[b.name for b in blocks]}")
        stay = {block.name for block in blocks if any(_matches(block, pattern) for pattern in fixed)}
        for group in groups:  # what is tied to something fixed is fixed
            stay.update(group if stay.intersection(group) else ())
        blocks = _tie(blocks, [group for group in groups if not stay.intersection(group)], model)
        self.blocks = tuple(block for block in blocks if block.name not in stay)

    @property
    def size(self) -> int:
        return sum(block.size for block in self.blocks)

    @property
    def names(self) -> list[str]:
        """One name per number of the free vector."""
        return [
            block.name if block.size == 1 else f"{block.name}[{number}]"
            for block in self.blocks
            for number in range(block.size)
        ]

    def vector(self, model: GaussianRBN | None = None) -> np.ndarray:
        """The free vector of a model of this structure (by default the one given at first)."""
        values = _read(self.model if model is None else model)
        return np.concatenate([np.zeros(0), *(block.to_free(values[block.paths[0]]) for block in self.blocks)])

    def with_vector(self, vector: np.ndarray) -> GaussianRBN:
        """The model that a free vector describes."""
        vector = np.asarray(vector, dtype=np.float64)
        if vector.shape != (self.size,):
            raise ModelError(f"the free vector must have shape ({self.size},), got {vector.shape}")
        values = {}
        for block, part in zip(self.blocks, self.parts(vector), strict=True):
            values.update(dict.fromkeys(block.paths, block.from_free(part)))
        return _write(self.model, values)

    def check(self, model: GaussianRBN) -> None:
        """An error if the model is not one that these parameters can describe, such as untied links if they are tied."""
        values = _read(model)
        for block in self.blocks:
            described = block.from_free(block.to_free(values[block.paths[0]]))
            if not all(np.allclose(values[path], described, rtol=1e-9, atol=0.0) for path in block.paths):
                raise ModelError(
                    f"the model's {block.name} does not have the structure of the parameters; bring it into that form "
                    "by parameters.with_vector(parameters.vector(model))"
                )

    def pull_back(self, model: GaussianRBN, gradient: ModelGradient) -> np.ndarray:
        """The derivatives with respect to the free vector, from those with respect to the model's numbers."""
        slopes = _read_gradient(model, gradient)
        parts = [np.zeros(0)]
        for block, part in zip(self.blocks, self.parts(self.vector(model)), strict=True):
            total = sum((slopes[path] for path in block.paths[1:]), start=slopes[block.paths[0]])
            parts.append(block.pull_back(part, total))
        return np.concatenate(parts)

    def parts(self, vector: np.ndarray) -> list[np.ndarray]:
        """The free vector, block by block."""
        return np.split(vector, np.cumsum([block.size for block in self.blocks]))[:-1]

    def __repr__(self) -> str:
        return "\n".join(f"{b.name} ({b.size})" for b in self.blocks)


def chain_ties(model: GaussianRBN) -> tuple[tuple[str, str], ...]:
    """In a linear dynamical system, the last observation is like all others: what is one quantity there."""
    if [variable.name for variable in model.variables] != [STATE, SHOWN]:
        return ()
    (*_, last), (other, *_) = (variable.rules for variable in model.variables)
    names = []
    for part in ("covariance", "map", "offset"):
        one, two = getattr(last, part, None), getattr(other, part, None)
        if one is not None and two is not None and np.array_equal(one, two):
            names.append((f"{STATE}.rules[{len(model.variables[0].rules) - 1}].{part}", f"{SHOWN}.rules[0].{part}"))
    return tuple(names)


def _tie(blocks: list[Block], groups: Sequence[Sequence[str]], model: GaussianRBN) -> list[Block]:
    """Blocks of a group become one, which stands where the first was and has its name."""
    by_name = {block.name: block for block in blocks}
    values = _read(model)
    for group in groups:
        unknown = [name for name in group if name not in by_name]
        if unknown or len(group) < 2:
            raise ModelError(f"tied: a group has two or more names of {list(by_name)}, got {list(group)}")
        first, *others = (by_name[name] for name in group)
        shapes = [np.shape(values[block.paths[0]]) for block in (first, *others)]
        if any((one.kind, one.size) != (first.kind, first.size) for one in others) or len(set(shapes)) > 1:
            raise ModelError(f"tied: {list(group)} are not of one kind and size")
        by_name[first.name] = replace(first, paths=tuple(path for block in (first, *others) for path in block.paths))
        for block in others:
            del by_name[block.name]
    return list(by_name.values())


def _matches(block: Block, pattern: str) -> bool:
    """Brackets stand for themselves, as they are part of names. A covariance also answers to the name of its `std`."""
    names = block.name, block.name.removesuffix(".covariance") + ".std" if block.name.endswith(".covariance") else ""
    return any(fnmatchcase(name, pattern.replace("[", "[[]")) for name in names)


def _read(model: GaussianRBN) -> dict[Path, Any]:
    """Every quantity of a model that can be free, by its path."""
    values: dict[Path, Any] = {("weights",): [component.weight for component in model.prior.components]}
    for c, component in enumerate(model.prior.components):
        values["prior shifts", c] = list(component.shifts.values())
        values["prior mean", c] = component.mean
        values["prior covariance", c] = component.covariance
    for v, variable in enumerate(model.variables):
        values["rules", v] = [rule.probability for rule in variable.rules]
        for r, rule in enumerate(variable.rules):
            if isinstance(rule, Split):
                values["shifts", v, r] = list(rule.shifts.values())
                for side, link in ((LEFT, rule.left_link), (RIGHT, rule.right_link)):
                    values["covariance", v, r, side] = link.covariance
                    values["map", v, r, side] = link.map
                    values["offset", v, r, side] = link.offset
            else:
                values["emit covariance", v, r] = rule.covariance
                values["emit map", v, r] = rule.map
                values["emit offset", v, r] = rule.offset
                if isinstance(rule.length, OnePlusPoisson):
                    values["rate", v, r] = rule.length.rate
                elif isinstance(rule.length, LengthTable):
                    values["lengths", v, r] = list(rule.length.probabilities)
    return values


def _write(model: GaussianRBN, values: dict[Path, Any]) -> GaussianRBN:
    """The model with some quantities replaced."""
    full = {**_read(model), **values}
    components = tuple(
        Component(
            mean=full["prior mean", c],
            covariance=full["prior covariance", c],
            weight=full["weights",][c],
            shifts=dict(zip(component.shifts, full["prior shifts", c], strict=True)),
        )
        for c, component in enumerate(model.prior.components)
    )
    variables = []
    for v, variable in enumerate(model.variables):
        rules: list[Split | Emit] = []
        for r, rule in enumerate(variable.rules):
            probability = full["rules", v][r]
            if isinstance(rule, Split):
                links = [
                    replace(
                        link,
                        covariance=full["covariance", v, r, side],
                        map=full["map", v, r, side],
                        offset=full["offset", v, r, side],
                    )
                    for side, link in ((LEFT, rule.left_link), (RIGHT, rule.right_link))
                ]
                shifts = dict(zip(rule.shifts, full["shifts", v, r], strict=True))
                rules.append(replace(rule, probability=probability, left_link=links[0], right_link=links[1], shifts=shifts))
            else:
                length = rule.length
                if isinstance(length, OnePlusPoisson):
                    length = OnePlusPoisson(full["rate", v, r])
                elif isinstance(length, LengthTable):
                    length = LengthTable(tuple(full["lengths", v, r]))
                rules.append(
                    replace(
                        rule,
                        probability=probability,
                        covariance=full["emit covariance", v, r],
                        map=full["emit map", v, r],
                        offset=full["emit offset", v, r],
                        length=length,
                    )
                )
        variables.append(Variable(variable.name, variable.dim, tuple(rules)))
    return GaussianRBN(tuple(variables), Prior(model.prior.variable, components), references_of(model))


def _read_gradient(model: GaussianRBN, gradient: ModelGradient) -> dict[Path, Any]:
    """The derivatives by the same paths; probabilities by their logarithms, 0 for those that are zero."""
    slopes: dict[Path, Any] = {("weights",): np.array([one.log_weight for one in gradient.prior])}
    for c, (component, one) in enumerate(zip(model.prior.components, gradient.prior, strict=True)):
        slopes["prior shifts", c] = np.array([one.shifts.get(steps, 0.0) for steps in component.shifts])
        slopes["prior mean", c] = one.mean
        slopes["prior covariance", c] = one.covariance
    for v, variable in enumerate(model.variables):
        slopes["rules", v] = np.array([gradient.rules.get((v, r), 0.0) for r in range(len(variable.rules))])
        for r, rule in enumerate(variable.rules):
            if rule.probability == 0:
                continue
            if isinstance(rule, Split):
                by_shift = gradient.shifts[v, r]
                slopes["shifts", v, r] = np.array([by_shift.get(shift, 0.0) for shift in rule.shifts])  # type: ignore[call-overload]
                for side in (LEFT, RIGHT):
                    link = gradient.links[v, r, side]
                    slopes["covariance", v, r, side] = link.covariance
                    slopes["map", v, r, side] = link.map
                    slopes["offset", v, r, side] = link.offset
            else:
                emit, counts = gradient.emits[v, r], gradient.lengths[v, r]
                slopes["emit covariance", v, r] = emit.covariance
                slopes["emit map", v, r] = emit.map
                slopes["emit offset", v, r] = emit.offset
                if isinstance(rule.length, OnePlusPoisson):  # d log Pois(n - 1; rate) = (n - 1) / rate - 1
                    extra = np.arange(len(counts)) - 1.0
                    slopes["rate", v, r] = float(counts @ (extra / rule.length.rate - 1.0))
                elif isinstance(rule.length, LengthTable):
                    padded = np.zeros(rule.length.longest)
                    padded[: len(counts) - 1] = counts[1 : rule.length.longest + 1]
                    slopes["lengths", v, r] = padded
    return slopes


def _probability_blocks(model: GaussianRBN) -> list[Block]:
    blocks = []
    values = _read(model)
    names: dict[str, str] = {
        "weights": "prior.weights",
        "prior shifts": "prior.components[{}].shifts",
        "rules": "{}.rules",
        "shifts": "{}.rules[{}].shifts",
        "lengths": "{}.rules[{}].length.probabilities",
        "rate": "{}.rules[{}].length.rate",
    }
    for path, value in values.items():
        if path[0] not in names or _unused(model, path):
            continue
        name = names[path[0]].format(*_labels(model, path))
        if path[0] == "rate":
            blocks.append(Block(name, "rate", (path,), 1, _log, _exp, lambda free, slope: np.exp(free) * slope))
        elif np.count_nonzero(value) > 1:
            blocks.append(_softmax_block(name, path, np.asarray(value) > 0))
    return blocks


def _covariance_blocks(model: GaussianRBN, structure: Covariance, tied: bool) -> list[Block]:
    blocks = []
    values = _read(model)
    names = {
        "prior covariance": "prior.components[{}].covariance",
        "covariance": "{}.rules[{}].{}_link.covariance",
        "emit covariance": "{}.rules[{}].covariance",
    }
    for path, value in values.items():
        if path[0] not in names or _unused(model, path) or not is_positive_definite(value):
            continue
        paths: tuple[Path, ...] = (path,)
        name = names[path[0]].format(*_labels(model, path))
        if path[0] == "covariance" and tied:
            left, right = (*path[:3], LEFT), (*path[:3], RIGHT)
            if len(values[left]) != len(values[right]):
                raise ModelError(f"tied: {name} and its other link have different dimensions")
            if is_positive_definite(values[left]) and is_positive_definite(values[right]):
                if path[3] == RIGHT:
                    continue
                paths, name = (left, right), name.replace("left_link", "links")
        blocks.append(_covariance_block(name, paths, value, structure))
    return blocks


def _real_blocks(model: GaussianRBN) -> list[Block]:
    names = {
        "prior mean": "prior.components[{}].mean",
        "map": "{}.rules[{}].{}_link.map",
        "offset": "{}.rules[{}].{}_link.offset",
        "emit map": "{}.rules[{}].map",
        "emit offset": "{}.rules[{}].offset",
    }
    blocks = []
    for path, value in _read(model).items():
        if path[0] in names and value is not None and not _unused(model, path):
            name, shape = names[path[0]].format(*_labels(model, path)), np.shape(value)
            restore = lambda free, shape=shape: free.reshape(shape)  # noqa: E731
            ravel = lambda free, slope: np.ravel(slope)  # noqa: E731
            blocks.append(Block(name, "numbers", (path,), int(np.prod(shape)), np.ravel, restore, ravel))
    return blocks


def _labels(model: GaussianRBN, path: Path) -> list[Any]:
    if path[0].startswith("prior"):
        return [path[1]]
    labels = list(path[1:])
    if labels:
        labels[0] = model.variables[path[1]].name
    if len(labels) == 3:
        labels[2] = "left" if path[3] == LEFT else "right"
    return labels


def _unused(model: GaussianRBN, path: Path) -> bool:
    """Whether the quantity belongs to a rule that is never used."""
    return len(path) > 2 and model.variables[path[1]].rules[path[2]].probability == 0


def _log(value: Any) -> np.ndarray:
    return np.atleast_1d(np.log(value))


def _exp(free: np.ndarray) -> float:
    return float(np.exp(free[0]))


def _softmax_block(name: str, path: Path, used: np.ndarray) -> Block:
    """Log odds against the first used alternative; unused ones stay at probability zero."""

    def to_free(probabilities: Any) -> np.ndarray:
        logs = np.log(np.asarray(probabilities)[used])
        return logs[1:] - logs[0]

    def from_free(free: np.ndarray) -> list[float]:
        probabilities = np.zeros(len(used))
        probabilities[used] = _softmax(free)
        return probabilities.tolist()

    def pull_back(free: np.ndarray, slope: np.ndarray) -> np.ndarray:
        return slope[used][1:] - _softmax(free)[1:] * slope[used].sum()

    return Block(name, "probabilities", (path,), int(used.sum()) - 1, to_free, from_free, pull_back)


def _softmax(free: np.ndarray) -> np.ndarray:
    logits = np.concatenate([[0.0], free])
    weights = np.exp(logits - logits.max())
    return weights / weights.sum()


def _covariance_block(name: str, paths: tuple[Path, ...], value: np.ndarray, structure: Covariance) -> Block:
    size = len(value)
    if structure == "keep":
        is_diagonal = np.array_equal(value, np.diag(np.diag(value)))
        structure = "full" if not is_diagonal else "scalar" if np.ptp(np.diag(value)) == 0 else "diagonal"
    if structure == "scalar":
        return Block(
            name,
            "deviations",
            paths,
            1,
            lambda S: 0.5 * np.log(np.atleast_1d(np.trace(S) / size)),
            lambda free: np.exp(2.0 * free[0]) * np.eye(size),
            lambda free, slope: np.atleast_1d(2.0 * np.exp(2.0 * free[0]) * np.trace(slope)),
        )
    if structure == "diagonal":
        return Block(
            name,
            "deviations",
            paths,
            size,
            lambda S: 0.5 * np.log(np.diag(S)),
            lambda free: np.diag(np.exp(2.0 * free)),
            lambda free, slope: 2.0 * np.exp(2.0 * free) * np.diag(slope),
        )
    rows, columns = np.tril_indices(size)
    on_diagonal = rows == columns

    def to_free(S: np.ndarray) -> np.ndarray:
        factor = np.linalg.cholesky(S)[rows, columns]
        return np.where(on_diagonal, np.log(np.where(on_diagonal, factor, 1.0)), factor)

    def factor_of(free: np.ndarray) -> np.ndarray:
        factor = np.zeros((size, size))
        factor[rows, columns] = np.where(on_diagonal, np.exp(np.where(on_diagonal, free, 0.0)), free)
        return factor

    def pull_back(free: np.ndarray, slope: np.ndarray) -> np.ndarray:
        factor = factor_of(free)
        by_factor = ((slope + slope.T) @ factor)[rows, columns]
        return np.where(on_diagonal, by_factor * factor[rows, columns], by_factor)

    from_free = lambda free: factor_of(free) @ factor_of(free).T  # noqa: E731
    return Block(name, "factor", paths, len(rows), to_free, from_free, pull_back)
