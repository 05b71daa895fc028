"""A small run of the study: every part of it, and every number of its tables from outside."""

import csv
import json
import math
import shutil
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import recbayes as rb
from recbayes.errors import FileError, StudyError
from recbayes.studies.published import TREE_INDUCTION
from recbayes.studies.synthetic import study as study_module
from recbayes.studies.synthetic.data import make_sequence, paper_model, sequence_seed
from recbayes.studies.synthetic.methods import EXPECTED_F1, NODES, OUTSIDE, label
from recbayes.studies.synthetic.report import write_report
from recbayes.studies.synthetic.settings import NOISE_LEVELS, Settings
from recbayes.studies.synthetic.study import Results, run
from recbayes.studies.synthetic.tables import calibration_rows, difference_rows, score_rows
from recbayes.studies.synthetic.testing import published_truth

SMALL = Settings(
    seed=3, noise_levels=(0.01, 0.2), training=3, tuning=2, test=5, unshifted=3, draws=200, per_decade=1, chunk=2
)


@pytest.fixture(scope="module")
def pool() -> Iterator[Executor]:
    with ThreadPoolExecutor(1) as executor:
        yield executor


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("study") / "out"


@pytest.fixture(scope="module")
def results(finished: Path, pool: Executor) -> Results:
    return run(SMALL, finished, executor=pool, progress=False)


