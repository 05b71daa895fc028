"""Which coordinates suit a model: those in which its typical messages are well-conditioned, each dimension in its own unit.

Sums and inverses of matrices that are well-conditioned after scaling are so too, which makes this a property of the model:
it is looked for on noise, priors and links, and then holds for (almost) all messages. What slips through is found when
results are checked (`recbayes.gaussian.posterior.careful`).
"""

from itertools import permutations
from typing import NamedTuple

import numpy as np

from recbayes.checks.kept import kept
from recbayes.checks.series import Series
from recbayes.gaussian.chart.references import first_marginals
from recbayes.gaussian.emissions.emission import Emission
from recbayes.gaussian.model.parts import Link, Split
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.gaussian.model.roots import EASY, condition, is_diagonal, root

HARD = 1e7  # a condition from which on precisions keep too few digits
CONTRAST = 1e8  # ratios of variances from which on results are checked as if matrices were ill-conditioned
SCALES = 1e-40, 1e40  # deviations outside of these are rescaled
FAR = 1e6  # and means beyond so many deviations are subtracted
NARROWEST = 1e-10  # units of dimensions that hardly vary, as a share of the largest
MOST = 8  # matrices that are looked at

Place = tuple[np.ndarray, np.ndarray]  # origin and basis


class _Matrix(NamedTuple):
    """A covariance R R' or a precision G' G of a variable's values, by its root."""

    root: np.ndarray
    precision: bool

    def condition(self, basis: np.ndarray) -> float:
        return condition((self.root @ basis).T if self.precision else np.linalg.solve(basis, self.root))

    def whitened(self) -> np.ndarray | None:
        """A basis in which the matrix is the identity; None if it is singular."""
        if not self.precision:
            R = _triangle(self.root.T).T
            return R if R.shape[0] == R.shape[1] and _is_regular(R) else None
        G = _triangle(self.root)
        return np.linalg.inv(G) if G.shape[0] == G.shape[1] and _is_regular(G) else None

    def axes(self, basis: np.ndarray) -> np.ndarray:
        """The basis turned into the directions of the matrix."""
        if self.precision:
            return basis @ np.linalg.svd(self.root @ basis)[2].T
        return basis @ np.linalg.svd(np.linalg.solve(basis, self.root))[0]


class _Group(NamedTuple):
    """Variables that copy each other's values, what is known of these, and the worst condition as the model is given."""

    members: list[int]
    matrices: list[_Matrix]
    worst: float


def condition_given(model: GaussianRBN) -> float:
    """The worst condition of the model's matrices, in the coordinates it is given in."""
    return max(group.worst for group in _groups(model))


def bases(model: GaussianRBN, hard: float) -> list[Place] | None:
    """Origins and bases for all variables, or None if no condition is worse than `hard`, and scales and means are moderate.

    Variables that copy each other's values share theirs. Where dimensions are shifted, all have one scale and one origin.
    """
    places: list[Place] = [(np.zeros(one.dim), np.eye(one.dim)) for one in model.variables]
    marginals = first_marginals(model)
    moved = False
    for group in _groups(model):
        place = _place(model, group, hard, *marginals[group.members[0]])
        if place is not None:
            moved = True
            for v in group.members:
                places[v] = place
    return places if moved else None


def _place(model: GaussianRBN, group: _Group, hard: float, mean: np.ndarray, covariance: np.ndarray) -> Place | None:
    """The origin and basis of a group, where the mean and covariance are those of its values; None if it needs none."""
    deviations = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    spread = deviations > 0
    extreme = bool((deviations[spread] < SCALES[0]).any() or (deviations[spread] > SCALES[1]).any())
    far = bool((np.abs(mean) > FAR * deviations)[spread].any())
    if group.worst <= hard and not extreme and not far:
        return None
    plain = np.eye(len(mean))
    if _is_shifted(model, group.members):
        origin, basis = np.full_like(mean, mean.mean()), plain * _unit(deviations.max())
    else:
        basis = plain if group.worst <= hard else _best_basis(group.matrices, plain)
        covariances = [root(covariance), *(one.root for one in group.matrices if not one.precision)]
        spreads = np.sqrt([(np.linalg.solve(basis, R) ** 2).sum(axis=1) for R in covariances]).max(axis=0)
        origin, basis = mean, basis * _unit(np.maximum(spreads, NARROWEST * spreads.max()))
    return origin, basis


@kept
def _groups(model: GaussianRBN) -> list[_Group]:
    if _is_plain(model):
        return [_Group(list(range(len(model.variables))), [], 1.0)]
    found = []
    for members in _copying(model):
        matrices = _matrices(model, members)
        worst = _worst(matrices, np.eye(model.variables[members[0]].dim))
        found.append(_Group(members, matrices, max(worst, _contrast(model, members) / CONTRAST * EASY)))
    return found


def _contrast(model: GaussianRBN, members: list[int]) -> float:
    """The largest ratio of a link's variance to that of an observation behind it: as many digits are lost in passing up."""
    index = {variable.name: v for v, variable in enumerate(model.variables)}
    found = [
        np.linalg.norm(G @ root(link.covariance), 2) ** 2
        for _, _, link, child in _links(model, index)
        if child in members
        for G in _shown(model, child)
    ]
    return float(max(found, default=0.0))


