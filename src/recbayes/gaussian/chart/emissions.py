"""The potentials of emissions, which a chart is given before it is filled, and their derivatives, which it gives back.

A chart only reads rows of potentials, one for every emission, width and start, and knows nothing of how they come about:
that is each emission's to say (`recbayes.gaussian.emissions`).
"""

import numpy as np

from recbayes.checks.series import Series
from recbayes.gaussian.chart.coordinates import coordinates_of
from recbayes.gaussian.chart.plan import Plan
from recbayes.gaussian.chart.references import expected_columns
from recbayes.gaussian.chart.tables import Origins, Tables, emit_rules
from recbayes.gaussian.emissions.emission import Emission, Rows
from recbayes.gaussian.emissions.nearest import Expected
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.parameters.quantity import Slopes


def write_emissions(
    model: GaussianRBN, tables: Tables, origins: Origins, plan: Plan, series: Series, messages: np.ndarray
) -> None:
    """Put the potentials of all emissions of all spans where the kernels expect them."""
    for e, rule in enumerate(emit_rules(model, origins)):
        rule.fill(series, plan.positions, _rows(model, tables, origins, plan, e, messages))


def emission_slopes(
    model: GaussianRBN,
    tables: Tables,
    origins: Origins,
    plan: Plan,
    series: Series,
    messages: np.ndarray,
    derivatives: np.ndarray,
    counts: dict[tuple[int, int], np.ndarray],
) -> dict[tuple[int, int], Slopes]:
    """Derivatives with respect to the quantities of emission rules, from those with respect to the potentials of all spans
    (in `derivatives`, which is used up) and to the logarithms of the members' weights (`counts`)."""
    places = coordinates_of(model)
    found: dict[tuple[int, int], list[Slopes | None]] = {}
    for e, ((v, r, m), rule) in enumerate(zip(origins.emits, emit_rules(model, origins), strict=True)):
        slopes = rule.slopes(series, plan.positions, _rows(model, tables, origins, plan, e, messages), derivatives)
        given: Emission = model.variables[v].rules[r]
        slopes = slopes if places is None else given.slopes_before(places[v].as_link(), slopes)
        found.setdefault((v, r), [None] * len(given.members))[m] = slopes
    return {
        (v, r): model.variables[v]
        .rules[r]
        .of_members([one for one in slopes if one is not None], counts.get((v, r), np.zeros(len(slopes))))
        for (v, r), slopes in found.items()
    }


def length_log_probability(model: GaussianRBN, origins: Origins, plan: Plan) -> np.ndarray:
    """Log probabilities of all emissions to last 0, 1, ..., T ticks, which are all there are: (E, T + 1)."""
    ticks = np.arange(plan.ticks[-1] + 1)
    rules, known = emit_rules(model, origins), {}
    for length in (rule.length for rule in rules):  # members of an emission share its length
        if id(length) not in known:
            known[id(length)] = length.log_probability(ticks)
    return np.array([known[id(rule.length)] for rule in rules])


def expected_of(model: GaussianRBN, origins: Origins, e: int) -> Expected | None:
    """Where the means of the columns of an emission are expected, if it depends on that."""
    v, r, m = origins.emits[e]
    return expected_columns(model, v, model.variables[v].rules[r].members[m].emission)


def _rows(model: GaussianRBN, tables: Tables, origins: Origins, plan: Plan, e: int, messages: np.ndarray) -> Rows:
    rows = plan.emit_rows[e : e + 1]
    return Rows(messages, plan.emit_base, rows, tables.size, expected_of(model, origins, e))
