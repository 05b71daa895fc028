"""Learns the music model in the box from a folder of scores, and says how well it does on pieces that it has not seen.

    python -m benchmarks.pretrain FOLDER --without bwv846 --output model.json

Every bar is a leaf (of pieces with more than 52 bars, every two, or four). Deviations are learnt as multiples of the
identity first, and then as circulant covariances, which are the same in all keys. Without `--output`, every fifth piece is
held out, and each model judged by the evidence of draws of these; with it, the model is learnt from all pieces.
"""

import argparse
import time
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np

import recbayes as rb
from recbayes.music.model import MODES, mode_profiles, profiles, start_model, with_single_leaves

LONGEST = 52
FIXED = ["prior.components[0].shifts", "prior.components[1].shifts", "*pseudo_count"]
FIFTHS = {0: 0.6, 7: 0.2, 5: 0.12}  # weights of transpositions, to begin with; all others have the rest


def bars_of(path: Path) -> np.ndarray:
    counts = rb.music.slice_score(rb.music.read_score(path), "bar").counts
    while len(counts) > LONGEST:
        counts = np.add.reduceat(counts, np.arange(0, len(counts), 2))
    return profiles(counts)


def begin(pieces: list[np.ndarray]) -> rb.GaussianRBN:
    model = with_single_leaves(start_model(pieces, modes=MODES))
    split, emit = model.variables[0].rules
    rest = (1.0 - sum(FIFTHS.values())) / (12 - len(FIFTHS))
    split = replace(
        split,
        shifts={(steps, 0): FIFTHS.get(steps, rest) for steps in range(12)},
        left_link=rb.Link(0.22**2 * np.eye(12)),
        right_link=rb.Link(0.03**2 * np.eye(12)),
    )
    emit = replace(emit, covariance=0.41**2 * np.eye(12))
    components = tuple(replace(one, covariance=0.1**2 * np.eye(12)) for one in model.prior.components)
    return rb.GaussianRBN((rb.Variable("x", 12, (split, emit)),), rb.Prior("x", components))


def learn(model: rb.GaussianRBN, pieces: list[np.ndarray], covariance: str, evaluations: int, checkpoint: Path) -> rb.Fit:
    return rb.fit(
        model,
        pieces,
        covariance=covariance,  # type: ignore[arg-type]
        fixed=FIXED,
        restarts=0,
        exact=None,
        standard_errors=False,
        tolerance=1e-2,
        max_evaluations=evaluations,
        checkpoint=checkpoint,
        resume=True,
    )


def held_out(model: rb.GaussianRBN, pieces: list[np.ndarray]) -> tuple[float, float]:
    found = rb.sample_posterior(model, pieces, draws=300, seed=0, components=2)
    return sum(one.log_evidence for one in found), float(np.sqrt(sum(one.log_evidence_error**2 for one in found)))


def describe(model: rb.GaussianRBN) -> None:
    split, emit = model.variables[0].rules
    for name, covariance in (("left", split.left_link), ("right", split.right_link), ("noise", emit)):
        C = covariance.covariance
        print(
            f"  {name}: deviation {np.sqrt(C[0, 0]):.3f}, "
            f"correlations by semitones {(C[0] / C[0, 0])[1:7].round(2).tolist()}"
        )
    weights = sorted(((weight, steps[0]) for steps, weight in split.shifts.items()), reverse=True)
    print("  transpositions:", ", ".join(f"{steps}: {weight:.3f}" for weight, steps in weights if weight > 0.005))
    for mode, profile in mode_profiles(model).items():
        print(f"  {mode}: {profile.round(3).tolist()}", flush=True)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--without", default="", help="a piece that is not looked at")
    arguments.add_argument("--output", type=Path, help="learn from all pieces and write the model here")
    arguments.add_argument("--evaluations", type=int, default=60)
    arguments.add_argument("--work", type=Path, default=Path("."), help="where checkpoints are kept")
    given = arguments.parse_args()
    warnings.simplefilter("ignore", rb.ApproximationWarning)
    paths = {path.stem: path for path in sorted(given.folder.rglob("*.krn")) if path.stem != given.without}
    pieces = [bars_of(path) for path in paths.values()]
    print(f"{len(pieces)} pieces, {sum(map(len, pieces))} slices", flush=True)
    chosen = pieces if given.output else [one for number, one in enumerate(pieces) if number % 5]
    model = begin(chosen)
    for covariance in ("scalar", "circulant"):
        began = time.perf_counter()
        fit = learn(model, chosen, covariance, given.evaluations, given.work / f"pretrain-{covariance}-{len(chosen)}.json")
        model = fit.model
        took = time.perf_counter() - began
        print(
            f"{covariance}: log likelihood {fit.log_likelihood:.1f} by charts, {len(fit.history)} evaluations, {took:.0f} s"
        )
        describe(model)
        if not given.output:
            print("  held out: {:.2f} +- {:.2f}".format(*held_out(model, pieces[::5])), flush=True)
    if given.output:
        model.save(given.output)


if __name__ == "__main__":
    main()
