"""The potentials of emissions, which a chart is given before it is filled, and their derivatives, which it gives back.

A chart only reads rows of potentials, one for every emission, width and start, and knows nothing of how they come about.
Here they are products of what single observations say (`leaves`), whose derivatives are folded back accordingly.
"""

import numpy as np

from recbayes.checks.series import Series
from recbayes.compiled.compilation import run_kernel
from recbayes.compiled.layout import HEIGHT, pack_messages, row_block, unpack_messages
from recbayes.gaussian.chart.leaves import EmitGradient, Potentials, merge, merge_adjoint, observe, observe_adjoint
from recbayes.gaussian.chart.plan import Plan
from recbayes.gaussian.chart.tables import Origins, Tables, emit_rules
from recbayes.gaussian.kernels.products import fill_products, fold_products
from recbayes.gaussian.model.rbn import GaussianRBN


def write_emissions(
    model: GaussianRBN, tables: Tables, origins: Origins, plan: Plan, series: Series, messages: np.ndarray
) -> None:
    """Put the potentials of all emissions of all spans where the kernels expect them."""
    size, segments = tables.shifts.shape[1], len(plan.positions) - 1
    for e, rule in enumerate(emit_rules(model, origins)):
        potentials = observe(rule, series, size)
        if segments < len(series):
            potentials = merge(potentials, plan.positions)
        block = row_block(messages, plan.emit_base, plan.emit_rows[e, 1], size)
        block[HEIGHT] = -np.inf
        block[:, :segments] = pack_messages(*potentials).T
    run_kernel(fill_products, messages, plan.emit_base, plan.emit_rows, size)


def emission_slopes(
    model: GaussianRBN,
    tables: Tables,
    origins: Origins,
    plan: Plan,
    series: Series,
    messages: np.ndarray,
    derivatives: np.ndarray,
) -> dict[tuple[int, int], EmitGradient]:
    """Derivatives with respect to the numbers of emission rules, from those with respect to the potentials of all spans.

    The latter, in `derivatives`, are folded into those of single segments on the way.
    """
    size, segments = tables.shifts.shape[1], len(plan.positions) - 1
    run_kernel(fold_products, messages, derivatives, plan.emit_base, plan.emit_rows, size)
    slopes = {}
    for e, (key, rule) in enumerate(zip(origins.emits, emit_rules(model, origins), strict=True)):
        block = row_block(derivatives, plan.emit_base, plan.emit_rows[e, 1], size)[:, :segments]
        height, mode, precision = unpack_messages(block.T, size)
        folded = Potentials(height.copy(), mode.copy(), precision)
        potentials = observe(rule, series, size)
        if segments < len(series):
            folded = merge_adjoint(potentials, plan.positions, merge(potentials, plan.positions), folded)
        one = observe_adjoint(rule, series, potentials, folded)
        slopes[key] = EmitGradient(one.map[:, : model.variables[key[0]].dim], one.offset, one.covariance)
    return slopes


def length_log_probability(model: GaussianRBN, origins: Origins, length: int) -> np.ndarray:
    """Log probabilities of all emissions to emit 0, 1, ..., `length` observations: (E, length + 1)."""
    lengths = np.arange(length + 1)
    return np.array([rule.length.log_probability(lengths) for rule in emit_rules(model, origins)])
