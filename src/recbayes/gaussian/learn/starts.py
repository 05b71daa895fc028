"""Starting values that differ in kind: short or long segments, little or much noise, a head on the left or the right.

A climb goes to the nearest top. Kinds of models whose tops are far from each other need starts of their own: links tell
which child is like its parent (its deviation is small), shifts may be few or many, and a mean that is the same in all
dimensions is a saddle where all of them are rotated.
"""

from typing import Any

import numpy as np

from recbayes.gaussian.learn.quantities import quantities, replaced
from recbayes.gaussian.model.rbn import GaussianRBN

LENGTHS = (0.25, 4.0, 1.0)  # times as long
HEADS = ((0.2, 2.0), (2.0, 0.2), (1.0, 1.0))  # times the deviations of left and right links
NOISE = (1.0, 0.4, 2.0)  # times the deviation
CONCENTRATED = 0.8  # probability of the shift that a concentrated start prefers
JITTER = 0.3  # of logarithms, so that two starts of one kind differ


def variation(model: GaussianRBN, number: int, rng: np.random.Generator) -> GaussianRBN:
    """The model, changed in kind: three in a row have three kinds of each change, in orders that the generator chooses."""
    order = np.random.default_rng([number // 3, int(rng.integers(2**32))])
    factor = {name: kinds[order.permutation(3)[number % 3]] for name, kinds in _KINDS.items()}
    left, right = factor["heads"]
    values: dict[str, Any] = {}
    for quantity in quantities(model):
        name, value = quantity.name, quantity.value
        jitter = float(np.exp(JITTER * rng.normal()))
        if quantity.kind == "probabilities" and name.endswith(".shifts"):
            values[name] = _concentrated(np.asarray(value), rng) if number % 2 else value
        elif quantity.kind == "positive" and ".length." in name:
            values[name] = value * (factor["lengths"] * jitter)
        elif quantity.kind == "covariance":
            scale = left if ".left_link." in name else right if ".right_link." in name else factor["noise"]
            values[name] = value * ((1.0 if name.startswith("prior.") else scale) * jitter) ** 2
        elif quantity.kind == "positive" and name.endswith(".noise_std"):
            values[name] = np.asarray(value) * factor["noise"] * jitter
    for c, component in enumerate(model.prior.components):
        deviations = np.sqrt(np.diag(component.covariance))
        values[f"prior.components[{c}].mean"] = component.mean + 0.5 * deviations * rng.normal(size=len(deviations))
    return replaced(model, values)


_KINDS: dict[str, Any] = {"lengths": LENGTHS, "heads": HEADS, "noise": NOISE}


def _concentrated(probabilities: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Most of it on one of those that are possible."""
    one = np.zeros(len(probabilities))
    one[rng.choice(np.flatnonzero(probabilities > 0))] = 1.0
    return CONCENTRATED * one + (1.0 - CONCENTRATED) * probabilities
