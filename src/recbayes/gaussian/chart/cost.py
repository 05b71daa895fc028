"""What a Gaussian chart takes, from its plan: before anything of it is there."""

import numpy as np

from recbayes.compiled.layout import CHOICES, message_entries
from recbayes.family.cost import SMALL, Cost, refuse_too_large
from recbayes.gaussian.chart.plan import Plan, positions_of, span_limits
from recbayes.gaussian.chart.tables import Tables
from recbayes.spans.constraints import Constraints

# Measured seconds for a pair of split and rule, or for an emission, by the number of dimensions: the one table to renew
# where kernels become faster. With several Gaussians per message each pair of them is a pair, and takes longer.
DIMENSIONS = 1, 2, 3, 6, 12
SECONDS = 5e-9, 8e-9, 10e-9, 45e-9, 140e-9
LISTED = 40.0
PLANNED = 30_000  # segments up to which it takes no longer than a second or two to plan a chart
NUMBER = 8  # bytes


def chart_cost(tables: Tables, plan: Plan, components: int = 1) -> Cost:
    """Of the inside pass.

    A cell of width w has as many pairs as rules have ways to divide w among their children; spans that users do not allow
    count for nothing.
    """
    segments = len(plan.positions) - 1
    widths = np.arange(segments + 1)
    counts = np.maximum(plan.rows["high"] - plan.rows["low"] + 1, 0) * _allowed_shares(plan)
    pairs = 0.0
    for v, variable in enumerate(tables.variables):
        for rule in tables.rules[variable["first_rule"] : variable["end_rule"]]:
            b, c = tables.links["child"][rule["left"]], tables.links["child"][rule["right"]]
            first = np.maximum(plan.shortest[b], widths - plan.longest[c])
            last = np.minimum(plan.longest[b], widths - plan.shortest[c])
            pairs += float((counts[v] * np.maximum(last - first + 1, 0)).sum())
    emissions = float(np.maximum(plan.emit_rows["high"] - plan.emit_rows["low"] + 1, 0).sum())
    each = float(np.interp(tables.size, DIMENSIONS, SECONDS)) * max(1.0, (tables.size / DIMENSIONS[-1]) ** 3)
    together = 1.0 if components == 1 else LISTED * components**2
    numbers = components * plan.messages_size + plan.choices_size
    return Cost(round(counts.sum()), round(pairs), NUMBER * numbers, each * (pairs * together + emissions))


def cost_unplanned(tables: Tables, length: int, constraints: Constraints, ticks: np.ndarray | None) -> Cost | None:
    """About what charts take that are so large that even to plan them takes long; None of others.

    Of a variable that leads to itself on both sides every span is a cell, but for those that are too short.
    """
    free = length <= PLANNED or (constraints.boundaries is None and ticks is None)
    segments = length if free else len(positions_of(length, constraints, ticks)) - 1
    if segments <= PLANNED:
        return None
    children, size = tables.links["child"], tables.size
    shortest, _ = span_limits(tables)
    for v, variable in enumerate(tables.variables):
        rules = tables.rules[variable["first_rule"] : variable["end_rule"]]
        twice = int(((children[rules["left"]] == v) & (children[rules["right"]] == v)).sum())
        if twice:
            wide = max(segments - 2 * shortest, 0)
            links = int(variable["end_link"] - variable["first_link"])
            numbers = wide**2 // 2 * (message_entries(size) * (1 + links) + CHOICES)
            seconds = twice * wide**3 / 6 * float(np.interp(size, DIMENSIONS, SECONDS))
            return Cost(wide**2 // 2, twice * wide**3 // 6, NUMBER * numbers, seconds)
    return None


def refuse_unplanned(tables: Tables, length: int, constraints: Constraints, ticks: np.ndarray | None) -> None:
    """An error if a chart that is too large to be planned in little time does not fit in memory."""
    cost = cost_unplanned(tables, length, constraints, ticks)
    if cost is not None:
        refuse_too_large(cost, len(positions_of(length, constraints, ticks)))


def refuse_if_too_large(tables: Tables, plan: Plan, components: int, times: int = 1) -> None:
    """An error if so many arrays of a chart's messages do not fit in memory."""
    if NUMBER * times * components * plan.messages_size > SMALL:
        cost = chart_cost(tables, plan, components)
        refuse_too_large(cost._replace(bytes=times * cost.bytes), len(plan.positions))


def _allowed_shares(plan: Plan) -> np.ndarray:
    """Of the spans of every width, how many may be nodes."""
    if not len(plan.allowed):
        return np.ones(len(plan.positions))
    return np.array([np.diagonal(plan.allowed, width).astype(np.bool_).mean() for width in range(len(plan.positions))])
