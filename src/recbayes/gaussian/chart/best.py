"""The paper's tree estimate.

While the chart is filled, every cell notes the alternative with the highest peak, max over (j, tau) of w_tau c_ijk
|2 pi Sigma_ijk|^(-1/2), emissions included (section Tree Induction). From the root down, each node takes its cell's choice.
"""

import numpy as np

from recbayes.compiled.layout import BEST_RULE, BEST_SPLIT, choice_places, entry_place
from recbayes.gaussian.chart.inside import Chart
from recbayes.gaussian.chart.plan import roots_of
from recbayes.gaussian.chart.tables import tables_of
from recbayes.gaussian.model.naming import rule_name
from recbayes.tree.tree import Node, Tree


def best_tree(chart: Chart) -> Tree:
    """The tree of locally best choices. Ties go to the emission, then to the smallest split point, then the first rule."""
    tables, origins = tables_of(chart.model)
    model, plan = chart.model, chart.plan
    waiting = [(likeliest_root(chart), 0, len(plan.positions) - 1)]
    nodes, arities = [], []
    while waiting:
        v, i, k = waiting.pop()
        rule, split = _choice(chart, v, i, k)
        start, end, variable = int(plan.positions[i]), int(plan.positions[k]), model.variables[v]
        if rule < 0:
            _, position, member = origins.emits[-1 - rule]
            nodes.append(Node(start, end, variable.name, rule_name(variable, position, member=member)))
            arities.append(0)
            continue
        _, position, shift = origins.rules[rule]
        nodes.append(Node(start, end, variable.name, rule_name(variable, position, shift)))
        arities.append(2)
        left, right = (tables.links["child"][tables.rules[side][rule]] for side in ("left", "right"))
        waiting += [(int(right), split, k), (int(left), i, split)]
    return Tree(nodes, arities)


def likeliest_root(chart: Chart) -> int:
    """The variable with most of the evidence as the root; the first of equals."""
    tables, origins = tables_of(chart.model)
    about = tables.roots[: len(origins.prior)]
    totals = {root: np.logaddexp.reduce(chart.log_evidence_by_prior[about == root]) for root in roots_of(tables)}
    return max(totals, key=lambda root: totals[root])


def _choice(chart: Chart, v: int, i: int, k: int) -> tuple[int, int]:
    """The best alternative of a cell: a rule of the tables, or negative for an emission, and the split point."""
    plan = chart.plan
    row = plan.rows[v, k - i]
    size = max(variable.dim for variable in chart.model.variables)
    place = choice_places(plan.choice_base[v], row, i, size)
    rule, split = (chart.choices[entry_place(place, row["length"], entry)] for entry in (BEST_RULE, BEST_SPLIT))
    return int(rule), int(split)
