"""
A figure for a paper
====================

Every function of ``rb.plot`` draws into the axes that it is given. So a figure is laid out as matplotlib does it, in
the size of the column it is for, and no window opens.
"""

# %%
# One column of a journal is 3.3 inches wide, with type of 7 points. Settings hold within the ``with`` alone.
import matplotlib as mpl
from matplotlib import pyplot as plt

import recbayes as rb

found = rb.segment(rb.data.us_growth(), draws=300, seed=0)
with mpl.rc_context({"font.size": 7, "lines.linewidth": 0.8, "pdf.fonttype": 42}):
    figure, panels = plt.subplots(2, 1, figsize=(3.3, 2.8), sharex=True, layout="constrained", height_ratios=[2, 1])
    rb.plot.segments(found, ax=panels[0])
    rb.plot.changes(found, ax=panels[1])
    panels[0].set(xlabel="", ylabel="growth, %")
    for letter, panel in zip("ab", panels, strict=True):
        panel.set_title(letter, loc="left", fontweight="bold")

# %%
# Two columns, 7 inches. The panels of a whole segmentation go into a part of a figure, beside those of another.
figure = plt.figure(figsize=(7.0, 4.8), layout="constrained")
left, right = figure.subfigures(1, 2)
rb.plot.segmented(found, figure=left)
rb.plot.segmented(rb.segment(rb.data.nile(), draws=300, seed=0), figure=right)
plt.show()
