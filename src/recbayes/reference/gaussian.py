"""The chart in slow, readable Python: the tutorial, and the oracle of the compiled passes.

A message is a function of a node's value, log f(x) = c + h'x - x'Px/2 (the information form). The three verbs are

    join      multiply two messages: add c, h and P
    lift      pass a child's message through its link: integrate N(z; F x + f, Q) f(z) over z
    mix       replace a sum of messages by one with the same mass, mean and covariance

and everything below is these three, over all spans, in the order of their widths. Nothing here is shared with the
kernels: the formulas are the textbook's, without care for speed or for extreme numbers.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from recbayes.checks.series import Series, as_series
from recbayes.errors import LengthError
from recbayes.gaussian.chart.references import references_of
from recbayes.gaussian.emissions.emission import Emission
from recbayes.gaussian.emissions.emit import Emit
from recbayes.gaussian.model.naming import rule_name
from recbayes.gaussian.model.parts import Link, Split
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.tree.tree import Node, Tree


@dataclass(frozen=True)
class Potential:
    """log f(x) = c + h'x - x'Px/2."""

    c: float
    h: np.ndarray
    P: np.ndarray

    def join(self, other: "Potential") -> "Potential":
        return Potential(self.c + other.c, self.h + other.h, self.P + other.P)

    def scale(self, log_factor: float) -> "Potential":
        return Potential(self.c + log_factor, self.h, self.P)

    @property
    def log_height(self) -> float:
        """The largest value of log f."""
        return float(self.c + 0.5 * self.h @ np.linalg.pinv(self.P, rcond=1e-11, hermitian=True) @ self.h)

    @property
    def log_mass(self) -> float:
        """log of the integral of f, which must be finite."""
        mean = np.linalg.solve(self.P, self.h)
        return float(self.c + 0.5 * self.h @ mean + 0.5 * np.linalg.slogdet(2 * np.pi * np.linalg.inv(self.P))[1])

    @property
    def mean(self) -> np.ndarray:
        return np.linalg.solve(self.P, self.h)

    @property
    def covariance(self) -> np.ndarray:
        return np.linalg.inv(self.P)


def gaussian(mean: np.ndarray, covariance: np.ndarray, log_mass: float = 0.0) -> Potential:
    """A Gaussian density as a potential."""
    P = np.linalg.inv(covariance)
    c = log_mass - 0.5 * (np.linalg.slogdet(2 * np.pi * covariance)[1] + mean @ P @ mean)
    return Potential(float(c), P @ mean, P)


def lift(message: Potential, F: np.ndarray, f: np.ndarray, Q: np.ndarray) -> Potential:
    """The integral of N(z; F x + f, Q) times the message of z, as a message of x.

    With a root L of Q and z = F x + f + L u, u standard normal, the integral over u is Gaussian.
    """
    values, vectors = np.linalg.eigh(Q)
    L = vectors * np.sqrt(np.maximum(values, 0.0))
    K = np.eye(len(Q)) + L.T @ message.P @ L
    through = L @ np.linalg.solve(K, L.T)  # (P + Q^-1)^-1, also where Q is singular
    c = message.c - 0.5 * np.linalg.slogdet(K)[1] + 0.5 * message.h @ through @ message.h
    h = message.h - message.P @ through @ message.h
    P = message.P - message.P @ through @ message.P
    return Potential(float(c + h @ f - 0.5 * f @ P @ f), F.T @ (h - P @ f), F.T @ P @ F)


def mix(messages: list[Potential], reference: Potential) -> Potential:
    """One message instead of a sum of messages. A single one is kept as it is."""
    if len(messages) == 1:
        return messages[0]
    blanks = [tuple(np.diag(message.P) == 0.0) for message in messages]
    seen = ~np.array(blanks[0])
    if all(blank == blanks[0] for blank in blanks) and all(
        _is_proper(message.P[np.ix_(seen, seen)]) for message in messages
    ):
        parts = [Potential(message.c, message.h[seen], message.P[np.ix_(seen, seen)]) for message in messages]
        if not seen.any():
            total = float(logsumexp([message.c for message in messages]))
            return Potential(total, np.zeros(len(seen)), np.zeros((len(seen), len(seen))))
        matched = match(parts)
        h, P = np.zeros(len(seen)), np.zeros((len(seen), len(seen)))
        h[seen], P[np.ix_(seen, seen)] = matched.h, matched.P
        return Potential(matched.c, h, P)
    return divide(match([message.join(reference) for message in messages]), reference)


def match(messages: list[Potential]) -> Potential:
    """The Gaussian with the mass, mean and covariance of a sum of proper messages (section Approximation)."""
    log_masses = np.array([message.log_mass for message in messages])
    log_mass = float(logsumexp(log_masses))
    shares = np.exp(log_masses - log_mass)
    mean = sum(share * message.mean for share, message in zip(shares, messages, strict=True))
    spread = sum(
        share * (message.covariance + np.outer(message.mean - mean, message.mean - mean))
        for share, message in zip(shares, messages, strict=True)
    )
    return gaussian(np.asarray(mean), np.asarray(spread), log_mass)


def divide(matched: Potential, reference: Potential) -> Potential:
    """Divide the reference out of a product with it. Directions in which the product says less stay flat.

    In coordinates z in which the reference is standard normal, the product has covariance U diag(s) U' and mean U t; a
    direction keeps precision 1/s - 1 if s < 1.
    """
    G = np.linalg.cholesky(reference.P)
    s, U = np.linalg.eigh(G.T @ matched.covariance @ G)
    t = U.T @ G.T @ (matched.mean - reference.mean)
    informed = s < 1.0 - 1e-9
    precision = np.where(informed, 1.0 / s - 1.0, 0.0)
    mode = np.where(informed, t / np.where(informed, 1.0 - s, 1.0), 0.0)
    height = matched.log_mass - reference.log_mass
    height += np.where(informed, 0.5 * t * mode - 0.5 * np.log(s), 0.0).sum()
    GU = G @ U
    P = GU @ np.diag(precision) @ GU.T
    known = np.diag(P) >= 1e-9 * np.diag(reference.P)
    P = np.where(np.outer(known, known), P, 0.0)
    x = np.where(known, reference.mean + np.linalg.solve(G.T, U @ mode), 0.0)
    return Potential(float(height - 0.5 * x @ P @ x), P @ x, P)


def _is_proper(P: np.ndarray) -> bool:
    scale = np.sqrt(np.diag(P))
    if not len(P):
        return True
    return bool(np.linalg.eigvalsh(P / np.outer(scale, scale))[0] > 1e-11)


@dataclass(frozen=True)
class Alternative:
    """One way to generate a span: its rule, shift and split point (None for an emission), and its message."""

    rule: int
    shift: tuple[int, int]
    split: int | None
    message: Potential


@dataclass(frozen=True)
class ReferenceChart:
    """Messages and alternatives of every (variable, start, end) that can be generated, and the evidence."""

    model: GaussianRBN
    log_evidence: float
    messages: dict[tuple[str, int, int], Potential]
    alternatives: dict[tuple[str, int, int], list[Alternative]]


def inside(model: GaussianRBN, data: object) -> ReferenceChart:
    """All inside messages and the moment-matched evidence."""
    series = as_series(data, model.observed_dim)
    references = [gaussian(one.mean, one.covariance) for one in references_of(model)]
    messages: dict[tuple[str, int, int], Potential] = {}
    alternatives: dict[tuple[str, int, int], list[Alternative]] = {}
    for width in range(1, len(series) + 1):
        for start in range(len(series) - width + 1):
            end = start + width
            for variable, reference in zip(model.variables, references, strict=True):
                found = list(_alternatives(model, variable.name, series, start, end, messages))
                if found:
                    alternatives[variable.name, start, end] = found
                    messages[variable.name, start, end] = mix([one.message for one in found], reference)
    roots = [(name, messages.get((name, 0, len(series)))) for name in model.prior.weights_of_roots]
    evidence = [prior.join(root).log_mass for name, root in roots if root is not None for prior in _prior(model, name)]
    if not evidence:
        raise LengthError(f"the model cannot generate {len(series)} observations")
    return ReferenceChart(model, float(logsumexp(evidence)), messages, alternatives)


def _prior(model: GaussianRBN, root: str) -> list[Potential]:
    return [
        gaussian(np.roll(component.mean, steps), component.covariance, np.log(component.weight * weight))
        for component in model.prior.components
        if component.variable == root
        for steps, weight in component.shifts.items()
        if component.weight * weight > 0
    ]


def _alternatives(
    model: GaussianRBN,
    name: str,
    series: Series,
    start: int,
    end: int,
    messages: dict[tuple[str, int, int], Potential],
) -> Iterator[Alternative]:
    """Emissions first, then splits by split point and rule: the order that settles ties."""
    variable = next(one for one in model.variables if one.name == name)
    splits = []
    for number, rule in enumerate(variable.rules):
        if rule.probability == 0:
            continue
        if isinstance(rule, Emission):
            log_probability = float(rule.length.log_probability(np.array(end - start)))
            if log_probability > -np.inf:
                message = emission(rule, variable.dim, series, start, end)
                yield Alternative(number, (0, 0), None, message.scale(log_probability + np.log(rule.probability)))
            continue
        for shift, weight in rule.shifts.items():
            if weight > 0:
                splits.append((number, rule, shift, np.log(rule.probability * weight)))
    for split in range(start + 1, end):
        for number, rule, shift, log_probability in splits:
            left, right = messages.get((rule.left, start, split)), messages.get((rule.right, split, end))
            if left is not None and right is not None:
                one = lift(left, *_link(rule.left_link, shift[0]))
                two = lift(right, *_link(rule.right_link, shift[1]))
                yield Alternative(number, shift, split, one.join(two).scale(log_probability))


def _link(link: Link, shift: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Map, offset and covariance; a shift is a permutation matrix."""
    F = np.roll(np.eye(len(link.covariance)), shift, axis=0) if link.map is None else link.map
    return F, np.zeros(len(link.covariance)) if link.offset is None else link.offset, link.covariance


