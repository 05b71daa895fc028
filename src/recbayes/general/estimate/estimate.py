"""`rb.map_estimate`: the values, and the parameters if asked for, at which observations and values are most probable."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

from recbayes.compiled.compilation import run_kernel
from recbayes.general.chart.best import best_nodes
from recbayes.general.chart.joint import JointChart, Landscape
from recbayes.general.estimate.objective import Objective
from recbayes.general.extra import in_doubles
from recbayes.general.kernels.stand_in_draws import EDGE, NUMBER
from recbayes.general.kernels.structures import best_structures
from recbayes.general.learn.quantities import slopes
from recbayes.general.model.coordinates import from_coordinates, to_coordinates, width
from recbayes.general.model.rbn import RBN
from recbayes.general.posterior.draws import Workshop, draw_weighted
from recbayes.general.posterior.forest import shown_trees
from recbayes.general.posterior.on_trees import TreeDensity
from recbayes.general.posterior.posterior import GeneralPosterior
from recbayes.general.posterior.pseudo import PseudoPrior, from_draws, from_surrogate
from recbayes.general.surrogate.stand_in import Structures
from recbayes.parameters.parameters import Parameters
from recbayes.spans.table import SpanTable
from recbayes.tree.tree import Tree

DRAWS = 500  # of the stand-in, from which pseudo-priors and starts are made
TREES = 3  # different ones among these, from whose values a climb begins
TOLERANCE = 1e-9  # of an iteration's gain, as a share of the value
ALTERNATIONS = 20  # of values and structure, at most
WORST = 1e10  # where nothing can be computed: climbs turn back


class Climbed(NamedTuple):
    """Where one start has led.

    Attributes:
        start: what it began at, in words.
        log_density: how high it came.
        converged: whether it has come to its end.
        evaluations: how many it took.
    """

    start: str
    log_density: float
    converged: bool
    evaluations: int


@dataclass(frozen=True, eq=False)
class MapEstimate:
    """Values of all nodes that there may be at which they and the observations are most probable, structures summed out.

    Attributes:
        model: with the parameters that were estimated, if some were.
        form: "pseudo-priors" or "raw": what was maximised.
        chart: the chart at these values, by what was maximised.
        log_density: what was maximised: with pseudo-priors a density of all values, in the raw form log p(X, Y).
        climbed: where every start has led.
        refined_tree: a joint mode of structure and values, which is something else: values most probable given the best
            structure, and so in turn until neither changes.
        refined_log_joint: its log p(X, Y, Z), which depends on units as the raw form does.
        table: parameters that were free, by name.
    """

    model: RBN
    form: str
    chart: JointChart
    log_density: float
    climbed: Sequence[Climbed]
    refined_tree: Tree
    refined_log_joint: float
    table: Mapping[str, Any] = field(default_factory=dict)

    @property
    def values(self) -> dict[str, np.ndarray]:
        """(N + 1, N + 1, numbers) of every continuous variable; NaN where there can be no node."""
        landscape, count = self.chart.landscape, self.chart.length + 1
        found = {}
        for name, own in self.chart.values.items():
            full = np.full((count, count, own.shape[1]), np.nan)
            spans = landscape.spans(name)
            full[spans[:, 0], spans[:, 1]] = own
            found[name] = full
        return found

    @property
    def nodes(self) -> SpanTable:
        """The spans that may be nodes, with their probabilities at these values."""
        return self.chart.nodes

    @property
    def node_probability(self) -> np.ndarray:
        """(N + 1, N + 1): the probability of every span to be a node, at these values."""
        return self.chart.node_probability

    @cached_property
    def tree(self) -> Tree:
        """The best structure given these values, by what was maximised."""
        return self.chart.best_tree()

    @property
    def converged(self) -> bool:
        """Whether the climb to the highest point has come to its end."""
        return max(self.climbed, key=lambda one: one.log_density).converged

    @property
    def depends_on_units(self) -> bool:
        """Whether trees over these observations may differ in their number of values: then the raw form's maximum means
        nothing by itself."""
        fewest, most = _numbers_of_values(self.chart.landscape)
        return fewest != most

    @property
    def agreeing(self) -> int:
        """How many of the starts have led to the same height."""
        return sum(one.log_density > self.log_density - 1e-3 for one in self.climbed)

    def __repr__(self) -> str:
        count = sum(one.evaluations for one in self.climbed)
        state = "converged" if self.converged else "not converged"
        numbers = "".join(f"\n  {name} {np.round(value, 5)}" for name, value in self.table.items())
        return (
            f"MapEstimate({self.form}: log density {self.log_density:.4f}, {state}, {self.agreeing} of {len(self.climbed)} "
            f"starts agree, {count} evaluations){numbers}"
        )


def map_estimate(
    model: RBN,
    landscape: Landscape,
    *,
    raw: bool,
    free: Parameters | None,
    starts: int,
    seed: int,
    most: int,
    say: Callable[[str], None],
) -> MapEstimate:
    """Climbs from values that the data and the stand-in suggest, and from random ones; the best is kept."""
    say("Gaussian stand-in")
    surrogate = Workshop(landscape).surrogate(model.parameters)
    first = from_surrogate(surrogate)
    drawn = draw_weighted(surrogate, model.parameters, DRAWS, seed)
    pseudo = from_draws(drawn, first)
    objective = Objective(landscape, pseudo, raw)
    begins = _starts(drawn, first, pseudo, starts, seed)
    best: tuple[float, dict[str, np.ndarray], Any] | None = None
    climbed = []
    for number, (name, u) in enumerate(begins):
        say(f"climb {number + 1} of {len(begins)}")
        value, there, parameters, converged, evaluations = _climb(objective, u, model, free, most)
        climbed.append(Climbed(name, value, converged, evaluations))
        if best is None or value > best[0]:
            best = value, there, parameters
    assert best is not None
    value, there, parameters = best
    found = model.with_parameters(parameters) if free is not None else model
    chart = objective.chart(there, parameters)
    say("joint refinement")
    tree, log_joint = _refined(landscape, chart, parameters)
    names = {} if free is None else {one.name: one for one in free.blocks}
    own = {quantity.name: quantity.value for quantity in found.family.quantities(found) if quantity.name in names}
    return MapEstimate(found, "raw" if raw else "pseudo-priors", chart, value, climbed, tree, log_joint, own)


def _numbers_of_values(landscape: Landscape) -> tuple[float, float]:
    """The least and the largest number of real numbers that a structure has."""
    graph, variables = landscape.graph, landscape.model.parts.variables
    found = []
    for sign in (-1.0, 1.0):
        weights = np.zeros(sum(int(np.prod(block.shape)) for block in landscape.blocks))
        begin = 0
        for edges, block in zip(landscape.cells.edges, landscape.blocks, strict=True):
            count = int(np.prod(block.shape))
            weights[begin : begin + count] = sign * width(variables[edges.way.layer.variable])
            begin += count
        best, choice = np.empty(graph.place[-1]), np.zeros((3, graph.place[-1]), dtype=np.int64)
        run_kernel(best_structures, graph, weights, best, choice)
        found.append(sign * float(best[graph.place[-2]]))
    return found[0], found[1]


def _starts(
    drawn: GeneralPosterior, first: PseudoPrior, pseudo: PseudoPrior, random: int, seed: int
) -> list[tuple[str, dict[str, np.ndarray]]]:
    found = [("data", dict(first.mean)), ("stand-in", dict(pseudo.mean))]
    forest, landscape = drawn.trees, drawn.landscape
    representatives, kinds = forest.distinct()
    order = np.argsort(-np.bincount(kinds, weights=drawn.weights), kind="stable")[:TREES]
    cell = landscape.cells_of(drawn.drawn.nodes[NUMBER])
    for number in order:
        t = int(representatives[number])
        u = {name: one.copy() for name, one in pseudo.mean.items()}
        nodes = np.arange(drawn.drawn.first[t], drawn.drawn.first[t + 1])
        weights = drawn.value_weights[t] / drawn.value_weights[t].sum()
        for name, own in u.items():
            here = nodes[_of_variable(landscape, name, cell[nodes])]
            own[landscape.rows[cell[here]]] = np.einsum("k,nki->ni", weights, drawn.values[here, :, : own.shape[1]])
        found.append((f"tree {len(found) - 1}", u))
    rng = np.random.default_rng(seed)
    for n in range(random):
        found.append((f"random {n + 1}", {name: values[0] for name, values in pseudo.draw(rng, 1).items()}))
    return found


def _climb(
    objective: Objective, u: Mapping[str, np.ndarray], model: RBN, free: Parameters | None, most: int
) -> tuple[float, dict[str, np.ndarray], Any, bool, int]:
    """L-BFGS in units of the pseudo-priors."""
    pseudo, names = objective.pseudo, list(u)
    shapes = [u[name].shape for name in names]
    edges = np.cumsum([0, *(int(np.prod(shape)) for shape in shapes)])
    origin = np.zeros(0) if free is None else free.vector()

    def parts(z: np.ndarray) -> tuple[dict[str, np.ndarray], Any, RBN]:
        there = {}
        for name, shape, a, b in zip(names, shapes, edges[:-1], edges[1:], strict=True):
            there[name] = u[name] + np.einsum("cij,cj->ci", pseudo.root[name], z[a:b].reshape(shape))
        at = model if free is None else free.with_vector(origin + z[edges[-1] :])
        return there, at.parameters, at

    def downhill(z: np.ndarray) -> tuple[float, np.ndarray]:
        there, parameters, at = parts(z)
        here = objective.value_and_slopes(there, parameters)
        if not np.isfinite(here.value):
            return WORST, np.zeros(len(z))
        slope = [np.einsum("cij,ci->cj", pseudo.root[name], here.slopes[name]).reshape(-1) for name in names]
        if free is not None:
            slope.append(free.pull_back(at, slopes(at, here.of_parameters)))
        full = np.concatenate([np.zeros(0), *slope])
        return -here.value, -np.where(np.isfinite(full), full, 0.0)

    options = {"maxiter": most, "maxfun": 2 * most, "ftol": TOLERANCE, "gtol": 1e-5, "maxcor": 20}
    found = minimize(downhill, np.zeros(edges[-1] + len(origin)), jac=True, method="L-BFGS-B", options=options)
    there, parameters, _ = parts(found.x)
    return -float(found.fun), there, parameters, bool(found.success), int(found.nfev)


def _refined(landscape: Landscape, chart: JointChart, parameters: Any) -> tuple[Tree, float]:
    """Values given the best structure, the best structure given these, and so on: each step goes up."""
    variables, values, log_joint = landscape.model.parts.variables, dict(chart.values), -np.inf
    nodes = best_nodes(chart)
    for _ in range(ALTERNATIONS):
        log_joint, values = _values_given(landscape, nodes, values, parameters)
        again = best_nodes(landscape.at(values, parameters))
        if np.array_equal(again, nodes):
            break
        nodes = again
    trees = _as_structures(landscape, nodes)
    shown = shown_trees(landscape, trees)
    cell = landscape.cells_of(nodes[NUMBER])
    found = []
    for node, source in zip(shown.trees[0], shown.sources.tolist(), strict=True):
        probability = chart.nodes.at(*node.span).probability
        if source < 0 or variables[node.label].is_discrete:
            state = None if source < 0 else np.array(nodes[NUMBER, source] - landscape.graph.place[cell[source]])
            found.append(replace(node, value=state, probability=probability))
        else:
            value = values[node.label][landscape.rows[cell[source]]]
            found.append(replace(node, value=value, probability=probability))
    return Tree(found, shown.trees[0].arities), log_joint


def _of_variable(landscape: Landscape, name: str, cell: np.ndarray) -> np.ndarray:
    """Which of some cells are of a variable."""
    return np.array([layer.variable == name for layer in landscape.cells.layers.order])[landscape.cells.layer[cell]]


def _as_structures(landscape: Landscape, nodes: np.ndarray) -> Structures:
    arities = (landscape.graph.below >= 0).sum(axis=1)[nodes[EDGE]]
    return Structures(nodes, arities, np.array([nodes.shape[1]]), np.zeros(1))


def _values_given(
    landscape: Landscape, nodes: np.ndarray, values: Mapping[str, np.ndarray], parameters: Any
) -> tuple[float, dict[str, np.ndarray]]:
    """The most probable values of a structure's nodes: log p(X, Y, Z) there, and all values with these in place."""
    variables, trees = landscape.model.parts.variables, _as_structures(landscape, nodes)
    cell = landscape.cells_of(nodes[NUMBER])
    where: dict[str, tuple[np.ndarray, np.ndarray]] = {}  # nodes of a variable, and their rows among its cells
    start = np.zeros((nodes.shape[1], max([1, *(width(one) for one in variables.values())])))
    for name, own in values.items():
        here = np.flatnonzero(_of_variable(landscape, name, cell))
        where[name] = here, landscape.rows[cell[here]]
        u = to_coordinates(variables[name], own[where[name][1]])
        start[here, : u.shape[1]] = u
    density = TreeDensity(landscape, parameters)

    def downhill(z: np.ndarray) -> tuple[float, np.ndarray]:
        value, slope = density.value_and_slope(trees, z.reshape(start.shape))
        if not np.isfinite(value):
            return WORST, np.zeros(len(z))
        return -value, -np.where(np.isfinite(slope), slope, 0.0).reshape(-1)

    options = {"maxiter": 1000, "ftol": TOLERANCE, "gtol": 1e-6}
    found = minimize(downhill, start.reshape(-1), jac=True, method="L-BFGS-B", options=options)
    there, full = found.x.reshape(start.shape), {name: one.copy() for name, one in values.items()}
    with in_doubles():
        for name, (here, rows) in where.items():
            full[name][rows] = np.asarray(from_coordinates(variables[name], there[here, : width(variables[name])]))
    return -float(found.fun), full
