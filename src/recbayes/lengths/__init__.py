"""How many observations a leaf has: one file for each distribution, and their list.

A new one is a file with a subclass of `Length`, an entry here, and a line in `recbayes/__init__.pyi` for users.
"""

from recbayes.lengths.exactly_one import ExactlyOne
from recbayes.lengths.geometric import Geometric
from recbayes.lengths.length import Length
from recbayes.lengths.negative_binomial import OnePlusNegativeBinomial
from recbayes.lengths.poisson import OnePlusPoisson
from recbayes.lengths.table import LengthTable

LENGTHS: tuple[type[Length], ...] = (ExactlyOne, OnePlusPoisson, OnePlusNegativeBinomial, Geometric, LengthTable)