def emission(rule: Emission, dim: int, series: Series, start: int, end: int) -> Potential:
    """The likelihood of the observations of a span, all emitted from one value; missing entries are left out."""
    assert isinstance(rule, Emit), "the reference knows levels only"
    total = Potential(0.0, np.zeros(dim), np.zeros((dim, dim)))
    for n in range(start, end):
        seen = ~np.isnan(series.values[n])
        H = (np.eye(dim) if rule.map is None else rule.map)[seen]
        target = series.values[n][seen] - (0.0 if rule.offset is None else rule.offset[seen])
        R = (rule.covariance if series.noise_covariance is None else series.noise_covariance[n])[np.ix_(seen, seen)]
        W = np.linalg.inv(R)
        c = -0.5 * (np.linalg.slogdet(2 * np.pi * R)[1] + target @ W @ target)
        total = total.join(Potential(float(c), H.T @ W @ target, H.T @ W @ H))
    return total


def best_tree(chart: ReferenceChart) -> Tree:
    """The paper's tree estimate: from the root down, the alternative with the highest peak (section Tree Induction)."""
    last = max(end for _, _, end in chart.messages)
    waiting = [(_likeliest_root(chart, last), 0, last)]
    nodes, arities = [], []
    while waiting:
        name, start, end = waiting.pop()
        best = None
        for one in chart.alternatives[name, start, end]:
            if best is None or one.message.log_height > best.message.log_height + 1e-10 * (1 + abs(best.message.log_height)):
                best = one
        assert best is not None
        variable = next(one for one in chart.model.variables if one.name == name)
        rule = variable.rules[best.rule]
        nodes.append(Node(start, end, name, rule_name(variable, best.rule, best.shift)))
        if isinstance(rule, Split) and best.split is not None:
            arities.append(2)
            waiting += [(rule.right, best.split, end), (rule.left, start, best.split)]
        else:
            arities.append(0)
    return Tree(nodes, arities)


