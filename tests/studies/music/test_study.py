"""The whole study on pieces of eight bars, with models that are taken as they start: everything it writes, from outside."""

import csv
import json
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import recbayes as rb
from recbayes.errors import FileError, StudyError
from recbayes.family.saved import to_json
from recbayes.music.model import profiles
from recbayes.studies.music import learning as learning_module
from recbayes.studies.music.analysis import EXPECTED_F1, restored
from recbayes.studies.music.annotations import Annotations, read_annotations
from recbayes.studies.music.baselines import BASELINES, RANDOM
from recbayes.studies.music.learning import learn, learnt_model
from recbayes.studies.music.models import MODELS, MusicModel, mean_profile, to_proportions
from recbayes.studies.music.pieces import Piece
from recbayes.studies.music.profiles import Published, key_of
from recbayes.studies.music.report import write_report
from recbayes.studies.music.settings import Settings
from recbayes.studies.music.stages import FREE, GIVEN, WITHOUT, Analysed, Climb, Compared
from recbayes.studies.music.study import Results, choose_pieces, run
from recbayes.tree.metrics import node_scores
from tests.studies.music.tiny import TREE, tiny_piece, write_annotations

SMALL = Settings(seed=1, slices=16, starts=2, draws=50, drawn=3, random_trees=4, rivals=6)
PROFILE = (0.2, 0.01, 0.12, 0.01, 0.13, 0.1, 0.02, 0.2, 0.01, 0.09, 0.02, 0.09)
PUBLISHED = (Published("book", "major", np.array(PROFILE)),)
learnt: list[tuple[str, int, int]] = []

NAMES = tuple(named.name for named in MODELS)

pytestmark = pytest.mark.slow


def as_it_starts(named: MusicModel, counts: Sequence[np.ndarray], start: int, **settings: Any) -> dict[str, Any]:
    """No climb; the second start is the better one."""
    learnt.append((named.name, len(counts), start))
    model = {"model": to_json(named.start(counts, start)), "parameters": [["prior.mean[0]", 0.5, None]], "warnings": []}
    numbers = {"log_likelihood": -100.0 + start, "error": 0.0, "evaluations": 1, "free": 20}
    return {**model, **numbers, "converged": True, "reason": "it is where it was"}


@pytest.fixture(scope="module")
def pieces() -> tuple[Piece, ...]:
    return tuple(tiny_piece(name, tonic, tonic) for name, tonic in (("one", 0), ("two", 7), ("three", 3)))


@pytest.fixture(scope="module")
def annotations(pieces: tuple[Piece, ...], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Annotations]:
    folder = tmp_path_factory.mktemp("annotations")
    write_annotations(folder, "one")
    write_annotations(folder, "two", tree=False)
    return {piece.name: read_annotations(folder, piece) for piece in pieces}


@pytest.fixture(scope="module")
def pool() -> Iterator[Executor]:
    with ThreadPoolExecutor(1) as executor:
        yield executor


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("study")


@pytest.fixture(scope="module")
def results(pieces: tuple[Piece, ...], annotations: dict[str, Annotations], folder: Path, pool: Executor) -> Results:
    return run(pieces, annotations, SMALL, folder, learning=as_it_starts, executor=pool, progress=False)


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_what_is_learnt_and_analysed(results: Results) -> None:
    """All starts from all pieces; without the piece that has a tree, from the start that was best."""
    expected = {Climb(name, None, start) for name in NAMES for start in (0, 1)}
    expected |= {Climb(name, "one", 1) for name in NAMES}
    assert set(results.climbs) == expected
    assert sorted(learnt[: len(expected)]) == sorted((one.model, 2 if one.without else 3, one.start) for one in expected)
    assert results.best == dict.fromkeys(NAMES, 1)
    hows = {(name, piece, FREE) for name in NAMES for piece in ("one", "two", "three")}
    hows |= {(name, "one", WITHOUT) for name in NAMES}
    hows |= {(name, "one", GIVEN) for name in NAMES if name not in ("bars", "harmony")}  # bars are given to bars anyway
    assert set(results.analyses) == hows
    compared = {(name, piece, "regions") for name in NAMES for piece in ("one", "two")}
    compared |= {(name, "one", what) for name in NAMES for what in ("expert", "probability")}
    assert set(results.comparisons) == compared


