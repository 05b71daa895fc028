"""
The harmony of a prelude
========================

Bach's prelude in C major, BWV 846, bar by bar: which pitch classes sound for how long is all that is known. The model
was learnt from other pieces, from notes alone; the tree of passages is its own.
"""

# %%
# The score is in the box. Every slice is a bar here, and its values are the durations of the twelve pitch classes, in
# the order of fifths.
import warnings

import numpy as np
from matplotlib import colormaps
from matplotlib import pyplot as plt
from matplotlib.patches import Patch

import recbayes as rb

counts = rb.music.slice_score(rb.music.prelude(), per="bar").counts
bars = np.arange(1, len(counts) + 1)
names = ["C", "C♯", "D", "E♭", "E", "F", "F♯", "G", "A♭", "A", "B♭", "B"]
fifths = [(7 * n) % 12 for n in range(12)]
figure, ax = plt.subplots(figsize=(8, 2.8), layout="constrained")
ax.imshow(counts[:, fifths].T, aspect="auto", origin="lower", cmap="Blues", extent=(0.5, len(bars) + 0.5, -0.5, 11.5))
ax.set_yticks(range(12), [names[n] for n in fifths])
ax.set_xlabel("bar")

# %%
# Its analysis draws trees of passages. Dark diamonds are spans that are a passage in most of them.
analysis = rb.music.analyse(rb.music.prelude(), per="bar", draws=200, seed=0)
rb.plot.scape(analysis.posterior, analysis.tree, index=bars)

# %%
# The paper's pictures of music show something else: the key of every span, as a colour. Here a small Gaussian model of
# profiles gives every span a mean, and a function makes a colour of it: that of the major or minor key which the mean
# resembles most. Colours go round with the fifths, so that related keys look alike.
MAJOR = [6.35, 2.23, 3.48, 2.33, 4.38, 4.09, 2.52, 5.19, 2.39, 3.66, 2.29, 2.88]  # Krumhansl and Kessler (1982)
MINOR = [6.33, 2.68, 3.52, 5.38, 2.60, 3.53, 2.54, 4.75, 3.98, 2.69, 3.34, 3.17]
COLOURS = colormaps["twilight"]((np.arange(12) + 3) % 12 / 12)  # in the order of fifths


def key_colours(means: np.ndarray) -> np.ndarray:
    keys = np.array([np.roll(mode, n) for mode in (MAJOR, MINOR) for n in range(12)])
    likeness = np.corrcoef(means, keys)[: len(means), len(means) :]
    best = likeness.argmax(axis=1)
    tonic = np.where(best < 12, best, best - 12 + 3) % 12  # a minor key has the colour of its relative
    return COLOURS[7 * tonic % 12]


profiles = (counts + 0.1) / (counts + 0.1).sum(axis=1, keepdims=True)
model = rb.GaussianRBN.create(
    12, prior_mean=profiles.mean(axis=0), prior_std=0.1, left_std=0.05, right_std=0.05, noise_std=0.08, termination=0.5
)
with warnings.catch_warnings():
    warnings.simplefilter("ignore", rb.ApproximationWarning)  # they are no probabilities; only their means are shown
    marginals = rb.outside(rb.inside(model, profiles))

# sphinx_gallery_thumbnail_number = 3
ax = rb.plot.latents(marginals, column=key_colours, fade=False, index=bars)
keys = [Patch(color=COLOURS[k], label=f"{names[n]}, {names[n - 3]} minor") for k, n in enumerate(fifths)]
ax.figure.legend(handles=keys, ncols=4, loc="outside lower center", fontsize="small", frameon=False, title="major, minor")
plt.show()
