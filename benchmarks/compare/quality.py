"""How well change points are found: the study of annotated series, run on series whose truth is known and on real ones.

Parts are kept in a folder of their own for every state of the code and of the peers; an interrupted run goes on there.
"""

import hashlib
import json
from collections.abc import Sequence
from concurrent.futures import Executor
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

import recbayes as rb
from benchmarks.compare.methods import methods
from benchmarks.compare.series import KINDS, annotated
from recbayes.studies.bootstrap import Estimate, bootstrap_mean
from recbayes.studies.facts import versions
from recbayes.studies.real.methods import Method
from recbayes.studies.real.reading import Collection, read_collection
from recbayes.studies.real.study import Finding, run

PEERS = ("ruptures", "claspy", "Rbeast", "hmmlearn", "torch-struct")
CACHE = Path(".cache/compare")


class Cell(NamedTuple):
    """What a method reached on one kind; `failed` of `series` have no scores, and are left out of the means."""

    cover: Estimate
    f1: Estimate
    told: Estimate  # the share of series in which any change was told
    series: int
    failed: int


def installed(many: Sequence[Method]) -> tuple[list[Method], list[str]]:
    """Those that can run here, and why the others cannot."""
    here = [one for one in many if one.needs is None or find_spec(one.needs) is not None]
    return here, [f"{one.title}: {one.needs} is not installed" for one in many if one not in here]


def peer_versions() -> dict[str, str]:
    found = {}
    for name in PEERS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def folder() -> Path:
    """For this code, these peers and these series."""
    sources = sorted(Path(__file__).parent.glob("*.py"))
    known = [versions(), peer_versions(), *(path.read_text(encoding="utf-8") for path in sources)]
    return CACHE / hashlib.sha256(json.dumps(known).encode()).hexdigest()[:12]


def on_kind(name: str, count: int, pool: Executor, keep: Path) -> dict[str, Cell]:
    """Every method on series of one kind."""
    here, _ = installed(methods(KINDS[name].period))
    return cells(findings(Collection(tuple(annotated(name, count))), here, pool, keep / f"{name}-{count}"))


def on_real(path: str, several: bool, pool: Executor, keep: Path) -> dict[str, Cell]:
    """Every method on the annotated series of a file or folder: those of one column, or those of several."""
    series = tuple(one for one in read_collection(path).series if (one.columns > 1) is several)
    here, _ = installed(methods())
    return cells(findings(Collection(series), here, pool, keep / f"real-{several}")) if series else {}


def in_the_box(seed: int = 0) -> dict[str, dict[str, str]]:
    """What methods tell of the real series that come with the package, which nobody has annotated."""
    told: dict[str, dict[str, str]] = {}
    for make in (rb.data.nile, rb.data.us_growth, rb.data.el_nino):
        one = make()
        here, _ = installed(methods(one.period))
        told[one.name] = {}
        for method in here:
            found = sorted({int(point) for point in method.find(np.array(one.values), seed)} - {0})
            labels = ", ".join(str(one.index[point]) for point in found)
            told[one.name][method.title] = (labels or "none") if len(found) <= 4 else f"{len(found)} changes"
    return told


def findings(collection: Collection, here: Sequence[Method], pool: Executor, keep: Path) -> tuple[Finding, ...]:
    return run(collection, keep, methods=here, executor=pool, progress=False).findings


def cells(found: Sequence[Finding]) -> dict[str, Cell]:
    """By method; one that fails on all series has none."""
    made = {}
    for title in dict.fromkeys(one.method.title for one in found):
        mine = [one for one in found if one.method.title == title]
        scores = [one.score for one in mine if one.score is not None]
        if scores:
            told = np.array([float(len(one.change_points) > 0) for one in mine if one.score is not None])
            cover, f1 = np.array(scores).T
            estimates = [bootstrap_mean(np.ascontiguousarray(values), 0) for values in (cover, f1, told)]
            made[title] = Cell(*estimates, series=len(mine), failed=len(mine) - len(scores))
    return made
