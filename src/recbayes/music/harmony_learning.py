"""Learning harmony from pieces by expectation maximisation. Sums over trees and states are exact.

Pieces may be in any key: sums over roots are part of the model. Kinds begin as what musicians call by their names, and a
weak prior holds their profiles there. Because of the priors, and as the width of recorded steps counts as noise in a step,
the evidence may fall a little where it is nearly highest: there learning ends.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from recbayes.checks.arguments import executor_of, instance, listed
from recbayes.checks.arrays import frozen, not_negative, short, whole_number
from recbayes.checks.many import named
from recbayes.errors import DataError
from recbayes.inference.inside import inside
from recbayes.learn.reestimate import expected_counts
from recbayes.music.harmony import CLASSES, SPLIT, Harmony
from recbayes.music.model import MODES, PSEUDO_COUNT, RESOLUTION, mean_profiles, profiles

KINDS = {  # notes from the root on
    "major triad": (0, 4, 7),
    "minor triad": (0, 3, 7),
    "dominant seventh": (0, 4, 7, 10),
    "diminished seventh": (0, 3, 6, 9),
    "minor seventh": (0, 3, 7, 10),
    "major seventh": (0, 4, 7, 11),
    "half-diminished seventh": (0, 3, 6, 10),
    "suspended seventh": (0, 5, 7, 10),
    "dominant ninth": (0, 1, 4, 7, 10),
    "single note": (0,),
    "major scale": (0, 2, 4, 5, 7, 9, 11),
    "minor scale": (0, 2, 3, 5, 7, 8, 11),
}
SCALES = (0.6, 1.0, 1.6)
DEVIATION = 0.55  # of slices, to begin with
INTERVALS = {0: 0.3, 7: 0.3, 5: 0.1, 2: 0.05}  # weights of intervals between what prepares and what follows, likewise
PROFILE_PRIOR = 2.0  # slices that a kind has heard of its own notes alone
RULE_PRIOR = 0.5  # preparations that each kind has seen, of all alike
MOST_SLICES = 32  # of a passage that is not divided
LENGTH_PRIOR = 0.1  # passages of each length that have been seen
ROOT_PRIOR = 0.1  # pieces that each kind has been of


@dataclass(frozen=True)
class LearntHarmony:
    """A model of harmony that was learnt, and how.

    Attributes:
        model: the model.
        history: the log evidence of all pieces (of slices and of their number) before each step and at the end.
        converged: whether the last step gained less than the tolerance.
    """

    model: Harmony
    history: tuple[float, ...]
    converged: bool

    @property
    def free(self) -> int:
        """How many numbers were learnt."""
        model, waves = self.model, CLASSES // 2 + 1
        each = model.profiles.size + waves + len(model.scales) - 1 + len(model.kinds) - 1
        return each + model.preparations.size - len(model.kinds) + len(model.lengths) - 1


def learn_harmony(
    pieces: Sequence[np.ndarray],
    *,
    steps: int = 40,
    tolerance: float = 1e-4,
    balance: float | None = None,
    longest: int | None = None,
    seed: int = 0,
    start: Harmony | None = None,
    executor: Executor | None = None,
    n_jobs: int | None = None,
    tell: Callable[[int, float], None] | None = None,
) -> LearntHarmony:
    """Harmony of pieces, by expectation maximisation: a `LearntHarmony`.

    Arguments:
        pieces: sounding times of each (slices, 12), as `slice_score(...).counts` are.
        steps: how many, at most.
        tolerance: it ends when a step raises the log evidence by less than so much times the number of slices.
        balance: the strength of `rb.balanced_preference`. None: 0, or that of the model to begin with.
        longest: how many slices a passage that is not divided may have. None: one (for bars), or as many as in the model to
            begin with.
        seed: varies what preparations begin with.
        start: a model to begin with, which has its own balance and longest passage. None makes one from the pieces.
        executor: what runs the work, any of `concurrent.futures`. None takes threads.
        n_jobs: how many jobs of joblib run it instead, as for `rb.inside`. None leaves it to the executor.
        tell: is told each step, and the log evidence before it. None tells nobody.
    """
    listing = listed(pieces, "pieces", "arrays of sounding times", DataError)
    given = [named(f"piece {number}", checked_counts, piece) for number, piece in enumerate(listing)]
    if not given or not any(piece.any() for piece in given):
        raise DataError("there are no pieces to learn from, or none in which anything sounds")
    steps = whole_number(steps, "steps", least=0, error=DataError)
    tolerance = not_negative(tolerance, "tolerance") * sum(map(len, given))
    if tell is not None and not callable(tell):
        raise DataError(f"tell must be a function of the step and the log evidence, got {short(tell)}")
    if start is None:
        chosen: dict[str, Any] = {"balance": balance, "longest": longest}
        start = start_harmony(given, seed=seed, **{name: one for name, one in chosen.items() if one is not None})
    elif balance is not None or longest is not None:
        raise DataError("balance and longest are those of the model to start with; give them, or start=, not both")
    model = before = instance(start, Harmony, "start")
    history: list[float] = []
    runner = executor_of(executor, n_jobs)
    with ThreadPoolExecutor() as own:
        for step in range(steps + 1):
            found = list((runner or own).map(partial(_expect, model), given))
            history.append(sum(one.log_evidence for one in found))
            if tell is not None:
                tell(step, history[-1])
            gained = history[-1] - history[-2] if step else np.inf
            if step == steps or gained < tolerance:
                break
            model, before = _maximise(model, found, start.profiles), model
    return LearntHarmony(model if gained >= 0.0 else before, tuple(history), gained < tolerance)


def log_evidence(model: Harmony, counts: np.ndarray) -> float:
    """log p(slices | their number): of all trees over so many slices, weighed by the balance."""
    grammar = model.grammar(checked_counts(counts))
    chart = inside(grammar, grammar.tokens, preference=grammar.preference)
    return float(chart.log_evidence + grammar.log_scale - log_structures(len(chart.tokens), model))


def checked_counts(counts: object) -> np.ndarray:
    """Sounding times (slices x 12): finite, not negative, of one slice or more."""
    found = frozen(counts, "sounding times", error=DataError)
    if found.ndim != 2 or found.shape[1] != CLASSES or not len(found) or (found < 0.0).any():
        least = f", the least {found.min():.6g}" if found.size else ""
        raise DataError(f"sounding times must have shape (slices, {CLASSES}) and not be negative, got {found.shape}{least}")
    return found


def start_harmony(pieces: Sequence[np.ndarray], *, balance: float = 0.0, longest: int = 1, seed: int = 0) -> Harmony:
    """Kinds as they are called; preparations by fifths before others, varied a little by the seed."""
    rng = np.random.default_rng(whole_number(seed, "seed", least=0, error=DataError))
    weights = np.full((len(KINDS), CLASSES, len(KINDS)), 0.01)
    for steps, weight in INTERVALS.items():
        weights[:, steps] += weight
    weights *= np.exp(0.3 * rng.normal(size=weights.shape))
    return Harmony(
        tuple(KINDS),
        start_profiles(),
        DEVIATION**2 * np.eye(CLASSES),
        np.array(SCALES),
        np.full(len(SCALES), 1.0 / len(SCALES)),
        np.full(len(KINDS), 1.0 / len(KINDS)),
        weights / weights.sum(axis=(1, 2), keepdims=True),
        np.array(mean_profiles([profiles(piece) for piece in pieces], MODES)),
        balance,
        PSEUDO_COUNT,
        RESOLUTION,
        np.full(longest, 1.0 / whole_number(longest, "longest", least=1, most=MOST_SLICES, error=DataError)),
    )


@dataclass(frozen=True, eq=False)
class _Expected:
    """Of one piece: the log evidence of slices and of their number, and expected numbers."""

    log_evidence: float
    pairs: np.ndarray  # (states, states) what prepares what
    starts: np.ndarray  # (states,) what the piece is
    slices: np.ndarray  # (scales, slices, states)
    lengths: np.ndarray  # passages with one slice, two, ...
    logs: np.ndarray  # (slices, 12) what was heard; NaN where nothing was


def _expect(model: Harmony, counts: np.ndarray) -> _Expected:
    grammar, states = model.grammar(counts), model.states
    heard, rules, size = grammar.heard, grammar.rules, len(counts)
    found = expected_counts(grammar, grammar.tokens, preference=grammar.preference)
    grammar.flat()._kept.clear()  # what was kept with it refers back to it: gigabytes, until they are collected
    shares = np.exp(heard.by_scale - heard.log_density)
    several = found.rules[rules.passages].reshape(-1, states).sum(axis=1)
    return _Expected(
        found.log_evidence + grammar.log_scale - log_balance(size, model),
        found.rules[rules.preparations].reshape(states, states),
        found.roots[:states],
        shares * found.rules[rules.slices].reshape(size, states),
        several if len(several) else np.array([float(size)]),
        heard.logs,
    )


def log_balance(size: int, model: Harmony) -> float:
    """By how much preferences change the log of the sum over all trees of so many slices."""
    return log_structures(size, model) - log_structures(size, model.with_fields(balance=0.0))


def log_structures(size: int, model: Harmony) -> float:
    """The log of the sum over all trees of their probabilities and preferences, whatever is heard."""
    logs = np.full(size + 1, -np.inf)
    with np.errstate(divide="ignore"):
        lengths = np.log1p(-SPLIT) + np.log(model.lengths)
    for width in range(1, size + 1):
        parts = logs[1:width] + logs[width - 1 : 0 : -1] + np.log(SPLIT)
        whole = lengths[width - 1 : width]  # none, if a passage of so many slices is always divided
        preferred = -model.balance * np.log(width - 1) if width > 1 else 0.0
        logs[width] = np.logaddexp.reduce(np.append(parts, whole)) + preferred
    return float(logs[size])


def _maximise(model: Harmony, found: Sequence[_Expected], start: np.ndarray) -> Harmony:
    """The model that expected numbers make most probable; profiles are held near those to start with."""
    kinds = len(model.kinds)
    totals = {"weight": np.zeros(kinds), "sum": np.zeros((kinds, CLASSES)), "scales": np.ones(len(model.scales))}
    heard = []
    for one in found:
        known = ~np.isnan(one.logs).any(axis=1)
        turned = np.stack([np.roll(one.logs[known], -root, axis=1) for root in range(CLASSES)])  # (root, slice, 12)
        by_scale = one.slices[:, known].reshape(len(model.scales), -1, kinds, CLASSES)
        weights = np.einsum("s,snkr->krn", 1.0 / model.scales**2, by_scale)
        totals["weight"] += weights.sum(axis=(1, 2))
        totals["sum"] += np.einsum("krn,rna->ka", weights, turned)
        totals["scales"] += by_scale.sum(axis=(1, 2, 3))
        heard.append((turned, weights))
    profiles_ = (totals["sum"] + PROFILE_PRIOR * start) / (totals["weight"] + PROFILE_PRIOR)[:, None]
    square = np.zeros((CLASSES, CLASSES))
    for turned, weights in heard:
        apart = turned[None] - profiles_[:, None, None]  # (kind, root, slice, 12)
        square += np.einsum("krn,krna,krnb->ab", weights, apart, apart, optimize=True)
    slices = sum(turned.shape[1] for turned, _ in heard)
    pairs = np.sum([one.pairs for one in found], axis=0).reshape(kinds, CLASSES, kinds, CLASSES)
    places = np.arange(CLASSES)
    counted = np.stack([pairs[:, places, :, (places + steps) % CLASSES].sum(axis=0) for steps in range(CLASSES)], axis=1)
    counted += RULE_PRIOR / (CLASSES * kinds)
    lengths = np.sum([one.lengths for one in found], axis=0) + LENGTH_PRIOR
    roots = np.sum([one.starts for one in found], axis=0).reshape(kinds, CLASSES).sum(axis=1) + ROOT_PRIOR
    return model.with_fields(
        profiles=profiles_,
        covariance=_circulant(square / slices),
        scale_weights=totals["scales"] / totals["scales"].sum(),
        roots=roots / roots.sum(),
        preparations=counted / counted.sum(axis=(1, 2), keepdims=True),
        lengths=lengths / lengths.sum(),
    )


def start_profiles() -> np.ndarray:
    """(kinds, 12): logarithms of the shares that kinds begin with."""
    shares = np.full((len(KINDS), CLASSES), 0.03)
    for row, notes in zip(shares, KINDS.values(), strict=True):
        row[list(notes)] = 0.8 / len(notes)
    return np.log(shares / shares.sum(axis=1, keepdims=True) + PSEUDO_COUNT + RESOLUTION)


def _circulant(square: np.ndarray) -> np.ndarray:
    """The nearest covariance that is the same in all keys: the mean over all of them."""
    return np.mean([np.roll(square, (steps, steps), axis=(0, 1)) for steps in range(CLASSES)], axis=0)
