"""The models that are learnt, and what is done with them: the one place of the study that knows what they are made of.

Another model is another `MusicModel` in the list.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import singledispatch
from typing import Any

import numpy as np

from recbayes.discrete.chart.chart import DiscreteChart
from recbayes.errors import ApproximationWarning, DataError, LengthError
from recbayes.family.posterior import Posterior
from recbayes.gaussian.emissions.composition import Composition, shares_of
from recbayes.gaussian.emissions.emission import Emission
from recbayes.gaussian.learn.starts import variation
from recbayes.gaussian.model.parts import Split
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.inference.charts import outside
from recbayes.inference.draws import sample_posterior
from recbayes.inference.inside import inside
from recbayes.music.analysis import draw_passages
from recbayes.music.harmony import Harmony
from recbayes.music.harmony_learning import log_balance, start_harmony
from recbayes.music.model import literal_model, literal_series, profiles, start_model, with_single_leaves

KEYS = "prior.components[0].shifts"  # all keys are as probable
SCALAR = {"covariance": "scalar", "fixed": [KEYS, "*pseudo_count"]}
LITERAL = {"covariance": "scalar", "fixed": [KEYS], "exact": None}
COMPONENTS = 2  # Gaussians per message: twelve transpositions are much for one
RARE = 0.02  # of kinds of harmony that pieces are hardly ever of
ROUNDS = 5  # of turning profiles to agree with their mean


@dataclass(frozen=True)
class MusicModel:
    """What is learnt from which observations; functions are of the module level, so that they can be sent to processes.

    `per` says what an observation is: a slice or a bar ("slices", "bars"). `start` makes the model that a climb begins
    with, from the counts (N, 12) of the pieces and the number of the start. `settings` are those of `rb.fit`, which lets
    leaves begin at every observation, or at every `step`-th.
    """

    name: str
    title: str
    per: str
    start: Callable[[Sequence[np.ndarray], int], "Learnt"]
    values: Callable[[np.ndarray], Any]  # a series
    settings: Mapping[str, Any] = field(default_factory=dict)
    step: int = 1


Learnt = GaussianRBN | Harmony  # what a model is, before and after it is learnt; functions below are for either


@singledispatch
def to_proportions(model: Any, values: np.ndarray) -> np.ndarray:
    """Proportions of the values of a node."""
    emission = next(rule for rule in model.variables[0].rules if isinstance(rule, Emission))
    if isinstance(emission, Composition):
        return shares_of(emission, values)
    found = np.exp(values - values.max(axis=-1, keepdims=True))
    return found / found.sum(axis=-1, keepdims=True)


def start_slices(counts: Sequence[np.ndarray], number: int) -> GaussianRBN:
    """Leaves have several slices."""
    return _varied(start_model([profiles(one) for one in counts]), number)


def start_bars(counts: Sequence[np.ndarray], number: int) -> GaussianRBN:
    """Every bar is a leaf."""
    return _varied(with_single_leaves(start_model([profiles(one) for one in counts])), number)


def start_kinds(counts: Sequence[np.ndarray], number: int) -> Harmony:
    """Kinds of harmony; every bar is a leaf."""
    return start_harmony(counts, seed=number)


def as_counts(counts: np.ndarray) -> np.ndarray:
    return counts


def start_published(counts: Sequence[np.ndarray], number: int) -> GaussianRBN:
    """The paper's model, literally."""
    return _varied(literal_model([profiles(one) for one in counts]), number)


def _varied(model: GaussianRBN, number: int) -> GaussianRBN:
    """The first start is the model; others differ in kind, and in what is thought of transpositions."""
    return model if number == 0 else variation(model, number - 1, np.random.default_rng(number))


def mean_profile(counts: Sequence[np.ndarray]) -> np.ndarray:
    """(12,): proportions of all pieces, each turned so that it agrees best with the others."""
    profiles = [one.sum(axis=0) / one.sum() for one in counts]
    mean = profiles[0]
    for _ in range(ROUNDS):
        mean = np.mean([max(_turned(one), key=lambda turned: float(turned @ mean)) for one in profiles], axis=0)
    return mean


def _turned(profile: np.ndarray) -> list[np.ndarray]:
    return [np.roll(profile, steps) for steps in range(len(profile))]


@singledispatch
def posterior_of(
    model: Any, named: MusicModel, counts: np.ndarray, draws: int, seed: int, allowed: np.ndarray | None = None
) -> Posterior:
    """Draws of trees of a piece."""
    return sample_posterior(model, named.values(counts), draws=draws, seed=seed, allowed=allowed, components=COMPONENTS)


