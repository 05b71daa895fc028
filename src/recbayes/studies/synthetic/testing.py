"""All methods on test sequences.

A sequence's record has, for every method, how many nodes are both true and predicted, predicted, and true (sums of
probabilities where there is no single tree), and for probabilities how often spans of each probability exist.
"""

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from recbayes.errors import ApproximationWarning
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.gaussian.posterior.draws import draw
from recbayes.inference.charts import best_tree, outside, quick_node_probability
from recbayes.inference.inside import inside
from recbayes.studies.calibration import count_by_probability
from recbayes.studies.synthetic import methods
from recbayes.studies.synthetic.data import checksum, make_sequence, sequence_seed, true_model
from recbayes.studies.synthetic.learning import learnt_model
from recbayes.studies.synthetic.methods import Method, label
from recbayes.studies.synthetic.settings import Settings
from recbayes.studies.synthetic.tuning import bayesian_tree, change_point_tree
from recbayes.tree.metrics import Scores, node_scores, probabilistic_node_scores
from recbayes.tree.tree import Tree

LARGEST = 1e300  # what is written of probabilities that overflow


class Inference(NamedTuple):
    """What a network says of a series: trees, and probabilities of all nodes, by method."""

    trees: dict[Method, Tree]
    probabilities: dict[Method, np.ndarray]
    effective_share: float


class Clock:
    """Seconds spent, and how many times, by what on."""

    def __init__(self) -> None:
        self.work: dict[str, list[float]] = {}

    @contextmanager
    def measure(self, what: str) -> Iterator[None]:
        began = time.perf_counter()
        yield
        total = self.work.setdefault(what, [0.0, 0])
        total[0] += time.perf_counter() - began
        total[1] += 1


def run_methods(settings: Settings, noise: float, numbers: range, prepared: dict[str, Any]) -> dict[str, Any]:
    """Records of some test sequences. `prepared` has the tuned baselines and the learnt model."""
    clock = Clock()
    models = {"learnt": learnt_model(prepared["learnt"]), "true": true_model(noise, "test")}
    records = []
    for number in numbers:
        with clock.measure("sampling"):
            values, tree = make_sequence(settings, noise, "test", number)
        found: dict[str, Tree | np.ndarray] = {}
        with clock.measure(methods.HC_CPD.name):
            found[methods.HC_CPD.name] = change_point_tree(prepared["change_points"], values)
        with clock.measure(methods.BAYESIAN.name):
            found[methods.BAYESIAN.name] = bayesian_tree(prepared["bayesian"], values)
        shares = {}
        for parameters, model in models.items():
            inference = infer(
                model, values, settings.draws, draw_seed(settings, noise, "test", number), clock, methods.NETWORK
            )
            found |= _labelled(inference, parameters)
            shares[parameters] = inference.effective_share
        record = _record(settings, noise, "test", number, values, tree, found)
        records.append(record | {"effective_share": shares})
    return {"records": records, "work": clock.work}


def run_unshifted(settings: Settings, noise: float, numbers: range) -> dict[str, Any]:
    """Probabilities of nodes where nothing is transposed, with the true parameters.

    Without transpositions the context of a node is close to one Gaussian, which is all that the paper's outside messages
    can hold. If they fail with transpositions and not without, it is this approximation that fails.
    """
    clock = Clock()
    records = []
    for number in numbers:
        values, tree = make_sequence(settings, noise, "unshifted", number)
        seed = draw_seed(settings, noise, "unshifted", number)
        inference = infer(
            true_model(noise, "unshifted"), values, settings.draws, seed, clock, (methods.OUTSIDE, methods.NODES)
        )
        record = _record(settings, noise, "unshifted", number, values, tree, _labelled(inference, "true"))
        records.append(record)
    return {"records": records}


def infer(
    model: GaussianRBN, values: np.ndarray, draws: int, seed: int, clock: Clock, wanted: tuple[Method, ...]
) -> Inference:
    """What the network says by each of the wanted methods."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ApproximationWarning)  # how poor they are is what is measured here
        with clock.measure("inside"):
            chart = inside(model, values)
        with clock.measure("posterior draws"):
            posterior = draw(chart, draws, seed)
        makers: dict[Method, Callable[[], Any]] = {
            methods.BEST_TREE: lambda: best_tree(chart),
            methods.MOST_PROBABLE: lambda: posterior.tree("map"),
            methods.EXPECTED_F1: posterior.tree,
            methods.OUTSIDE: lambda: outside(chart).node_probability,
            methods.QUICK: lambda: quick_node_probability(chart).node_probability,
            methods.NODES: lambda: posterior.node_probability,
        }
        found: dict[Method, Any] = {}
        for method in wanted:
            with clock.measure(method.name):
                found[method] = makers[method]()
    trees = {method: result for method, result in found.items() if method.trees}
    probabilities = {method: result for method, result in found.items() if not method.trees}
    return Inference(trees, probabilities, posterior.effective_sample_size / draws)


def _labelled(inference: Inference, parameters: str) -> dict[str, Tree | np.ndarray]:
    found: dict[str, Tree | np.ndarray] = {}
    found |= {label(method, parameters): tree for method, tree in inference.trees.items()}
    found |= {label(method, parameters): table for method, table in inference.probabilities.items()}
    return found


def draw_seed(settings: Settings, noise: float, role: str, number: int) -> int:
    return sequence_seed(settings, noise, role, number) % 2**62


def _record(
    settings: Settings,
    noise: float,
    role: str,
    number: int,
    values: np.ndarray,
    tree: Tree,
    found: dict[str, Tree | np.ndarray],
) -> dict[str, Any]:
    probabilities = {name: result for name, result in found.items() if isinstance(result, np.ndarray)}
    return {
        "number": number,
        "seed": sequence_seed(settings, noise, role, number),
        "checksum": checksum(values),
        "length": len(values),
        "scores": {name: _counts(score(tree.spans, result)) for name, result in found.items()},
        "scores_as_published": {name: _counts(score(published_truth(tree), result)) for name, result in found.items()},
        "calibration": {name: count_by_probability(result, tree) for name, result in probabilities.items()},
        "largest": {name: float(min(result.max(), LARGEST)) for name, result in probabilities.items()},
    }


def score(true_spans: Any, found: Tree | np.ndarray) -> Scores:
    """Against the spans of the true tree, as the paper does, but that outside marginals above 1 count as 1.

    As they are, they would put the mean recall above 1 at some noise levels, because of a few sequences.
    """
    if isinstance(found, Tree):
        return node_scores(true_spans, found)
    return probabilistic_node_scores(true_spans, np.minimum(found, 1.0))


def published_truth(tree: Tree) -> tuple[tuple[int, int], ...]:
    """The true nodes as the authors' data list them: leaves of two observations also have each of them as a node.

    Leaves of three and more observations are listed whole there, so that this is a quirk, and no part of the model.
    """
    pairs = [leaf.span for leaf in tree.leaves if leaf.end - leaf.start == 2]
    return (*tree.spans, *((place, place + 1) for start, end in pairs for place in range(start, end)))


def _counts(scores: Scores) -> list[float]:
    return [float(scores.shared), float(scores.predicted), float(scores.true)]
