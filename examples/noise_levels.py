"""Trees of the paper's synthetic series, with the true parameters: the paper's best tree against posterior draws.

Run it with `.venv/bin/python examples/noise_levels.py`; it prints the table of docs/posterior.md.
"""

import numpy as np

import recbayes as rb

NOISE = (0.01, 0.05, 0.1, 0.15, 0.2, 0.25)


def level(noise: float, count: int, draws: int) -> dict[str, float]:
    """Means over `count` series of 50 to 55 observations."""
    model = rb.GaussianRBN.create(
        dim=3, left_std=0.1, right_std=0.1, noise_std=noise, termination=0.6, shifts={0: 0.5, 1: 0.5}, extra_observations=5.0
    )
    made = [model.sample(seed=seed, min_length=50, max_length=55) for seed in range(count)]
    rows = []
    for (_, true), posterior in zip(
        made, rb.sample_posterior(model, [y for y, _ in made], draws=draws, seed=0), strict=True
    ):
        found = posterior.tree()
        nodes = rb.probabilistic_node_scores(true, posterior.node_probability)
        quick = rb.quick_node_probability(posterior.chart)
        glance = rb.probabilistic_node_scores(true, quick.node_probability)
        rows.append(
            {
                "effective share": posterior.efficiency,
                "best tree F1": rb.node_scores(true, rb.best_tree(posterior.chart)).f1,
                "expected-F1 tree F1": rb.node_scores(true, found).f1,
                "its expected F1": posterior.expected_f1,
                "most probable tree F1": rb.node_scores(true, posterior.tree("map")).f1,
                "node precision": nodes.precision,
                "node recall": nodes.recall,
                "quick precision": glance.precision,
                "quick recall": glance.recall,
            }
        )
    return {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}


def main(count: int = 200, draws: int = 1000) -> dict[float, dict[str, float]]:
    """Print the table."""
    results = {}
    for noise in NOISE:
        results[noise] = level(noise, count, draws)
        if noise == NOISE[0]:
            print("| noise | " + " | ".join(results[noise]) + " |")
            print("|---" * (1 + len(results[noise])) + "|")
        print(f"| {noise} | " + " | ".join(f"{value:.3f}" for value in results[noise].values()) + " |", flush=True)
    gain = np.mean([row["expected-F1 tree F1"] - row["best tree F1"] for row in results.values()])
    print(f"\nGain of the expected-F1 tree over the best tree, mean of all levels: {gain:+.3f}")
    return results


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore", rb.ApproximationWarning)
    main()
