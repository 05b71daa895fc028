"""The chart of inside messages of a series, and the evidence."""

from dataclasses import dataclass, replace

import numpy as np

from recbayes.checks.arguments import whole_span
from recbayes.checks.arrays import short, whole_number
from recbayes.checks.series import Series
from recbayes.compiled.compilation import run_kernel
from recbayes.compiled.lanes import LANES
from recbayes.compiled.layout import read_cell, unpack_messages
from recbayes.errors import DataError, LengthError
from recbayes.gaussian.chart.coordinates import coordinates_of
from recbayes.gaussian.chart.cost import refuse_if_too_large, refuse_unplanned
from recbayes.gaussian.chart.emissions import length_log_probability, write_emissions
from recbayes.gaussian.chart.filling import fill_chart
from recbayes.gaussian.chart.message import Message, matched
from recbayes.gaussian.chart.plan import Plan, make_plan, span_limits
from recbayes.gaussian.chart.tables import Tables, tables_of
from recbayes.gaussian.kernels.listing import Problem, most_alternatives, nothing_given
from recbayes.gaussian.kernels.mixtures import fill_mixtures
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.spans.candidates import Candidates
from recbayes.spans.constraints import FREE, Constraints

NOT_A_NUMBER = "the evidence is not a number: the data and the model differ by too many orders of magnitude"


@dataclass(frozen=True, eq=False)
class Chart:
    """The inside messages of all spans of a series, moment-matched where a span has several derivations.

    Attributes:
        model: the model.
        series: what was observed.
        log_evidence: log p(Y): exact for a model in which every span has one derivation, and the paper's approximation
            otherwise.
        plan: which cells there are, and where they lie.
        messages: all messages, as numbers in the order of the plan; see `message`.
        choices: the locally best way on of every cell; see `rb.best_tree`.
        log_evidence_by_prior: the log evidence by each component of the prior.
        components: Gaussians per message, at most.
        candidates: the positions at which segments may begin and end, where they were found (boundaries="auto"). None where
            they were not.
    """

    model: GaussianRBN
    series: Series
    log_evidence: float
    plan: Plan
    messages: np.ndarray
    choices: np.ndarray
    log_evidence_by_prior: np.ndarray
    components: int = 1
    candidates: Candidates | None = None

    @property
    def length(self) -> int:
        """The number of observations."""
        return len(self.series)

    def message(self, start: int, end: int, variable: str | None = None) -> Message:
        """The inside message of a span: the likelihood of its observations as a function of the node's value.

        Where a message has several Gaussians this is the one with their mass, mean and covariance; see `mixture`. A span
        that the model cannot generate is an error.

        Arguments:
            start: the first observation of the span.
            end: the observation after its last.
            variable: the node's variable. None takes the prior's.
        """
        parts = self.mixture(start, end, variable)
        return parts[0] if len(parts) == 1 else matched(parts, f"{start}:{end}")

    def mixture(self, start: int, end: int, variable: str | None = None) -> tuple[Message, ...]:
        """The Gaussians whose sum is the inside message of a span, at most `components` of them.

        Arguments:
            start: the first observation of the span.
            end: the observation after its last.
            variable: the node's variable. None takes the prior's.
        """
        v, i, k = self.locate(start, end, variable)
        size = max(one.dim for one in self.model.variables)
        dim = self.model.variables[v].dim
        charts = self.messages.reshape(self.components, -1)
        parts = []
        for entries in read_cell(charts, self.plan.inside_base[v], self.plan.rows[v, k - i], i, size):
            height, mode, precision = unpack_messages(entries, size)
            if height > -np.inf:
                parts.append(self._in_units_of_the_model(v, float(height), mode[:dim].copy(), precision[:dim, :dim]))
        if not parts:
            raise DataError(f"the model cannot generate the span {start}:{end} from {self.model.variables[v].name}")
        return tuple(parts)

    def _in_units_of_the_model(self, v: int, height: float, mode: np.ndarray, precision: np.ndarray) -> Message:
        coordinates = coordinates_of(self.model)
        if coordinates is None:
            return Message(height, mode, precision)
        return Message(height, coordinates[v].point(mode), coordinates[v].weight(precision))

    def locate(self, start: int, end: int, variable: str | None = None) -> tuple[int, int, int]:
        """The variable's position and the chart points of a span; an error if the chart has no such cell.

        Arguments:
            start: the first observation of the span.
            end: the observation after its last.
            variable: the node's variable. None takes the prior's.
        """
        names = [one.name for one in self.model.variables]
        name = self.model.prior.variable if variable is None else variable
        start, end = whole_span(start, end)
        if not isinstance(name, str) or name not in names:
            raise DataError(f"there is no variable {short(name)}; the model has {names}")
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
        """Whether there is a cell.

        Arguments:
            v: the number of its variable.
            i: the number of the point at which its span begins.
            k: the number of the point at which it ends.
        """
        row = self.plan.rows[v, k - i]
        return bool(row["low"] <= i <= row["high"]) and (not len(self.plan.allowed) or bool(self.plan.allowed[i, k]))


