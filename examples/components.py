"""Where several Gaussians per message raise the effective sample size, and what they cost.

Run it with `.venv/bin/python examples/components.py`; it prints the table of docs/explanations/posterior.md.
"""

import time
import warnings

import numpy as np

import recbayes as rb

SIX = dict.fromkeys(range(6), 1 / 6)
CASES = {
    "the paper's synthetic model, noise 0.25": (
        {"dim": 3, "noise_std": 0.25, "termination": 0.6, "shifts": {0: 0.5, 1: 0.5}, "extra_observations": 5.0},
        (50, 55),
    ),
    "one observation per leaf, three shifts": (
        {
            "dim": 3,
            "left_std": 0.3,
            "right_std": 0.3,
            "noise_std": 0.3,
            "termination": 0.51,
            "shifts": {0: 0.3, 1: 0.4, 2: 0.3},
        },
        (40, 50),
    ),
    "six shifts of one profile, heavy noise": (
        {
            "dim": 6,
            "prior_mean": np.arange(6) * 2.0,
            "prior_std": 0.1,
            "left_std": 0.1,
            "right_std": 0.1,
            "noise_std": 2.5,
            "termination": 0.6,
            "shifts": SIX,
            "prior_shifts": SIX,
        },
        (12, 16),
    ),
}


def main(count: int = 8, draws: int = 1000) -> dict[tuple[str, int], float]:
    """Print the table."""
    print("| model | components | effective share (mean) | (smallest) | chart's evidence off by (nats) | inside (ms) |")
    print("|---|---|---|---|---|---|")
    shares = {}
    for name, (settings, (shortest, longest)) in CASES.items():
        model = rb.GaussianRBN.create(**settings)
        series = [model.sample(seed=seed, min_length=shortest, max_length=longest)[0] for seed in range(count)]
        truth = [rb.sample_posterior(model, y, draws=draws, seed=1, components=8).log_evidence for y in series]
        for components in (1, 2, 4, 8):
            found, distances, times = [], [], []
            for y, evidence in zip(series, truth, strict=True):
                start = time.perf_counter()
                chart = rb.inside(model, y, components=components)
                times.append(time.perf_counter() - start)
                distances.append(abs(chart.log_evidence - evidence))
                found.append(rb.sample_posterior(model, y, draws=draws, seed=0, components=components).efficiency)
            shares[name, components] = float(np.mean(found))
            numbers = f"{np.mean(found):.3f} | {min(found):.3f} | {np.mean(distances):.3f} | {np.median(times) * 1e3:.1f}"
            print(f"| {name} | {components} | {numbers} |", flush=True)
    return shares


if __name__ == "__main__":
    warnings.simplefilter("ignore", rb.ApproximationWarning)
    main()
