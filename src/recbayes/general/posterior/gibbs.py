"""Gibbs sampling: the structure given all values, exactly, and then the values of its nodes given it, by Hamiltonian steps.

Values of spans that are no nodes are drawn afresh from pseudo-priors every time (`pseudo`); many chains run side by side,
which begin at draws of the stand-in.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from recbayes.compiled.compilation import run_kernel
from recbayes.general.chart.joint import Landscape
from recbayes.general.chart.tilted import Tilted
from recbayes.general.extra import in_doubles, jax_module
from recbayes.general.kernels.stand_in_draws import EDGE, NUMBER
from recbayes.general.kernels.structure_draws import draw_structure
from recbayes.general.kernels.structures import sum_structures
from recbayes.general.model.densities import in_arrays
from recbayes.general.posterior.on_trees import TreeDensity
from recbayes.general.posterior.posterior import GeneralPosterior, Worth
from recbayes.general.posterior.pseudo import PseudoPrior
from recbayes.general.surrogate.stand_in import Structures

CHAINS = 20
WARM = 40  # sweeps that do not count
MOVES = 3  # Hamiltonian steps of values in every sweep
THIN = 4  # sweeps between draws that are kept
LEAPS = 8  # of a Hamiltonian step
WANTED = 0.8  # of Hamiltonian steps accepted


@dataclass(eq=False)
class _Chains:
    """Where all chains are: their trees, and the coordinates of the trees' nodes."""

    trees: Structures
    u: np.ndarray  # (nodes, D)


