"""
El Niño: a season, and years that differ from it
================================================

The temperature of the sea off Peru, month by month, has a season of a year. Every few years comes El Niño, and the sea
is warmer for months. Is that a change, or does the sea just remember for a while that it was warm?
"""

# %%
# ``periods=12`` gives every segment a season of its own beside its level. Twelve years are enough to see it.
from matplotlib import pyplot as plt

import recbayes as rb

sea = rb.data.el_nino()
months, dates = sea.values[-180:-36], sea.index[-180:-36]
kept = rb.segment(months, time=dates, periods=12, draws=200, seed=0)
print(kept)

# %%
# By default, noise may have a memory, and then nothing changes at all: warm months follow warm months. The line is level
# and season together, thin and below the observations.
rb.plot.segments(kept)

# %%
# Without memory, whatever lasts longer than chance is a segment, and the warm winter of 1997 stands out.
found = rb.segment(months, time=dates, periods=12, kinds=["level"], draws=200, seed=0)
print(found.change_points)

# sphinx_gallery_thumbnail_number = 2
rb.plot.segments(found)

# %%
# Both are right about the data; which to ask for depends on what a change is meant to be.
rb.plot.changes(found)
plt.show()
