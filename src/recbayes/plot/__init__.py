"""Pictures of series, trees and what is believed about them.

Every function draws into `ax` (by default those of a new figure), and returns it; those of several panels draw into `figure`
(by default a new one).
"""

from recbayes.plot.calibration import calibration
from recbayes.plot.overview import overview
from recbayes.plot.scape import scape
from recbayes.plot.scores import scores
from recbayes.plot.segmented import segmented
from recbayes.plot.series import series
from recbayes.plot.tree import tree

__all__ = ["calibration", "overview", "scape", "scores", "segmented", "series", "tree"]
