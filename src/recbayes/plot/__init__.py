"""Pictures of series, trees and what is believed about them.

Every function draws into `ax` (by default those of a new figure), and returns it; those of several panels draw into `figure`
(by default a new one).
"""

from recbayes.plot.calibration import calibration
from recbayes.plot.cell import cell
from recbayes.plot.changes import changes
from recbayes.plot.chart import chart
from recbayes.plot.history import history
from recbayes.plot.latents import latents
from recbayes.plot.overview import overview
from recbayes.plot.scape import scape
from recbayes.plot.scores import scores
from recbayes.plot.segmented import segmented
from recbayes.plot.segments import segments
from recbayes.plot.series import series
from recbayes.plot.tree import tree
from recbayes.plot.trees import trees

__all__ = [
    "calibration",
    "cell",
    "changes",
    "chart",
    "history",
    "latents",
    "overview",
    "scape",
    "scores",
    "segmented",
    "segments",
    "series",
    "tree",
    "trees",
]