def test_analyses_are_those_of_the_library(results: Results, pieces: tuple[Piece, ...]) -> None:
    """Trees that are told the bars have them; probabilities are those of draws from the same model."""
    told = restored(results.analyses[Analysed("slices", "one", GIVEN)])
    bars = {(2 * bar, 2 * bar + 2) for bar in range(8)}
    assert all(bars <= set(tree.spans) for tree in (*told.trees.values(), *told.drawn))
    assert told.means is None
    free = restored(results.analyses[Analysed("bars", "two", FREE)])
    model = learnt_model(results.climbs[Climb("bars", None, 1)])
    values = profiles(pieces[1].by_bars.counts)
    exact = rb.sample_posterior(model, values, draws=4000, seed=5)
    assert np.abs(free.node_probability - exact.node_probability).max() < 0.35  # fifty draws
    assert free.facts["log_evidence"] == pytest.approx(exact.log_evidence, abs=1.0)
    assert free.means is not None
    with pytest.warns(rb.ApproximationWarning, match="not probabilities"):
        outside = rb.outside(rb.inside(model, values))
    assert free.means[0, 8] == pytest.approx(outside.node(0, 8).mean, abs=1e-3)
    assert np.isnan(free.means[3, 3]).all()
    assert len(free.drawn) == SMALL.drawn


def test_scores_follow_from_the_trees(results: Results) -> None:
    found = {(row["tree"], row["level"]): row for row in results.comparisons[Compared("bars", "one", "expert")]}
    tree = restored(results.analyses[Analysed("bars", "one", WITHOUT)]).trees[EXPECTED_F1]
    assert found[EXPECTED_F1, "all nodes"]["f1"] == pytest.approx(node_scores(TREE, tree).f1)
    assert found["balanced", "all nodes"]["f1"] == found["balanced", "above bars"]["f1"] == 1.0
    assert found["balanced", "boundaries"]["f1"] == 1.0
    assert found["right-branching", "above bars"]["f1"] == pytest.approx(2 * 2 / (6 + 6))  # 4:8 and 6:8
    assert {row["leaves_given"] for row in found.values()} == {False}
    slices = results.comparisons[Compared("slices", "one", "expert")]
    given = {(row["tree"], row["level"]): row for row in slices if row["leaves_given"]}
    assert given["balanced", "all nodes"]["f1"] == 1.0
    names = {row["tree"] for row in slices}
    assert names >= {*BASELINES, *RANDOM, EXPECTED_F1, "trees drawn", "node probabilities"}
    for row in (*slices, *found.values()):
        assert 0.0 <= row["f1"] <= 1.0
        assert 0.0 <= row["same_leaves"] <= 1.0


def test_an_analyst_s_tree_among_random_ones(results: Results, pieces: tuple[Piece, ...]) -> None:
    rows = results.comparisons[Compared("bars", "one", "probability")]
    model = learnt_model(results.climbs[Climb("bars", "one", 1)])
    allowed = rb.Tree.from_spans(TREE).span_mask()
    known = rb.inside(model, profiles(pieces[0].by_bars.counts), allowed=allowed)
    assert [row["others"] for row in rows] == list(RANDOM)
    for row in rows:
        assert row["log_probability"] == pytest.approx(known.log_evidence)
        assert row["others_count"] == SMALL.rivals
        assert 0.0 <= row["share"] <= 1.0


def test_files(results: Results, tmp_path: Path) -> None:
    path, tables = write_report(results, tmp_path, PUBLISHED)
    report = path.read_text(encoding="utf-8")
    assert not re.search(r"\b(nan|inf|None)\b", report)
    for picture in re.findall(r"!\[.*?\]\((.*?)\)", report):
        assert (tmp_path / picture).stat().st_size > 5000
    assert len(list((tmp_path / "figures" / "pieces").glob("*.png"))) == 3 * len(NAMES)
    for table in re.findall(r"(?:^\|.*\n)+", report, flags=re.MULTILINE):
        assert len({line.count("|") for line in table.splitlines()}) == 1
    document = json.loads((tmp_path / "study.json").read_text(encoding="utf-8"))
    assert document["tables"] == json.loads(json.dumps(tables))
    assert rb.load(tmp_path / "models" / "bars-without-one-1.json") == learnt_model(results.climbs[Climb("bars", "one", 1)])
    regions = read(tmp_path / "regions.csv")
    for row in read(tmp_path / "region_means.csv"):
        names = ("model", "tree", "measure")
        here = [one for one in regions if all(one[name] == row[name] for name in names)]
        assert int(row["pieces"]) == len(here) == 2
        gains = [float(one["value"]) - float(one["same_leaves"]) for one in here]
        assert float(row["gain"]) == pytest.approx(np.mean(gains))
        assert min(gains) - 1e-9 <= float(row["gain_low"]) <= float(row["gain_high"]) <= max(gains) + 1e-9
    weights = [float(row["weight"]) for row in read(tmp_path / "weights.csv")]
    assert np.reshape(weights, (-1, 12)).sum(axis=1) == pytest.approx(np.ones(3 * len(NAMES)))
    profiles = read(tmp_path / "profiles.csv")
    assert {row["mode"] for row in profiles if row["model"] != "harmony"} == {"major"}
    for row in (one for one in profiles if one["mode"] == "major"):
        values = [float(row[f"pc{step}"]) for step in range(12)]
        assert float(row["correlation_book"]) == pytest.approx(np.corrcoef(values, PROFILE)[0, 1])


