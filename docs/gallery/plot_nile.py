"""
The Nile became lower
=====================

The flow of the Nile at Aswan, year by year from 1871 to 1970, is one of the oldest examples of a change point.
Nothing is told about where it changes, how often, or what noise there is.
"""

# %%
# One call finds the change, and the figure of it has three panels: the series with its segments, the probability of a
# change in every year, and the tree over the segments. The dark band of a segment is the 80 % interval of its level,
# the pale one its noise.
from matplotlib import pyplot as plt

import recbayes as rb

found = rb.segment(rb.data.nile(), seed=0)
print(found)

# sphinx_gallery_thumbnail_number = 1
found.plot()

# %%
# The stems say how probable a change is in *exactly* a year. Their sum near 1899 is the probability of a change
# there, and how they spread is how well it can be placed. A closer look, with axes of one's own:
figure, (top, bottom) = plt.subplots(2, 1, figsize=(6.4, 4.2), sharex=True, layout="constrained")
rb.plot.segments(found, ax=top)
rb.plot.changes(found, ax=bottom)
top.set_xlabel("")
bottom.set_xlim(15, 45)

# %%
# Numbers are in a table: one row for each node of the tree, with 80 % intervals.
for row in found.rows():
    print(row["start"], row["end"], row["kind"], f"{row['level']:.0f}", f"p = {row['probability']:.2f}")

plt.show()
