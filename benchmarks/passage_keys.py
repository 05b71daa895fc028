"""Keys of passages beside annotated keys: one for all, each passage alone, and all together by numbers chosen elsewhere.

    python -m benchmarks.passage_keys FOLDER

The folder has analyses in Roman numerals (NAME_analysis.rntxt, as When in Rome has them), and the scores beside them
(NAME.krn, NAME_score.mxl and so on). Passages are those that the model in the box finds and that lie within one annotated
key; single slices are left out, as they are called by chords. Numbers are chosen by the log probability of annotated keys:
in turns, each is set to what is best while the others stay. Halves are every other pair of pieces, by name: in Book I, a
pair has one tonic, in major and minor.
"""

import argparse
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

import recbayes as rb
from recbayes.music import passage_keys
from recbayes.music.analysis import Analysis, modes_of
from recbayes.music.keys import key_name
from recbayes.music.labels import state_of
from recbayes.music.model import key_of
from recbayes.music.passage_keys import KEYS, PROFILES, key_probabilities
from recbayes.studies.music.annotations import Region, read_annotations
from recbayes.studies.music.pieces import KINDS, Observed, Piece

ANALYSIS = "_analysis.rntxt"
NAMES = [key_name(*key) for key in KEYS]
EVEN: dict[int, float] = {}  # all harmonies are as probable
GRID: dict[str, tuple[Any, ...]] = {
    "NOTES": (3.5, 5.0, 7.0, 10.0, 14.0),
    "STAY": (0.2, 0.35, 0.5, 0.65, 0.8),
    "ENDS": (EVEN, {0: 0.2}, {0: 0.2, 7: 0.15}, {0: 0.3, 7: 0.2}, {0: 0.4, 7: 0.2}),
    "HOME": (EVEN, {0: 0.4}, {0: 0.6}, {0: 0.8}, {0: 0.9}),
    "APART": (0.25, 0.5, 0.75, 1.0),
    "OTHER_MODE": (0.0, 0.5, 1.0, 2.0),
}
Choice = tuple[int, ...]  # places in the grid


class Known(NamedTuple):
    """A piece, what `key_probabilities` asks of it, which passages lie within one annotated key, and in which."""

    found: Analysis
    ends: list[int | None]
    places: list[int]
    truth: list[int]
    home: int

    def probabilities(self) -> np.ndarray:
        tree = self.found.tree
        return key_probabilities(self.found.slices.counts, tree.spans, tree.parents, self.ends)


def read(folder: Path, name: str) -> Known:
    paths = [folder / f"{name}{more}{kind}" for kind in KINDS for more in ("", "_score")]
    path = next((path for path in paths if path.is_file()), None)
    if path is None:
        raise SystemExit(f"{folder} has {name}{ANALYSIS} and no score beside it; {name}.krn or {name}_score.mxl would do")
    score = rb.music.read_score(path)
    bars = rb.music.slice_score(score)
    by_bars = Observed(bars.counts, bars.edges)
    regions = read_annotations(folder, Piece(name, by_bars, by_bars, score.names)).keys
    found = rb.music.analyse(score, draws=100, seed=0)
    tree, model = found.tree, found.model
    states = [state_of(model, node.label) for node in tree]
    ends = [state[0] if state and (not n or tree.children(n)) else None for n, state in enumerate(states)]
    labels = {n: one for n, row in enumerate(found.table()) if tree.children(n) for one in within(regions, row)}
    known = Known(found, ends, list(labels), [NAMES.index(one) for one in labels.values()], NAMES.index(regions[0].label))
    told = [found.nodes[place].key_probability or 0.0 for place in known.places]
    np.testing.assert_allclose(known.probabilities()[known.places].max(axis=1), told, err_msg="keys are not those told")
    return known


def within(regions: Sequence[Region], row: dict[str, Any]) -> list[str]:
    """The key that a passage lies within, if it does."""
    return [one.label for one in regions if one.start <= row["start"] + 1e-6 and row["end"] <= one.end + 1e-6]


def alone(profiles: dict[str, np.ndarray]) -> Callable[[Known], list[int]]:
    """Keys by the correlation of a passage's notes with profiles."""

    def keys(known: Known) -> list[int]:
        spans = [known.found.tree.spans[place] for place in known.places]
        return [KEYS.index(key_of(known.found.slices.counts[start:end].sum(axis=0), profiles)) for start, end in spans]

    return keys


def one_for_all(known: Known) -> list[int]:
    return [int(known.probabilities()[0].argmax())] * len(known.places)


def together(known: Known) -> list[int]:
    return [int(key) for key in known.probabilities()[known.places].argmax(axis=1)]


def right(pieces: Sequence[Known], keys: Callable[[Known], list[int]]) -> int:
    return sum(int(np.sum(np.equal(keys(known), known.truth))) for known in pieces)


def numbers(choice: Choice) -> dict[str, Any]:
    return {name: values[place] for (name, values), place in zip(GRID.items(), choice, strict=True)}


def choose(pieces: Sequence[Known]) -> dict[str, Any]:
    """The numbers by which annotated keys are most probable, from the middle of the grid on."""

    @cache
    def score(choice: Choice) -> float:
        with mock.patch.multiple(passage_keys, **numbers(choice)):
            return sum(float(np.log(one.probabilities()[one.places, one.truth]).sum()) for one in pieces)

    best, before = tuple(len(values) // 2 for values in GRID.values()), None
    while best != before:
        before = best
        for axis, values in enumerate(GRID.values()):
            best = max((best[:axis] + (place,) + best[axis + 1 :] for place in range(len(values))), key=score)
    return numbers(best)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folder", type=Path)
    folder = arguments.parse_args().folder
    names = sorted(path.name.removesuffix(ANALYSIS) for path in folder.glob(f"*{ANALYSIS}"))
    if len(names) < 4:
        raise SystemExit(f"{folder} has {len(names)} files NAME{ANALYSIS}; two pairs of pieces or more are needed")
    pieces = [read(folder, name) for name in names]
    halves = [[known for place, known in enumerate(pieces) if place // 2 % 2 == half] for half in (0, 1)]
    chosen = [choose(half) for half in halves]
    unseen = 0
    for half, other in zip(chosen, reversed(halves), strict=True):
        with mock.patch.multiple(passage_keys, **half):
            unseen += right(other, together)
    temperley = {mode: np.array(profile) for mode, profile in PROFILES.items()}
    total = sum(len(known.places) for known in pieces)
    rows = {
        "that of the whole piece, for all": right(pieces, one_for_all),
        "each passage alone, by the profiles of the model in the box": right(pieces, alone(modes_of(rb.music.pretrained()))),
        "each passage alone, by Temperley's profiles": right(pieces, alone(temperley)),
        "all together, numbers chosen on one half of the preludes and measured on the other": unseen,
        "all together, as built in": right(pieces, together),
    }
    homes = sum(int(known.probabilities()[0].argmax()) == known.home for known in pieces)
    print(f"{total} passages; the key of the whole piece is right for {homes} of {len(pieces)}")
    print("\n| keys | right |\n|---|---|")
    for name, count in rows.items():
        print(f"| {name} | {100 * count / total:.0f} % |")
    print()
    for name, choice in zip(("one half", "the other", "all"), [*chosen, choose(pieces)], strict=True):
        print(f"chosen on {name}: {', '.join(f'{key} {value}' for key, value in choice.items())}")


if __name__ == "__main__":
    main()
