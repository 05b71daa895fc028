"""Run by test_checkpoint: a fit with a checkpoint, whose end is written to a file."""

import json
import sys

import numpy as np

import recbayes as rb


def main(checkpoint: str, result: str) -> None:
    model = rb.GaussianRBN.create(dim=2, noise_std=0.1, termination=0.6, extra_observations=3.0)
    series = [model.sample(seed=seed, min_length=6, max_length=14)[0] for seed in range(3)]
    found = rb.fit(None, series, covariance="scalar", restarts=1, exact=None, checkpoint=checkpoint, resume=True)
    with open(result, "w", encoding="utf-8") as file:
        json.dump([np.asarray(found.vector).tolist(), [row.standard_error for row in found.table], len(found.history)], file)


if __name__ == "__main__":
    main(*sys.argv[1:])
