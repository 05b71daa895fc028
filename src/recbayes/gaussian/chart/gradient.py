"""The gradient of the log evidence with respect to the numbers a model is made of."""

from dataclasses import dataclass

import numpy as np

from recbayes.compiled.compilation import run_kernel
from recbayes.errors import DataError
from recbayes.gaussian.chart.inside import Chart, emission_block
from recbayes.gaussian.chart.leaves import Potentials, merge, merge_adjoint, observe, observe_adjoint
from recbayes.gaussian.chart.tables import LEFT, Origins, emit_rules, tables_of
from recbayes.gaussian.kernels.adjoint import Gradients, fill_adjoint
from recbayes.gaussian.model.rbn import GaussianRBN
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
    lengths: dict[tuple[int, int], np.ndarray]  # with respect to the log probability of emitting 0, 1, 2, ...
    prior: list[ComponentGradient]


def model_gradient(chart: Chart) -> ModelGradient:
    """All derivatives of the chart's log evidence, in one pass from the root down."""
    return assemble(chart, *adjoint(chart))


def no_gradients(chart: Chart) -> Gradients:
    """Room for derivatives, all of them zero."""
    tables, origins = tables_of(chart.model)
    size = tables.turn.shape[1]
    return Gradients(
        rules=np.zeros(len(tables.rules)),
        links=np.zeros((len(tables.links), 2 * size * size + size)),
        emissions=np.zeros((len(origins.emits), chart.length + 1)),
        prior=np.zeros_like(tables.prior),
    )


def assemble(chart: Chart, derivatives: np.ndarray, gradients: Gradients) -> ModelGradient:
    """Derivatives with respect to the model's numbers, from those with respect to its tables and to single emissions."""
    tables, origins = tables_of(chart.model)
    size = tables.turn.shape[1]
    rules = {key: 0.0 for key in [*((v, r) for v, r, _ in origins.rules), *origins.emits]}
    shifts: dict[tuple[int, int], dict[tuple[int, int], float]] = {}
    for (v, r, shift), value in zip(origins.rules, gradients.rules.tolist(), strict=True):
        rules[v, r] += value
        shifts.setdefault((v, r), {})[shift] = value
    for key, row in zip(origins.emits, gradients.emissions, strict=True):
        rules[key] += float(row.sum())
    return ModelGradient(
        rules=rules,
        shifts=shifts,
        links=_link_gradients(chart.model, origins, gradients.links, size),
        emits=_emit_gradients(chart, origins, derivatives, size),
        lengths=dict(zip(origins.emits, gradients.emissions, strict=True)),
        prior=_prior_gradients(chart.model, origins, gradients.prior, size),
    )


def adjoint(chart: Chart) -> tuple[np.ndarray, Gradients]:
    """Derivatives with respect to every number of every message, in the layout of `chart.messages`, and their sums."""
    if chart.components > 1:
        raise DataError("derivatives are those of a chart with one Gaussian per message; use inside(..., components=1)")
    tables, origins = tables_of(chart.model)
    emits = emit_rules(chart.model, origins)
    gradients = no_gradients(chart)
    evidence = np.full(tables.prior.shape[1], -np.inf)
    evidence[: len(chart.log_evidence_by_prior)] = chart.log_evidence_by_prior
    derivatives = np.zeros_like(chart.messages)
    lengths = np.arange(chart.length + 1)
    log_probability = np.array([rule.length.log_probability(lengths) for rule in emits])
    run_kernel(
        fill_adjoint, tables, chart.plan, log_probability, chart.messages, chart.choices, evidence, derivatives, gradients
    )
    return derivatives, gradients


def _link_gradients(
    model: GaussianRBN, origins: Origins, rows: np.ndarray, size: int
) -> dict[tuple[int, int, int], LinkGradient]:
    gradients = {}
    names = {variable.name: variable.dim for variable in model.variables}
    for (v, r, side), row in zip(origins.links, rows, strict=True):
        rule = model.variables[v].rules[r]
        child = names[rule.left if side == LEFT else rule.right]  # type: ignore[union-attr]
        covariance = row[: size * size].reshape(size, size)[:child, :child]
        full_map = row[size * size : 2 * size * size].reshape(size, size)[:child, : model.variables[v].dim]
        gradients[v, r, side] = LinkGradient(0.5 * (covariance + covariance.T), full_map, row[2 * size * size :][:child])
    return gradients


def _emit_gradients(chart: Chart, origins: Origins, derivatives: np.ndarray, size: int) -> dict[tuple[int, int], Slopes]:
    gradients: dict[tuple[int, int], Slopes] = {}
    segments = len(chart.plan.positions) - 1
    rows, columns = np.tril_indices(size)
    for e, (key, rule) in enumerate(zip(origins.emits, emit_rules(chart.model, origins), strict=True)):
        block = emission_block(chart.plan, e, 1, size, derivatives)[:, :segments]
        precision = np.zeros((segments, size, size))
        precision[:, rows, columns] = precision[:, columns, rows] = block[1 + size :].T
        slopes = Potentials(block[0].copy(), block[1 : 1 + size].T.copy(), precision)
        potentials = observe(rule, chart.series, size)
        if segments < chart.length:
            slopes = merge_adjoint(potentials, chart.plan.positions, merge(potentials, chart.plan.positions), slopes)
        one = observe_adjoint(rule, chart.series, potentials, slopes)
        shown = one.map[:, : chart.model.variables[key[0]].dim]
        gradients[key] = {"covariance": one.covariance, "map": shown, "offset": one.offset}
    return gradients


def _prior_gradients(model: GaussianRBN, origins: Origins, columns: np.ndarray, size: int) -> list[ComponentGradient]:
    gradients = []
    lower = np.tril_indices(size)
    for position, component in enumerate(model.prior.components):
        dim = len(component.mean)
        inverse = np.linalg.inv(component.covariance)
        shifts: dict[int, float] = {}
        mean, covariance = np.zeros(dim), np.zeros((dim, dim))
        for (owner, steps), column in zip(origins.prior, columns.T, strict=False):
            if owner != position:
                continue
            shifts[steps] = float(column[0])
            mean += np.roll(column[1 : 1 + dim], -steps)
            precision = np.zeros((size, size))
            precision[lower] = precision.T[lower] = column[1 + size :]
            covariance -= inverse @ precision[:dim, :dim] @ inverse + 0.5 * column[0] * inverse
        gradients.append(ComponentGradient(sum(shifts.values()), shifts, mean, covariance))
    return gradients
