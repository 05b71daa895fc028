"""
Tree and scape of the paper's model
===================================

The paper's synthetic data: three dimensions, a tree whose left children have their dimensions rotated in half of the
cases, and leaves of several noisy observations. What can be known of the tree when only the observations are seen?
"""

# %%
# A model is a value: it draws pairs of a series and the tree behind it. "shift 1" is where the left child is rotated.
from matplotlib import pyplot as plt

import recbayes as rb

model = rb.GaussianRBN.create(
    dim=3, left_std=0.1, right_std=0.1, noise_std=0.05, termination=0.6, shifts={0: 0.5, 1: 0.5}, extra_observations=5.0
)
series, truth = model.sample(seed=1, min_length=50, max_length=55)
print(truth)

# %%
# One cell of the model: a variable x, the structural variable z that decides what follows, and the two ways on.
rb.plot.cell(model)

# %%
# The posterior is made of weighted draws of trees. The triangle at the bottom has a diamond for every span of
# observations: the darker, the more probable it is that this span is a node. Over it is the tree with the highest
# expected F1.
posterior = rb.sample_posterior(model, series, draws=500, seed=0)
print(posterior)

# sphinx_gallery_thumbnail_number = 2
rb.plot.overview(series, posterior)

# %%
# How much of it is right? More than half of the truth's nodes are all but certain, the others compete with neighbours.
found = posterior.tree()
print(f"F1 {rb.node_scores(truth, found).f1:.2f}, expected {posterior.expected_f1:.2f}")
rb.plot.scape(posterior, truth)
plt.show()
