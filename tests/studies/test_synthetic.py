"""A small run of the study: every part of it, and every number of its tables from outside."""

import csv
import json
import re
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
from recbayes.studies.change_points import all_candidates
from recbayes.studies.published import TREE_INDUCTION
from recbayes.studies.synthetic import study as study_module
from recbayes.studies.synthetic.checks import check_rows
from recbayes.studies.synthetic.data import make_sequence, paper_model, sequence_seed
from recbayes.studies.synthetic.methods import EXPECTED_F1, NODES, OUTSIDE, label
from recbayes.studies.synthetic.report import write_report
from recbayes.studies.synthetic.settings import NOISE_LEVELS, Settings
from recbayes.studies.synthetic.study import Results, run
from recbayes.studies.synthetic.tables import calibration_rows, difference_rows, score_rows
from recbayes.studies.synthetic.testing import published_truth
from recbayes.studies.synthetic.tuning import bayesian_tree, choose_change_points

pytestmark = pytest.mark.slow

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
    assert write_report(results, path).path == path / "report.md"
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


def test_the_published_truth_has_more_nodes(results: Results) -> None:
    """Two for each leaf of two observations; no tree here has them as nodes."""
    pairs = 0
    for noise, records in results.records.items():
        for record in records:
            _, tree = paper_model(noise).sample(seed=record["seed"], min_length=50, max_length=55)
            more = 2 * sum(leaf.end - leaf.start == 2 for leaf in tree.leaves)
            pairs += more
            for name, (_, predicted, true) in record["scores"].items():
                assert record["scores_as_published"][name][1:] == [predicted, true + more]
    assert pairs > 0


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
    rows = [
        row
        for row in calibration_rows(results)
        if (row["data"], row["method"], row["parameters"]) == ("with transpositions", NODES.name, "learnt")
    ]
    records = [record for level in results.records.values() for record in level]
    assert all(row["low"] <= row["probability"] <= row["high"] for row in rows)
    assert sum(row["spans"] for row in rows) == sum(n * (n + 1) // 2 - 1 for n in (record["length"] for record in records))
    nodes = sum(row["spans"] * row["share"] for row in rows)
    assert nodes == pytest.approx(sum(record["scores"]["HC/CPD"][2] - 1 for record in records))
    claimed = sum(row["spans"] * row["probability"] for row in rows)
    assert claimed == pytest.approx(sum(record["scores"][label(NODES, "learnt")][1] - 1 for record in records))


def test_claims_can_fail(results: Results) -> None:
    """Every claim that holds stops doing so when the numbers are changed accordingly."""
    tables = {"scores": score_rows(results), "differences": difference_rows(results)}
    for row in tables["scores"]:
        published = row["published_f1"] or 0.5
        row |= {"f1": published, "precision": 0.5, "recall": 0.5}
    for row in tables["differences"]:
        row["f1"] = 0.03 if row["minus"] != label(EXPECTED_F1, "true") else 0.0
    quick = replace(results, elapsed={"all": 60.0}, change_points={0.2: {"chosen": {"name": "Pelt, l2"}}})
    assert all(row["holds"] for row in check_rows(quick, tables))
    spoilt = json.loads(json.dumps(tables))
    for row in spoilt["scores"]:
        row |= {"f1": row["f1"] + 0.031 * (row["noise"] == 0.2), "recall": 0.5 - 0.061 * (row["noise"] == 0.2)}
    for row in spoilt["differences"]:
        row["f1"] = -0.02 if row["noise"] == 0.2 else 0.0
    slow = replace(results, elapsed={"all": 3600.0}, change_points={0.2: {"chosen": {"name": "Binseg, l2"}}})
    checks = check_rows(slow, spoilt)
    assert not any(row["holds"] for row in checks)
    assert checks[0]["measured"] == "Binseg, l2 at 0.2"


def test_the_choice_of_change_points() -> None:
    """Of equals the first; of a plateau the middle."""
    size = 7 * SMALL.per_decade + 1
    flat = {candidate.name: [0.0] * len(candidate.grid((0.0,) * size)) for candidate in all_candidates()}
    tied = {
        **flat,
        "Binseg, l2": [0.0, 2.0, *[0.0] * (size - 2)],
        "Pelt, l2": [0.0, 0.0, 2.0, 2.0, 2.0, *[0.0] * (size - 5)],
    }
    chosen = choose_change_points(SMALL, [tied])["chosen"]
    assert (chosen["name"], chosen["best_f1"]) == ("Pelt, l2", 1.0)
    assert chosen["value"] == pytest.approx(1e-4 * 10 ** (3 / SMALL.per_decade))
    better = {**tied, "Dynp, l1, by number": [0.0, 0.0, 2.5, *[0.0] * 13]}
    chosen = choose_change_points(SMALL, [flat, better])["chosen"]
    assert (chosen["name"], chosen["value"], chosen["best_f1"]) == ("Dynp, l1, by number", 2, 1.25)


def test_the_tuned_baseline_is_as_good_as_it_says(results: Results) -> None:
    for noise, tuned in results.bayesian.items():
        f1 = []
        for number in range(SMALL.tuning):
            y, tree = make_sequence(SMALL, noise, "tuning", number)
            f1.append(rb.node_scores(tree, bayesian_tree(tuned, y)).f1)
        assert np.mean(f1) == pytest.approx(tuned["best_f1"])
        assert tuned["best_f1_without_shifts"] <= tuned["best_f1"]


def test_levels_that_the_paper_has_not(results: Results, tmp_path: Path) -> None:
    """A report can be written of any noise level, and of parameters that are not determined."""
    fields = ("change_points", "bayesian", "learnt", "records", "unshifted")
    renamed = {field: {0.3: getattr(results, field)[0.2]} for field in fields}
    parameters = [[name, estimate, None] for name, estimate, _ in results.learnt[0.2]["parameters"]]
    renamed["learnt"] = {0.3: {**results.learnt[0.2], "parameters": parameters}}
    other = replace(results, settings=replace(SMALL, noise_levels=(0.3,)), **renamed)
    path, tables = write_report(other, tmp_path / "new")
    assert "not determined" in path.read_text(encoding="utf-8")
    assert not any("published" in row["claim"] for row in tables["checks"])


@pytest.mark.parametrize(
    "wrong",
    [
        {"test": 0},
        {"unshifted": 2.5},
        {"chunk": -1},
        {"seed": -1},
        {"seed": None},
        {"draws": True},
        {"noise_levels": ()},
        {"noise_levels": (0.1, 0.1)},
        {"noise_levels": (0.0,)},
        {"noise_levels": 0.1},
        {"noise_levels": np.array([0.1, 0.2])},
    ],
)
def test_impossible_settings(wrong: dict[str, Any]) -> None:
    with pytest.raises(StudyError, match="must be"):
        replace(SMALL, **wrong)


def test_files(results: Results, folder: Path) -> None:
    document = json.loads((folder / "study.json").read_text(encoding="utf-8"))
    assert document["settings"] == SMALL.to_data()
    assert document["versions"]["recbayes"] == rb.__version__
    assert document["machine"]["cores"] >= 1
    assert document["tables"]["scores"] == json.loads(json.dumps(score_rows(results)))
    report = (folder / "report.md").read_text(encoding="utf-8")
    assert not re.search(r"\b(nan|inf|None)\b", report)
    assert report.count("\n## ") == 12
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
