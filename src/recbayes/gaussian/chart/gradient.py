"""The gradient of the log evidence with respect to the numbers a model is made of."""

from dataclasses import dataclass

import numpy as np

from recbayes.compiled.compilation import run_kernel
from recbayes.compiled.dimension import dimension_of
from recbayes.compiled.layout import link_blocks, link_entries, unpack_messages
from recbayes.errors import DataError
from recbayes.gaussian.chart.coordinates import Coordinates, coordinates_of, inner_model
from recbayes.gaussian.chart.cost import refuse_if_too_large
from recbayes.gaussian.chart.emissions import emission_slopes, length_log_probability
from recbayes.gaussian.chart.inside import Chart
from recbayes.gaussian.chart.tables import LEFT, Origins, tables_of
from recbayes.gaussian.kernels.adjoint import fill_adjoint
from recbayes.gaussian.kernels.derivatives import Gradients
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.gaussian.model.roots import inverse
from recbayes.parameters.quantity import Slopes


@dataclass(frozen=True, eq=False)
class LinkGradient:
    """Derivatives with respect to a link's covariance, map and offset, also where the model leaves them out."""

    covariance: np.ndarray
    map: np.ndarray
    offset: np.ndarray


@dataclass(frozen=True, eq=False)
class ComponentGradient:
    """Derivatives with respect to one Gaussian of the prior: log weight, log weights of its shifts, mean, covariance."""

    log_weight: float
    shifts: dict[int, float]
    mean: np.ndarray
    covariance: np.ndarray


@dataclass(frozen=True, eq=False)
class ModelGradient:
    """Derivatives of the log evidence; (variable, rule) are positions in the model.

    Covariances are treated as symmetric matrices: the derivative along a symmetric direction E is sum(gradient * E).
    """

    rules: dict[tuple[int, int], float]  # with respect to the log probability of the rule
    shifts: dict[tuple[int, int], dict[tuple[int, int], float]]  # and of every shift of a split
    links: dict[tuple[int, int, int], LinkGradient]  # (variable, rule, LEFT or RIGHT)
    emits: dict[tuple[int, int], Slopes]  # with respect to the emission's quantities
    lengths: dict[tuple[int, int], np.ndarray]  # with respect to the log probability of lasting 0, 1, 2, ... ticks
    prior: list[ComponentGradient]


def model_gradient(chart: Chart) -> ModelGradient:
    """All derivatives of the chart's log evidence, in one pass from the root down."""
    return assemble(chart, *adjoint(chart))


def no_gradients(chart: Chart) -> Gradients:
    """Room for derivatives, all of them zero."""
    tables, origins = tables_of(chart.model)
    size = tables.size
    return Gradients(
        rules=np.zeros(len(tables.rules)),
        links=np.zeros((len(tables.links), link_entries(size))),
        emissions=np.zeros((len(origins.emits), chart.plan.ticks[-1] + 1)),
        prior=np.zeros_like(tables.prior),
    )


def assemble(chart: Chart, derivatives: np.ndarray, gradients: Gradients) -> ModelGradient:
    """Derivatives with respect to the model's numbers, from those with respect to its tables and to the potentials of
    emissions (in `derivatives`, which is used up)."""
    tables, origins = tables_of(chart.model)
    size = tables.size
    rules = {(v, r): 0.0 for v, r, _ in [*origins.rules, *origins.emits]}
    shifts: dict[tuple[int, int], dict[tuple[int, int], float]] = {}
    for (v, r, shift), value in zip(origins.rules, gradients.rules.tolist(), strict=True):
        rules[v, r] += value
        shifts.setdefault((v, r), {})[shift] = value
    lengths: dict[tuple[int, int], np.ndarray] = {}
    members: dict[tuple[int, int], np.ndarray] = {}
    for (v, r, m), row in zip(origins.emits, gradients.emissions, strict=True):
        rules[v, r] += float(row.sum())
        lengths[v, r] = lengths.get((v, r), 0.0) + row
        members.setdefault((v, r), np.zeros(len(chart.model.variables[v].rules[r].members)))[m] = row.sum()
    return ModelGradient(
        rules=rules,
        shifts=shifts,
        links=_link_gradients(chart.model, origins, gradients.links, size),
        emits=emission_slopes(chart.model, tables, origins, chart.plan, chart.series, chart.messages, derivatives, members),
        lengths=lengths,
        prior=_prior_gradients(chart.model, origins, gradients.prior, size),
    )


