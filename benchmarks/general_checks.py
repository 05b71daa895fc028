"""What arbitrary RBNs must show: calibration, robustness against outliers, and optima that are the best known.

python -m benchmarks.general_checks calibration --count 500     truths ranked among draws, two models
python -m benchmarks.general_checks outliers --count 40         boundaries with and without outliers
python -m benchmarks.general_checks map --count 100             estimates against climbs from every tree, N up to 5
python -m benchmarks.general_checks sites                       seconds of sites at N = 50 in three dimensions
"""

import argparse
import time
import warnings
from typing import Any

import numpy as np
from scipy.stats import chi2

import recbayes as rb
from recbayes.general.chart.joint import Landscape
from recbayes.general.data import read_observations
from recbayes.general.estimate.estimate import _climb
from recbayes.general.estimate.objective import Objective
from recbayes.general.posterior.draws import Workshop, draw_weighted
from recbayes.general.posterior.pseudo import from_draws, from_surrogate
from tests.general.models import model_of

BINS = 20


def statistics(tree: rb.Tree) -> list[float]:
    """Of a tree with values: the root's value, the number of leaves, and the value of the leaf in the middle."""
    middle = (tree.nodes[0].end - 1) // 2
    leaf = next(one for one in tree.leaves if one.start <= middle < one.end)
    return [float(tree.nodes[0].value[0]), float(len(tree.leaves)), float(leaf.value[0])]  # type: ignore[index]


def drawn_statistics(posterior: Any, rng: np.random.Generator, count: int) -> np.ndarray:
    """The same of so many draws, taken by their weights."""
    weights = posterior.value_weights
    found = []
    for one in rng.choice(weights.size, count, p=weights.reshape(-1)):
        t, k = divmod(int(one), weights.shape[1])
        first = posterior.drawn.first[t]
        tree = posterior.trees[t]
        middle = (posterior.length - 1) // 2
        leaf = next(
            n for n, (node, arity) in enumerate(zip(tree, tree.arities, strict=True)) if arity == 0 and node.end > middle
        )
        leaves = sum(arity == 0 for arity in tree.arities)
        found.append([posterior.values[first, k, 0], leaves, posterior.values[first + leaf, k, 0]])
    return np.array(found)


def calibration(count: int) -> None:
    for kind in ("student", "counts"):
        model, rng = model_of(kind), np.random.default_rng(0)
        ranks = []
        for seed in range(count):
            y, truth = model.sample(seed=seed, min_length=8, max_length=20, attempts=10_000)
            posterior = rb.sample_posterior(model, y, draws=200, seed=seed)
            drawn, own = drawn_statistics(posterior, rng, BINS - 1), np.array(statistics(truth))
            below = (drawn < own).sum(axis=0) + np.array([rng.integers(n + 1) for n in (drawn == own).sum(axis=0)])
            ranks.append(below)
        for name, column in zip(("root", "leaves", "middle"), np.array(ranks).T, strict=True):
            counts = np.bincount(column, minlength=BINS)
            value = float(((counts - count / BINS) ** 2 / (count / BINS)).sum())
            print(f"{kind}, {name}: chi square {value:.1f} of {BINS - 1}, p = {chi2.sf(value, BINS - 1):.3f}", flush=True)


