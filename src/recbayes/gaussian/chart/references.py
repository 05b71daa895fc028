"""References: broad Gaussians under which potentials that are flat in different directions are mixed."""

import numpy as np

from recbayes.checks.kept import kept
from recbayes.compiled.layout import pack_messages
from recbayes.gaussian.emissions.emission import Emission
from recbayes.gaussian.emissions.leaf import Leaf
from recbayes.gaussian.emissions.nearest import Expected
from recbayes.gaussian.model.moments import moments_of_roots
from recbayes.gaussian.model.parts import Reference, Split
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.gaussian.model.roots import inverse

REFERENCE_SPREAD = 3.0  # standard deviations of the reference Gaussian, in those of the variable's own distribution


def references_of(model: GaussianRBN) -> tuple[Reference, ...]:
    """The model's references; by default the distribution a variable has where it is first reached, three times as wide."""
    if model.references is not None:
        return model.references
    references = []
    marginals = first_marginals(model)
    widest = max(np.trace(covariance) / len(mean) for mean, covariance in marginals)
    for mean, covariance in marginals:
        floor = 1e-6 * (np.trace(covariance) / len(mean) or 1e-6 * widest)  # a variable may be constant
        references.append(Reference(mean, REFERENCE_SPREAD**2 * (covariance + floor * np.eye(len(mean)))))
    return tuple(references)


def expected_columns(model: GaussianRBN, v: int, emission: Emission) -> Expected | None:
    """Where the means of the columns of a variable's emission are expected, if its potentials depend on that.

    They are the same in all coordinates, so the emission is that of the model.
    """
    if emission.is_gaussian or not isinstance(emission, Leaf):
        return None
    reference = references_of(model)[v]
    H = np.eye(len(reference.mean))[: emission.columns] if emission.map is None else emission.map
    mean = H @ reference.mean + (0.0 if emission.offset is None else emission.offset)
    return Expected(mean, np.einsum("ca,ab,cb->c", H, reference.covariance, H))


def reference_constants(reference: Reference, size: int) -> np.ndarray:
    """A reference as a potential; its height lacks the 2 pi."""
    d = len(reference.mean)
    mode, precision = np.zeros(size), np.eye(size)
    mode[:d] = reference.mean
    precision[:d, :d], log_determinant = inverse(reference.covariance)
    return pack_messages(-0.5 * log_determinant, mode, precision)


@kept
def first_marginals(model: GaussianRBN) -> list[tuple[np.ndarray, np.ndarray]]:
    """Mean and covariance of each variable where a breadth-first walk from the roots first meets it.

    A variable that it never meets is as wide as the widest of the others, so that nothing depends on the units of the data.
    """
    index = {variable.name: position for position, variable in enumerate(model.variables)}
    known: dict[int, tuple[np.ndarray, np.ndarray]] = {}
    for name, (_, *moments) in moments_of_roots(model.prior).items():
        known[index[name]] = moments[0], moments[1]
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
    widest = max(np.trace(covariance) / len(mean) for mean, covariance in known.values())
    return [known.get(v, (np.zeros(one.dim), widest * np.eye(one.dim))) for v, one in enumerate(model.variables)]
