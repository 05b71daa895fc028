"""
The Great Moderation: when ups and downs became smaller
=======================================================

Quarterly growth of the economy of the United States. Its mean hardly changed in fifty years; what changed, in the
1980s, is how much it goes up and down. A method that looks for changes of the mean sees nothing here.
"""

# %%
# Segments have a noise of their own, so that a change of the noise alone is a change.
from matplotlib import pyplot as plt

import recbayes as rb

growth = rb.data.us_growth()
found = rb.segment(growth, seed=0)
print(found)

# %%
# The band around each line is the noise of the segment: it is about half as wide after the change.
found.plot()

# %%
# The levels of the two segments can hardly be told apart, as their 80 % intervals say; the noise can.
for row in found.rows():
    if row["kind"] != "group":
        level = f"level {row['level']:.1f} ({row['level_low']:.1f} to {row['level_high']:.1f})"
        print(f"{row['start']} to {row['end']}: {level}, noise {row['noise']:.1f}")

# %%
# The dates of the index are those of the axes, in every picture that knows them.
rb.plot.series(growth, found)
plt.show()
