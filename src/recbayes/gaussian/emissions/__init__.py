"""What leaves look like: one file for each kind of emission, and their list.

A new one is a file with a subclass of `Emission`, an entry here, and a line in `recbayes/__init__.pyi` for users.
"""

from recbayes.gaussian.emissions.composition import Composition
from recbayes.gaussian.emissions.emission import Emission
from recbayes.gaussian.emissions.emit import Emit
from recbayes.gaussian.emissions.leaf import Leaf

EMISSIONS: tuple[type[Emission], ...] = (Emit, Leaf, Composition)
