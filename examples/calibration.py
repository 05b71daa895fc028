"""Are node probabilities honest? Draws (tree, series) pairs from the paper's synthetic model and compares.

Of all spans that are given a probability around p, a share p should be nodes of the true tree. Run it with
`.venv/bin/python examples/calibration.py`; it prints the tables of docs/explanations/posterior.md and draws their figure.
"""

import sys
from pathlib import Path

import numpy as np

import recbayes as rb
from recbayes.studies.synthetic.data import paper_model

NOISE = (0.01, 0.05, 0.1, 0.15, 0.2, 0.25)
BINS = np.linspace(0.0, 1.0, 11)
FIGURE = Path(__file__).parents[1] / "docs" / "figures" / "calibration.png"


def pairs(count: int, draws: int, batch: int = 100) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """For every series, the probabilities of all its spans but the root, and whether they are nodes of the true tree."""
    probabilities, truths = [], []
    for begin in range(0, count, batch):
        model = paper_model(NOISE[begin // batch % len(NOISE)])
        made = [model.sample(seed=seed, min_length=20, max_length=30) for seed in range(begin, min(begin + batch, count))]
        for (y, tree), posterior in zip(
            made, rb.sample_posterior(model, [y for y, _ in made], draws=draws, seed=begin), strict=True
        ):
            spans = np.triu_indices(len(y) + 1, 1)
            inner = (spans[0] > 0) | (spans[1] < len(y))
            truth = np.zeros((len(y) + 1, len(y) + 1))
            truth[tuple(np.array(tree.spans).T)] = 1.0
            probabilities.append(posterior.node_probability[spans][inner])
            truths.append(truth[spans][inner])
        print(f"{min(begin + batch, count)} of {count} series", file=sys.stderr)
    return probabilities, truths


def table(probabilities: list[np.ndarray], truths: list[np.ndarray]) -> np.ndarray:
    """For every bin: its spans, their mean probability, the share that exists, its binomial error, the distance in it."""
    p, truth = np.concatenate(probabilities), np.concatenate(truths)
    bins = np.minimum((p * 10).astype(int), 9)
    rows = []
    for number in range(10):
        here = (bins == number) & (p > 0)
        error = np.sqrt((p[here] * (1 - p[here])).sum()) / max(here.sum(), 1)
        share = truth[here].mean()
        rows.append((here.sum(), p[here].mean(), share, error, (share - p[here].mean()) / error))
    return np.array(rows)


def draw(rows: np.ndarray, path: Path) -> None:
    """The figure: how often spans exist against the probability they were given."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(4.2, 4.0), layout="constrained")
    bins = [(mean, share, share - 2 * error, share + 2 * error) for _, mean, share, error, _ in rows]
    rb.plot.calibration(bins, ax=axes).set_title("Node probabilities are calibrated", fontsize=10)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main(count: int = 2000, draws: int = 2000, path: Path | None = FIGURE) -> np.ndarray:
    """Print the tables."""
    probabilities, truths = pairs(count, draws)
    rows = table(probabilities, truths)
    print("| probability | spans | mean probability | exist | binomial error | distance in errors |")
    print("|---|---|---|---|---|---|")
    for low, (spans, mean, share, error, distance) in zip(BINS, rows, strict=False):
        print(f"| {low:.1f} to {low + 0.1:.1f} | {spans:.0f} | {mean:.4f} | {share:.4f} | {error:.4f} | {distance:+.2f} |")
    expected = np.array([p.sum() for p in probabilities]) + 1
    true = np.array([truth.sum() for truth in truths]) + 1
    error = (expected - true).std() / np.sqrt(len(true))
    print()
    print("| series | mean sum of node probabilities | mean number of nodes | difference | its standard error |")
    print("|---|---|---|---|---|")
    print(f"| {len(true)} | {expected.mean():.3f} | {true.mean():.3f} | {(expected - true).mean():+.3f} | {error:.3f} |")
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        draw(rows, path)
    return rows


if __name__ == "__main__":
    main()