def preference_of(chart: Chart, start: int, end: int) -> float:
    """What the user adds to the log probability of trees with a node of this span."""
    if not len(chart.plan.preference):
        return 0.0
    i, k = np.searchsorted(chart.plan.positions, [start, end])
    return float(chart.plan.preference[i, k])


def chart_of_leaves(model: GaussianRBN, series: Series, constraints: Constraints = FREE, components: int = 1) -> Chart:
    """A chart in which there is nothing but the potentials of leaves: enough to follow trees that are known."""
    tables, origins = tables_of(model)
    components = whole_number(components, "components", least=1, most=LANES, error=DataError)
    refuse_unplanned(tables, len(series), constraints, series.ticks)
    plan = make_plan(tables, len(series), constraints, series.ticks)
    refuse_if_too_large(tables, plan, components)
    messages = np.zeros(components * plan.messages_size)
    write_emissions(model, tables, origins, plan, series, messages)
    nothing, found = np.full(len(origins.prior), -np.inf), constraints.candidates
    return Chart(model, series, -np.inf, plan, messages, np.zeros(plan.choices_size), nothing, int(components), found)


def inside_one(model: GaussianRBN, series: Series, constraints: Constraints = FREE, components: int = 1) -> Chart:
    """The inside chart of one checked series; `components` is how many Gaussians a message may have."""
    chart = chart_of_leaves(model, series, constraints, components)
    tables, origins = tables_of(model)
    plan, messages, choices = chart.plan, chart.messages, chart.choices
    evidence = np.full(tables.prior.shape[1], -np.inf)
    lengths = length_log_probability(model, origins, plan)
    if components == 1:
        fill_chart(tables, plan, lengths, messages, choices, evidence)
    else:
        problem = Problem(tables, plan, dimensions(model), lengths, messages, int(components), nothing_given(tables.size))
        run_kernel(fill_mixtures, problem, most_alternatives(tables, plan, components), choices, evidence)
    if np.isnan(evidence).any():
        raise DataError(NOT_A_NUMBER)
    log_evidence = float(np.logaddexp.reduce(evidence))
    if log_evidence == -np.inf:
        if not np.isnan(series.values).all():  # messages that are not numbers are left out, until there is none
            unseen = replace(series, values=np.full_like(series.values, np.nan))
            inside_one(model, unseen, constraints)  # an error, if it is the length
            raise DataError(NOT_A_NUMBER)
        raise LengthError(_impossible(model, tables, series, constraints.any))
    return replace(chart, log_evidence=log_evidence, log_evidence_by_prior=evidence[: len(origins.prior)])


def dimensions(model: GaussianRBN) -> np.ndarray:
    """Dimensions of the variables."""
    return np.array([variable.dim for variable in model.variables])


def _impossible(model: GaussianRBN, tables: Tables, series: Series, constrained: bool) -> str:
    shortest, longest = span_limits(tables)
    bounds = f"at least {shortest}" if longest is None else f"{shortest} to {longest}"
    note = " under what is known of its trees" if constrained else ""
    timed, gaps = "", ""
    if series.ticks is not None:
        timed, bounds = f" in {series.ticks[-1]} ticks of their times", f"{bounds} ticks"
        gaps = ". Leaves last through the gaps between observations, and no two share a tick"
    return (
        f"the model cannot generate a series of {len(series)} observations{timed}{note}; from {model.prior.variable} it "
        f"generates {bounds}{gaps}. Check rules, length distributions and constraints"
    )
