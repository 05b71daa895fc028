"""A model's free parameters as one vector of unconstrained numbers, and back.

Probabilities become log odds against the first alternative, rates logarithms, and covariances logarithms of standard
deviations (scalar, diagonal) or the rows of a Cholesky factor with a logarithmic diagonal (full). Maps and offsets are free
where the model gives them. Numbers that are structurally fixed stay: zero probabilities, covariances that are zero or
singular, links without a map.
"""

from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from recbayes.chains.models import SHOWN, STATE
from recbayes.errors import ModelError
from recbayes.gaussian.chart.gradient import ModelGradient
from recbayes.gaussian.learn.blocks import Block, Covariance, covariance_blocks, probability_blocks, real_blocks
from recbayes.gaussian.learn.quantities import read_gradient, read_quantities, write_quantities
from recbayes.gaussian.model.rbn import GaussianRBN


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
        blocks = probability_blocks(model) + covariance_blocks(model, covariance, tied is True) + real_blocks(model)
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
        values = read_quantities(self.model if model is None else model)
        return np.concatenate([np.zeros(0), *(block.to_free(values[block.paths[0]]) for block in self.blocks)])

    def with_vector(self, vector: np.ndarray) -> GaussianRBN:
        """The model that a free vector describes."""
        vector = np.asarray(vector, dtype=np.float64)
        if vector.shape != (self.size,):
            raise ModelError(f"the free vector must have shape ({self.size},), got {vector.shape}")
        values = {}
        for block, part in zip(self.blocks, self.parts(vector), strict=True):
            values.update(dict.fromkeys(block.paths, block.from_free(part)))
        return write_quantities(self.model, values)

    def check(self, model: GaussianRBN) -> None:
        """An error if the model is not one that these parameters can describe, such as untied links if they are tied."""
        values = read_quantities(model)
        for block in self.blocks:
            described = block.from_free(block.to_free(values[block.paths[0]]))
            if not all(np.allclose(values[path], described, rtol=1e-9, atol=0.0) for path in block.paths):
                raise ModelError(
                    f"the model's {block.name} does not have the structure of the parameters; bring it into that form "
                    "by parameters.with_vector(parameters.vector(model))"
                )

    def pull_back(self, model: GaussianRBN, gradient: ModelGradient) -> np.ndarray:
        """The derivatives with respect to the free vector, from those with respect to the model's numbers."""
        slopes = read_gradient(model, gradient)
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
    values = read_quantities(model)
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