@pytest.fixture(scope="module")
def folder(results: Results, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report")
    assert write_report(results, path) == path / "report.md"
    return path


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_sequences_are_the_paper_s() -> None:
    """Seeds are distinct, do not depend on how many there are, and give the sequences by the public names alone."""
    full = Settings()
    seeds = {
        sequence_seed(full, noise, role, number)
        for noise in NOISE_LEVELS
        for role, count in (("training", 10), ("tuning", 100), ("test", 500))
        for number in range(count)
    }
    assert len(seeds) == 6 * 610
    assert sequence_seed(replace(full, test=7), 0.1, "test", 5) == sequence_seed(full, 0.1, "test", 5)
    assert sequence_seed(replace(full, seed=1), 0.1, "test", 5) != sequence_seed(full, 0.1, "test", 5)
    for number in range(10):
        y, tree = make_sequence(full, 0.15, "test", number)
        assert 50 <= len(y) <= 55
        model = rb.GaussianRBN.create(
            dim=3,
            left_std=0.1,
            right_std=0.1,
            noise_std=0.15,
            termination=0.6,
            shifts={0: 0.5, 1: 0.5},
            extra_observations=5.0,
        )
        again, same = model.sample(seed=sequence_seed(full, 0.15, "test", number), min_length=50, max_length=55)
        assert np.array_equal(y, again)
        assert tree == same


def test_published_numbers() -> None:
    """F1 is the mean of the F1 of sequences, which is near, and mostly below, that of the mean precision and recall."""
    assert set(TREE_INDUCTION) == {"HC/CPD", "RBN max", "RBN marginal"}
    for levels in TREE_INDUCTION.values():
        assert tuple(levels) == NOISE_LEVELS
        for precision, recall, f1 in levels.values():
            assert f1 == pytest.approx(2 * precision * recall / (precision + recall), abs=0.025)


def test_published_truth() -> None:
    tree = rb.Tree.from_spans([(0, 6), (0, 2), (2, 6), (2, 3), (3, 6)])
    assert sorted(set(published_truth(tree)) - set(tree.spans)) == [(0, 1), (1, 2)]


@pytest.mark.filterwarnings("ignore::recbayes.errors.ApproximationWarning")
def test_scores_by_the_public_names(results: Results) -> None:
    """What the records say of one sequence is what a user gets who follows the README."""
    record = results.records[0.2][4]
    y, tree = paper_model(0.2).sample(seed=record["seed"], min_length=50, max_length=55)
    assert record["length"] == len(y)
    chart = rb.inside(paper_model(0.2), y)
    expected = rb.node_scores(tree, rb.best_tree(chart))
    assert record["scores"]["best tree (true)"] == [expected.shared, expected.predicted, expected.true]
    outside = np.minimum(rb.outside(chart).node_probability, 1.0)
    expected = rb.probabilistic_node_scores(tree, outside)
    np.testing.assert_allclose(
        record["scores"][label(OUTSIDE, "true")], [expected.shared, expected.predicted, expected.true]
    )
    posterior = rb.sample_posterior(paper_model(0.2), y, draws=20_000, seed=5)
    expected = rb.probabilistic_node_scores(tree, posterior.node_probability)
    shared, predicted, true = record["scores"][label(NODES, "true")]
    assert (shared, predicted) == (pytest.approx(expected.shared, abs=0.6), pytest.approx(expected.predicted, abs=0.6))
    assert true == len(tree)
    _, claimed, exist = np.array(record["calibration"][label(NODES, "true")]).sum(axis=0)
    assert claimed == pytest.approx(predicted - 1)  # all but the root
    assert exist <= true - 1


def test_tables_follow_from_the_sequences(results: Results, folder: Path) -> None:
    sequences = [row for row in read(folder / "sequences.csv") if row["role"] == "test"]
    assert len(sequences) == 10
    for row in read(folder / "scores.csv"):
        if row["truth"] != "true tree":
            continue
        name = row["method"] + (f" ({row['parameters']})" if row["parameters"] else "")
        here = [one for one in sequences if one["noise"] == row["noise"]]
        f1 = [2 * float(o[f"{name}: shared"]) / (float(o[f"{name}: predicted"]) + float(o["true"])) for o in here]
        assert float(row["f1"]) == pytest.approx(np.mean(f1))
        assert min(f1) <= float(row["f1_low"]) <= float(row["f1"]) <= float(row["f1_high"]) <= max(f1)
    published = {row["method"]: row["published_f1"] for row in read(folder / "scores.csv") if row["noise"] == "0.2"}
    assert float(published["best tree"]) == 0.4960
    assert published["expected-F1 tree"] == ""


def test_the_published_truth_costs_recall(results: Results) -> None:
    for clean, published in zip(*(score_rows_of(results, truth) for truth in ("true tree", "as published")), strict=True):
        assert clean["method"] == published["method"]
        if clean["method"] == "best tree":
            assert published["recall"] <= clean["recall"]


def score_rows_of(results: Results, truth: str) -> list[dict[str, Any]]:
    return [row for row in score_rows(results) if row["truth"] == truth]


def test_differences_are_those_of_the_scores(results: Results) -> None:
    scores = {(row["noise"], row["method"], row["parameters"]): row["f1"] for row in score_rows_of(results, "true tree")}
    for row in difference_rows(results):
        if row["noise"] != "all" and row["minus"] == "best tree (learnt)":
            gain = scores[row["noise"], EXPECTED_F1.name, "learnt"] - scores[row["noise"], "best tree", "learnt"]
            assert row["f1"] == pytest.approx(gain)
            assert row["f1_low"] <= gain <= row["f1_high"]


def test_without_transpositions_outside_marginals_are_right(results: Results) -> None:
    """And with them they are not, where the draws are: it is the approximation that fails."""
    for noise in SMALL.noise_levels:
        for levels, low, high in ((results.records, 0.0, 0.6), (results.unshifted, 0.9, 1.1)):
            sums = {
                method: sum(record["scores"][label(method, "true")][1] for record in levels[noise])
                for method in (OUTSIDE, NODES)
            }
            assert low < sums[OUTSIDE] / sums[NODES] < high


def test_calibration_covers_all_spans(results: Results) -> None:
    rows = [row for row in calibration_rows(results) if row["method"] == NODES.name and row["parameters"] == "learnt"]
    assert all(row["low"] <= row["probability"] <= row["high"] + 1e-12 for row in rows)
    assert sum(row["spans"] * row["share"] for row in rows) <= sum(
        record["scores"]["HC/CPD"][2] - 1 for level in results.records.values() for record in level
    )


def test_files(results: Results, folder: Path) -> None:
    document = json.loads((folder / "study.json").read_text(encoding="utf-8"))
    assert document["settings"] == SMALL.to_data()
    assert document["versions"]["recbayes"] == rb.__version__
    assert document["machine"]["cores"] >= 1
    assert document["tables"]["scores"] == json.loads(json.dumps(score_rows(results)))
    report = (folder / "report.md").read_text(encoding="utf-8")
    assert "nan" not in report.lower()
    assert report.count("\n## ") == 11
    assert {path.stem for path in (folder / "figures").glob("*.png")} == {"scores", "tuning", "calibration", "example"}
    assert all(path.stat().st_size > 10_000 for path in (folder / "figures").glob("*.png"))
    for noise, learnt in document["learnt"].items():
        (folder / "model.json").write_text(learnt["model"], encoding="utf-8")
        fitted = rb.load(folder / "model.json")
        series = [make_sequence(SMALL, float(noise), "training", number)[0] for number in range(3)]
        assert sum(chart.log_evidence for chart in rb.inside(fitted, series)) == pytest.approx(
            learnt["log_likelihood"], abs=1e-4
        )


def test_an_unfinished_study_goes_on(
    results: Results, finished: Path, tmp_path: Path, pool: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Interrupted in the middle of the tests, then finished: the same results, and nothing is done twice."""

    def interrupted(*arguments: Any) -> dict[str, Any]:
        raise KeyboardInterrupt

    shutil.copytree(finished, tmp_path / "out")
    for role in ("test", "unshifted"):
        shutil.rmtree(tmp_path / "out" / "parts" / role)
    whole = study_module.run_unshifted
    monkeypatch.setattr(study_module, "run_unshifted", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(SMALL, tmp_path / "out", executor=pool, progress=False)
    before = {path: path.read_bytes() for path in (tmp_path / "out" / "parts").rglob("*.json")}
    assert any("test" in path.parts for path in before)
    monkeypatch.setattr(study_module, "run_unshifted", whole)
    again = run(SMALL, tmp_path / "out", executor=pool, progress=False)
    assert again.records == results.records
    assert again.unshifted == results.unshifted
    assert all(path.read_bytes() == content for path, content in before.items())
    with pytest.raises(FileError, match="seed is 3 there and 4 here"):
        run(replace(SMALL, seed=4), tmp_path / "out", executor=pool, progress=False)


def test_without_ruptures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study_module, "find_spec", lambda name: None)
    with pytest.raises(StudyError, match=r"pip install 'recbayes\[study\]'"):
        run(SMALL, tmp_path / "out", progress=False)
    assert not (tmp_path / "out").exists()


def test_times_add_up(results: Results) -> None:
    assert all(math.isfinite(seconds) and seconds > 0 for seconds in results.seconds.values())
    assert results.elapsed["all"] <= sum(results.elapsed[stage] for stage in ("tuning", "learning", "testing")) + 1e-6
