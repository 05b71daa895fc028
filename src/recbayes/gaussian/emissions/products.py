"""Emissions whose observations are independent given the node's value: the potential of a span is the product of theirs.

It is built up one segment at a time, for all spans, by compiled kernels; derivatives are folded back the same way.
"""

from abc import abstractmethod

import numpy as np

from recbayes.checks.series import Series
from recbayes.compiled.compilation import run_kernel
from recbayes.compiled.layout import HEIGHT, pack_messages, unpack_messages
from recbayes.gaussian.emissions.emission import Emission, Rows
from recbayes.gaussian.emissions.nearest import Expected
from recbayes.gaussian.emissions.potentials import Potentials, merge, merge_adjoint
from recbayes.parameters.quantity import Slopes


class Product(Emission):
    """An emission that says what each observation says by itself."""

    @abstractmethod
    def observe(self, series: Series, size: int) -> Potentials:
        """The potential of every observation, in `size` dimensions (blank ones last)."""

    @abstractmethod
    def observe_slopes(self, series: Series, potentials: Potentials, derivatives: Potentials) -> Slopes:
        """Derivatives with respect to the emission's quantities, from those with respect to these potentials."""

    def of_leaves(self, series: Series, positions: np.ndarray, size: int, expected: Expected | None) -> Potentials:
        return merge(self.observe(series, size), positions)

    def fill(self, series: Series, positions: np.ndarray, rows: Rows) -> None:
        from recbayes.gaussian.kernels.products import fill_products  # here, as kernels know models, and models emissions

        potentials = self.observe(series, rows.size)
        if len(positions) - 1 < len(series):
            potentials = merge(potentials, positions)
        block = rows.block(rows.messages, 1)
        block[HEIGHT] = -np.inf
        block[:, : len(positions) - 1] = pack_messages(*potentials).T
        run_kernel(fill_products, rows.messages, rows.base, rows.rows, rows.size)

    def slopes(self, series: Series, positions: np.ndarray, rows: Rows, derivatives: np.ndarray) -> Slopes:
        from recbayes.gaussian.kernels.products import fold_products  # likewise

        run_kernel(fold_products, rows.messages, derivatives, rows.base, rows.rows, rows.size)
        block = rows.block(derivatives, 1)[:, : len(positions) - 1]
        height, mode, precision = unpack_messages(block.T, rows.size)
        folded = Potentials(height.copy(), mode.copy(), precision)
        potentials = self.observe(series, rows.size)
        if len(positions) - 1 < len(series):
            folded = merge_adjoint(potentials, positions, merge(potentials, positions), folded)
        return self.observe_slopes(series, potentials, folded)
