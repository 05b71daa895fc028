"""Whether learning ends at the same place whatever its seed, and whether the evidence that it reports is right.

    python benchmarks/learning.py seeds --series FILE      one series at a time, from ten seeds each
    python benchmarks/learning.py sampled                  8 dimensions, 8 shifts, much noise: reported and careful evidence
    python benchmarks/learning.py coverage --count 50      how often 95 % intervals hold the truth
    python benchmarks/learning.py time                     ten series where charts are to be trusted, beside charts alone
    python benchmarks/learning.py music --counts FILE      pieces of music in log space: twelve shifts of the child that
                                                           is not the head (--head right, left, both)

Series of more than a hundred observations or so may be cut at a hundred places only, equally far from each other.
"""

import argparse
import time
import warnings
from concurrent.futures import ProcessPoolExecutor

import numpy as np

import recbayes as rb
from recbayes.gaussian.posterior.draws import draw
from recbayes.gaussian.posterior.posterior import GaussianPosterior
from recbayes.studies.synthetic.data import paper_model, paper_parameters

POINTS = 100


def places(length: int) -> np.ndarray | None:
    step = -(-length // POINTS)
    return None if step == 1 else np.append(np.arange(0, length, step), length)


def one_seed(values: np.ndarray, seed: int, priors: str | None) -> tuple[float, float, float]:
    """What was climbed to (with priors), the log likelihood by charts, and the seconds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rb.ApproximationWarning)
        found = rb.fit(
            None,
            values,
            covariance="diagonal",
            seed=seed,
            boundaries=places(len(values)),
            priors=priors,  # type: ignore[arg-type]
            standard_errors=False,
        )
    return found.chart_log_likelihood + found.log_prior, found.chart_log_likelihood, found.seconds


def seeds(path: str | None, count: int, priors: str | None, workers: int) -> None:
    series = {"the Nile without its last": rb.data.nile().values[:-1]}
    if path is not None:
        from recbayes.studies.real.reading import read_collection

        series |= {one.name: one.values for one in sorted(read_collection(path).series, key=lambda one: len(one.values))}
    with ProcessPoolExecutor(workers) as pool:
        for name, values in series.items():
            many = list(pool.map(one_seed, [values] * count, range(count), [priors] * count))
            tops, likelihoods, times = np.array(many).T
            same = int((tops > tops.max() - 0.1).sum())
            print(
                f"{name} ({len(values)} x {values.shape[1]}): {same} of {count} within 0.1 of {tops.max():.3f}, "
                f"the worst {tops.min() - tops.max():.3f}; log likelihood {likelihoods[tops.argmax()]:.3f}; "
                f"{np.mean(times):.1f} s each",
                flush=True,
            )


def sampled() -> None:
    shifts = {steps: 1.0 / 8.0 for steps in range(8)}
    truth = rb.GaussianRBN.create(
        dim=8,
        prior_mean=np.linspace(1.5, -1.5, 8),
        prior_std=0.5,
        left_std=0.3,
        right_std=0.3,
        noise_std=1.0,
        termination=0.6,
        shifts=shifts,
        extra_observations=2.0,
    )
    series = [truth.sample(seed=seed, min_length=24, max_length=30)[0] for seed in range(6)]

    def careful(model: rb.GaussianRBN) -> float:
        return sum(one.log_evidence for one in rb.sample_posterior(model, series, draws=4000, seed=99, components=4))

    start = rb.GaussianRBN.guess(series, shifts=shifts)
    for name, exact in (("charts alone", None), ("charts and draws", "auto")):
        found = rb.fit(start, series, covariance="scalar", standard_errors=False, exact=exact)  # type: ignore[arg-type]
        told, drawn = found.log_likelihood, careful(found.model)
        print(f"{name}: reported {told:.2f}, careful {drawn:.2f}, {(told - drawn) / 6:+.3f} a series; {found.seconds:.0f} s")
    print(f"the model that they are from: {careful(truth):.2f}")


def one_data_set(number: int) -> dict[str, bool]:
    """Of thirty series of the paper's model, of up to 150: whether estimates are within 1.96 standard errors."""
    series = [paper_model(0.1).sample(seed=1000 * number + n, max_length=150)[0] for n in range(30)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rb.ApproximationWarning)
        found = rb.fit(rb.GaussianRBN.guess(series, shifts={0: 0.5, 1: 0.5}), series, covariance="scalar")
    truth = paper_parameters(0.1)
    rows = {row.name: row for row in found.table}
    return {name: abs(rows[name].estimate - value) < 1.96 * rows[name].standard_error for name, value in truth.items()}


def coverage(count: int, workers: int) -> None:
    with ProcessPoolExecutor(workers) as pool:
        found = list(pool.map(one_data_set, range(count)))
    for name in found[0]:
        print(f"{name:32} {np.mean([one[name] for one in found]):6.1%}")
    print(f"{'all':32} {np.mean([list(one.values()) for one in found]):6.1%} of {count} data sets")


def trusted() -> None:
    """Ten series of the paper's model: as the default does it, and by charts from as many starts."""
    series = [paper_model(0.1).sample(seed=seed, min_length=50, max_length=50)[0] for seed in range(10)]
    start = rb.GaussianRBN.guess(series, shifts={0: 0.5, 1: 0.5})
    rb.fit(start, series[:2], covariance="scalar", max_evaluations=3)  # compiles
    for _ in range(3):
        began = time.process_time()
        plain = rb.fit(start, series, covariance="scalar", exact=None, priors=None, restarts=0)
        middle = time.process_time()
        found = rb.fit(start, series, covariance="scalar")
        ended = time.process_time()
        print(
            f"charts from one start {middle - began:.1f} s ({len(plain.history)} evaluations), "
            f"default {ended - middle:.1f} s ({len(found.history)}): {(ended - middle) / (middle - began):.2f} times",
            flush=True,
        )


def shifts_of(head: str) -> dict[tuple[int, int], float]:
    """Twelve shifts of the child that is not the head, each as probable; of either, if both may be it."""
    left, right = {(steps, 0): 1.0 for steps in range(12)}, {(0, steps): 1.0 for steps in range(12)}
    chosen = {"right": left, "left": right, "both": left | right}[head]
    return {steps: 1.0 / len(chosen) for steps in chosen}


def _careful(model: rb.GaussianRBN, values: np.ndarray, points: np.ndarray) -> GaussianPosterior:
    """Weighted draws from a chart with four Gaussians per message; poor ones are not moved, which evidence does not need."""
    return draw(rb.inside(model, values, boundaries=points, components=4), 4000, 99, move=False)


def music(path: str, head: str, every: int) -> None:
    """`counts` (pieces, slices, 12) in an npz file: sounding times of pitch classes. They get one more of each, are
    normalised and taken in logarithms. Trees have every second boundary. Of many pieces, `every` so many will do."""
    counts = np.load(path)["counts"][::every] + 1.0
    series = list(np.log(counts / counts.sum(axis=2, keepdims=True)))
    known = [np.arange(0, len(one) + 1, 2) for one in series]
    start = rb.GaussianRBN.guess(series, shifts=shifts_of(head))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", rb.ApproximationWarning)
        found = rb.fit(start, series, covariance="scalar", boundaries=known, standard_errors=False, progress=True)
        careful = [_careful(found.model, one, points) for one, points in zip(series, known, strict=True)]
    print(*{str(one.message) for one in told}, sep="\n")
    drawn = np.array([one.log_evidence for one in careful])
    error = np.sqrt(sum(one.log_evidence_error**2 for one in careful))
    print(
        f"{head}-headed: reported {found.log_likelihood:.2f} +- {found.log_likelihood_error:.2f} "
        f"(by charts {found.chart_log_likelihood:.2f}), careful {drawn.sum():.2f} +- {error:.2f}; "
        f"farthest piece {np.abs(found.gap.drawn - drawn).max():.2f}; "
        f"{len(found.history)} evaluations, {found.seconds:.0f} s"
    )
    print(found, flush=True)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("what", choices=("seeds", "sampled", "coverage", "time", "music"))
    arguments.add_argument("--series", help="annotated series, as recbayes study real reads them")
    arguments.add_argument("--count", type=int, default=10, help="seeds, or data sets")
    arguments.add_argument("--plain", action="store_true", help="maximum likelihood, without priors")
    arguments.add_argument("--workers", type=int, default=2)
    arguments.add_argument("--counts", help="sounding times of pitch classes, npz")
    arguments.add_argument("--every", type=int, default=1, help="look at every so many pieces only")
    arguments.add_argument("--head", choices=("right", "left", "both"), default="right")
    given = arguments.parse_args()
    if given.what == "seeds":
        seeds(given.series, given.count, None if given.plain else "weak", given.workers)
    elif given.what == "sampled":
        sampled()
    elif given.what == "coverage":
        coverage(given.count, given.workers)
    elif given.what == "music":
        music(given.counts, given.head, given.every)
    else:
        trusted()


if __name__ == "__main__":
    main()