@posterior_of.register
def _(
    model: Harmony, named: MusicModel, counts: np.ndarray, draws: int, seed: int, allowed: np.ndarray | None = None
) -> Posterior:
    return draw_passages(model, counts, draws, seed, allowed)


@singledispatch
def log_evidence(model: Any, named: MusicModel, counts: np.ndarray, allowed: np.ndarray) -> float:
    """log p of a piece and of what is known of its tree; -inf if the model has no such tree."""
    try:
        return inside(model, named.values(counts), allowed=allowed).log_evidence
    except (DataError, LengthError):
        return -np.inf


@log_evidence.register
def _(model: Harmony, named: MusicModel, counts: np.ndarray, allowed: np.ndarray) -> float:
    try:
        return _harmony_chart(model, counts, allowed=allowed).log_evidence + evidence_apart(model, counts)
    except (DataError, LengthError):
        return -np.inf


def _harmony_chart(model: Harmony, counts: np.ndarray, **known: Any) -> DiscreteChart:
    grammar = model.grammar(counts)
    return inside(grammar, grammar.tokens, preference=grammar.preference, **known)


@singledispatch
def evidence_apart(model: Any, counts: np.ndarray) -> float:
    """What the log evidence of a chart lacks to be that of a piece."""
    return 0.0


@evidence_apart.register
def _(model: Harmony, counts: np.ndarray) -> float:
    return model.grammar(counts).log_scale - log_balance(len(counts), model)


@singledispatch
def node_means(model: Any, named: MusicModel, counts: np.ndarray) -> np.ndarray:
    """(N + 1, N + 1, 12): what every span's value would be, if it were a node, as the paper has it; NaN if it cannot be."""
    means = np.full((len(counts) + 1, len(counts) + 1, 12), np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ApproximationWarning)  # of its probabilities, which are not used
        found = outside(inside(model, named.values(counts)))
    for start in range(len(counts)):
        for end in range(start + 1, len(counts) + 1):
            try:
                means[start, end] = found.node(start, end).mean
            except DataError:
                continue
    return means


@node_means.register
def _(model: Harmony, named: MusicModel, counts: np.ndarray) -> np.ndarray:
    """Profiles of the states that a span may be in, if it is a node."""
    means = np.full((len(counts) + 1, len(counts) + 1, 12), np.nan)
    profiles_ = np.array([np.roll(profile, root) for profile in model.profiles for root in range(12)])
    chart = _harmony_chart(model, counts)
    nodes = chart.outside.nodes[:, : model.states]
    for start in range(len(counts)):
        for end in range(start + 1, len(counts) + 1):
            weights = nodes[chart.span(start, end)]
            if weights.sum() > 0.0:
                means[start, end] = weights @ profiles_ / weights.sum()
    return means


@singledispatch
def shift_weights(model: Any) -> np.ndarray:
    """(12,): how probable it is that a left part is turned by so many semitones, if something splits."""
    weights = np.zeros(12)
    for rule in model.variables[0].rules:
        if isinstance(rule, Split):
            for (left, _), weight in rule.shifts.items():
                weights[left] += rule.probability * weight
    return weights / weights.sum() if weights.any() else weights


@shift_weights.register
def _(model: Harmony) -> np.ndarray:
    """Of the kinds that pieces are of."""
    return model.roots @ model.preparations.sum(axis=2)


@singledispatch
def prior_means(model: Any) -> list[np.ndarray]:
    """The means of what a piece may begin with, the most probable first."""
    components = sorted(model.prior.components, key=lambda one: -one.weight)
    return [one.mean for one in components]


@prior_means.register
def _(model: Harmony) -> list[np.ndarray]:
    order = np.argsort(-model.roots)
    return [model.profiles[kind] for kind in order if model.roots[kind] > RARE]


@to_proportions.register
def _(model: Harmony, values: np.ndarray) -> np.ndarray:
    found = np.maximum(np.exp(values) - model.pseudo_count - model.resolution, 0.0)
    return found / found.sum(axis=-1, keepdims=True)


MODELS = (
    MusicModel("published", "as published", "slices", start_published, literal_series, LITERAL, 2),
    MusicModel("slices", "slices", "slices", start_slices, profiles, SCALAR, 2),
    MusicModel("bars", "bars", "bars", start_bars, profiles, SCALAR),
    MusicModel("harmony", "kinds of harmony, by bars", "bars", start_kinds, as_counts),
)