def outliers(count: int) -> None:
    """Series of a Gaussian model, N = 60 or so, with and without outliers, by that model and by one with Student-t noise."""
    gaussian = rb.GaussianRBN.create(
        1, prior_std=1.0, left_std=1.0, right_std=1.0, noise_std=0.3, termination=0.6, extra_observations=6.0
    )
    student = model_of("tolerant")
    for share in (0.02, 0.05):
        scores = []
        for seed in range(count):
            y, truth = gaussian.sample(seed=seed, min_length=50, max_length=70, attempts=100_000)
            rng = np.random.default_rng(seed)
            hit = np.zeros(len(y), dtype=np.bool_)
            hit[rng.permutation(len(y))[: max(1, round(share * len(y)))]] = True
            spoilt = y + np.where(hit, 20.0 * 0.3 * rng.choice([-1.0, 1.0], len(y)), 0.0)[:, None]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", rb.ApproximationWarning)
                trees = [
                    rb.sample_posterior(gaussian, y, seed=0).tree(),
                    rb.sample_posterior(gaussian, spoilt, seed=0).tree(),
                    rb.sample_posterior(student, spoilt, seed=0, draws=300).tree(),
                ]
            scores.append([rb.boundary_scores(truth, tree, tolerance=1).f1 for tree in trees])
        clean, lost, kept = np.mean(scores, axis=0)
        print(
            f"{share:.0%} outliers: boundary F1 {clean:.3f} without, {lost:.3f} by the Gaussian model, {kept:.3f} by t: "
            f"{(kept - lost) / (clean - lost):.0%} of what was lost is back ({count} series)",
            flush=True,
        )


def best_from_every_tree(model: rb.RBN, y: np.ndarray, raw: bool) -> float:
    """The highest optimum from the values of every tree that 2 000 draws of the stand-in know, and from 20 random ones."""
    landscape = Landscape(model, read_observations(model.parts, y))
    surrogate = Workshop(landscape).surrogate(model.parameters)
    pseudo = from_draws(draw_weighted(surrogate, model.parameters, 500, 0), from_surrogate(surrogate))
    objective = Objective(landscape, pseudo, raw)
    spans = {tuple(span): n for n, span in enumerate(landscape.spans("x").tolist())}
    known = draw_weighted(surrogate, model.parameters, 2000, 1)
    starts = [dict(one) for one in ({"x": values} for values in pseudo.draw(np.random.default_rng(2), 20)["x"])]
    for t in known.trees.distinct()[0].tolist():
        u = pseudo.mean["x"].copy()
        for node, value in zip(known.trees[t], known.values[known.drawn.first[t] : known.drawn.first[t + 1]], strict=True):
            u[spans[node.span]] = value.mean(axis=0)
        starts.append({"x": u})
    return max(_climb(objective, u, model, None, 2000)[0] for u in starts)


def estimates(count: int) -> None:
    for raw, form in ((False, "pseudo-priors"), (True, "raw")):
        reached = []
        for case in range(count):
            model = model_of(("normal", "student", "counts", "ends")[case % 4])
            y, _ = model.sample(seed=case, min_length=2, max_length=5)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", rb.ApproximationWarning)
                found = rb.map_estimate(model, y, form=form)  # type: ignore[arg-type]
            reached.append(found.log_density > best_from_every_tree(model, y, raw) - 1e-3)
        print(f"{form}: the best optimum known in {np.sum(reached)} of {count} cases", flush=True)


def sites() -> None:
    for kind in ("student", "counts"):
        model = model_of(kind, 3)
        y, _ = model.sample(seed=1, min_length=50, max_length=50, attempts=100_000)
        workshop = Workshop(Landscape(model, read_observations(model.parts, y)))
        surrogate = workshop.surrogate(model.parameters)  # kernels are compiled, and the cloud is known
        model.parts.kept.clear()
        began = time.perf_counter()
        workshop.sites.factors(model.parameters, surrogate.cloud)
        first = time.perf_counter()
        workshop.sites.factors(model.parameters, surrogate.cloud)
        print(
            f"{kind}, N = 50, D = 3: sites {first - began:.1f} s with compilation, {time.perf_counter() - first:.2f} s again"
        )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("what", choices=("calibration", "outliers", "map", "sites"))
    arguments.add_argument("--count", type=int, default=40)
    given = arguments.parse_args()
    if given.what == "sites":
        sites()
    else:
        {"calibration": calibration, "outliers": outliers, "map": estimates}[given.what](given.count)


if __name__ == "__main__":
    main()
