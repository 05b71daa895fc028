"""A study of small series with a stand-in for our method: everything it writes, from outside."""

import csv
import json
import re
import warnings
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import recbayes as rb
from recbayes.errors import FileError, StudyError
from recbayes.studies.real import methods as methods_module
from recbayes.studies.real.methods import METHODS, OURS, Method, choose_methods, no_change
from recbayes.studies.real.reading import Collection, read_collection
from recbayes.studies.real.report import write_report
from recbayes.studies.real.scores import covering, margin_f1
from recbayes.studies.real.study import Results, run
from recbayes.studies.real.tables import difference_rows, mean_rows
from tests.studies.real.files import PUBLISHED, small_series, write_one_file

calls: list[int] = []


def in_the_middle(values: np.ndarray, seed: int) -> list[int]:
    """One change point, and a sign of life."""
    calls.append(len(values))
    warnings.warn("only a\nstand-in", UserWarning, stacklevel=1)
    return [0, len(values) // 2]


def wild(values: np.ndarray, seed: int) -> list[int]:
    """It fails on two columns, and finds what is not there in short series."""
    if values.shape[1] > 1:
        raise ValueError("too\nmuch")
    return [len(values)] if len(values) < 40 else [20]


def full_disk(values: np.ndarray, seed: int) -> list[int]:
    raise OSError("no space left")


STAND_IN = replace(OURS, find=in_the_middle)
WILD = Method("wild", "wild | odd", wild)
SMALL = (STAND_IN, WILD, *METHODS[1:])


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    return read_collection(write_one_file(tmp_path / "all.json"))


@pytest.fixture
def pool() -> Iterator[Executor]:
    with ThreadPoolExecutor(1) as executor:
        yield executor


@pytest.fixture
def results(collection: Collection, tmp_path: Path, pool: Executor) -> Results:
    return run(collection, tmp_path / "out", methods=SMALL, seed=3, executor=pool, progress=False)


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_findings(results: Results) -> None:
    found = {(one.series.name, one.method.name): one for one in results.findings}
    assert len(found) == len(results.findings) == 3 * len(SMALL)
    for (name, method), one in found.items():
        truths = list(small_series()[name]["annotations"].values())
        if one.problem is None:
            assert one.score == (
                pytest.approx(covering(truths, one.change_points, len(one.series))),
                pytest.approx(margin_f1(truths, one.change_points)),
            )
        assert one.warnings == (("only a stand-in",) if method == OURS.name else ())
        assert 0 <= one.seconds < 60
    assert found["steps", OURS.name].change_points == (20,)
    assert found["steps", "none"].change_points == ()
    for method in ("pelt", "binseg"):
        assert found["steps", method].change_points == found["pair", method].change_points == (23,)
        assert found["flat", method].change_points == ()
    for method in ("pelt-noise", "binseg-noise"):
        assert 23 in found["steps", method].change_points
        assert 23 in found["pair", method].change_points
    assert [(one.series.name, one.method.name) for one in results.failures] == [("flat", "wild"), ("pair", "wild")]
    assert found["pair", "wild"].problem == "ValueError: too much"
    assert "from 0 to 29, got 30" in str(found["flat", "wild"].problem)
    assert found["flat", "wild"].score is None


def test_tables_follow_from_the_series(results: Results, tmp_path: Path) -> None:
    """Univariate are flat and steps, multivariate is pair; published scores are those of the file."""
    write_report(results, tmp_path / "report")
    rows = read(tmp_path / "report" / "series.csv")
    assert len(rows) == 3 * len(SMALL) + 3
    published = {(row["series"], row["method"]): row for row in rows if row["found"] == "" and not row["problem"]}
    assert {key: [float(row["cover"]), float(row["f1"])] for key, row in published.items()} == {
        (name, f"{method}, published"): pair
        for name, known in PUBLISHED.items()
        for method, pair in known.items()
        if pair != [None, None]
    }
    groups = {"univariate": ("flat", "steps"), "multivariate": ("pair",)}
    means = read(tmp_path / "report" / "means.csv")
    assert len(means) == 2 * len(SMALL) - 1 + 2  # the wild one has nothing multivariate; two published ones
    for row in means:
        here = [one for one in rows if one["method"] == row["method"] and one["series"] in groups[row["group"]]]
        for measure in ("cover", "f1"):
            values = [float(one[measure]) for one in here if one[measure]]
            assert int(row["series"]) == len(values)
            assert float(row[measure]) == pytest.approx(np.mean(values))
            assert min(values) - 1e-9 <= float(row[f"{measure}_low"]) <= float(row[measure]) + 1e-9
            assert float(row[measure]) - 1e-9 <= float(row[f"{measure}_high"]) <= max(values) + 1e-9


def test_differences_are_on_the_same_series(results: Results) -> None:
    scores = {(one.series.name, one.method.title): one.score for one in results.findings}
    found = {(row["group"], row["minus"]): row for row in difference_rows(results)}
    assert len(found) == len(mean_rows(results)) - 2  # all but ours
    for title, names in (("wild | odd", ["steps"]), ("no change", ["flat", "steps"])):
        row = found["univariate", title]
        gains = [scores[name, OURS.title].f1 - scores[name, title].f1 for name in names]  # type: ignore[union-attr]
        assert (row["series"], row["f1"]) == (len(names), pytest.approx(np.mean(gains)))
        assert row["f1_low"] <= row["f1"] <= row["f1_high"]
    steps = scores["steps", OURS.title]
    assert steps is not None
    assert found["univariate", "bocpd, published"]["cover"] == pytest.approx(steps.cover - 0.75)


def test_files(results: Results, tmp_path: Path) -> None:
    path, tables = write_report(replace(results, absent=("far_away",)), tmp_path / "report")
    report = path.read_text(encoding="utf-8")
    assert not re.search(r"\b(nan|inf|None)\b", report)
    assert report.count("\n## ") == 8
    for text in ("far_away", "ValueError: too much", "only a stand-in", "failed", "(1 series)", r"wild \| odd"):
        assert text in report
    document = json.loads((tmp_path / "report" / "study.json").read_text(encoding="utf-8"))
    assert document["tables"] == json.loads(json.dumps(tables))
    assert (document["seed"], document["versions"]["recbayes"]) == (3, rb.__version__)
    for table in re.findall(r"(?:^\|.*\n)+", report, flags=re.MULTILINE):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1


def test_an_unfinished_study_goes_on(collection: Collection, results: Results, tmp_path: Path, pool: Executor) -> None:
    """Nothing is done twice, a method may be added, and other data or another seed are refused."""
    calls.clear()
    again = run(collection, tmp_path / "out", methods=SMALL, seed=3, executor=pool, progress=False)
    assert [one.score for one in again.findings] == [one.score for one in results.findings]
    assert calls == []
    (tmp_path / "out" / "parts" / OURS.name / "0002.json").unlink()
    again = run(collection, tmp_path / "out", methods=SMALL, seed=3, executor=pool, progress=False)
    assert [one.score for one in again.findings] == [one.score for one in results.findings]
    assert calls == [40]
    more = Method("more", "more", no_change)
    run(collection, tmp_path / "out", methods=[STAND_IN, more], seed=3, executor=pool, progress=False)
    assert calls == [40]
    with pytest.raises(FileError, match="seed is 3 there and 4 here"):
        run(collection, tmp_path / "out", methods=SMALL, seed=4, executor=pool, progress=False)
    with pytest.raises(FileError, match="series is"):
        run(Collection(collection.series[:2]), tmp_path / "out", methods=SMALL, seed=3, executor=pool, progress=False)


def test_what_is_not_the_method_s_fault_ends_the_study(collection: Collection, tmp_path: Path, pool: Executor) -> None:
    broken = Method("broken", "broken", full_disk)
    with pytest.raises(OSError, match="no space"):
        run(collection, tmp_path / "out", methods=[STAND_IN, broken], executor=pool, progress=False)
    run(collection, tmp_path / "out", methods=[STAND_IN], executor=pool, progress=False)


def test_short_series_only(collection: Collection, tmp_path: Path, pool: Executor) -> None:
    quick = run(collection, tmp_path / "out", methods=[STAND_IN], longest=39, executor=pool, progress=False)
    assert [one.name for one in quick.series] == ["flat"]
    write_report(quick, tmp_path / "out")
    with pytest.raises(StudyError, match="no series has at most 5"):
        run(collection, tmp_path / "none", methods=[STAND_IN], longest=5, executor=pool, progress=False)


def test_our_method_is_what_users_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """`recbayes.segment` with the values as they are, missing ones too, and the seed."""
    given = {}

    def segment(data: np.ndarray, *, seed: int) -> SimpleNamespace:
        given.update(data=data, seed=seed)
        return SimpleNamespace(change_points=np.array([1, 2]))

    monkeypatch.setattr(rb, "segment", segment, raising=False)
    values = np.array([[1.0], [np.nan], [3.0]])
    assert list(OURS.find(values, 5)) == [1, 2]
    assert np.array_equal(given["data"], values, equal_nan=True)
    assert given["seed"] == 5


def test_the_choice_of_methods(collection: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert choose_methods(None) == METHODS
    assert [method.name for method in choose_methods(["none", "pelt", "none"])] == ["pelt", "none"]
    for wrong in (["pelt", "guess"], [""], []):
        with pytest.raises(StudyError, match="methods are one or more of recbayes, pelt"):
            choose_methods(wrong)
    monkeypatch.setattr(methods_module, "find_spec", lambda name: None)
    with pytest.raises(StudyError, match=r"Pelt needs the package ruptures: pip install 'recbayes\[study\]'"):
        run(collection, tmp_path / "out", methods=METHODS[1:])
    assert not (tmp_path / "out").exists()
