"""The Gaussian stand-in of a general model for one sequence: made from its cloud and its sites, and drawn from."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from recbayes.compiled.compilation import run_kernel
from recbayes.general.chart.joint import Landscape
from recbayes.general.chart.layers import Layer
from recbayes.general.extra import in_doubles, jax_module
from recbayes.general.kernels.stand_in import Messages, Room, StandIn, fill_messages
from recbayes.general.kernels.stand_in_draws import EDGE, draw_structures, draw_values
from recbayes.general.model.coordinates import width
from recbayes.general.model.densities import called, in_arrays, log_prob
from recbayes.general.surrogate.cloud import Cloud, Link, Normal
from recbayes.general.surrogate.sites import Factors, SiteMaker

BATCH = 1 << 18  # nodes drawn in one call of the kernel


class Structures(NamedTuple):
    """Drawn trees, their nodes in preorder, tree after tree: number, way, edge, states of the children together, which child
    of its parent; how many children with cells each node has; sizes of trees and their log probabilities."""

    nodes: np.ndarray  # (5, nodes)
    arities: np.ndarray
    sizes: np.ndarray
    log_q: np.ndarray

    @property
    def first(self) -> np.ndarray:
        return np.concatenate([[0], np.cumsum(self.sizes)])

    @property
    def owners(self) -> np.ndarray:
        return np.repeat(np.arange(len(self.sizes)), self.sizes)


@dataclass(frozen=True, eq=False)
class Surrogate:
    """The stand-in and its messages; `cloud` is what it was made from."""

    landscape: Landscape
    cloud: Cloud
    arrays: StandIn
    messages: Messages

    @cached_property
    def log_evidence(self) -> float:
        """That of the stand-in's chart: of a model that is Gaussian nearly the right one."""
        model, messages = self.arrays, self.messages
        root = model.graph.place[-2]
        d = int(model.dim[root])
        if d == 0:
            return float(np.logaddexp.reduce(model.root_log + messages.g[root:]))
        P, J = model.root_precision[:d, :d], messages.J[root, :d, :d]
        eta = messages.h[root, :d] + P @ model.root_mean[:d]
        square = eta @ np.linalg.solve(P + J, eta) - model.root_mean[:d] @ P @ model.root_mean[:d]
        return float(messages.g[root] + 0.5 * (square + np.linalg.slogdet(P)[1] - np.linalg.slogdet(P + J)[1]))

    def draw(self, count: int, seed: int) -> Structures:
        """Trees, with the states of their discrete variables."""
        model = self.arrays
        D, ways = model.centre.shape[1], model.graph.first
        most = self.landscape.most_nodes
        combinations = np.prod(model.graph.sizes, axis=1)
        widest = int(((ways[:, 1:] - ways[:, :-1]) * combinations[:, None]).sum(axis=0).max())
        logits = np.empty(max(widest, len(model.root_log)))
        stack, contexts = np.empty((most, 3), dtype=np.int64), np.zeros((most, D + 1, D))
        nodes, sizes, logs, done = [], [], [], 0
        while done < count:
            out = np.empty((5, max(BATCH, most)), dtype=np.int64)
            size, log_q = np.zeros(count - done, dtype=np.int64), np.empty(count - done)
            made = run_kernel(
                draw_structures, model, self.messages, seed, done, size, out, log_q, logits, stack, contexts, room(D)
            )
            nodes.append(out[:, : int(size[:made].sum())])
            sizes.append(size[:made])
            logs.append(log_q[:made])
            done += made
        every = np.concatenate(nodes, axis=1)
        arities = (model.graph.below >= 0).sum(axis=1)[every[EDGE]]
        return Structures(every, arities, np.concatenate(sizes), np.concatenate(logs))

    def values(self, structures: Structures, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """So many values of every node (nodes, count, D) in coordinates, and their log densities (trees, count)."""
        D = self.arrays.centre.shape[1]
        values = np.zeros((structures.nodes.shape[1], count, D))
        log_q = np.empty((len(structures.sizes), count))
        run_kernel(
            draw_values, self.arrays, structures.nodes, structures.sizes, structures.arities, seed, values, log_q, room(D)
        )
        return values, log_q

    def beliefs(self, variable: str) -> tuple[np.ndarray, np.ndarray]:
        """Of every cell of a continuous variable, mean and covariance of its value if it were the only one to be known
        about: its message under the Gaussian of its variable."""
        own, d = self.landscape.cells.of(Layer(variable)), width(self.landscape.model.parts.variables[variable])
        numbers = self.arrays.graph.place[own]
        around = self.cloud.around[variable]
        R = np.linalg.inv(around.covariance)
        precision = self.messages.J[numbers, :d, :d] + R
        eta = self.messages.h[numbers, :d] + R @ around.mean
        covariance = np.linalg.inv(precision)
        return np.einsum("rij,rj->ri", covariance, eta), 0.5 * (covariance + np.swapaxes(covariance, 1, 2))


def room(dim: int) -> Room:
    return Room(np.zeros((8, dim, dim)), np.zeros((8, dim)))


def make_surrogate(sites: SiteMaker, parameters: Any, cloud: Cloud) -> Surrogate:
    landscape = sites.landscape
    arrays = _arrays(landscape, parameters, cloud, sites.factors(parameters, cloud))
    numbers, D, links = len(arrays.dim), arrays.centre.shape[1], len(arrays.child)
    messages = Messages(
        np.zeros((numbers, D, D)),
        np.zeros((numbers, D)),
        np.full(numbers, -np.inf),
        np.zeros((links, numbers, D, D)),
        np.zeros((links, numbers, D)),
        np.full((links, numbers), -np.inf),
    )
    run_kernel(fill_messages, arrays, messages, room(D))
    return Surrogate(landscape, cloud, arrays, messages)


def _arrays(landscape: Landscape, parameters: Any, cloud: Cloud, factors: Factors) -> StandIn:
    parts, cells, graph = landscape.model.parts, landscape.cells, landscape.graph
    names = list(parts.variables)
    widths = np.array([width(one) for one in parts.variables.values()])
    D = max(int(widths.max()), 1)
    of_layer = np.array([names.index(layer.variable) for layer in cells.layers.order])
    variable = np.repeat(of_layer[cells.layer], np.diff(graph.place))
    centre, precision = np.zeros((len(names), D)), np.tile(np.eye(D), (len(names), 1, 1))
    for name, around in cloud.around.items():
        d = len(around.mean)
        centre[names.index(name), :d] = around.mean
        precision[names.index(name), :d, :d] = np.linalg.inv(around.covariance)
    most = max(one.states for one in parts.variables.values())
    link = np.full((len(cells.edges), graph.below.shape[1], most), -1)
    links: list[tuple[int, Link]] = []
    for n, edges in enumerate(cells.edges):
        for m, child in enumerate(edges.way.children):
            if isinstance(child, Layer) and not parts.variables[child.variable].is_discrete:
                for state in range(parts.variables[edges.way.layer.variable].states):
                    link[n, m, state] = len(links)
                    own = _link(cloud, parts.variables, edges.way, m, state)
                    links.append((names.index(child.variable), own))
    A, b, Q = np.zeros((len(links), D, D)), np.zeros((len(links), D)), np.tile(np.eye(D), (len(links), 1, 1))
    for n, (_, one) in enumerate(links):
        rows, columns = one.A.shape
        A[n, :rows, :columns], b[n, :rows], Q[n, :rows, :rows] = one.A, one.b, one.Q
    inverse = np.linalg.inv(Q)
    prior = cloud.prior or Normal(np.zeros(0), np.zeros((0, 0)))
    root_mean, root_precision = np.zeros(D), np.eye(D)
    root_mean[: len(prior.mean)] = prior.mean
    root_precision[: len(prior.mean), : len(prior.mean)] = np.linalg.inv(prior.covariance)
    return StandIn(
        graph=graph,
        dim=widths[variable],
        variable=variable,
        centre=centre,
        precision=precision,
        site=factors.place,
        site_J=factors.J,
        site_h=factors.h,
        site_g=factors.g,
        link=link,
        child=np.array([child for child, _ in links], dtype=np.int64),
        A=A,
        b=b,
        Q=Q,
        Q_inverse=inverse,
        Q_log=np.linalg.slogdet(Q)[1],
        root_mean=root_mean,
        root_precision=root_precision,
        root_log=_root_log(landscape, parameters),
    )


def _link(cloud: Cloud, variables: Any, way: Any, number: int, state: int) -> Link:
    """The link of a child, or, where none was ever drawn, its variable's Gaussian whatever the parent."""
    found = cloud.links.get((way.layer.variable, way.step, number, state))
    if found is not None:
        return found
    around = cloud.around[way.children[number].variable]
    return Link(np.zeros((len(around.mean), width(variables[way.layer.variable]))), around.mean, around.covariance)


def _root_log(landscape: Landscape, parameters: Any) -> np.ndarray:
    """Log probabilities of the root's states; of a continuous root, nothing."""
    jax, jnp = jax_module(), jax_module("jax.numpy")
    parts = landscape.model.parts
    support = parts.variables[parts.root]
    if not support.is_discrete:
        return np.zeros(1)
    with in_doubles():
        prior = called("the prior", parts.prior, landscape.model.called_with(in_arrays(parameters)))
        every = jax.vmap(lambda state: log_prob(prior, state, None, "the prior", 0))(jnp.arange(support.states))
        return np.asarray(every, dtype=np.float64)
