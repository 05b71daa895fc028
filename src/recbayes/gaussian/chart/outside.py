"""The paper's outside messages and node marginals. Know their limits before using them.

One Gaussian cannot hold a context that is a mixture over many trees and shifts, so that the node "probabilities" of this
approximation may be far too small, exceed one, or overflow. They are here because the paper defines them.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from recbayes.compiled.compilation import run_kernel
from recbayes.compiled.layout import HEIGHT, pack_messages, read_cell, row_block, unpack_messages, write_cell
from recbayes.errors import DataError, LengthError
from recbayes.gaussian.chart.coordinates import inner_model, moments_outside
from recbayes.gaussian.chart.inside import Chart, inside_one, preference_of
from recbayes.gaussian.chart.tables import tables_of
from recbayes.gaussian.kernels.outside import fill_outside
from recbayes.gaussian.model.moments import moments_of_roots
from recbayes.spans.constraints import Constraints
from recbayes.spans.table import SpanTable


@dataclass(frozen=True)
class Density:
    """An unnormalised Gaussian density: exp(log_coefficient) N(x; mean, covariance).

    Attributes:
        log_coefficient: the logarithm of its integral.
        mean: a vector.
        covariance: a matrix.
    """

    log_coefficient: float
    mean: np.ndarray
    covariance: np.ndarray


@dataclass(frozen=True, eq=False)
class Outside:
    """Outside messages, and the node marginals that follow from inside and outside.

    Attributes:
        chart: the inside chart.
        nodes: the spans of nodes of any variable with their "probabilities": a `SpanTable`.
        messages: all outside messages, as numbers in the order of the chart's; see `message`.
        marginals: those of the nodes, likewise; see `node`.
        complaint: where node marginals are no probabilities, of which `rb.outside` has warned.
    """

    chart: Chart
    nodes: SpanTable
    messages: np.ndarray
    marginals: np.ndarray
    complaint: str = ""

    @cached_property
    def node_probability(self) -> np.ndarray:
        """(N + 1, N + 1), upper triangle: a node of any variable at this span; of long series see `nodes`."""
        return self.nodes.dense()

    def message(self, start: int, end: int, variable: str | None = None) -> Density:
        """The outside message of a span: density of the node's value and of all observations outside the span.

        Arguments:
            start: the first observation of the span.
            end: the observation after its last.
            variable: the node's variable. None takes the prior's.
        """
        return self._density(self.messages, start, end, variable)

    def node(self, start: int, end: int, variable: str | None = None) -> Density:
        """The node's marginal: its coefficient is the probability of the node, its Gaussian the value's if it exists.

        Arguments:
            start: the first observation of the span.
            end: the observation after its last.
            variable: the node's variable. None takes the prior's.
        """
        density = self._density(self.marginals, start, end, variable)
        return Density(density.log_coefficient - self.chart.log_evidence, density.mean, density.covariance)

    def _density(self, store: np.ndarray, start: int, end: int, variable: str | None) -> Density:
        v, i, k = self.chart.locate(start, end, variable)
        size = max(one.dim for one in self.chart.model.variables)
        dim = self.chart.model.variables[v].dim
        plan = self.chart.plan
        entries = read_cell(store, plan.inside_base[v], plan.rows[v, k - i], i, size)
        log_mass, mean, covariance = unpack_messages(entries, size)
        if log_mass == -np.inf:
            raise DataError(f"no tree has a node {start}:{end} for {self.chart.model.variables[v].name}")
        return Density(float(log_mass), *moments_outside(self.chart.model, v, mean[:dim].copy(), covariance[:dim, :dim]))


def outside(chart: Chart) -> Outside:
    """The paper's outside pass over a filled chart; it complains where its node marginals are not probabilities."""
    if chart.components > 1:
        raise DataError("the paper's outside pass has one Gaussian per message; use inside(..., components=1)")
    tables, _ = tables_of(chart.model)
    plan = chart.plan
    size = tables.size
    inside_size = int(plan.link_base[0]) if len(plan.link_base) else plan.emit_base
    outer = np.zeros(inside_size)
    nodes = np.zeros(inside_size)
    segments = len(plan.positions) - 1
    for root, density in _prior_densities(chart, size).items():
        row, base = plan.rows[root, segments], plan.inside_base[root]
        row_block(outer, base, row, size)[HEIGHT] = -np.inf
        write_cell(outer, base, row, 0, size, density)
    run_kernel(fill_outside, tables, plan, chart.messages, outer, nodes)
    with np.errstate(over="ignore", invalid="ignore"):  # it is the complaint that tells of them
        found = _spans(chart, nodes)
    return Outside(chart, found, outer, nodes, _complaint(chart, found))


def _prior_densities(chart: Chart, size: int) -> dict[int, np.ndarray]:
    """For every root, the prior as one Gaussian (a mixture is matched by its moments), in the layout of a message."""
    names = [variable.name for variable in chart.model.variables]
    found = {}
    for name, (weight, mean, covariance) in moments_of_roots(inner_model(chart.model).prior).items():
        full_mean, full = np.zeros(size), np.zeros((size, size))
        full_mean[: len(mean)], full[: len(mean), : len(mean)] = mean, covariance
        found[names.index(name)] = pack_messages(np.log(weight), full_mean, full)
    return found


def _spans(chart: Chart, nodes: np.ndarray) -> SpanTable:
    """Masses of all variables' nodes, as shares of the evidence."""
    points = len(chart.plan.positions)
    log_masses = np.full((points, points), -np.inf)
    for starts, ends, places in chart.plan.cells():
        log_masses[starts, ends] = np.logaddexp(log_masses[starts, ends], nodes[places])
    return SpanTable.between(chart.plan.positions, np.exp(log_masses - chart.log_evidence))


def _complaint(chart: Chart, found: SpanTable) -> str:
    """Probabilities lie between 0 and 1, the root exists, and so does its left child unless the root emits everything."""
    probability = found.probability
    largest = float(probability.max())
    splits = 1.0 - _probability_to_emit_all(chart)
    left_child = float(probability[(found.starts == 0) & (found.ends < chart.length)].sum())
    if largest <= 1.01 and np.isfinite(probability).all() and left_child >= splits - 0.1:
        return ""
    return (
        f"the paper's node marginals are not probabilities here: the largest is {largest:.3g}, and those of nodes that "
        f"begin with the series, other than the root, sum to {left_child:.3g} where at least {splits:.3g} is certain. "
        "One Gaussian per outside message is too little for this model and series"
    )


def _probability_to_emit_all(chart: Chart) -> float:
    """The posterior probability that the root emits the whole series: the share of the chart without inner points."""
    try:
        alone = inside_one(chart.model, chart.series, Constraints(boundaries=np.zeros(0, dtype=np.int64)))
    except LengthError:
        return 0.0
    preferred = preference_of(chart, 0, chart.length)
    return float(np.exp(min(alone.log_evidence + preferred - chart.log_evidence, 0.0)))
