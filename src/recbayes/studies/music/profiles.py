"""Profiles of pitch classes: which key one is in, which tonic it has, and those that others have published."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from recbayes.errors import FileError
from recbayes.music.model import key_of as most_alike
from recbayes.studies.music.roman import Key

# Plain scales, the triad twice: enough to tell which note of a profile is the tonic.
SCALES = {
    "major": np.array([2.0, 0, 1, 0, 2, 1, 0, 2, 0, 1, 0, 1]),
    "minor": np.array([2.0, 0, 1, 2, 0, 1, 0, 2, 1, 0, 0.5, 0.5]),
}
MODES = tuple(SCALES)


class Published(NamedTuple):
    """Where it is from, its mode, and (12,) proportions from the tonic on."""

    source: str
    mode: str
    values: np.ndarray


class Template(NamedTuple):
    """What a key looks like."""

    key: Key
    values: np.ndarray


def read_profiles(path: str | Path) -> tuple[Published, ...]:
    """A table with the columns `source`, `mode` and `pc0` to `pc11`; proportions are made to sum to 1."""
    path = Path(path)
    try:
        rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    except (OSError, UnicodeDecodeError) as problem:
        raise FileError(f"{path} cannot be read: {problem}") from None
    found = []
    for number, row in enumerate(rows, start=2):
        try:
            values = np.array([float(row[f"pc{step}"]) for step in range(12)])
            source, mode = row["source"], row["mode"]
        except (KeyError, TypeError, ValueError):
            raise FileError(f"{path}, line {number}: source, mode and numbers in pc0 to pc11 were expected") from None
        if mode not in MODES or not np.isfinite(values).all() or (values < 0).any() or not values.any():
            raise FileError(f"{path}, line {number}: a major or minor profile of numbers that are not negative was expected")
        found.append(Published(source, mode, values / values.sum()))
    if not found:
        raise FileError(f"{path} has no profiles")
    return tuple(found)


def correlations(values: np.ndarray, profiles: np.ndarray) -> np.ndarray:
    """(..., K): Pearson's, of values (..., 12) with K profiles; NaN where values are missing or all the same."""
    first = values - values.mean(axis=-1, keepdims=True)
    second = profiles - profiles.mean(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        lengths = np.linalg.norm(first, axis=-1)[..., None] * np.linalg.norm(second, axis=-1)
        return first @ second.T / lengths


def key_of(values: np.ndarray) -> Key:
    """The key whose plain scale a profile resembles most."""
    return Key(*most_alike(values, SCALES))


def from_tonic(values: np.ndarray) -> np.ndarray:
    """A profile turned so that its tonic comes first."""
    return np.roll(values, -key_of(values).tonic)


def key_templates(means: Sequence[np.ndarray]) -> tuple[Template, ...]:
    """All keys of the modes that some profiles are in: each of them turned to every tonic, the first of its mode."""
    found: dict[str, np.ndarray] = {}
    for values in means:
        found.setdefault(key_of(values).mode, from_tonic(values))
    return tuple(Template(Key(tonic, mode), np.roll(values, tonic)) for mode, values in found.items() for tonic in range(12))


def best_keys(values: np.ndarray, templates: Sequence[Template]) -> np.ndarray:
    """(...): the number of the template that values (..., 12) resemble most; -1 where there are none."""
    matches = correlations(values, np.array([one.values for one in templates]))
    missing = np.isnan(matches).any(axis=-1)
    return np.where(missing, -1, np.argmax(np.where(missing[..., None], 0.0, matches), axis=-1))
