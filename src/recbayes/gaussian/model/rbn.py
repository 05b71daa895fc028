"""Gaussian recursive Bayesian networks (section "Gaussian RBNs" of the paper, in the generality recbayes computes).

A model has template variables. From each variable a list of rules leads on, each with a probability:

    split  A -> B C     x_B ~ N(F x_A + f, Q_L),  x_C ~ N(G x_A + g, Q_R)
    emit   A -> y[i:k]  k - i has a length distribution, and each y_j ~ N(H x_A + h, R)

and the root's value comes from a Gaussian, or a mixture of Gaussians. A split may shift the dimensions of its children
by a random number of steps (the paper's transpositions): one rule with several weighted `shifts`.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from recbayes.checks.arguments import flag, listed
from recbayes.checks.arrays import number, square, vector
from recbayes.errors import ModelError
from recbayes.family.chain import Chain, chain_from_data, chain_to_data, checked_chain
from recbayes.family.saved import Saved
from recbayes.gaussian.emissions.emit import Emit
from recbayes.gaussian.model import data
from recbayes.gaussian.model.chain import check_chain
from recbayes.gaussian.model.parts import NO_SHIFT, Component, Link, Prior, Reference, Split, Variable
from recbayes.gaussian.model.validation import (
    checked_dimensions,
    checked_prior,
    checked_references,
    checked_variable,
    dimension,
    observed_dimension,
)
from recbayes.lengths import ExactlyOne, Length, OnePlusPoisson
from recbayes.tree.tree import Tree

if TYPE_CHECKING:
    from recbayes.convert.general import RBN
    from recbayes.gaussian.family import GaussianFamily


class GaussianRBN(Saved):
    """An immutable, validated Gaussian recursive Bayesian network.

    Arguments:
        variables: template variables, each with its rules.
        prior: the root, and the distribution of its value.
        references: one `Reference` per variable. They are no part of the distribution but of its approximation, and matter
            only for series with missing entries or emissions that do not show all of a variable; training keeps them as they
            were at the start. None takes each variable's own distribution, three times as wide.
        chain: says that the model is a chain, and which variables are its states and what shows them; it is then checked to
            be one. None says nothing.
    """

    __slots__ = ("_chain", "_observed_dim", "_prior", "_references", "_variables")

    format = "recbayes.GaussianRBN"

    def __init__(
        self,
        variables: tuple[Variable, ...] | list[Variable],
        prior: Prior,
        references: tuple[Reference, ...] | None = None,
        chain: Chain | None = None,
    ) -> None:
        variables = listed(variables, "variables", "Variables", ModelError)
        dims = checked_dimensions(variables)
        self._variables = tuple(checked_variable(variable, dims) for variable in variables)
        self._observed_dim = observed_dimension(self._variables)
        self._prior = checked_prior(prior, dims)
        self._references = None if references is None else checked_references(references, self._variables)
        self._chain = None if chain is None else checked_chain(chain)
        if self._chain is not None:
            check_chain(self._chain, self._variables, self._prior)

    @property
    def family(self) -> "GaussianFamily":
        """What is done with models of this kind; see `recbayes.family.family`."""
        from recbayes.gaussian.family import GAUSSIAN

        return GAUSSIAN

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The template variables, validated."""
        return self._variables

    @property
    def prior(self) -> Prior:
        """The root, and the distribution of its value."""
        return self._prior

    @property
    def references(self) -> tuple[Reference, ...] | None:
        """The references of all variables, if they were given."""
        return self._references

    @property
    def chain(self) -> Chain | None:
        """The variables of a chain, if the model is one."""
        return self._chain

    @property
    def observed_dim(self) -> int:
        """The number of columns of an observed series."""
        return self._observed_dim

    @classmethod
    def create(
        cls,
        dim: int,
        *,
        prior_mean: object = 0.0,
        prior_std: object = 1.0,
        left_std: object = 0.1,
        right_std: object = 0.1,
        noise_std: object = 0.1,
        termination: float = 0.5,
        shifts: Mapping[Any, float] | None = None,
        prior_shifts: Mapping[Any, float] | None = None,
        extra_observations: float | None = None,
    ) -> "GaussianRBN":
        """The paper's model: one variable `x` that splits into noisy copies of itself or emits.

        Each `*_std` is a standard deviation, one per dimension, or a square-root matrix.

        Arguments:
            dim: the dimension of `x`, and the number of columns of a series.
            prior_mean: mean of the root's value, a number or one per dimension.
            prior_std: deviation of the root's value.
            left_std: deviation of a left child's value about its parent's.
            right_std: that of a right child's.
            noise_std: deviation of an observation about its leaf's value.
            termination: the probability to emit.
            shifts: the left child's transpositions, with their probabilities. None: there are none.
            prior_shifts: transpositions of the prior mean, with their probabilities. None: there are none.
            extra_observations: the Poisson rate of further observations per leaf. None: a leaf has exactly one.
        """
        dim = dimension(dim, "dim")
        stop = number(termination, "termination")
        if not 0 <= stop <= 1:
            raise ModelError(f"termination must lie between 0 and 1, got {stop:.6g}")
        split = Split(
            probability=1.0 - stop,
            left="x",
            right="x",
            left_link=Link(square(left_std, dim, "left_std", definite=False)),
            right_link=Link(square(right_std, dim, "right_std", definite=False)),
            shifts=dict(NO_SHIFT) if shifts is None else shifts,
        )
        length: Length = ExactlyOne() if extra_observations is None else OnePlusPoisson(extra_observations)
        emit = Emit(probability=stop, covariance=square(noise_std, dim, "noise_std", definite=True), length=length)
        component = Component(
            mean=vector(prior_mean, dim, "prior_mean"),
            covariance=square(prior_std, dim, "prior_std", definite=True),
            shifts={0: 1.0} if prior_shifts is None else prior_shifts,
        )
        return cls((Variable("x", dim, (split, emit)),), Prior("x", (component,)))

    @classmethod
    def guess(
        cls, series: object, *, shifts: Mapping[Any, float] | None = None, extra_observations: bool = True
    ) -> "GaussianRBN":
        """The paper's model with starting values of the order of the data, for `rb.fit`.

        Arguments:
            series: a series or a list of them.
            shifts: the left child's transpositions with their probabilities. None: there are none.
            extra_observations: whether a leaf may have more than one observation: of one series a negative binomial number,
                dispersion 1 to begin with, of several a Poisson number, as in the paper.
        """
        from recbayes.checks.series import all_series
        from recbayes.gaussian.model.guess import guess

        return guess(all_series(series), shifts, flag(extra_observations, "extra_observations"))

    def sample(
        self, *, seed: int | np.random.Generator, min_length: int = 1, max_length: int | None = None, attempts: int = 100_000
    ) -> tuple[np.ndarray, Tree]:
        """A series (N x columns) drawn from the model, and the tree it came from, with the values of its nodes.

        Arguments:
            seed: a whole number or a `numpy.random.Generator`.
            min_length: the fewest observations; trees of other lengths are drawn anew.
            max_length: the most. None is no limit.
            attempts: how many trees are drawn, before there is a `LengthError`.
        """
        from recbayes.gaussian.model.sampling import sample

        return sample(self, seed=seed, min_length=min_length, max_length=max_length, attempts=attempts)

    def __reduce__(self) -> tuple[type, tuple]:
        """Copies and messages to other processes leave out what only follows from the model."""
        return type(self), (self._variables, self._prior, self._references, self._chain)

    def to_general(self) -> "RBN":
        """The same distribution as a general model, whose densities JAX computes; see `recbayes.convert.general`."""
        from recbayes.convert.general import gaussian_to_general

        return gaussian_to_general(self)

    def to_data(self) -> dict[str, Any]:
        return {
            "prior": data.prior_to_data(self._prior),
            "variables": data.variables_to_data(self._variables),
            "references": data.references_to_data(self._references),
            **chain_to_data(self._chain),
        }

    @classmethod
    def from_data(cls, document: dict[str, Any]) -> Self:
        prior = data.prior_from_data(document["prior"])
        return cls(
            data.variables_from_data(document["variables"]),
            prior,
            data.references_from_data(document["references"]),
            chain_from_data(document),
        )

    def _repr_html_(self) -> str:
        from recbayes.gaussian.model.shown import model_to_html

        return model_to_html(self, self.chain)

    def __repr__(self) -> str:
        lines = [f"GaussianRBN({self.observed_dim} observed dimensions, root {' or '.join(self.prior.weights_of_roots)})"]
        for variable in self.variables:
            lines.append(f"  {variable.name} (dimension {variable.dim})")
            for rule in variable.rules:
                right_side = f"{rule.left} {rule.right}" if isinstance(rule, Split) else f"observations, {rule.length}"
                lines.append(f"    {rule.probability:.4g}  -> {right_side}")
        return "\n".join(lines)