def adjoint(chart: Chart) -> tuple[np.ndarray, Gradients]:
    """Derivatives with respect to every entry of every message, in the layout of `chart.messages`, and their sums."""
    if chart.components > 1:
        raise DataError("derivatives are those of a chart with one Gaussian per message; use inside(..., components=1)")
    tables, origins = tables_of(chart.model)
    refuse_if_too_large(tables, chart.plan, 1, times=2)
    gradients = no_gradients(chart)
    evidence = np.full(tables.prior.shape[1], -np.inf)
    evidence[: len(chart.log_evidence_by_prior)] = chart.log_evidence_by_prior
    derivatives = np.zeros_like(chart.messages)
    log_probability = length_log_probability(chart.model, origins, chart.plan)
    bounds = np.empty(chart.plan.bounds_size)
    given = tables, chart.plan, log_probability, chart.messages, bounds, chart.choices, evidence
    run_kernel(fill_adjoint, dimension_of(tables.size), *given, derivatives, gradients)
    return derivatives, gradients


def _link_gradients(
    model: GaussianRBN, origins: Origins, rows: np.ndarray, size: int
) -> dict[tuple[int, int, int], LinkGradient]:
    gradients = {}
    places = coordinates_of(model)
    names = [variable.name for variable in model.variables]
    for (v, r, side), row in zip(origins.links, rows, strict=True):
        rule = model.variables[v].rules[r]
        child_name = rule.left if side == LEFT else rule.right  # type: ignore[union-attr]
        child = model.variables[names.index(child_name)].dim
        covariance, full_map, offset = link_blocks(row, size)
        covariance = covariance[:child, :child]
        full_map = full_map[:child, : model.variables[v].dim]
        inner = LinkGradient(0.5 * (covariance + covariance.T), full_map, offset[:child])
        gradients[v, r, side] = inner if places is None else _link_outside(inner, places[names.index(child_name)], places[v])
    return gradients


def _link_outside(inner: LinkGradient, child: Coordinates, parent: Coordinates) -> LinkGradient:
    """In the model's own coordinates: with B = T_child^-1, Q' = B Q B', F' = B F T and f' = B (F c + f - c_child)."""
    offset = child.slope(inner.offset)
    map_ = child.slope(inner.map) @ parent.basis.T + np.outer(offset, parent.origin)
    return LinkGradient(child.weight(inner.covariance), map_, offset)


def _prior_gradients(model: GaussianRBN, origins: Origins, columns: np.ndarray, size: int) -> list[ComponentGradient]:
    gradients = []
    places = coordinates_of(model)
    for position, component in enumerate(inner_model(model).prior.components):
        dim = len(component.mean)
        W, _ = inverse(component.covariance)
        shifts: dict[int, float] = {}
        mean, covariance = np.zeros(dim), np.zeros((dim, dim))
        for (owner, steps), column in zip(origins.prior, columns.T, strict=False):
            if owner != position:
                continue
            height, mode, precision = unpack_messages(column, size)
            shifts[steps] = float(height)
            mean += np.roll(mode[:dim], -steps)
            covariance -= W @ precision[:dim, :dim] @ W + 0.5 * height * W
        if places is not None:
            v = [variable.name for variable in model.variables].index(component.variable or "")
            mean, covariance = places[v].slope(mean), places[v].weight(covariance)
        gradients.append(ComponentGradient(sum(shifts.values()), shifts, mean, covariance))
    return gradients
