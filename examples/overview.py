"""A series, its inferred tree and the probabilities of all spans in one picture.

Run it with `.venv/bin/python examples/overview.py`; it writes docs/figures/overview.png, the second picture of the README.
"""

from pathlib import Path

import matplotlib

import recbayes as rb


def main(path: Path, draws: int = 1000) -> None:
    model = rb.GaussianRBN.create(
        dim=3, left_std=0.1, right_std=0.1, noise_std=0.05, termination=0.6, shifts={0: 0.5, 1: 0.5}, extra_observations=5.0
    )
    y, _ = model.sample(seed=0, min_length=50, max_length=55)
    posterior = rb.sample_posterior(model, y, draws=draws, seed=0)
    rb.plot.overview(y, posterior).savefig(path, dpi=110)


if __name__ == "__main__":
    matplotlib.use("Agg")
    main(Path(__file__).parents[1] / "docs" / "figures" / "overview.png")
