"""A model's free parameters as one vector of unconstrained numbers, and back.

What a model's numbers are, and how they become a model again, is its family's to say. Numbers that are structurally fixed
stay: zero probabilities, covariances that are zero or singular, links without a map.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any, Generic, TypeVar, cast, get_args

import numpy as np

from recbayes.checks.arguments import choice, flag, instance, listed, text
from recbayes.checks.arrays import frozen, short
from recbayes.errors import ModelError
from recbayes.parameters.block import Block, Structure, Structures, block_of, shown_deviation
from recbayes.parameters.quantity import Quantity, Slopes

ModelT = TypeVar("ModelT")

ORDER = ("probabilities", "positive", "covariance", "numbers")  # in which kinds of quantities stand in the free vector


class Parameters(Generic[ModelT]):
    """Which numbers of a model are free, and how they are parametrised.

    Together they are one vector of unconstrained numbers: logarithms of deviations and rates, log odds of probabilities,
    means. Numbers that are structurally fixed stay: zero probabilities, covariances that are zero or singular, links without
    a map.

    Arguments:
        model: the model they are parameters of.
        covariance: the structure of all covariances: "scalar" (multiples of the identity), "diagonal", "circulant", "full",
            or "keep", which takes each as it is: a multiple of the identity is scalar, a diagonal one diagonal, any other
            full. Or, by name or pattern, that of each, {"prior.*": "scalar"}; the first that matches counts, and others are
            kept.
        tied: True gives the left and right link of every split one common covariance; or groups of names of blocks that are
            one.
        fixed: names, or patterns such as "prior.*", of blocks that stay as they are.

    Attributes:
        blocks: quantities that are free, in the order of the free vector, each with its `name`, `size` and `form`.
    """

    def __init__(
        self,
        model: ModelT,
        *,
        covariance: Structures = "keep",
        tied: bool | Sequence[Sequence[str]] = False,
        fixed: str | Sequence[str] = (),
    ) -> None:
        self.model = cast(Any, model)
        self.choices = choices_of(covariance, tied, fixed)
        fixed, groups = self.choices["fixed"], () if self.choices["tied"] is True else self.choices["tied"] or ()
        quantities = _in_order(_quantities(model))
        self._check_patterns([quantity.name for quantity in quantities if quantity.kind == "covariance"])
        found = [(quantity, block_of(quantity, self._structure(quantity))) for quantity in quantities]
        blocks = [block for _, block in found if block is not None]
        if self.choices["tied"] is True:
            blocks = _tie_links(found)
        for pattern in fixed:
            if not any(_matches(block, pattern) for block in blocks):
                raise ModelError(f"fixed: no parameter matches {pattern!r}; there are {[b.name for b in blocks]}")
        stay = {block.name for block in blocks if any(_matches(block, pattern) for pattern in fixed)}
        for group in groups:  # what is tied to something fixed is fixed
            stay.update(group if stay.intersection(group) else ())
        blocks = _tie(blocks, [group for group in groups if not stay.intersection(group)], quantities)
        self.blocks = tuple(block for block in blocks if block.name not in stay)

    def _check_patterns(self, names: Sequence[str]) -> None:
        chosen = self.choices["covariance"]
        for pattern, _ in () if isinstance(chosen, str) else chosen:
            if not any(_names_covariance(name, pattern) for name in names):
                raise ModelError(f"covariance: no covariance matches {pattern!r}; there are {list(names)}")

    def _structure(self, quantity: Quantity) -> Structure:
        chosen = self.choices["covariance"]
        if isinstance(chosen, str):
            return cast(Structure, chosen)
        return next((structure for pattern, structure in chosen if _names_covariance(quantity.name, pattern)), "keep")

    @property
    def size(self) -> int:
        """The number of free numbers."""
        return sum(block.size for block in self.blocks)

    @property
    def names(self) -> list[str]:
        """One name per number of the free vector."""
        return [
            block.name if block.size == 1 else f"{block.name}[{number}]"
            for block in self.blocks
            for number in range(block.size)
        ]

    def vector(self, model: ModelT | None = None) -> np.ndarray:
        """The free vector of a model of this structure.

        Arguments:
            model: the model. None takes the one given at first.
        """
        values = _values(self.model if model is None else model)
        self._need(values, "the model must have the variables and rules of that of the parameters")
        return np.concatenate([np.zeros(0), *(block.to_free(values[block.quantities[0]]) for block in self.blocks)])

    def with_vector(self, vector: np.ndarray) -> ModelT:
        """The model that a free vector describes.

        Arguments:
            vector: `size` numbers.
        """
        values: dict[str, Any] = {}
        for block, part in zip(self.blocks, self.parts(vector), strict=True):
            values.update(dict.fromkeys(block.quantities, block.from_free(part)))
        return self.model.family.replaced(self.model, values)

    def check(self, model: ModelT) -> None:
        """An error if the model is not one that these parameters can describe, such as untied links if they are tied.

        Arguments:
            model: the model in question.
        """
        values = _values(model)
        self._need(values, "the model must have the variables and rules of that of the parameters")
        for block in self.blocks:
            described = block.from_free(block.to_free(values[block.quantities[0]]))
            rounding = 0.0
            if block.is_covariance:  # what should be zero may be a rounding error
                rounding = 1e-13 * np.sqrt(np.outer(np.diag(described), np.diag(described)))
            apart = [np.abs(np.subtract(values[name], described)) for name in block.quantities]
            if not all((one <= 1e-9 * np.abs(described) + rounding).all() for one in apart):
                raise ModelError(
                    f"the model's {block.name} does not have the structure of the parameters; bring it into that form "
                    "by parameters.with_vector(parameters.vector(model))"
                )

    def pull_back(self, model: ModelT, slopes: Slopes) -> np.ndarray:
        """The derivatives with respect to the free vector, from those with respect to the model's quantities.

        Arguments:
            model: where they are taken.
            slopes: derivatives by the names of quantities: of probabilities with respect to their logarithms, of covariances
                symmetric.
        """
        parts = [np.zeros(0)]
        self._need(instance(slopes, Mapping, "slopes"), "slopes must map all quantities to their derivatives")
        for block, part in zip(self.blocks, self.parts(self.vector(model)), strict=True):
            first, *others = block.quantities
            parts.append(block.pull_back(part, sum((slopes[name] for name in others), start=slopes[first])))
        return np.concatenate(parts)

    def _need(self, values: Mapping[str, Any], complaint: str) -> None:
        missing = [name for block in self.blocks for name in block.quantities if name not in values]
        if missing:
            raise ModelError(f"{complaint}; there is nothing for {missing}")

    def parts(self, vector: np.ndarray) -> list[np.ndarray]:
        """The free vector, block by block.

        Arguments:
            vector: `size` numbers.
        """
        plain = isinstance(vector, np.ndarray) and vector.dtype == np.float64
        vector = vector if plain else frozen(vector, "the free vector")
        if vector.shape != (self.size,):
            raise ModelError(f"the free vector must have shape ({self.size},), got {vector.shape}")
        return np.split(vector, np.cumsum([block.size for block in self.blocks]))[:-1]

    def __eq__(self, other: object) -> bool:
        """The same is free in the same model."""
        return isinstance(other, Parameters) and (self.model, self.choices) == (other.model, other.choices)

    def __hash__(self) -> int:
        return hash((self.model, tuple(block.name for block in self.blocks)))

    def __reduce__(self) -> tuple:
        """Other processes make them again from the model and what was chosen."""
        return _again, (self.model, self.choices)

    def __repr__(self) -> str:
        return "\n".join(f"{b.name} ({b.size})" for b in self.blocks)


def choices_of(covariance: object, tied: object, fixed: object) -> dict[str, Any]:
    """What was chosen, checked: `tied` is True, False or groups of names, `fixed` names."""
    if isinstance(tied, bool | int | np.bool_):
        ties: Any = flag(tied, "tied")
    else:
        ties = (
            tuple(_names(group, "tied: a group") for group in listed(tied, "tied", "groups of names", ModelError)) or False
        )
    return {
        "covariance": _structures(covariance),
        "tied": ties,
        "fixed": _names([fixed] if isinstance(fixed, str) else fixed, "fixed"),
    }


def _structures(covariance: object) -> Any:
    """A name, or pairs of patterns and names."""
    kinds = get_args(Structure)
    if isinstance(covariance, Mapping):
        covariance = tuple(covariance.items())
    if isinstance(covariance, tuple) and covariance:
        pairs = [listed(pair, "covariance: a pair", "a pattern and a structure", ModelError) for pair in covariance]
        if any(len(pair) != 2 for pair in pairs):
            raise ModelError(f"covariance must be a structure, or map patterns to structures, got {short(covariance)}")
        return tuple(
            (text(pattern, "covariance: a pattern", ModelError), choice(one, kinds, f"covariance of {short(pattern)}"))
            for pattern, one in pairs
        )
    return choice(covariance, kinds, "covariance")


def _again(model: Any, choices: dict[str, Any]) -> "Parameters[Any]":
    return Parameters(model, **choices)


def _in_order(quantities: Sequence[Quantity]) -> list[Quantity]:
    """Probabilities and positive numbers, then covariances, then other numbers; within that, as the family lists them."""
    first = ORDER.index("covariance")
    return sorted(quantities, key=lambda one: max(ORDER.index(one.kind), first - 1))


def _quantities(model: Any) -> Sequence[Quantity]:
    if not hasattr(getattr(model, "family", None), "quantities"):
        raise ModelError(f"expected a model, such as a GaussianRBN, got {short(model)}")
    return model.family.quantities(model)


def _names(values: object, name: str) -> tuple[str, ...]:
    return tuple(text(one, f"{name}: each name", ModelError) for one in listed(values, name, "names of blocks", ModelError))


def _values(model: Any) -> dict[str, Any]:
    return {quantity.name: quantity.value for quantity in _quantities(model)}


def _tie_links(found: Sequence[tuple[Quantity, Block | None]]) -> list[Block]:
    """Quantities with the same tie become one block, unless one of them is not free."""
    members: dict[str, list[tuple[Quantity, Block | None]]] = {}
    for quantity, block in found:
        if quantity.tie:
            members.setdefault(quantity.tie, []).append((quantity, block))
    blocks = []
    for quantity, block in found:
        if block is None:
            continue
        group = members.get(quantity.tie, [])
        if len({np.shape(one.value) for one, _ in group}) > 1:
            raise ModelError(f"tied: {block.name} and its other link have different dimensions")
        if len(group) < 2 or any(other is None for _, other in group):
            blocks.append(block)
        elif quantity is group[0][0]:
            blocks.append(replace(block, name=quantity.tie, quantities=tuple(one.name for one, _ in group)))
    return blocks


def _tie(blocks: list[Block], groups: Sequence[Sequence[str]], quantities: Sequence[Quantity]) -> list[Block]:
    """Blocks of a group become one, which stands where the first was and has its name."""
    by_name = {block.name: block for block in blocks}
    shapes = {quantity.name: np.shape(quantity.value) for quantity in quantities}
    for group in groups:
        unknown = [name for name in group if name not in by_name]
        if unknown or len(group) < 2:
            raise ModelError(f"tied: a group has two or more names of {list(by_name)}, got {list(group)}")
        first, *others = (by_name[name] for name in group)
        alike = {(one.form, one.size, shapes[one.quantities[0]]) for one in (first, *others)}
        if len(alike) > 1:
            raise ModelError(f"tied: {list(group)} are not of one kind and size")
        together = tuple(name for block in (first, *others) for name in block.quantities)
        by_name[first.name] = replace(first, quantities=together)
        for block in others:
            del by_name[block.name]
    return list(by_name.values())


def _matches(block: Block, pattern: str) -> bool:
    """Brackets stand for themselves, as they are part of names. A covariance also answers to the name of its `std`."""
    return any(_is_like(name, pattern) for name in (block.name, block.shown))


def _names_covariance(name: str, pattern: str) -> bool:
    return _is_like(name, pattern) or _is_like(shown_deviation(name), pattern)


def _is_like(name: str, pattern: str) -> bool:
    return fnmatchcase(name, pattern.replace("[", "[[]"))
