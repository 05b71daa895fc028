"""Where a passage is, in the words of its score: bars by their names, and beats where it cuts bars."""

from collections import Counter
from functools import lru_cache

import numpy as np

from recbayes.music.score import Score

NEAR = 1e-6  # quarters


def place_names(score: Score, start: float, end: float) -> tuple[str, str]:
    """The first and the last bar of a passage: "5" and "11"; with beats where it cuts bars, "5.1" and "11.2".

    A bar that comes again is "5 (2nd time)".
    """
    last = len(score.names) - 1
    one = int(np.clip(np.searchsorted(score.bars, start + NEAR, side="right") - 1, 0, last))
    two = int(np.clip(np.searchsorted(score.bars, end - NEAR, side="left") - 1, one, last))
    times = times_of(score.names)
    if abs(score.bars[one] - start) < NEAR and abs(score.bars[two + 1] - end) < NEAR:
        return score.names[one] + times[one], score.names[two] + times[two]
    beats = _beat(score, one, start + NEAR), _beat(score, two, end - NEAR)
    return f"{score.names[one]}.{beats[0]}{times[one]}", f"{score.names[two]}.{beats[1]}{times[two]}"


def bars_in_words(score: Score, start: float, end: float, to: str = "–") -> str:
    """The bars of a passage: "bar 5", "bars 5–11"."""
    one, two = place_names(score, start, end)
    return f"bar {one}" if one == two else f"bars {one}{to}{two}"


@lru_cache(maxsize=8)
def times_of(names: tuple[str, ...]) -> tuple[str, ...]:
    """What tells bars of the same name apart: nothing for the first, " (2nd time)" for the next."""
    met: Counter[str] = Counter()
    found = []
    for name in names:
        met[name] += 1
        found.append("" if met[name] == 1 else f" ({_ordinal(met[name])} time)")
    return tuple(found)


def _beat(score: Score, bar: int, time: float) -> int:
    """Which beat of a bar a time is in, the first being 1."""
    inside = score.beats[(score.beats > score.bars[bar] - NEAR) & (score.beats <= time)]
    return max(1, len(inside))


def _ordinal(number: int) -> str:
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
