"""The chart of inside messages of a series, and the evidence."""

from dataclasses import dataclass

import numpy as np

from recbayes.checks.arrays import whole_number
from recbayes.checks.series import Series
from recbayes.compiled.compilation import run_kernel
from recbayes.compiled.lanes import LANES
from recbayes.errors import DataError, LengthError
from recbayes.gaussian.chart.leaves import Potentials, merge, observe
from recbayes.gaussian.chart.plan import Plan, make_plan, potential_numbers, span_limits
from recbayes.gaussian.chart.tables import Origins, Tables, emit_rules, tables_of
from recbayes.gaussian.kernels.inside import fill_inside
from recbayes.gaussian.kernels.mixtures import fill_mixtures
from recbayes.gaussian.kernels.options import Problem, most_options
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.spans.constraints import FREE, Constraints


@dataclass(frozen=True)
class Message:
    """A Gaussian function of a node's value, c N(x; mean, covariance), with log_coefficient = log c.

    A message may be flat: then the precision is singular, and the coefficient and the covariance are infinite.
    `log_height` is the logarithm of its largest value, which is always finite.
    """

    log_height: float
    mean: np.ndarray
    precision: np.ndarray

    @property
    def covariance(self) -> np.ndarray:
        if np.linalg.matrix_rank(self.precision, hermitian=True) < len(self.mean):
            flat = np.full_like(self.precision, np.nan)
            np.fill_diagonal(flat, np.inf)
            return flat
        return np.linalg.inv(self.precision)

    @property
    def log_coefficient(self) -> float:
        sign, log_determinant = np.linalg.slogdet(self.precision)
        if sign <= 0:
            return np.inf
        return self.log_height + 0.5 * (len(self.mean) * np.log(2 * np.pi) - float(log_determinant))


@dataclass(frozen=True, eq=False)
class Chart:
    """The inside messages of all spans of a series, moment-matched where a span has several derivations.

    `log_evidence` is exact for a model in which every span has one derivation, and the paper's approximation otherwise.
    """

    model: GaussianRBN
    series: Series
    log_evidence: float
    plan: Plan
    messages: np.ndarray
    choices: np.ndarray
    log_evidence_by_prior: np.ndarray
    components: int = 1  # Gaussians per message, at most

    @property
    def length(self) -> int:
        return len(self.series)

    def message(self, start: int, end: int, variable: str | None = None) -> Message:
        """The inside message of a span: the likelihood of its observations as a function of the node's value.

        Where a message has several Gaussians this is the one with their mass, mean and covariance; see `mixture`.
        """
        parts = self.mixture(start, end, variable)
        return parts[0] if len(parts) == 1 else _matched(parts, f"{start}:{end}")

    def mixture(self, start: int, end: int, variable: str | None = None) -> tuple[Message, ...]:
        """The Gaussians whose sum is the inside message of a span, at most `components` of them."""
        v, i, k = self.locate(start, end, variable)
        size = max(one.dim for one in self.model.variables)
        dim = self.model.variables[v].dim
        row = self.plan.rows[v, k - i]
        step = np.arange(potential_numbers(size)) * row["length"]
        place = self.plan.inside_base[v] + row["place"] + i - row["low"] + step
        parts = []
        for numbers in self.messages.reshape(self.components, -1)[:, place]:
            if numbers[0] > -np.inf:
                precision = np.zeros((size, size))
                precision[np.tril_indices(size)] = numbers[1 + size :]
                precision = precision + np.tril(precision, -1).T
                parts.append(Message(float(numbers[0]), numbers[1 : 1 + dim].copy(), precision[:dim, :dim]))
        if not parts:
            raise DataError(f"the model cannot generate the span {start}:{end} from {self.model.variables[v].name}")
        return tuple(parts)

    def locate(self, start: int, end: int, variable: str | None = None) -> tuple[int, int, int]:
        """The variable's position and the chart points of a span; an error if the chart has no such cell."""
        names = [one.name for one in self.model.variables]
        name = self.model.prior.variable if variable is None else variable
        if name not in names:
            raise DataError(f"there is no variable {name!r}; the model has {names}")
        positions = self.plan.positions
        points = np.searchsorted(positions, [start, end])
        on_grid = (
            0 <= start < end <= self.length and (positions[np.minimum(points, len(positions) - 1)] == [start, end]).all()
        )
        v = names.index(name)
        if not on_grid or not self.has_cell(v, *points):
            raise DataError(f"the chart has no cell {start}:{end} for {name}; the series has {self.length} observations")
        return v, int(points[0]), int(points[1])

    def has_cell(self, v: int, i: int, k: int) -> bool:
        row = self.plan.rows[v, k - i]
        return bool(row["low"] <= i <= row["high"]) and (not len(self.plan.allowed) or bool(self.plan.allowed[i, k]))


