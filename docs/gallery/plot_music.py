"""
The harmony of a prelude
========================

Bach's prelude in C major, BWV 846, bar by bar: which pitch classes sound for how long is all that is known. The model
was learnt from other pieces, from notes alone; the tree of passages is its own.
"""

# %%
# The score is in the box. Every slice is a bar here, and its values are the durations of the twelve pitch classes.
import numpy as np
from matplotlib import pyplot as plt

import recbayes as rb

bars = rb.music.slice_score(rb.music.prelude(), per="bar")
names = ["C", "C♯", "D", "E♭", "E", "F", "F♯", "G", "A♭", "A", "B♭", "B"]
fifths = [(7 * n) % 12 for n in range(12)]
figure, ax = plt.subplots(figsize=(8, 2.8), layout="constrained")
ax.imshow(bars.counts[:, fifths].T, aspect="auto", origin="lower", cmap="Blues")
ax.set_yticks(range(12), [names[n] for n in fifths])
ax.set_xlabel("bar")

# %%
# Its analysis draws trees of passages. Dark diamonds are spans that are a passage in most of them.
analysis = rb.music.analyse(rb.music.prelude(), per="bar", draws=200, seed=0)

# sphinx_gallery_thumbnail_number = 2
rb.plot.scape(analysis.posterior, analysis.posterior.tree(), index=np.arange(1, len(bars.counts) + 1))
plt.show()