def _is_plain(model: GaussianRBN) -> bool:
    """Whether a glance shows that nothing is ill-conditioned, as in most models: values are observed themselves, and links
    without maps add not much more noise than observations have.

    Scaled to its own deviations, the smallest eigenvalue of C + Q is at least that of C times the least share c / (c + q).
    """
    rules = [rule for variable in model.variables for rule in variable.rules]
    links = [link for rule in rules if isinstance(rule, Split) for link in (rule.left_link, rule.right_link)]
    shown = [rule.noise for rule in rules if isinstance(rule, Emission)]
    if any(link.map is not None for link in links) or any(C is None for C in shown):
        return False
    noises = [C for C in shown if C is not None]
    priors = [component.covariance for component in model.prior.components]
    if all(is_diagonal(one) for one in [*noises, *priors, *(link.covariance for link in links)]):
        return True
    added = np.max([np.diag(link.covariance) for link in links], axis=0) if links else 0.0
    share = np.min([np.diag(C) / (np.diag(C) + added) for C in noises])
    deviations = np.sqrt([np.diag(one) for one in [*noises, *priors]])
    values = np.linalg.eigvalsh(np.array([*noises, *priors]) / deviations[:, :, None] / deviations[:, None, :])
    return bool((values[:, -1] <= EASY * share * values[:, 0]).all())


def _worst(matrices: list[_Matrix], basis: np.ndarray) -> float:
    return max((one.condition(basis) for one in matrices), default=1.0)


def _best_basis(matrices: list[_Matrix], plain: np.ndarray) -> np.ndarray:
    """The best of the axes of every matrix, and of those of every other one where one of them is the identity."""
    matrices = sorted(matrices, key=lambda one: -one.condition(plain))[:MOST]
    candidates = [plain, *(one.axes(plain) for one in matrices)]
    for one, other in permutations(matrices, 2):
        white = one.whitened()
        if white is not None:
            candidates.append(other.axes(white))
    best = min(candidates, key=lambda basis: _worst(matrices, basis))
    return best if _worst(matrices, best) < 0.1 * _worst(matrices, plain) else plain


def _unit(deviations: np.ndarray) -> np.ndarray:
    """Powers of two near the deviations: scaling by them rounds nothing."""
    return np.exp2(np.round(np.log2(np.where(deviations > 0, deviations, 1.0))))


def _copying(model: GaussianRBN) -> list[list[int]]:
    """Variables in groups; links without a map copy values within a group."""
    index = {variable.name: v for v, variable in enumerate(model.variables)}
    group = list(range(len(index)))
    for v, _, link, child in _links(model, index):
        if link.map is None:
            group = [group[v] if one == group[child] else one for one in group]
    return [[v for v in range(len(group)) if group[v] == one] for one in dict.fromkeys(group)]


def _is_shifted(model: GaussianRBN, members: list[int]) -> bool:
    rules = [rule for v in members for rule in model.variables[v].rules if isinstance(rule, Split)]
    by_rules = any(any(shift) for rule in rules for shift in rule.shifts)
    names = [model.variables[v].name for v in members]
    return by_rules or any(any(one.shifts) for one in model.prior.components if one.variable in names)


def _links(model: GaussianRBN, index: dict[str, int]) -> list[tuple[int, int, Link, int]]:
    """(variable, rule, link, child) for all links of rules that are used."""
    return [
        (v, r, link, index[child])
        for v, variable in enumerate(model.variables)
        for r, rule in enumerate(variable.rules)
        if isinstance(rule, Split) and rule.probability > 0
        for link, child in ((rule.left_link, rule.left), (rule.right_link, rule.right))
    ]


def _matrices(model: GaussianRBN, members: list[int]) -> list[_Matrix]:
    """The prior, what single observations say, and what they say through one link."""
    index = {variable.name: v for v, variable in enumerate(model.variables)}
    links = _links(model, index)
    found = []
    names = [model.variables[v].name for v in members]
    found += [_Matrix(root(one.covariance), False) for one in model.prior.components if one.variable in names]
    for v in members:
        found += [_Matrix(one, True) for one in _told(model, v)]
    for parent, _, link, child in links:
        if child not in members and parent not in members:
            continue
        Q = root(link.covariance)
        seen = [_Matrix(G, True).whitened() for G in _shown(model, child)]
        noises = [np.hstack([R, Q]) for R in seen if R is not None] or ([Q] if Q.any() else [])
        if child in members:
            found += [_Matrix(one, False) for one in noises]
        if parent in members and link.map is not None:
            blurred = [_triangle(one.T).T for one in noises]
            found += [
                _Matrix(np.linalg.solve(R, link.map), True) for R in blurred if R.shape[0] == R.shape[1] and _is_regular(R)
            ]
    return found


def _told(model: GaussianRBN, v: int) -> list[np.ndarray]:
    """What single observations give of a variable, together with its own distribution where they do not show all of it."""
    R = root(first_marginals(model)[v][1])
    known = [np.linalg.inv(R)] if _is_regular(R) else []
    return [G if _Matrix(G, True).whitened() is not None else np.vstack([G, *known]) for G in _shown(model, v)]


def _shown(model: GaussianRBN, v: int) -> list[np.ndarray]:
    """Roots G of the precisions G' G that single observations give of a variable."""
    rules = [rule for rule in model.variables[v].rules if isinstance(rule, Emission) and rule.probability > 0]
    members = [member.emission for rule in rules for member in rule.members]
    blank = [Series(np.zeros((1, one.columns)), regressors=np.zeros((1, one.regressors))) for one in members]
    found = [one.linear(model.variables[v].dim, series, 0, 1) for one, series in zip(members, blank, strict=True)]
    return [np.linalg.solve(one.root, one.map) for one in found]


def _triangle(A: np.ndarray) -> np.ndarray:
    """The upper triangle U with U' U = A' A."""
    return np.asarray(np.linalg.qr(A, mode="r"))


def _is_regular(triangle: np.ndarray) -> bool:
    return bool((np.diag(triangle) != 0).all()) and np.linalg.cond(triangle) < 1e14
