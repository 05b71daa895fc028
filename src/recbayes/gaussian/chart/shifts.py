"""Shifts as tables of indices: which of the child's dimensions is each of the parent's."""

import numpy as np

from recbayes.compiled.layout import lower, pack_symmetric


class Shifts:
    """The shifts a model uses, numbered; the identity is number 0."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.numbers = {(size, 0): 0}

    def of(self, dim: int, steps: int) -> int:
        key = (dim, steps) if steps else (self.size, 0)
        return self.numbers.setdefault(key, len(self.numbers))

    def table(self) -> np.ndarray:
        """The child is np.roll(parent, steps), so the parent's dimension a is the child's a + steps."""
        rows = [[(a + s) % d if a < d else a for a in range(self.size)] for d, s in self.numbers]
        return np.array(rows, dtype=np.int64)

    def packed(self) -> np.ndarray:
        """The same for the entries of packed symmetric matrices."""
        shifts = self.table()
        rows, columns = shifts[:, :, None], shifts[:, None, :]
        places = lower(np.maximum(rows, columns), np.minimum(rows, columns))
        return np.ascontiguousarray(pack_symmetric(places))