def test_a_study_without_annotations(pieces: tuple[Piece, ...], tmp_path: Path, pool: Executor) -> None:
    nothing = {piece.name: Annotations() for piece in pieces}
    alone = run(pieces, nothing, SMALL, tmp_path, models=MODELS[1:], learning=as_it_starts, executor=pool, progress=False)
    assert alone.comparisons == {}
    report = write_report(alone, tmp_path).path.read_text(encoding="utf-8")
    assert "analyst" not in report
    assert "No published profiles" in report


def test_it_goes_on(
    results: Results, pieces: tuple[Piece, ...], annotations: dict[str, Annotations], folder: Path, pool: Executor
) -> None:
    """Nothing is learnt twice; other pieces are another study; a climb that was interrupted is none."""
    before = len(learnt)
    again = run(pieces, annotations, SMALL, folder, learning=as_it_starts, executor=pool, progress=False)
    assert len(learnt) == before
    assert again.comparisons == results.comparisons
    with pytest.raises(FileError, match="other settings"):
        run(pieces[:2], annotations, SMALL, folder, learning=as_it_starts, executor=pool, progress=False)
    with pytest.raises(StudyError, match="two pieces or more"):
        run(pieces[:1], annotations, SMALL, folder, learning=as_it_starts, executor=pool, progress=False)


def test_which_pieces_come_first(pieces: tuple[Piece, ...], annotations: dict[str, Annotations]) -> None:
    short = tiny_piece("short", song=("I", "V"))
    known = {**annotations, "short": Annotations()}
    for most, names in (
        (1, ["one"]),
        (2, ["one", "two"]),
        (3, ["one", "two", "short"]),
        (None, ["short", "three", "one", "two"]),
    ):
        chosen = choose_pieces((short, pieces[2], *pieces[:2]), known, most)
        assert sorted(piece.name for piece in chosen) == sorted(names)


def test_learning_goes_on_from_its_checkpoint(
    pieces: tuple[Piece, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pool: Executor
) -> None:
    """Two evaluations, and then none that is new; Ctrl-C gives no model."""
    counts = [piece.by_bars.counts[:4] for piece in pieces[:2]]
    first = learn(MODELS[1], counts, 0, folder=tmp_path, executor=pool, evaluations=2, progress=False)
    assert (first["evaluations"], first["converged"]) == (2, False)
    size = [path.stat().st_size for path in tmp_path.iterdir()]
    again = learn(MODELS[1], counts, 0, folder=tmp_path, executor=pool, evaluations=2, progress=False)
    assert again["model"] == first["model"]
    assert [path.stat().st_size for path in tmp_path.iterdir()] == size
    start = MODELS[1].start(counts, 0)
    total = sum(rb.inside(start, profiles(one)).log_evidence for one in counts)
    assert first["log_likelihood"] >= total - 1e-9

    class Interrupted:
        reason = "interrupted"

    monkeypatch.setattr(learning_module, "fit", lambda *given, **settings: Interrupted())
    with pytest.raises(KeyboardInterrupt):
        learn(MODELS[1], counts, 0, folder=tmp_path, executor=pool, progress=False)


def test_what_models_start_with(pieces: tuple[Piece, ...]) -> None:
    """All pieces are the same song in other keys."""
    mean = mean_profile([piece.by_bars.counts for piece in pieces])
    assert key_of(mean).mode == "major"
    alone = pieces[0].by_bars.counts.sum(axis=0)
    assert max(np.corrcoef(np.roll(mean, step), alone)[0, 1] for step in range(12)) > 0.99
    values = profiles(np.vstack([pieces[0].by_bars.counts, np.zeros((1, 12))]))
    assert np.isnan(values[-1]).all()
    model = MODELS[1].start([piece.by_bars.counts for piece in pieces], 0)
    logs = np.log(values[0] + 0.03)
    assert to_proportions(model, logs) == pytest.approx(values[0], abs=1e-12)


def test_settings() -> None:
    assert Settings.quick(3).seed == 3
    for settings in ({"seed": -1}, {"slices": 1}, {"draws": 0}, {"starts": True}, {"pieces": 0}, {"rivals": 2.0}):
        with pytest.raises(StudyError, match=next(iter(settings))):
            Settings(**settings)  # type: ignore[arg-type]
