"""Pictures of series, trees and what is believed about them. Every function draws into `ax` (by default the current axes),
and returns it."""

from recbayes.plot.calibration import calibration
from recbayes.plot.overview import overview
from recbayes.plot.scape import scape
from recbayes.plot.scores import scores
from recbayes.plot.series import series
from recbayes.plot.tree import tree

__all__ = ["calibration", "overview", "scape", "scores", "series", "tree"]
