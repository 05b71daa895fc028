"""The comparison with other libraries: series are what they say, scores are means, absent peers are left out."""

from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from benchmarks.compare import quality, tables
from benchmarks.compare.features import FACTS, LIBRARIES, knows
from benchmarks.compare.methods import methods, ruptures_l2
from benchmarks.compare.series import CHANGED, KINDS, PERIOD, QUIET, annotated, drawn
from recbayes.studies.real.methods import Method
from recbayes.studies.real.reading import Collection
from recbayes.studies.real.scores import covering, margin_f1


def segments(name: str, seed: int) -> list[np.ndarray]:
    one = drawn(name, seed)
    return np.split(one.values, one.changes)


@pytest.mark.parametrize("name", KINDS)
def test_series_are_the_same_for_a_seed_and_have_room_for_their_changes(name: str) -> None:
    first, again, other = drawn(name, 0), drawn(name, 0), drawn(name, 1)
    np.testing.assert_array_equal(first.values, again.values)
    assert not np.array_equal(first.values, other.values)
    assert np.isfinite(first.values).all()
    assert (len(first.changes) > 0) == (name in CHANGED)
    assert (np.diff([0, *first.changes, len(first.values)]) > 0).all()


@pytest.mark.parametrize("name", ["levels", "heavy", "red"])
def test_levels_jump_where_the_truth_says(name: str) -> None:
    """Medians of neighbouring segments differ by what jumps are at least, less what 25 observations leave uncertain."""
    steps = [abs(np.diff([np.median(part) for part in segments(name, seed)])) for seed in range(40)]
    assert np.mean(steps) == pytest.approx((1.5 + 4.0) / 2, abs=0.2)


def test_only_the_noise_changes_where_variances_do() -> None:
    for seed in range(20):
        deviations = [part.std() for part in segments("spreads", seed)]
        ratios = np.array(deviations[1:]) / deviations[:-1]
        assert (np.maximum(ratios, 1.0 / ratios) > 1.8).all()


def test_red_noise_is_of_deviation_one() -> None:
    values = np.concatenate([drawn("quiet-red", seed).values[:, 0] for seed in range(60)])
    assert values.std() == pytest.approx(1.0, abs=0.05)
    assert np.corrcoef(values[1:], values[:-1])[0, 1] == pytest.approx(0.6, abs=0.05)


def test_shapes_differ_in_nothing_but_their_shape() -> None:
    for part in segments("motifs", 0):
        whole = part[: len(part) // 40 * 40]
        assert abs(whole.mean()) < 0.05
        assert whole.std() == pytest.approx(np.sqrt(1.0 + 0.2**2), abs=0.05)


def test_long_series_are_fewer() -> None:
    assert len(annotated("levels", 4)) == 4
    assert len(annotated("motifs", 4)) == 2


def halves(values: np.ndarray, seed: int) -> list[int]:
    return [len(values) // 2]


def failing(values: np.ndarray, seed: int) -> list[int]:
    raise ValueError("not for this")


def test_scores_are_those_of_the_study(tmp_path: Path) -> None:
    """By hand, from the scores of the study of real series; a method that fails everywhere has no cell."""
    series = annotated("levels", 3)
    some = [Method("halves", "halves", halves), Method("failing", "failing", failing)]
    with ThreadPoolExecutor(1) as pool:
        cells = quality.cells(quality.findings(Collection(tuple(series)), some, pool, tmp_path / "kept"))
    assert list(cells) == ["halves"]
    truths = [one.annotations["truth"] for one in series]
    assert cells["halves"].f1.mean == pytest.approx(np.mean([margin_f1([truth], [150]) for truth in truths]))
    assert cells["halves"].cover.mean == pytest.approx(np.mean([covering([truth], [150], 300) for truth in truths]))
    assert cells["halves"].told.mean == 1.0
    assert cells["halves"].f1.low <= cells["halves"].f1.mean <= cells["halves"].f1.high


def test_what_is_not_installed_is_left_out_with_its_reason() -> None:
    here, absent = quality.installed([Method("x", "X", halves, needs="no_such_package"), Method("y", "Y", halves)])
    assert [one.name for one in here] == ["y"]
    assert absent == ["X: no_such_package is not installed"]


def test_the_table_has_a_column_for_every_library() -> None:
    estimate = quality.Estimate(0.5, 0.4, 0.6)
    cell = quality.Cell(estimate, estimate, estimate, series=4, failed=1)
    measured = tables.Everything(
        kinds={"levels": {"recbayes": cell, "ruptures, l2": cell}, "quiet-white": {"claspy": cell}},
        seconds={"recbayes": {200: 0.25}, "claspy": {200: None}},
    )
    text = tables.everything(measured)
    lines = [line for line in text.split("\n\n")[0].splitlines() if line.startswith("|")]
    assert {line.count("|") for line in lines} == {len(LIBRARIES) + 2}
    assert "| F1, levels in white noise | 0.50 | 0.50 / - / - | - | - | - | - |" in lines
    assert "| false alarms, white noise | - | - / - / - | 50% | - | - | - |" in lines
    assert "| seconds, N = 200 | 0.25 | - / - / - | too long | - | - | - |" in lines
    assert "0.50 [0.40, 0.60] (3 of 4)" in text
    assert all(len(answers) == len(LIBRARIES) for _, answers in FACTS)
    assert set(tables.COLUMNS) == set(LIBRARIES)


def test_periods_are_told_to_those_that_take_one() -> None:
    told = {one.name for one in methods(PERIOD) if getattr(one.find, "keywords", {}).get("period") == PERIOD}
    assert told == {"recbayes", "Rbeast"}
    assert {name for name, kind in KINDS.items() if kind.period} == {"seasons"}
    assert not set(QUIET) & set(CHANGED)


@pytest.mark.skipif(find_spec("ruptures") is None, reason="ruptures is not installed")
def test_the_manuals_penalty_does_not_depend_on_units() -> None:
    values = drawn("panels", 0).values
    found = ruptures_l2(values, 0)
    assert list(found) == list(ruptures_l2(values * [1.0, 20.0, 0.1, 5.0] + 7.0, 0))


def test_a_fact_holds_if_the_change_and_no_other_is_told() -> None:
    values = np.zeros((300, 1))
    assert knows(halves, values, 150)
    assert not knows(halves, values, 100)
    assert not knows(lambda values, seed: [150, 200], values, 150)
    assert not knows(failing, values, 150)