def inside_one(model: GaussianRBN, series: Series, constraints: Constraints = FREE, components: int = 1) -> Chart:
    """The inside chart of one checked series; `components` is how many Gaussians a message may have."""
    tables, origins = tables_of(model)
    plan = make_plan(tables, len(series), constraints)
    components = whole_number(components, "components", least=1, most=LANES, error=DataError)
    messages = np.zeros(components * plan.messages_size)
    choices = np.zeros(plan.choices_size)
    evidence = np.full(tables.prior.shape[1], -np.inf)
    lengths = write_leaves(model, tables, origins, plan, series, messages)
    if components == 1:
        run_kernel(fill_inside, tables, plan, lengths, messages, choices, evidence)
    else:
        problem = Problem(tables, plan, dimensions(model), lengths, messages, int(components))
        run_kernel(fill_mixtures, problem, most_options(tables, plan, components), choices, evidence)
    log_evidence = float(np.logaddexp.reduce(evidence))
    if log_evidence == -np.inf:
        raise LengthError(_impossible(model, tables, len(series), constraints.any))
    if np.isnan(log_evidence):
        raise DataError("the evidence is not a number: the data and the model differ by too many orders of magnitude")
    return Chart(model, series, log_evidence, plan, messages, choices, evidence[: len(origins.prior)], int(components))


def dimensions(model: GaussianRBN) -> np.ndarray:
    """Dimensions of the variables."""
    return np.array([variable.dim for variable in model.variables])


def _matched(parts: tuple[Message, ...], span: str) -> Message:
    """One Gaussian with the mass, mean and covariance of several."""
    log_masses = np.array([part.log_coefficient for part in parts])
    if not np.isfinite(log_masses).all():
        raise DataError(f"the message of {span} has several Gaussians, some of them flat; see chart.mixture")
    total = np.logaddexp.reduce(log_masses)
    shares = np.exp(log_masses - total)
    mean = np.sum([share * part.mean for share, part in zip(shares, parts, strict=True)], axis=0)
    spread = np.sum(
        [
            share * (part.covariance + np.outer(part.mean - mean, part.mean - mean))
            for share, part in zip(shares, parts, strict=True)
        ],
        axis=0,
    )
    log_height = float(total - 0.5 * np.linalg.slogdet(2 * np.pi * spread)[1])
    return Message(log_height, mean, np.linalg.inv(spread))


def segment_potentials(model: GaussianRBN, origins: Origins, plan: Plan, series: Series, size: int) -> list[Potentials]:
    """For every emission, the potentials of the observations between neighbouring points."""
    potentials = [observe(rule, series, size) for rule in emit_rules(model, origins)]
    if len(plan.positions) - 1 < len(series):
        potentials = [merge(one, plan.positions) for one in potentials]
    return potentials


def write_leaves(
    model: GaussianRBN, tables: Tables, origins: Origins, plan: Plan, series: Series, messages: np.ndarray
) -> np.ndarray:
    """Put the segments' potentials where the kernel expects them. Returns the log probabilities of lengths."""
    size = tables.turn.shape[1]
    rows, columns = np.tril_indices(size)
    segments = len(plan.positions) - 1
    for e, potentials in enumerate(segment_potentials(model, origins, plan, series, size)):
        block = emission_block(plan, e, 1, size, messages)
        block[0] = -np.inf
        block[0, :segments] = potentials.height
        block[1 : 1 + size, :segments] = potentials.mode.T
        block[1 + size :, :segments] = potentials.precision[:, rows, columns].T
    lengths = np.arange(len(series) + 1)
    return np.array([rule.length.log_probability(lengths) for rule in emit_rules(model, origins)])


def emission_block(plan: Plan, e: int, width: int, size: int, messages: np.ndarray) -> np.ndarray:
    """The numbers of the emission potentials of one width, as a view: one row per number, one column per start."""
    row = plan.emit_rows[e, width]
    first, numbers = plan.emit_base + row["place"], potential_numbers(size)
    return messages[first : first + numbers * row["length"]].reshape(numbers, row["length"])


def _impossible(model: GaussianRBN, tables: Tables, length: int, constrained: bool) -> str:
    shortest, longest = span_limits(tables)
    bounds = f"{shortest}" if longest is None else f"{shortest} to {longest}"
    note = " under the given boundaries and allowed spans" if constrained else ""
    return (
        f"the model cannot generate a series of {length} observations{note}; from {model.prior.variable} it generates "
        f"at least {bounds}. Check rules, length distributions and constraints"
    )