def _likeliest_root(chart: ReferenceChart, last: int) -> str:
    """The variable with most of the evidence."""
    totals = {
        name: logsumexp([prior.join(chart.messages[name, 0, last]).log_mass for prior in _prior(chart.model, name)])
        for name in chart.model.prior.weights_of_roots
        if (name, 0, last) in chart.messages
    }
    return max(totals, key=lambda name: totals[name])


def outside(chart: ReferenceChart) -> dict[tuple[str, int, int], Potential]:
    """The paper's outside messages: what every parent and sibling say about a node, matched by one Gaussian."""
    last = max(end for _, _, end in chart.messages)
    model = chart.model
    outer = {(name, 0, last): match(_prior(model, name)) for name in model.prior.weights_of_roots}
    for width in range(last - 1, 0, -1):
        for start in range(last - width + 1):
            end = start + width
            for variable in model.variables:
                found = list(_contexts(chart, outer, variable.name, start, end, last))
                if found and (variable.name, start, end) in chart.messages:
                    outer[variable.name, start, end] = match(found)
    return outer


def _contexts(
    chart: ReferenceChart, outer: dict[tuple[str, int, int], Potential], name: str, start: int, end: int, last: int
) -> Iterator[Potential]:
    for parent in chart.model.variables:
        for rule in parent.rules:
            if not isinstance(rule, Split) or rule.probability == 0:
                continue
            for shift, weight in rule.shifts.items():
                log_probability = np.log(rule.probability * weight) if weight > 0 else -np.inf
                left, right = _link(rule.left_link, shift[0]), _link(rule.right_link, shift[1])  # type: ignore[index]
                if rule.left == name and weight > 0:
                    for edge in range(end + 1, last + 1):
                        above, beside = outer.get((parent.name, start, edge)), chart.messages.get((rule.right, end, edge))
                        if above is not None and beside is not None:
                            yield _push(above.join(lift(beside, *right)), *left).scale(log_probability)
                if rule.right == name and weight > 0:
                    for edge in range(start):
                        above, beside = outer.get((parent.name, edge, end)), chart.messages.get((rule.left, edge, start))
                        if above is not None and beside is not None:
                            yield _push(above.join(lift(beside, *left)), *right).scale(log_probability)


def _push(density: Potential, F: np.ndarray, f: np.ndarray, Q: np.ndarray) -> Potential:
    """The density of F x + f + noise."""
    return gaussian(F @ density.mean + f, F @ density.covariance @ F.T + Q, density.log_mass)
