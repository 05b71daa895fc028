"""`rb.filtered_states`, `rb.smoothed_states`, `rb.best_states`: what chains are asked for, read off the chart in O(N)."""

from typing import TYPE_CHECKING, Any, overload

import numpy as np

from recbayes.errors import DataError
from recbayes.family.family import family_of
from recbayes.inference.inside import inside_one
from recbayes.inference.reading import OneSequence, read

if TYPE_CHECKING:
    from recbayes.discrete.model.rbn import DiscreteRBN
    from recbayes.gaussian.chart.states import Means
    from recbayes.gaussian.model.rbn import GaussianRBN


@overload
def filtered_states(model: "DiscreteRBN", series: OneSequence) -> np.ndarray: ...
@overload
def filtered_states(model: "GaussianRBN", series: OneSequence) -> "Means": ...
def filtered_states(model: Any, series: Any) -> Any:
    """p(x_t | y_1 ... y_t): what is known of each state from the observations up to it.

    Probabilities (N, states) for a hidden Markov model; for a linear dynamical system `mean` (N, d) and `covariance` (N, d,
    d).

    Arguments:
        model: a chain, such as `rb.HMM` or `rb.LinearDynamicalSystem` make.
        series: one series, as for `rb.inside`.
    """
    return family_of(model).filtered_states(_chart(model, series))


@overload
def smoothed_states(model: "DiscreteRBN", series: OneSequence) -> np.ndarray: ...
@overload
def smoothed_states(model: "GaussianRBN", series: OneSequence) -> "Means": ...
def smoothed_states(model: Any, series: Any) -> Any:
    """p(x_t | y_1 ... y_N): what is known of each state from all observations, in the form of `filtered_states`.

    Arguments:
        model: a chain, such as `rb.HMM` or `rb.LinearDynamicalSystem` make.
        series: one series, as for `rb.inside`.
    """
    return family_of(model).smoothed_states(_chart(model, series))


def best_states(model: "DiscreteRBN", series: OneSequence) -> tuple[np.ndarray, float]:
    """The most probable path of a hidden Markov model (numbers of states), and its log weight with the observations.

    Arguments:
        model: a chain that `rb.HMM` has made.
        series: one sequence of symbols; those that are missing (None) are summed over.
    """
    return family_of(model).best_states(_chart(model, series))


def _chart(model: Any, series: Any) -> Any:
    family = family_of(model)
    if not family.has("inside"):
        family.refuse("inside")
    if getattr(model, "chain", None) is None:
        raise DataError(
            "states are those of a chain: make one with HMM or LinearDynamicalSystem, or give a model of that form a chain. "
            "(The states of a switching system with several regimes are mixtures without a closed form; draw them with "
            "sample_posterior: the labels of the nodes that begin at t say which regime ruled then)"
        )
    task = read(model, series, {})
    if not task.single:
        raise DataError("states are those of one series, got several; ask for one at a time, and for a column as y[:, 0]")
    return task.run(inside_one, [1])[0]
