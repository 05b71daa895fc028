"""How probable it is that a tree has so many observations and segments: what evidences are divided by, as the length is
known.

With geometric lengths all segmentations of a length into m segments are equally probable, and so are all trees over them.
"""

import numpy as np
from scipy.special import gammaln

from recbayes.lengths import Geometric


def log_count_probability(length: Geometric, termination: float, ticks: int) -> np.ndarray:
    """log p(m segments and this length) for m = 0, 1, 2, ...: trees, ways to divide the length, and their probability."""
    least = length.minimum
    m = np.arange(1, max(ticks // least, 1) + 1)
    trees = gammaln(2 * m - 1) - gammaln(m) - gammaln(m + 1)  # Catalan's number of m - 1
    spare = ticks - m * least
    ways = gammaln(spare + m) - gammaln(m) - gammaln(spare + 1)
    extra = length.extra
    lengths = -spare * np.log1p(1.0 / extra) - m * np.log1p(extra)
    found = trees + ways + lengths + m * np.log(termination) + (m - 1) * np.log1p(-termination)
    return np.concatenate([[-np.inf], np.where(spare >= 0, found, -np.inf)])
