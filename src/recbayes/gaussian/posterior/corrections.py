"""Exact weights where a leaf's potential is only the nearest Gaussian one: where it may have outliers, of which the
potential takes one set, or where every column has a member of the bank of its own.

Members of the bank are drawn for all leaves of a tree and their columns, by their shares of the columns' evidence, which is
nearly what they have in the posterior; given these, potentials are exact, and so is the joint probability of tree, members
and data. Given values of all nodes, drawn by these potentials, the likelihood of a leaf with all outliers summed over is
known, too. The ratio of either to what was taken instead has the right expectation, so that weights are exact in the long
run (importance sampling of trees, members and values together).
"""

from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from recbayes.compiled.compilation import run_kernel
from recbayes.compiled.lanes import LANES
from recbayes.gaussian.chart.emissions import expected_of
from recbayes.gaussian.chart.inside import Chart
from recbayes.gaussian.chart.tables import emit_rules, tables_of
from recbayes.gaussian.emissions.leaf import Leaf
from recbayes.gaussian.emissions.nearest import Expected
from recbayes.gaussian.kernels.follow import follow_trees
from recbayes.gaussian.kernels.listing import Problem
from recbayes.gaussian.kernels.values import draw_values
from recbayes.gaussian.posterior.follow import problem_of
from recbayes.gaussian.posterior.members import draw_choices, log_worth
from recbayes.tree.forest import Forest

BLIND = 0.1  # columns of a tree's leaves, on average, whose members and outliers are drawn without heed of the data


def needs_corrections(chart: Chart) -> bool:
    """Whether some leaves have potentials that are not their likelihood."""
    _, origins = tables_of(chart.model)
    return not all(one.is_gaussian for one in emit_rules(chart.model, origins))


class Leaves(NamedTuple):
    """All leaves of a forest with one rule, ordered by their spans, with members of their columns, and values drawn `LANES`
    times."""

    leaf: Leaf
    spans: np.ndarray  # (nodes, 2) observations
    nodes: np.ndarray  # of the forest
    members: np.ndarray  # (nodes, columns) of the bank
    means: np.ndarray  # (nodes, LANES, columns) of its columns


class Corrected(NamedTuple):
    """Of all trees (trees, LANES): logs of the ratio of the true joint probability, with values drawn, to that by the
    potentials; and the leaves whose potentials are not their likelihood."""

    logs: np.ndarray
    leaves: list[Leaves]

    @property
    def log_means(self) -> np.ndarray:
        """The log of the mean ratio for every tree."""
        return np.asarray(logsumexp(self.logs, axis=1) - np.log(self.logs.shape[1]))


def corrections(chart: Chart, forest: Forest, components: np.ndarray, seed: int) -> Corrected:
    """For trees that were drawn with these Gaussians of the prior."""
    rng = np.random.default_rng([seed, 1])
    components = np.ascontiguousarray(components)  # kernels are compiled for one kind of array
    problem, size = problem_of(chart), max(variable.dim for variable in chart.model.variables)
    problem = problem._replace(given=np.zeros((len(forest.rules), problem.given.shape[1])))
    rows = np.stack([forest.rules, forest.splits, np.zeros_like(forest.rules)]).astype(np.int64)
    logs = np.repeat(-_joints(problem, rows, forest, components)[:, None], LANES, axis=1)
    groups = _by_rule(chart, forest)
    least = BLIND / _columns_of_trees(groups, forest)
    drawn = []
    for leaf, expected, nodes, spans in groups:
        one = draw_choices(leaf, expected, chart, spans, least[forest.owners[nodes]], size, rng)
        drawn.append(one)
        problem.given[nodes], rows[2, nodes] = one.potentials, 1 + nodes
        np.subtract.at(logs, forest.owners[nodes], one.log_probability[:, None])
    logs += _joints(problem, rows, forest, components)[:, None]
    normals = rng.standard_normal((len(forest.rules), size, LANES))
    values = np.empty_like(normals)
    run_kernel(draw_values, problem, rows, forest.sizes, components, normals, values)
    found = []
    for (leaf, _, nodes, spans), one in zip(groups, drawn, strict=True):
        found.append(Leaves(leaf, spans, nodes, one.members, _means(leaf, values[nodes])))
        if leaf.outlier_probability:
            np.add.at(logs, forest.owners[nodes], log_worth(one, found[-1].means, rng))
    return Corrected(logs, found)


class _Group(NamedTuple):
    """All leaves with one rule: where its columns are expected, their nodes in the forest and spans (observations)."""

    leaf: Leaf
    expected: Expected
    nodes: np.ndarray
    spans: np.ndarray


def _by_rule(chart: Chart, forest: Forest) -> list[_Group]:
    """The leaves whose potentials are not their likelihood, by rule, and in order of their spans."""
    _, origins = tables_of(chart.model)
    rules = emit_rules(chart.model, origins)
    leaves = np.flatnonzero(forest.arities == 0)
    leaves = leaves[np.lexsort([forest.ends[leaves], forest.starts[leaves], forest.rules[leaves]])]
    found = []
    for nodes in np.split(leaves, np.flatnonzero(np.diff(forest.rules[leaves])) + 1):
        number = -1 - int(forest.rules[nodes[0]])
        leaf, expected = rules[number], expected_of(chart.model, origins, number)
        if expected is not None:
            spans = chart.plan.positions[np.stack([forest.starts[nodes], forest.ends[nodes]], axis=1)]
            found.append(_Group(leaf, expected, nodes, np.ascontiguousarray(spans, dtype=np.int64)))  # type: ignore[arg-type]
    return found


def _columns_of_trees(groups: list[_Group], forest: Forest) -> np.ndarray:
    """How many columns all leaves of each tree have whose potentials are not their likelihood."""
    found = np.zeros(len(forest))
    for leaf, _, nodes, _ in groups:
        np.add.at(found, forest.owners[nodes], leaf.columns)
    return np.maximum(found, 1.0)


def _joints(problem: Problem, rows: np.ndarray, forest: Forest, components: np.ndarray) -> np.ndarray:
    """log p(Y, Z, c) of all trees with the Gaussian c of the prior that each was drawn with."""
    joints = np.empty((len(forest), problem.tables.prior.shape[1]))
    run_kernel(follow_trees, problem, rows, forest.sizes, components, joints, np.empty((0, problem.given.shape[1])))
    return joints[np.arange(len(forest)), components]


def _means(leaf: Leaf, values: np.ndarray) -> np.ndarray:
    """Means of the columns (nodes, LANES, columns), of values (nodes, dimensions, LANES)."""
    values = values.swapaxes(1, 2)
    means = values[:, :, : leaf.columns] if leaf.map is None else values[:, :, : leaf.map.shape[1]] @ leaf.map.T
    return means if leaf.offset is None else means + leaf.offset
