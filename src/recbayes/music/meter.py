"""Beats from time signatures: three units are a beat in compound time (6/8, 9/8, 12/16), one is elsewhere."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby, pairwise

import numpy as np


@dataclass(frozen=True)
class Meter:
    """A time signature: how many units there are in a bar, and how many of them are a whole note."""

    count: int
    unit: int

    @property
    def bar(self) -> Fraction:
        """The length of a bar, in quarters."""
        return Fraction(4 * self.count, self.unit)

    @property
    def beat(self) -> Fraction:
        """The length of a beat, in quarters."""
        compound = self.count > 3 and self.count % 3 == 0
        return Fraction(4 * (3 if compound else 1), self.unit)


def beats_of(bars: Sequence[Fraction], meters: Sequence[Meter | None]) -> np.ndarray:
    """Where beats begin, and the end; quarters where there is no time signature.

    Beats are counted from the beginning of a bar, but to its end in a pickup: a first bar that is too short, and one that
    makes up for a short one before it. Where most bars have another length than their time signature says (as with triplets
    that it counts and notes do not), beats share the length that they have.
    """
    lengths = [end - start for start, end in pairwise(bars)]
    beats: list[Fraction] = []
    place = 0
    for meter, run in groupby(meters):
        there = range(place, place + len(list(run)))
        place = there.stop
        whole, beat = (meter.bar, meter.beat) if meter else (None, Fraction(1))
        usual, times = Counter(lengths[at] for at in there).most_common(1)[0]
        if whole is not None and usual != whole and times > max(2, len(there) / 2):
            whole, beat = usual, beat * usual / whole
        for at in there:
            start, length = bars[at], lengths[at]
            completes = at == 0 or lengths[at - 1] + length == whole
            first = start + length % beat if whole is not None and length < whole and completes else start
            beats += [start] if first > start else []
            while first < bars[at + 1]:
                beats.append(first)
                first += beat
    return np.array([*beats, bars[-1]], dtype=np.float64)
