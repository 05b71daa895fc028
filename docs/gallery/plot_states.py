"""
A hidden Markov model is a tree that leans to the right
=======================================================

A casino has a fair die and a loaded one, and changes them secretly. The model is a hidden Markov model, which here is
a recursive Bayesian network like all others; its states, with missing throws, come from the same charts.
"""

# %%
# Throws of the two dice, and a stretch of them that nobody saw.
import numpy as np
from matplotlib import pyplot as plt

import recbayes as rb

fair, loaded = [1 / 6] * 6, [0.05] * 5 + [0.75]
model = rb.HMM([0.5, 0.5], [[0.95, 0.05], [0.1, 0.9]], [fair, loaded], states=("fair", "loaded"), symbols=tuple("123456"))
rng = np.random.default_rng(5)
states, throws = [0], []
for _ in range(120):
    throws.append(str(rng.choice(6, p=[fair, loaded][states[-1]]) + 1))
    states.append(int(rng.random() < (0.05 if states[-1] == 0 else 0.9)))
seen = throws[:60] + [None] * 10 + throws[70:]

# %%
# The probability of the loaded die at every throw, given all of them, and where it was in use. Where nothing was
# seen, the probability goes back to what is usual.
smoothed = rb.smoothed_states(model, seen)
best, _ = rb.best_states(model, seen)
figure, ax = plt.subplots(figsize=(8, 2.8), layout="constrained")
ax.fill_between(range(120), np.array(states[:120]), color="0.85", step="mid", label="truly loaded")
ax.plot(smoothed[:, 1], color="#0072B2", label="probability")
ax.plot(best, "--", color="#D55E00", linewidth=1, drawstyle="steps-mid", label="best states")
ax.axvspan(59.5, 69.5, facecolor="none", edgecolor="0.5", hatch="///", linewidth=0, label="not seen")
ax.set(xlabel="throw", ylabel="loaded die")
ax.legend(ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)

# %%
# Its tree, for the first throws: every state shows one throw and goes on to the next. The cell says the same.
tree = rb.best_tree(rb.inside(model, throws[:8]))
rb.plot.tree(tree, labels=True, index=throws[:8])
rb.plot.cell(model)
plt.show()