def gibbs(posterior: GeneralPosterior, parameters: Any, pseudo: PseudoPrior, draws: int, seed: int) -> GeneralPosterior:
    """So many draws, kept from all chains in turn; `posterior` has the weighted draws from which they begin."""
    sampler = _Sampler(posterior.landscape, parameters, pseudo, seed)
    now = sampler.start(posterior)
    for _ in range(WARM):
        now = sampler.sweep(now, adapt=True)
    kept: list[_Chains] = []
    for _ in range(-(-draws // CHAINS)):
        for _ in range(THIN):
            now = sampler.sweep(now, adapt=False)
        kept.append(now)
    trees, u = _together(kept, draws)
    effective = min(effective_size(kept, posterior.landscape), float(draws))
    worth = Worth(posterior.worth.log_weights, effective, float(np.mean(sampler.rates)))
    return GeneralPosterior(posterior.landscape, trees, u[:, None], worth, seed)


class _Sampler:
    def __init__(self, landscape: Landscape, parameters: Any, pseudo: PseudoPrior, seed: int) -> None:
        self.landscape, self.parameters, self.pseudo = landscape, parameters, pseudo
        self.parts, self.cells, self.graph = landscape.model.parts, landscape.cells, landscape.graph
        self.rng = np.random.default_rng(seed)
        self.seed, self.drawn = seed, 0
        self.density = TreeDensity(landscape, parameters)
        self.step = 0.3
        self.rates: list[float] = []
        self.names = [layer.variable for layer in self.cells.layers.order]
        jax, tilted = jax_module(), Tilted(landscape)
        self._weights = jax.jit(jax.vmap(tilted.weights, (0, None, None)))

    def start(self, posterior: GeneralPosterior) -> _Chains:
        """Draws of the stand-in, by their weights."""
        weights = posterior.value_weights
        chosen = self.rng.choice(weights.size, CHAINS, p=weights.reshape(-1))
        which, k = np.divmod(chosen, weights.shape[1])
        trees, first = posterior.drawn, posterior.drawn.first
        nodes = [np.arange(first[t], first[t + 1]) for t in which]
        every = np.concatenate(nodes)
        drawn = Structures(trees.nodes[:, every], trees.arities[every], trees.sizes[which], np.zeros(CHAINS))
        return _Chains(drawn, np.concatenate([posterior.values[own, one] for own, one in zip(nodes, k, strict=True)]))

    def sweep(self, now: _Chains, adapt: bool) -> _Chains:
        u = self._all_values(now)
        trees = self._structures(u)
        values = self._values_of(trees, u)
        scale = self._scales(trees)
        for _ in range(MOVES):
            values, rates = self.density.move(trees, values, scale, self.step, LEAPS, int(self.rng.integers(2**32)))
            if adapt:
                self.step = float(np.clip(self.step * np.exp(0.5 * (rates.mean() - WANTED)), 1e-4, 2.0))
            else:
                self.rates.append(float(rates.mean()))
        return _Chains(trees, values)

    def _places(self, trees: Structures) -> tuple[np.ndarray, np.ndarray]:
        """The cell of every node, and the number of its layer."""
        cell = self.landscape.cells_of(trees.nodes[NUMBER])
        return cell, self.cells.layer[cell]

    def _all_values(self, now: _Chains) -> dict[str, np.ndarray]:
        """Coordinates (chains, cells, D) of every variable: those of nodes as they are, others from the pseudo-priors."""
        found = self.pseudo.draw(self.rng, CHAINS)
        cell, layer = self._places(now.trees)
        for name, own in found.items():
            nodes = np.flatnonzero(np.array([one == name for one in self.names])[layer])
            own[now.trees.owners[nodes], self.landscape.rows[cell[nodes]]] = now.u[nodes, : own.shape[2]]
        return found

    def _values_of(self, trees: Structures, u: dict[str, np.ndarray]) -> np.ndarray:
        cell, layer = self._places(trees)
        D = max([1, *(one.shape[2] for one in u.values())])
        found = np.zeros((trees.nodes.shape[1], D))
        for name, own in u.items():
            nodes = np.flatnonzero(np.array([one == name for one in self.names])[layer])
            found[nodes, : own.shape[2]] = own[trees.owners[nodes], self.landscape.rows[cell[nodes]]]
        return found

    def _scales(self, trees: Structures) -> np.ndarray:
        """The units of every node's value: deviations of its pseudo-prior."""
        spread = {name: np.sqrt((one**2).sum(axis=2))[None].repeat(CHAINS, axis=0) for name, one in self.pseudo.root.items()}
        found = self._values_of(trees, spread)
        return np.where(found > 0.0, found, 1.0)

    def _structures(self, u: dict[str, np.ndarray]) -> Structures:
        """A tree of each chain given all values."""
        with in_doubles():
            weights = np.array(self._weights(u, self.pseudo.arrays, in_arrays(self.parameters)))
        weights = np.where(np.isnan(weights), -np.inf, weights)
        nodes, sizes = [], []
        inside, out = np.empty(self.graph.place[-1]), np.empty((5, self.landscape.most_nodes), dtype=np.int64)
        states = int(self.graph.place[-1] - self.graph.place[-2])
        for n in range(CHAINS):
            run_kernel(sum_structures, self.graph, weights[n], inside)
            root = weights[n, weights.shape[1] - states :] + inside[self.graph.place[-2] :]
            root = root - np.logaddexp.reduce(root)
            size = run_kernel(draw_structure, self.graph, weights[n], inside, root, self.seed, self.drawn + n, out)
            nodes.append(out[:, :size].copy())
            sizes.append(size)
        self.drawn += CHAINS
        every = np.concatenate(nodes, axis=1)
        return Structures(every, (self.graph.below >= 0).sum(axis=1)[every[EDGE]], np.array(sizes), np.zeros(CHAINS))


def _together(kept: list[_Chains], draws: int) -> tuple[Structures, np.ndarray]:
    """The first so many trees of all sweeps, and their values."""
    sizes = np.concatenate([one.trees.sizes for one in kept])[:draws]
    used = int(sizes.sum())
    nodes = np.concatenate([one.trees.nodes for one in kept], axis=1)[:, :used]
    arities = np.concatenate([one.trees.arities for one in kept])[:used]
    return Structures(nodes, arities, sizes, np.zeros(draws)), np.concatenate([one.u for one in kept])[:used]


def effective_size(kept: list[_Chains], landscape: Landscape) -> float:
    """How many independent draws the chains are worth: the least of those of the nodes that are in doubt, by correlations
    along chains (about the mean of all, so that chains that disagree count as correlated)."""
    points, sweeps = len(landscape.cells.points), len(kept)
    cells = landscape.cells
    counts: dict[int, np.ndarray] = {}
    for s, one in enumerate(kept):
        cell = landscape.cells_of(one.trees.nodes[NUMBER])
        span = cells.spans[cell, 0] * points + cells.spans[cell, 1]
        for t, number in zip(one.trees.owners.tolist(), span.tolist(), strict=True):
            counts.setdefault(number, np.zeros((sweeps, CHAINS)))[s, t] = 1.0
    sizes = [_effective(one) for one in counts.values() if 0.05 < one.mean() < 0.95]
    return float(min(sizes, default=float(sweeps * CHAINS)))


def _effective(x: np.ndarray) -> float:
    """Of one quantity (sweeps, chains): draws divided by the time over which they are correlated."""
    sweeps, chains = x.shape
    apart = x - x.mean()
    variance = (apart**2).mean()
    if sweeps < 4:
        return float(chains)
    time = 1.0
    for lag in range(1, sweeps - 1, 2):  # pairs of correlations, as long as they are positive (Geyer)
        pair = sum((apart[: sweeps - k] * apart[k:]).mean() for k in (lag, lag + 1)) / variance
        if pair <= 0.0:
            break
        time += 2.0 * pair
    return float(x.size / max(time, 1.0))
