"""Following the trees of a forest on the chart they were drawn from."""

import numpy as np

from recbayes.compiled.compilation import run_kernel
from recbayes.compiled.layout import message_entries
from recbayes.gaussian.chart.gradient import ModelGradient, assemble, no_gradients
from recbayes.gaussian.chart.inside import Chart
from recbayes.gaussian.chart.tables import tables_of
from recbayes.gaussian.kernels.follow import follow_trees
from recbayes.gaussian.kernels.listing import Problem, nothing_given
from recbayes.gaussian.kernels.slopes import gather_slopes
from recbayes.gaussian.posterior.given_tree import constants_of
from recbayes.tree.forest import Forest


def problem_of(chart: Chart) -> Problem:
    """What the kernels need to know of a chart."""
    tables, origins = tables_of(chart.model)
    constants = constants_of(chart.model, origins, chart.plan)
    return Problem(tables, chart.plan, *constants, chart.messages, chart.components, nothing_given(tables.size))


def log_joints_by_prior(chart: Chart, forest: Forest) -> np.ndarray:
    """log p(Y, Z, c) of every tree with every Gaussian c of the prior: exact."""
    return _follow(chart, forest, np.zeros(len(forest), dtype=np.int64), False)[0]


def log_joints(chart: Chart, forest: Forest) -> np.ndarray:
    """log p(Y, Z) of every tree: exact, and summed over the Gaussians of the prior."""
    return np.logaddexp.reduce(log_joints_by_prior(chart, forest), axis=1)


def node_values(chart: Chart, forest: Forest, components: np.ndarray) -> np.ndarray:
    """Densities of the values of all nodes, given the data, their tree and a Gaussian of the prior."""
    return _follow(chart, forest, components, True)[1]


def joints_with(chart: Chart, forest: Forest, components: np.ndarray) -> np.ndarray:
    """log p(Y, Z, c) of every tree Z with the Gaussian c of the prior that was drawn with it: exact."""
    joints, _ = _follow(chart, forest, components, False)
    return joints[np.arange(len(forest)), components]


def mean_gradient(chart: Chart, forest: Forest, components: np.ndarray, weights: np.ndarray) -> ModelGradient:
    """The weighted sum of the derivatives of log p(Y, Z, c)."""
    derivatives, gradients = np.zeros_like(chart.messages), no_gradients(chart)
    trees = np.stack([forest.rules, forest.splits]).astype(np.int64)
    contiguous = [np.ascontiguousarray(one) for one in (components, weights)]
    arguments = trees, forest.sizes, *contiguous, derivatives, gradients
    run_kernel(gather_slopes, problem_of(chart), *arguments)
    return assemble(chart, derivatives, gradients)


def _follow(chart: Chart, forest: Forest, components: np.ndarray, wanted: bool) -> tuple[np.ndarray, np.ndarray]:
    size = max(variable.dim for variable in chart.model.variables)
    joints = np.empty((len(forest), len(chart.log_evidence_by_prior)))
    values = np.empty((len(forest.rules) if wanted else 0, message_entries(size)))
    trees = np.stack([forest.rules, forest.splits, np.zeros_like(forest.rules)]).astype(np.int64)
    run_kernel(follow_trees, problem_of(chart), trees, forest.sizes, np.ascontiguousarray(components), joints, values)
    return joints, values
