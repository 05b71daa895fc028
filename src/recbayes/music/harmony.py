"""Harmony: a grammar whose words are noisy. A passage has a chord or a key, ends with it, and what leads there has others.

A state is a root (one of twelve) and a kind, such as "major triad" or "minor scale". A passage in a state is some slices of
notes (one, if slices are bars), or two passages: one that prepares, whose state depends on that of the whole, and one that
it ends with, which is in the same state. All is the same in all keys: only intervals between roots count. What is heard of a
slice is

    log(shares + pseudo_count + resolution) ~ N(profile of the kind, turned to the root; s^2 covariance),

with s from a grid (some bars are purer than others), and steps of the resolution as `rb.Composition` has them. Sums over all
trees and states are exact.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from scipy.special import logsumexp

from recbayes.checks.arguments import listed, text
from recbayes.checks.arrays import check_probabilities, covariance, frozen, not_negative, positive, short
from recbayes.discrete.model.flat import Discrete, FlatGrammar
from recbayes.errors import ModelError
from recbayes.family.saved import Saved
from recbayes.music.keys import tonic_name
from recbayes.music.model import CLASSES, MODES, profiles
from recbayes.tree.known import balanced_preference

BEFORE = "before "  # begins the names of symbols that say what a passage prepares: they are no nodes of their own
SLICE = "slice of "  # begins those of single slices, where a passage may have several
SPLIT = 0.49  # the probability that a passage is two


class Harmony(Saved):
    """Kinds of harmony, their profiles, and what prepares what.

    Arguments:
        kinds: names of the kinds, such as "major triad".
        profiles: of each kind, logarithms of the shares of pitch classes from the root on, (kinds, 12).
        covariance: of the logarithms of a slice about its profile, (12, 12), the same in all keys: circulant.
        scales: multiples of the deviation, of which a slice takes one.
        scale_weights: their probabilities.
        roots: probabilities of the kinds of a whole piece's harmony.
        preparations: (kinds, 12, kinds): entry (a, n, b) is the probability that what prepares a passage of kind a is of
            kind b, with a root n semitones higher.
        modes: mean shares in major and minor, from the tonic on, of the pieces that it was learnt from, (2, 12).
        balance: the strength of `rb.balanced_preference`.
        pseudo_count: added to shares before their logarithms are taken.
        resolution: how finely shares are recorded.
        lengths: probabilities that a passage which is not divided has one slice, two, and so on.
    """

    format: ClassVar[str] = "recbayes.Harmony"
    fields: ClassVar[tuple[str, ...]] = (
        "kinds",
        "profiles",
        "covariance",
        "scales",
        "scale_weights",
        "roots",
        "preparations",
        "modes",
        "balance",
        "pseudo_count",
        "resolution",
        "lengths",
    )

    def __init__(
        self,
        kinds: Sequence[str],
        profiles: np.ndarray,
        covariance: np.ndarray,
        scales: np.ndarray,
        scale_weights: np.ndarray,
        roots: np.ndarray,
        preparations: np.ndarray,
        modes: np.ndarray,
        balance: float = 0.0,
        pseudo_count: float = 0.02,
        resolution: float = 0.01,
        lengths: Sequence[float] | np.ndarray = (1.0,),
    ) -> None:
        self.kinds = tuple(
            text(kind, "kinds: each name", ModelError) for kind in listed(kinds, "kinds", "names", ModelError)
        )
        if not all(self.kinds) or len(set(self.kinds)) < len(self.kinds) or not self.kinds:
            raise ModelError(f"kinds must be some different names, got {short(kinds)}")
        count = len(self.kinds)
        self.profiles = _shaped(profiles, "profiles", (count, CLASSES))
        self.covariance = _covariance(covariance)
        self.scales = frozen(scales, "scales")
        if self.scales.ndim != 1 or not len(self.scales) or (self.scales <= 0.0).any():
            raise ModelError(f"scales must be some positive numbers, got {scales!r}")
        self.scale_weights = _probabilities(scale_weights, "scale_weights", self.scales.shape)
        self.roots = _probabilities(roots, "roots", (count,))
        self.preparations = _shaped(preparations, "preparations", (count, CLASSES, count))
        for kind, rows in zip(self.kinds, self.preparations, strict=True):
            _probabilities(rows.ravel(), f"preparations of {kind!r}", (CLASSES * count,))
        self.modes = _shaped(modes, "modes", (len(MODES), CLASSES))
        if (self.modes < 0.0).any():
            raise ModelError("modes must be shares, which are not negative")
        self.balance = not_negative(balance, "balance")
        self.pseudo_count = positive(pseudo_count, "pseudo_count")
        self.resolution = positive(resolution, "resolution")
        self.lengths = frozen(lengths, "lengths")
        _probabilities(self.lengths, "lengths", (max(1, self.lengths.size),))
        self._made = True

    def __setattr__(self, name: str, value: Any) -> None:
        if getattr(self, "_made", False):
            raise AttributeError(f"a Harmony stays as it was made; make another one: harmony.with_fields({name}=...)")
        super().__setattr__(name, value)

    def with_fields(self, **fields: Any) -> Self:
        """The same, but for some fields.

        Arguments:
            **fields: what is to be different, by name.
        """
        return type(self)(**{name: getattr(self, name) for name in self.fields} | fields)

    @property
    def states(self) -> int:
        """The number of states: twelve roots for each kind."""
        return CLASSES * len(self.kinds)

    @property
    def names(self) -> tuple[str, ...]:
        """Of all states: root and kind, kind by kind."""
        return tuple(f"{tonic_name(root)} {kind}" for kind in self.kinds for root in range(CLASSES))

    @property
    def mode_profiles(self) -> dict[str, np.ndarray]:
        """The mean shares in major and minor, by name."""
        return dict(zip(MODES, self.modes, strict=True))

    def table(self) -> np.ndarray:
        """(states, states): how probable it is that a passage in the row's state is prepared by one in the column's."""
        count = len(self.kinds)
        places = np.arange(CLASSES)
        found = np.zeros((count, CLASSES, count, CLASSES))
        for steps in range(CLASSES):
            found[:, places, :, (places + steps) % CLASSES] = self.preparations[:, steps, :]
        return found.reshape(self.states, self.states)

    def heard(self, counts: object) -> "Heard":
        """What sounding times say of every slice's state; nothing of slices in which nothing sounds.

        Arguments:
            counts: (slices, 12), as `slice_score(...).counts` are.
        """
        return _hear(self, profiles(counts))

    def grammar(self, counts: object) -> "PieceGrammar":
        """The grammar of one piece, whose words are its slices.

        Arguments:
            counts: (slices, 12), as `slice_score(...).counts` are.
        """
        return PieceGrammar(self, self.heard(counts))

    def state_of(self, name: str) -> tuple[int, str] | None:
        """Root and kind of a state; None if there is no state of this name.

        Arguments:
            name: of the state.
        """
        if name not in self.names:
            return None
        kind, root = divmod(self.names.index(name), CLASSES)
        return root, self.kinds[kind]

    def to_data(self) -> dict[str, Any]:
        plain = {name: getattr(self, name) for name in self.fields}
        return {name: one.tolist() if isinstance(one, np.ndarray) else one for name, one in plain.items()} | {
            "kinds": list(self.kinds)
        }

    @classmethod
    def from_data(cls, document: dict[str, Any]) -> Self:
        given: dict[str, Any] = {name: document[name] for name in cls.fields}
        arrays = ("profiles", "covariance", "scales", "scale_weights", "roots", "preparations", "modes", "lengths")
        given |= {name: np.array(given[name], dtype=np.float64) for name in arrays}
        return cls(**given)

    def __repr__(self) -> str:
        return f"Harmony({len(self.kinds)} kinds: {', '.join(self.kinds)})"


@dataclass(frozen=True, eq=False)
class Heard:
    """Log densities of slices in every state and scale (scales, slices, states), and logarithms of shares (slices, 12)."""

    by_scale: np.ndarray
    logs: np.ndarray

    @property
    def log_density(self) -> np.ndarray:
        """(slices, states)."""
        return logsumexp(self.by_scale, axis=0)

    def __len__(self) -> int:
        return len(self.logs)


class Rules(NamedTuple):
    """Which rules of a piece's grammar are which: of divisions by states, preparations by pairs of states, passages by
    numbers of slices and states (none, if all have one), and slices by numbers and states."""

    divisions: slice
    preparations: slice
    passages: slice
    slices: slice


class PieceGrammar(Discrete):
    """Rules: a state leads to (before it, itself); before it, to a state; and a state to the slice, or to several.

    Weights of slices are densities, as parts of the largest of each; `log_scale` is the logarithm of what they are parts of.
    `preference` is what the model thinks of spans beforehand.
    """

    def __init__(self, model: Harmony, heard: Heard) -> None:
        self.heard, self.preference = heard, balanced_preference(len(heard), model.balance)
        log_density = heard.log_density
        largest = log_density.max(axis=1, keepdims=True)
        self.log_scale = float(largest.sum())
        self.tokens = [str(number) for number in range(len(heard))]
        self._flat, self.rules = _flat(model, np.exp(np.maximum(log_density - largest, -600.0)), self.tokens)

    def flat(self) -> FlatGrammar:
        return self._flat


def _flat(model: Harmony, weights: np.ndarray, tokens: list[str]) -> tuple[FlatGrammar, Rules]:
    """Symbols are states, what is before each and, where passages have several slices, single slices in each."""
    states, several = model.states, len(model.lengths) > 1
    own, table = np.arange(states), np.maximum(model.table(), 1e-300)
    slices = 2 * states if several else 0  # the first symbol that leads to slices
    ends = (1.0 - SPLIT) if not several else 1.0
    parts: list[tuple[np.ndarray, list[tuple[int, ...]], np.ndarray]] = [
        (own, [(states + state, state) for state in range(states)], np.full(states, SPLIT)),
        (states + np.repeat(own, states), [(state,) for state in np.tile(own, states).tolist()], table.ravel()),
        (
            np.tile(own, len(model.lengths)) if several else own[:0],
            [(slices + state,) * (n + 1) for n in range(len(model.lengths)) for state in range(states)] if several else [],
            (1.0 - SPLIT) * np.repeat(np.maximum(model.lengths, 1e-300), states) if several else np.zeros(0),
        ),
        (
            slices + np.tile(own, len(tokens)),
            [(-1 - token,) for token in np.repeat(np.arange(len(tokens)), states).tolist()],
            ends * weights.ravel(),
        ),
    ]
    edges = np.cumsum([0, *(len(part) for part, _, _ in parts)])
    names = (*model.names, *(BEFORE + name for name in model.names))
    names += tuple(SLICE + name for name in model.names) if several else ()
    start = np.zeros(len(names))
    start[:states] = np.repeat(model.roots / CLASSES, CLASSES)
    grammar = FlatGrammar(
        nonterminals=names,
        terminals=tuple(tokens),
        start=start,
        lefts=tuple(np.concatenate([part for part, _, _ in parts]).tolist()),
        rights=tuple(right for _, rights, _ in parts for right in rights),
        weights=np.concatenate([part for _, _, part in parts]),
    )
    return grammar, Rules(*(slice(int(a), int(b)) for a, b in pairwise(edges)))


def _hear(model: Harmony, shares: np.ndarray) -> Heard:
    low = shares + model.resolution + model.pseudo_count
    width = np.log1p(model.resolution / low)
    logs = np.log(low) + 0.5 * width
    means = np.stack([np.roll(profile, root) for profile in model.profiles for root in range(CLASSES)])
    found = np.zeros((len(model.scales), len(shares), len(means)))
    known = ~np.isnan(shares).any(axis=1)
    apart = (logs[known][:, None, :] - means).swapaxes(1, 2)
    density = np.log(width[known] / model.resolution).sum(axis=1) - 0.5 * CLASSES * np.log(2.0 * np.pi)
    for number, scale in enumerate(model.scales):
        R = scale**2 * model.covariance + (width[known] ** 2 / 12.0)[:, :, None] * np.eye(CLASSES)
        L = np.linalg.cholesky(R)
        rest = np.linalg.solve(L, apart)
        log_determinant = np.log(np.einsum("naa->na", L)).sum(axis=1)
        found[number][known] = (density - log_determinant)[:, None] - 0.5 * (rest**2).sum(axis=1)
    with np.errstate(divide="ignore"):
        return Heard(found + np.log(model.scale_weights)[:, None, None], logs)


def _shaped(values: object, name: str, shape: tuple[int, ...]) -> np.ndarray:
    found = frozen(values, name)
    if found.shape != shape:
        raise ModelError(f"{name} must have shape {shape}, got {found.shape}")
    return found


def _probabilities(values: object, name: str, shape: tuple[int, ...]) -> np.ndarray:
    found = _shaped(values, name, shape)
    check_probabilities(found, name)
    return found


def _covariance(values: object) -> np.ndarray:
    found = covariance(values, CLASSES, "covariance", definite=True)
    if not np.allclose(np.roll(found, (1, 1), axis=(0, 1)), found, rtol=1e-6, atol=1e-9):
        raise ModelError("covariance must be the same in all keys: each row the one before it, turned by one (circulant)")
    return found
