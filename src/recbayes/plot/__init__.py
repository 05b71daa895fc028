"""Pictures of series, trees and what is believed about them. Every function draws into `ax` (by default the current axes),
and returns it."""

from recbayes.plot.overview import overview
from recbayes.plot.scape import scape
from recbayes.plot.series import series
from recbayes.plot.tree import tree

__all__ = ["overview", "scape", "series", "tree"]
