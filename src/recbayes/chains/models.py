"""Chains as right-linear RBNs: hidden Markov models and (switching) linear dynamical systems in one line.

A state emits one observation, through a child of its own (`shown`) that copies it, and leads on to the next state, until it
emits the last one. Charts of such models have O(N) cells, with no special case in the recursion.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from recbayes.checks.arrays import frozen, number
from recbayes.discrete.model.rbn import DiscreteRBN
from recbayes.discrete.model.variables import DiscreteVariable, TerminalVariable, Transition
from recbayes.errors import ModelError
from recbayes.gaussian.model.rbn import Component, Emit, GaussianRBN, Link, Prior, Split, Variable

STATE, SHOWN = "state", "shown"  # names of the variables of every chain
TERMINATION = 0.01


def HMM(
    initial: Any,
    transition: Any,
    emission: Any,
    *,
    termination: float | None = None,
    states: tuple[str, ...] | None = None,
    symbols: tuple[str, ...] | None = None,
) -> DiscreteRBN:
    """A hidden Markov model: `initial` (n), `transition` (n, n) and `emission` (n, symbols) probabilities.

    `termination` is the probability to end after an observation. None takes the length as given, as is usual for hidden
    Markov models: continuing and ending both have weight one, and the evidence is that of the observations.
    """
    given = {"initial": initial, "transition": transition, "emission": emission}
    start, A, B = (frozen(values, name) for name, values in given.items())
    n = start.size
    if start.shape != (n,) or A.shape != (n, n) or B.ndim != 2 or len(B) != n:
        raise ModelError(
            f"initial, transition and emission must have shapes (n,), (n, n) and (n, symbols), got {start.shape}, {A.shape} "
            f"and {B.shape}"
        )
    for name, rows in (("initial", start[None]), ("transition", A), ("emission", B)):
        if (rows < 0).any() or np.abs(rows.sum(axis=1) - 1.0).max() > 1e-9:
            raise ModelError(f"{name} probabilities must not be negative and must sum to one")
    go, stop = (1.0, 1.0) if termination is None else _chances(termination)
    pairs = np.argwhere(A > 0)
    onward = (np.column_stack([pairs[:, 0], pairs]), A[A > 0])
    return DiscreteRBN(
        (
            DiscreteVariable(
                STATE,
                n if states is None else states,
                (Transition((SHOWN, STATE), go, onward), Transition(("symbol",), stop, B)),
            ),
            DiscreteVariable(SHOWN, n if states is None else states, (Transition(("symbol",), 1.0, B),)),
        ),
        (TerminalVariable("symbol", B.shape[1] if symbols is None else symbols),),
        prior=(STATE, start),
        weights="keep" if termination is None else "check",
    )


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
    """x_1 ~ N(initial_mean, initial_covariance), x_t+1 ~ N(F x_t, Q), y_t ~ N(H x_t, R), in this order of arguments.

    `termination` is the probability to end after an observation: the log evidence of N observations is that of the Kalman
    filter plus (N - 1) log(1 - termination) + log(termination).
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

    `initial` and `switching` are the regimes' initial and transition probabilities. The variables are `state` and `shown`,
    numbered where there are several regimes ("state 0", ...), below a root that chooses the first regime.
    """
    mean = np.atleast_1d(frozen(initial_mean, "initial_mean"))
    start, chances = frozen(initial, "initial"), frozen(switching, "switching")
    d, n = len(mean), start.size
    if start.shape != (n,) or chances.shape != (n, n):
        raise ModelError(f"with {n} regimes, initial must have shape ({n},) and switching ({n}, {n})")
    go, stop = _chances(termination)
    names = [(STATE, SHOWN)] if n == 1 else [(f"{STATE} {k}", f"{SHOWN} {k}") for k in range(n)]
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
    return GaussianRBN(tuple(variables), prior)


def _matrices(values: Any, count: int, name: str) -> list[np.ndarray]:
    """One matrix for each regime; a number is a matrix with one entry."""
    entries = list(values) if isinstance(values, Iterable) else []
    if len(entries) != count:
        raise ModelError(f"{name} must be a list with {count} entries, one for each regime of initial, got {len(entries)}")
    return [np.atleast_2d(frozen(entry, f"{name}[{k}]")) for k, entry in enumerate(entries)]


def _chances(termination: object) -> tuple[float, float]:
    stop = number(termination, "termination")
    if not 0 < stop < 1:
        raise ModelError(f"termination must lie between 0 and 1, got {stop:.6g}")
    return 1.0 - stop, stop
