"""How far the moment-matched evidence is from the exact one: enumerates all trees of short series.

Run it with `.venv/bin/python examples/accuracy.py`; it prints the table of docs/explanations/accuracy.md.
"""

import numpy as np

import recbayes as rb
from recbayes.reference.enumeration import exact_log_evidence


def distances(noise: float, extra: float | None, shifts: dict[int, float], count: int) -> np.ndarray:
    """Approximate minus exact log evidence for series of five observations drawn from the model."""
    model = rb.GaussianRBN.create(
        dim=3, left_std=0.1, right_std=0.1, noise_std=noise, termination=0.6, shifts=shifts, extra_observations=extra
    )
    series = [model.sample(seed=seed, min_length=5, max_length=5)[0] for seed in range(count)]
    return np.array([rb.inside(model, y).log_evidence - exact_log_evidence(model, y) for y in series])


def main(count: int = 40) -> None:
    """Print the table."""
    print("| noise | observations per leaf | shifts | median distance (nats) | largest |")
    print("|---|---|---|---|---|")
    for noise in (0.01, 0.1, 0.25):
        for extra in (None, 1.0):
            for shifts in ({0: 1.0}, {0: 0.5, 1: 0.5}):
                found = np.abs(distances(noise, extra, shifts, count if len(shifts) == 1 or extra else count // 4))
                leaf = "one" if extra is None else "1 + Poisson(1)"
                print(f"| {noise} | {leaf} | {len(shifts)} | {np.median(found):.1e} | {found.max():.1e} |")


if __name__ == "__main__":
    main()
