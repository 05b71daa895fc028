"""
Several trees compared
======================

The truth, the tree with the highest expected F1, and the single most probable tree: which nodes do they share?
"""

# %%
# A noisy series of the paper's model, and two trees of its posterior.
from matplotlib import pyplot as plt

import recbayes as rb

model = rb.GaussianRBN.create(
    dim=3, left_std=0.1, right_std=0.1, noise_std=0.1, termination=0.6, shifts={0: 0.5, 1: 0.5}, extra_observations=5.0
)
series, truth = model.sample(seed=4, min_length=40, max_length=50)
posterior = rb.sample_posterior(model, series, draws=500, seed=0)
compared = {"truth": truth, "expected F1": posterior.tree(), "most probable": posterior.tree("map")}

# %%
# Circles are nodes that all trees have, squares those of some, and triangles those that no other tree has. F1 is that
# of a tree's nodes, the first tree being the truth.
rb.plot.trees(compared)

# %%
# The same trees over the probabilities of all spans. The tree with the highest expected F1 has the nodes that are
# probable one by one. The most probable tree need not: it is one of very many, and its own probability is small.
print(f"probability of the most probable tree: {posterior.best(1)[0].probability:.3f}")
figure, panels = plt.subplots(1, 3, figsize=(10, 3.4), sharey=True, layout="constrained")
for (name, tree), panel in zip(compared.items(), panels, strict=True):
    rb.plot.scape(posterior, tree, colour_bar=False, ax=panel)
    panel.set(title=name, ylabel=panel.get_ylabel() if panel is panels[0] else "")
plt.show()
