"""Series whose changes are known: kinds at which one library or the other is at home, and kinds without any change.

Noise has deviation one where nothing else is said. Changes are at random places, a least distance apart, as in
`benchmarks.long_series`.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from benchmarks.long_series import autoregressive, random_places
from recbayes.studies.real.series import AnnotatedSeries

PERIOD = 12
TRUTH = "truth"


class Known(NamedTuple):
    """Observations by columns, and the first position of every new segment."""

    values: np.ndarray
    changes: np.ndarray


class Kind(NamedTuple):
    """`period` is told to methods that take one. `home` names those that this kind is made for."""

    title: str
    draw: Callable[[np.random.Generator], Known]
    home: str = ""
    period: int | None = None
    slow: bool = False  # series are long: a half of them will do


def steps(rng: np.random.Generator, places: np.ndarray, length: int, low: float = 1.5, high: float = 4.0) -> np.ndarray:
    """A level for each segment, from the last by a jump up or down."""
    jumps = rng.choice([-1.0, 1.0], len(places)) * rng.uniform(low, high, len(places))
    return spread(np.concatenate([[0.0], np.cumsum(jumps)]), places, length)


def spread(values: np.ndarray, places: np.ndarray, length: int) -> np.ndarray:
    """One value for each segment, at all its observations."""
    return np.repeat(values, np.diff(places, prepend=0, append=length))


def levels(noise: Callable[[np.random.Generator, int], np.ndarray], length: int = 300, count: int = 3) -> Callable:
    def draw(rng: np.random.Generator) -> Known:
        places = random_places(rng, length, count, 25)
        return Known(column(steps(rng, places, length) + noise(rng, length)), places)

    return draw


def white(rng: np.random.Generator, length: int) -> np.ndarray:
    return rng.normal(size=length)


def red(rng: np.random.Generator, length: int) -> np.ndarray:
    return autoregressive(rng.normal(size=length), 0.6)


def heavy(rng: np.random.Generator, length: int) -> np.ndarray:
    """Student's t with three degrees of freedom, divided by its deviation."""
    return rng.standard_t(3, size=length) / np.sqrt(3.0)


def bends(rng: np.random.Generator) -> Known:
    """A line whose slope changes, without a jump; it turns by 0.08 to 0.2 an observation, up and down in turns."""
    length = 300
    places = random_places(rng, length, 2, 50)
    turns = rng.choice([-1.0, 1.0]) * np.array([1.0, -1.0]) * rng.uniform(0.08, 0.2, 2)
    slopes = spread(np.concatenate([[0.0], np.cumsum(turns)]) + rng.normal(scale=0.02), places, length)
    return Known(column(np.cumsum(slopes) + rng.normal(size=length)), places)


def spreads(rng: np.random.Generator) -> Known:
    """Only the noise changes: it is three times as large, and small again."""
    length = 300
    places = random_places(rng, length, 2, 40)
    deviations = np.array([1.0, 3.0, 1.0]) if rng.random() < 0.5 else np.array([3.0, 1.0, 3.0])
    return Known(column(spread(deviations, places, length) * rng.normal(size=length)), places)


def seasons(rng: np.random.Generator) -> Known:
    """A season of two waves, and a level that changes."""
    length = 240
    places = random_places(rng, length, 2, 30)
    phase = 2.0 * np.pi * (np.arange(length)[:, None] * [1, 2] / PERIOD + rng.random(2))
    season = np.sin(phase) @ rng.uniform(1.0, 2.0, 2)
    return Known(column(season + steps(rng, places, length, 2.0) + rng.normal(size=length)), places)


def panels(rng: np.random.Generator) -> Known:
    """Four columns, three of which change at the same places; one has ten times the units of the others."""
    length = 300
    places = random_places(rng, length, 3, 25)
    columns = [steps(rng, places, length, 1.0, 2.0) + rng.normal(size=length) for _ in range(3)]
    return Known(np.stack([*columns[:2], 10.0 * columns[2], rng.normal(size=length)], axis=1), places)


def states(rng: np.random.Generator) -> Known:
    """A hidden Markov model: three states that come back, each with its own level and noise, of about 60 observations."""
    length, stay = 600, 1.0 - 1.0 / 60.0
    path = [int(rng.integers(3))]
    for moves in rng.random(length - 1) > stay:
        path.append((path[-1] + int(rng.integers(1, 3))) % 3 if moves else path[-1])
    state = np.array(path)
    values = np.array([-2.0, 0.0, 2.5])[state] + np.array([0.5, 1.0, 0.5])[state] * rng.normal(size=length)
    return Known(column(values), np.flatnonzero(np.diff(state)) + 1)


def motifs(rng: np.random.Generator) -> Known:
    """Shapes of 40 observations that repeat: sine, saw, two bumps or a square wave, all of mean 0 and deviation 1."""
    length, period = 1200, 40
    places = random_places(rng, length, 2, 250)
    phase = np.arange(period) / period
    shapes = np.array([np.sin(2 * np.pi * phase), phase, np.sin(4 * np.pi * phase) ** 2 * (phase < 0.5), phase < 0.5])
    shapes = (shapes - shapes.mean(axis=1, keepdims=True)) / shapes.std(axis=1, keepdims=True)
    chosen = spread(rng.permutation(4)[:3], places, length)
    return Known(column(shapes[chosen, np.arange(length) % period] + 0.2 * rng.normal(size=length)), places)


def quiet(make: Callable[[np.random.Generator, int], np.ndarray]) -> Callable[[np.random.Generator], Known]:
    return lambda rng: Known(column(make(rng, 300)), np.empty(0, dtype=np.int64))


def column(values: np.ndarray) -> np.ndarray:
    return values[:, None]


CHANGED = {
    "levels": Kind("levels in white noise", levels(white), "all but claspy"),
    "red": Kind("levels in AR(1) noise, 0.6", levels(red), "recbayes"),
    "heavy": Kind("levels in noise with heavy tails (t, 3)", levels(heavy), "recbayes"),
    "bends": Kind("bends of a line", bends, "Rbeast, recbayes"),
    "spreads": Kind("changes of variance", spreads, "recbayes, hmmlearn"),
    "seasons": Kind("levels under a season of 12", seasons, "Rbeast, recbayes", PERIOD),
    "panels": Kind("levels of four columns", panels, "recbayes, ruptures, hmmlearn"),
    "states": Kind("three states that come back", states, "hmmlearn"),
    "motifs": Kind("repeated shapes that change", motifs, "claspy", slow=True),
}
QUIET = {
    "quiet-white": Kind("white noise", quiet(white)),
    "quiet-red": Kind("AR(1) noise, 0.6", quiet(red)),
    "quiet-heavy": Kind("heavy tails (t, 3)", quiet(heavy)),
    "quiet-line": Kind("a line in white noise", quiet(lambda rng, n: 0.03 * np.arange(n) + rng.normal(size=n))),
}
KINDS = {**CHANGED, **QUIET}


def drawn(name: str, seed: int) -> Known:
    """The same series for the same name and seed."""
    return KINDS[name].draw(np.random.default_rng([seed, *name.encode()]))


def annotated(name: str, count: int) -> list[AnnotatedSeries]:
    """Series of one kind, with the truth as the only annotation."""
    found = []
    for seed in range(max(count // 2, 1) if KINDS[name].slow else count):
        one = drawn(name, seed)
        found.append(AnnotatedSeries(f"{name} {seed:03d}", one.values, {TRUTH: tuple(map(int, one.changes))}))
    return found
