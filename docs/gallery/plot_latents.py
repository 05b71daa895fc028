"""
What groups of segments are like
================================

Nodes of a tree have values: of a segment its level, of a group what its segments have in common. All spans that may
be nodes have one, and a triangle shows them all at once, as in the paper's pictures of music.
"""

# %%
# A series that wanders about two levels, in steps within steps.
import warnings

import numpy as np
from matplotlib import pyplot as plt

import recbayes as rb

rng = np.random.default_rng(0)
levels = np.repeat([0.0, 1.0, 0.4, 4.0, 5.0, 4.6, 0.2], [12, 8, 10, 9, 12, 8, 11])
series = levels + rng.normal(0.0, 0.3, len(levels))
model = rb.GaussianRBN.create(
    1, prior_mean=2.0, prior_std=3.0, left_std=1.5, right_std=1.5, noise_std=0.3, termination=0.6, extra_observations=8.0
)
posterior = rb.sample_posterior(model, series, draws=500, seed=0)
found = posterior.tree()

# %%
# The colour of a diamond is the posterior mean of a node's value with that span; the paler, the less probable is the
# node.

# sphinx_gallery_thumbnail_number = 2
rb.plot.latents(posterior, found)

# %%
# Spans that no draw has are white. The paper's pictures colour them as well, by marginals that every span of a chart
# has, whether it is probable or not:
with warnings.catch_warnings():
    warnings.simplefilter("ignore", rb.ApproximationWarning)  # they are no probabilities; only their means are shown
    marginals = rb.outside(rb.inside(model, series))
rb.plot.latents(marginals, found, fade=False)

# %%
# The values of the tree alone, below the series:
figure, (top, bottom) = plt.subplots(2, 1, figsize=(7, 4.5), sharex=True, layout="constrained")
rb.plot.series(series, found, ax=top)
rb.plot.tree(found, column=0, ax=bottom)
top.set_xlabel("")
plt.show()
