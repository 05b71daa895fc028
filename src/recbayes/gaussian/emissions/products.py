"""Emissions whose observations are independent given the node's value: the potential of a span is the product of theirs.

It is built up one segment at a time, for all spans, by compiled kernels; derivatives are folded back the same way. A leaf
may have a deviation of its own, which all its observations share: then the value that they are independent given is its own.
"""

from abc import abstractmethod
from collections.abc import Iterator

import numpy as np

from recbayes.checks.series import Series
from recbayes.compiled.compilation import run_kernel
from recbayes.compiled.layout import HEIGHT, pack_messages, unpack_messages
from recbayes.gaussian.emissions.emission import Emission, Rows
from recbayes.gaussian.emissions.nearest import Expected
from recbayes.gaussian.emissions.own_deviation import widened, widened_adjoint
from recbayes.gaussian.emissions.potentials import Potentials, merge, merge_adjoint
from recbayes.parameters.quantity import Slopes


class Product(Emission):
    """An emission that says what each observation says by itself."""

    @property
    def own_covariance(self) -> np.ndarray | None:
        """The covariance of a leaf's own value about its node's; None if it is the node's."""
        return None

    @abstractmethod
    def observe(self, series: Series, size: int) -> Potentials:
        """The potential of every observation.

        Arguments:
            series: what is observed.
            size: dimensions of the potentials, blank ones (last) included.
        """

    @abstractmethod
    def observe_slopes(self, series: Series, potentials: Potentials, derivatives: Potentials) -> Slopes:
        """Derivatives with respect to the emission's quantities, from those with respect to these potentials.

        Arguments:
            series: what is observed.
            potentials: of all observations.
            derivatives: with respect to these.
        """

    def of_leaves(self, series: Series, positions: np.ndarray, size: int, expected: Expected | None) -> Potentials:
        merged = merge(self.observe(series, size), positions)
        return merged if self.own_covariance is None else widened(merged, self.own_covariance)

    def fill(self, series: Series, positions: np.ndarray, rows: Rows) -> None:
        self._fill_products(series, positions, rows)
        if self.own_covariance is not None:
            for block in _blocks(rows, rows.messages, len(positions) - 1):
                block[:] = _packed(widened(_potentials(block, rows.size), self.own_covariance))

    def _fill_products(self, series: Series, positions: np.ndarray, rows: Rows) -> None:
        """The potentials of leaves' own values."""
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

        own = {}
        if self.own_covariance is not None:
            rows = rows._replace(messages=np.zeros_like(rows.messages))
            self._fill_products(series, positions, rows)
            own["own_covariance"] = np.zeros_like(self.own_covariance)
            segments = len(positions) - 1
            pairs = zip(_blocks(rows, rows.messages, segments), _blocks(rows, derivatives, segments), strict=True)
            for block, slopes in pairs:
                before, by_own = widened_adjoint(
                    _potentials(block, rows.size), self.own_covariance, _potentials(slopes, rows.size)
                )
                slopes[:] = _packed(before)
                own["own_covariance"] += by_own
        run_kernel(fold_products, rows.messages, derivatives, rows.base, rows.rows, rows.size)
        folded = _potentials(rows.block(derivatives, 1)[:, : len(positions) - 1], rows.size)
        potentials = self.observe(series, rows.size)
        if len(positions) - 1 < len(series):
            folded = merge_adjoint(potentials, positions, merge(potentials, positions), folded)
        return {**self.observe_slopes(series, potentials, folded), **own}


def _blocks(rows: Rows, entries: np.ndarray, segments: int) -> Iterator[np.ndarray]:
    """The entries of the spans of every width, a column for each start."""
    for width in range(1, min(segments, rows.rows.shape[1] - 1) + 1):
        row = rows.rows[0, width]
        if row["low"] <= row["high"]:
            yield rows.block(entries, width)[:, : segments + 1 - width]


def _potentials(block: np.ndarray, size: int) -> Potentials:
    height, mode, precision = unpack_messages(block.T, size)
    return Potentials(height.copy(), mode.copy(), precision)


def _packed(potentials: Potentials) -> np.ndarray:
    return pack_messages(*potentials).T
