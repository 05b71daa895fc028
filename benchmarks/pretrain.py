"""Learns models of music from a folder of scores, and says how probable they find pieces that they have not seen.

    python -m benchmarks.pretrain FOLDER --without bwv846                        # compares models
    python -m benchmarks.pretrain FOLDER --without bwv846 --output model.json    # learns the one in the box
    python -m benchmarks.pretrain FOLDER --without bwv846 --output model.json --slices 70 --longest 8 --starts 1 --steps 12

Every bar is a slice (of pieces with more than 52 bars, every two, or four). For Harmony, pieces are held out in turn, a
quarter at a time; for Gaussian models, which take longer to learn, only the first quarter is. All figures are log evidences
of pieces given their numbers of slices, those of Gaussian models by draws.
"""

import argparse
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

import recbayes as rb
from recbayes.music.harmony_learning import learn_harmony, log_evidence
from recbayes.music.model import MODES, profiles, start_model, with_single_leaves

LONGEST = 52
FOLDS = 4
BALANCES = (0.0, 1.0)
FIFTHS = {0: 0.6, 7: 0.2, 5: 0.12}  # weights of transpositions, to begin with; all others have the rest
KEPT = ["prior.components[0].shifts", "prior.components[1].shifts", "*pseudo_count"]
NEVER = (1.0 - sum(FIFTHS.values())) / (12 - len(FIFTHS))

Evidence = Callable[[np.ndarray], float]  # of a piece, by a model that was learnt


def counts_of(path: Path, slices: int | None = None) -> np.ndarray:
    counts = rb.music.slice_score(rb.music.read_score(path), slices or "bar").counts
    while slices is None and len(counts) > LONGEST:
        counts = np.add.reduceat(counts, np.arange(0, len(counts), 2))
    return counts


def harmony(balance: float, pieces: list[np.ndarray]) -> Evidence:
    return partial(log_evidence, learn_harmony(pieces, balance=balance).model)


def gaussian(kinds: tuple[str, ...], pieces: list[np.ndarray]) -> Evidence:
    """A value for each passage: "circulant" noise of bars, "two noises", "prolongations" that are splits of their own."""
    model = with_single_leaves(start_model([profiles(one) for one in pieces], modes=MODES))
    split, emit = model.variables[0].rules
    shifts = {(steps, 0): FIFTHS.get(steps, NEVER) for steps in range(12)}
    splits = [replace(split, shifts=shifts, left_link=_link(0.2), right_link=_link(0.02))]
    if "prolongations" in kinds:
        plain = replace(split, shifts={(0, 0): 1.0}, left_link=_link(0.02), right_link=_link(0.1))
        splits = [replace(one, probability=split.probability / 2) for one in (*splits, plain)]
    noises = [0.35, 0.6] if "two noises" in kinds else [0.45]
    emits = [replace(emit, probability=emit.probability / len(noises), covariance=noise**2 * np.eye(12)) for noise in noises]
    model = rb.GaussianRBN((rb.Variable("x", 12, (*splits, *emits)),), model.prior)
    structures = {f"x.rules[{len(splits) + n}].covariance": "circulant" for n in range(len(emits))}
    fit = rb.fit(
        model,
        [profiles(one) for one in pieces],
        covariance={**(structures if "circulant" in kinds else {}), "*": "scalar"},  # type: ignore[arg-type]
        fixed=KEPT,
        restarts=0,
        exact=None,
        standard_errors=False,
        tolerance=1e-2,
        max_evaluations=60,
    )
    return partial(_drawn, fit.model)


def _link(deviation: float) -> rb.Link:
    return rb.Link(deviation**2 * np.eye(12))


def _drawn(model: rb.GaussianRBN, counts: np.ndarray) -> float:
    y = profiles(counts)
    found = rb.sample_posterior(model, y, draws=200, seed=0, components=2).log_evidence
    return found - rb.inside(model, np.full_like(y, np.nan)).log_evidence


def compare(name: str, learn: Callable[[list[np.ndarray]], Evidence], pieces: list[np.ndarray], folds: int) -> np.ndarray:
    """Log evidences of the pieces that were held out, NaN for others."""
    began, found = time.perf_counter(), np.full(len(pieces), np.nan)
    for fold in range(folds):
        evidence = learn([one for number, one in enumerate(pieces) if number % FOLDS != fold])
        for number in range(fold, len(pieces), FOLDS):
            found[number] = evidence(pieces[number])
    first = found[::FOLDS].sum()
    total = f", all in turn {found.sum():.1f}" if folds == FOLDS else ""
    print(f"{name}: first quarter {first:.1f}{total} ({time.perf_counter() - began:.0f} s)", flush=True)
    return found


def _learn_best(pieces: list[np.ndarray], given: argparse.Namespace) -> rb.music.Harmony:
    settings = {"balance": given.balance, "longest": given.longest, "steps": given.steps}
    found = []
    for seed in range(given.starts):
        began = time.perf_counter()
        found.append(learn_harmony(pieces, seed=seed, **settings))
        said = f"{found[-1].history[-1]:.2f} after {len(found[-1].history)} steps, {time.perf_counter() - began:.0f} s"
        print(f"start {seed}: {said}; preparations by semitones {_intervals(found[-1].model)}", flush=True)
    return max(found, key=lambda one: one.history[-1]).model


def _intervals(model: rb.music.Harmony) -> dict[int, float]:
    """How probable each interval is between the root of what prepares and that of what follows, for pieces as wholes."""
    weights = model.roots @ model.preparations.sum(axis=2)
    return {int(steps): round(float(weights[steps]), 3) for steps in np.argsort(-weights)[:5]}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--without", default="", help="a piece that is not looked at")
    arguments.add_argument("--output", type=Path, help="learn from all pieces and write the model here")
    arguments.add_argument("--slices", type=int, help="of equal length in every piece, instead of bars")
    arguments.add_argument("--longest", type=int, default=1, help="how many slices a passage that is not divided may have")
    arguments.add_argument("--steps", type=int, default=40, help="at most")
    arguments.add_argument("--starts", type=int, default=3, help="of which the one of highest evidence is written")
    arguments.add_argument("--balance", type=float, default=BALANCES[-1], help="of the model that is written")
    given = arguments.parse_args()
    warnings.simplefilter("ignore", rb.ApproximationWarning)
    paths = {path.stem: path for path in sorted(given.folder.rglob("*.krn")) if path.stem != given.without}
    pieces = [counts_of(path, given.slices) for path in paths.values()]
    print(f"{len(pieces)} pieces, {sum(map(len, pieces))} slices", flush=True)
    if given.output:
        _learn_best(pieces, given).save(given.output)
        return
    by_balance = {one: compare(f"harmony, balance {one:g}", partial(harmony, one), pieces, FOLDS) for one in BALANCES}
    for balance in BALANCES[1:]:
        gain = by_balance[balance] - by_balance[BALANCES[0]]
        error = gain.std(ddof=1) * np.sqrt(len(gain))
        print(f"  balance {balance:g} against {BALANCES[0]:g}: {gain.sum():+.1f} +- {error:.1f} nats")
    for kinds in ((), ("circulant",), ("circulant", "two noises"), ("circulant", "prolongations")):
        compare(f"Gaussian{', '.join(['', *kinds])}", partial(gaussian, kinds), pieces, 1)


if __name__ == "__main__":
    main()
