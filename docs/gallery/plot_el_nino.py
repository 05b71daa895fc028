"""
El Niño: seasons that change
============================

The temperature of the sea off Peru, month by month, has a season of a year. Told so (``periods=12``), every segment
has a season of its own beside its level, and what is found are the times when both were different: the El Niño years.
"""

# %%
# The last ten years are enough to see it. Lines are level and season together.
from matplotlib import pyplot as plt

import recbayes as rb

months = rb.data.el_nino()
print(months)
found = rb.segment(months.values[-180:], time=months.index[-180:], periods=12, draws=200, seed=0)
print(found)

# %%
# The line of a segment is thin here, and lies below the observations.
rb.plot.segments(found, ax=None)

# %%
# Without the season, every year would fall into pieces. With it, only what differs from other years is a segment.
rb.plot.changes(found)
plt.show()
