"""
Are the probabilities honest?
=============================

A span that is given a probability of 0.7 should be a node in seven of ten cases. Draw pairs of series and tree from a
model, infer, and count.
"""

# %%
# Two hundred series; of each, all spans with their probabilities, and whether they are nodes of the true tree.
import numpy as np
from matplotlib import pyplot as plt

import recbayes as rb

model = rb.GaussianRBN.create(1, left_std=1.0, right_std=1.0, noise_std=0.4, termination=0.6, extra_observations=2.0)
pairs = [model.sample(seed=seed, min_length=10, max_length=20) for seed in range(200)]
posteriors = rb.sample_posterior(model, [y for y, _ in pairs], draws=200, seed=0)

given, true = [], []
for (y, tree), posterior in zip(pairs, posteriors, strict=True):
    nodes = set(tree.spans) - {(0, len(y))}
    for start in range(len(y)):
        for end in range(start + 1, len(y) + 1):
            if (start, end) != (0, len(y)):
                given.append(posterior.node_probability[start, end])
                true.append((start, end) in nodes)

# %%
# Ten bins of spans by the probability that they were given, and in each the share that exists, with an interval of
# two binomial deviations. Honest probabilities lie on the diagonal.
given, true = np.array(given), np.array(true)
bins = []
for low in np.arange(0.0, 1.0, 0.1):
    here = (given >= low) & (given < low + 0.1 + 1e-9)
    share = true[here].mean()
    spread = 2.0 * np.sqrt(max(share * (1.0 - share), 0.25 / here.sum()) / here.sum())
    bins.append((given[here].mean(), share, max(share - spread, 0.0), min(share + spread, 1.0)))
    print(f"{here.sum():6} spans given {given[here].mean():.2f}: {share:.2f} are nodes")

# %%
# The study with 2000 series, and of all methods, is in the explanations; this is its picture in small.
rb.plot.calibration(bins)
plt.show()
