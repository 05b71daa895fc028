"""Linear dynamical systems, with one regime or several, in one line: right-linear Gaussian RBNs.

A state emits one observation, through a child of its own (`shown`) that copies it, and leads on to the next state, until it
emits the last one. Charts of such models have O(N) cells, with no special case in the recursion.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from recbayes.chains.termination import chances as chances_of
from recbayes.checks.arrays import frozen
from recbayes.errors import ModelError
from recbayes.family.chain import Chain
from recbayes.gaussian.emissions.emit import Emit
from recbayes.gaussian.model.parts import Component, Link, Prior, Split, Variable
from recbayes.gaussian.model.rbn import GaussianRBN

TERMINATION = 0.01


def LinearDynamicalSystem(
    transition: Any,
    transition_covariance: Any,
    observation: Any,
    observation_covariance: Any,
    initial_mean: Any,
    initial_covariance: Any,
    *,
    termination: float = TERMINATION,
) -> GaussianRBN:
    """A linear dynamical system, as a `GaussianRBN`: x_1 ~ N(initial_mean, initial_covariance), x_t+1 ~ N(F x_t, Q), y_t ~
    N(H x_t, R).

    A number is a matrix with one entry. The log evidence of N observations is that of the Kalman filter plus (N - 1) log(1 -
    termination) + log(termination).

    Arguments:
        transition: F, (d, d).
        transition_covariance: Q, (d, d).
        observation: H, (columns, d).
        observation_covariance: R, (columns, columns).
        initial_mean: of the first state, (d,).
        initial_covariance: of the first state, (d, d).
        termination: the probability to end after an observation.
    """
    return SwitchingLinearDynamicalSystem(
        [1.0],
        [[1.0]],
        [transition],
        [transition_covariance],
        [observation],
        [observation_covariance],
        initial_mean,
        initial_covariance,
        termination=termination,
    )


def SwitchingLinearDynamicalSystem(
    initial: Any,
    switching: Any,
    transitions: list,
    transition_covariances: list,
    observations: list,
    observation_covariances: list,
    initial_mean: Any,
    initial_covariance: Any,
    *,
    termination: float = TERMINATION,
) -> GaussianRBN:
    """A hidden Markov model of regimes with Gaussian states: x_t ~ N(F_k x_t-1, Q_k), y_t ~ N(H_k x_t, R_k).

    The variables are `state` and `shown`, numbered where there are several regimes ("state 0", ...), below a root that
    chooses the first regime.

    Arguments:
        initial: probabilities of the first regime, (n,).
        switching: of the next regime, given the one in the row, (n, n).
        transitions: F of each regime, (d, d).
        transition_covariances: Q of each regime, (d, d).
        observations: H of each regime, (columns, d).
        observation_covariances: R of each regime, (columns, columns).
        initial_mean: of the first state, (d,).
        initial_covariance: of the first state, (d, d).
        termination: the probability to end after an observation.
    """
    mean = np.atleast_1d(frozen(initial_mean, "initial_mean"))
    start, chances = frozen(initial, "initial"), frozen(switching, "switching")
    d, n = len(mean), start.size
    if start.shape != (n,) or chances.shape != (n, n):
        raise ModelError(f"with {n} regimes, initial must have shape ({n},) and switching ({n}, {n})")
    go, stop = chances_of(termination)
    one = Chain()
    names = [one] if n == 1 else [Chain(f"{one.state} {k}", f"{one.shown} {k}") for k in range(n)]
    still = Link(np.zeros((d, d)))
    moves = _matrices(transitions, n, "transitions"), _matrices(transition_covariances, n, "transition_covariances")
    sights = _matrices(observations, n, "observations"), _matrices(observation_covariances, n, "observation_covariances")
    shows = list(zip(*sights, strict=True))
    onward = [Link(Q, map=F) for F, Q in zip(*moves, strict=True)]

    def rules(k: int, chance: float) -> list[Split | Emit]:
        """What a state in regime k does, times the chance of that regime."""
        steps: list[Split | Emit] = [
            Split(chance * go * chances[k, after], names[k][1], names[after][0], still, onward[after]) for after in range(n)
        ]
        return [*steps, Emit(chance * stop, shows[k][1], map=shows[k][0])]

    variables = []
    if n > 1:
        variables.append(Variable("start", d, tuple(rule for k in range(n) for rule in rules(k, start[k]))))
    for k, (state, shown) in enumerate(names):
        variables += [
            Variable(state, d, tuple(rules(k, 1.0))),
            Variable(shown, d, (Emit(1.0, shows[k][1], map=shows[k][0]),)),
        ]
    prior = Prior(variables[0].name, (Component(mean, np.atleast_2d(frozen(initial_covariance, "initial_covariance"))),))
    return GaussianRBN(tuple(variables), prior, chain=one if n == 1 else None)


def _matrices(values: Any, count: int, name: str) -> list[np.ndarray]:
    """One matrix for each regime; a number is a matrix with one entry."""
    entries = list(values) if isinstance(values, Iterable) else []
    if len(entries) != count:
        raise ModelError(f"{name} must be a list with {count} entries, one for each regime of initial, got {len(entries)}")
    return [np.atleast_2d(frozen(entry, f"{name}[{k}]")) for k, entry in enumerate(entries)]
