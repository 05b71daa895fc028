"""The music model: pitch-class profiles in log space, whose left children may be transposed (section GRBNs for Music).

A value is the logarithm of a profile. A section splits into one that prepares, transposed by any number of semitones, and
one that it ends with; leaves have several slices. The prior is the same in all keys.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from recbayes.checks.series import Series
from recbayes.data.compositions import dirichlet_series
from recbayes.errors import DataError, ModelError
from recbayes.gaussian.emissions.composition import Composition, shares_of
from recbayes.gaussian.emissions.emit import Emit
from recbayes.gaussian.model.parts import Component, Link, Prior, Split, Variable
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.lengths import ExactlyOne, OnePlusPoisson

CLASSES = 12
PSEUDO_COUNT = 0.02  # of a profile's shares
RESOLUTION = 0.01  # of shares
SMALL, LARGE = 0.1, 0.4  # deviations of the child that is like its parent, and of the other, to begin with

MODES = ("major", "minor")
_SCALES = {"major": [0, 2, 4, 5, 7, 9, 11], "minor": [0, 2, 3, 5, 7, 8, 10]}
_TRIADS = {"major": [0, 4, 7], "minor": [0, 3, 7]}

Moved = Literal["left", "right", "both"]


def profiles(counts: object) -> np.ndarray:
    """Sounding times (slices x 12) as shares of each slice; silent slices are missing (NaN)."""
    rows = np.asarray(counts, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != CLASSES:
        raise DataError(f"sounding times must have shape (slices, {CLASSES}), got {rows.shape}")
    total = rows.sum(axis=1, keepdims=True)
    return rows / np.where(total > 0.0, total, np.nan)


def log_profiles(counts: np.ndarray) -> np.ndarray:
    """Profiles as they are compared: logarithms, of a little more than each share."""
    return np.log(profiles(counts) + PSEUDO_COUNT + RESOLUTION)


def literal_series(counts: np.ndarray) -> Series:
    """Slices as the paper has them: one more count of each class, shares, and the noise of a Dirichlet likelihood."""
    return dirichlet_series(counts, pseudo_count=1.0, concentration=1.0)


def start_model(
    pieces: Sequence[np.ndarray], *, modes: Sequence[str] = ("major",), moved: Moved = "left", leaf: float = 2.0
) -> GaussianRBN:
    """Values to begin with, for learning from `profiles` of some pieces; leaves have about `leaf` slices.

    The prior has a Gaussian for each of the `modes`, in all keys; its mean is that of the pieces that are in this mode by
    their notes, turned so that the tonic is the first. `moved` is the child that may be transposed.
    """
    noise = np.sqrt(
        np.nanmean([np.nanvar(np.diff(np.log(piece + PSEUDO_COUNT + RESOLUTION), axis=0)) for piece in pieces]) / 2.0
    )
    length = OnePlusPoisson(max(leaf - 1.0, 0.1))
    emit = Composition(0.55, float(noise) ** 2 * np.eye(CLASSES), PSEUDO_COUNT, length, RESOLUTION)
    return _model(_means(pieces, modes), moved, emit)


def with_single_leaves(model: GaussianRBN) -> GaussianRBN:
    """The same, but every slice is a leaf: for slices that are bars."""
    split, emit = model.variables[0].rules
    rules = replace(split, probability=0.49), replace(emit, probability=0.51, length=ExactlyOne())
    return GaussianRBN((replace(model.variables[0], rules=rules),), model.prior)


def literal_model(pieces: Sequence[np.ndarray], *, leaf: float = 2.0) -> GaussianRBN:
    """The paper's model for `literal_series`, to begin with."""
    emit = Emit(0.55, np.eye(CLASSES), OnePlusPoisson(max(leaf - 1.0, 0.1)))
    return _model(_means(pieces, ("major",)), "left", emit)


def _model(means: Sequence[np.ndarray], moved: Moved, emit: Composition | Emit) -> GaussianRBN:
    of_left, of_right = {(steps, 0): 1.0 for steps in range(CLASSES)}, {(0, steps): 1.0 for steps in range(CLASSES)}
    shifts = {"left": of_left, "right": of_right, "both": of_left | of_right}[moved]
    left, right = {"left": (LARGE, SMALL), "right": (SMALL, LARGE), "both": (LARGE, LARGE)}[moved]
    split = Split(
        1.0 - emit.probability,
        "x",
        "x",
        Link(left**2 * np.eye(CLASSES)),
        Link(right**2 * np.eye(CLASSES)),
        {steps: 1.0 / len(shifts) for steps in shifts},
    )
    keys = {steps: 1.0 / CLASSES for steps in range(CLASSES)}
    components = tuple(Component(mean, LARGE**2 * np.eye(CLASSES), 1.0 / len(means), keys) for mean in means)
    return GaussianRBN((Variable("x", CLASSES, (split, emit)),), Prior("x", components))


def mean_profiles(pieces: Sequence[np.ndarray], modes: Sequence[str]) -> list[np.ndarray]:
    """For each mode, the mean of its pieces' profiles from their tonics on, and of the mode's own notes: none is without."""
    found = {mode: [_template(mode)] for mode in modes}
    for piece in (one for one in pieces if not np.isnan(one).all()):
        whole = np.nanmean(piece, axis=0)
        key, mode = key_of(whole, {mode: _template(mode) for mode in modes})
        found[mode].append(np.roll(whole, -key))
    return [np.mean(found[mode], axis=0) for mode in modes]


def _means(pieces: Sequence[np.ndarray], modes: Sequence[str]) -> list[np.ndarray]:
    """Their logarithms."""
    return [np.log(mean + PSEUDO_COUNT + RESOLUTION) for mean in mean_profiles(pieces, modes)]


def key_of(profile: np.ndarray, of_modes: Mapping[str, np.ndarray]) -> tuple[int, str]:
    """The tonic and the mode whose profile, from its tonic on, one resembles most: the highest correlation."""
    centred = profile - profile.mean()

    def likeness(key: int, mode: str) -> float:
        other = np.roll(of_modes[mode], key) - of_modes[mode].mean()
        size = float(np.sqrt((centred @ centred) * (other @ other)))
        return float(centred @ other) / size if size > 0.0 else 0.0

    return max(((key, mode) for mode in of_modes for key in range(CLASSES)), key=lambda one: likeness(*one))


def mode_profiles(model: GaussianRBN) -> dict[str, np.ndarray]:
    """Profiles of the modes that a music model knows, from their tonics on: its prior means, major before minor."""
    emit = next((rule for rule in model.variables[0].rules if isinstance(rule, Composition)), None)
    if emit is None or emit.columns != CLASSES:
        raise ModelError(
            f"a music model emits a Composition of {CLASSES} pitch classes from its first variable; this one does not"
        )
    return {mode: shares_of(emit, one.mean) for mode, one in zip(MODES, model.prior.components, strict=False)}


def _template(mode: str) -> np.ndarray:
    """A mode's scale and, twice, its tonic's triad: only to say which key a piece is in."""
    notes = np.zeros(CLASSES)
    notes[_SCALES[mode]] += 1.0
    notes[_TRIADS[mode]] += 1.0
    return notes / notes.sum()
