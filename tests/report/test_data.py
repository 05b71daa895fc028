"""The document behind a page: it says what the segmentation says, in plain JSON."""

import json
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import recbayes as rb
from recbayes.report.data import report_data
from recbayes.report.spans import near_changes
from tests.report.found import HOSTILE, ODD, hostile, odd, plain

ALL = {"hostile": hostile, "plain": plain, **{name: lambda name=name: odd(name) for name in ODD}}  # type: ignore[misc]


@pytest.fixture(params=ALL, scope="module")
def found(request: pytest.FixtureRequest) -> rb.Segmentation:
    return ALL[request.param]()  # type: ignore[no-untyped-call]


@pytest.fixture(scope="module")
def data(found: rb.Segmentation) -> dict[str, Any]:
    return report_data(found)


def test_it_is_plain_and_always_the_same(found: rb.Segmentation, data: dict[str, Any]) -> None:
    text = json.dumps(data, allow_nan=False)
    assert json.loads(text) == json.loads(json.dumps(report_data(found), allow_nan=False))


def test_the_tree_is_the_tree(found: rb.Segmentation, data: dict[str, Any]) -> None:
    assert [(node["start"], node["end"], node["arity"]) for node in data["nodes"]] == [
        (*span, arity) for span, arity in zip(found.tree.spans, found.tree.arities, strict=True)
    ]
    told = [node["probability"] for node in data["nodes"]]
    assert told == pytest.approx([node.probability for node in found.tree], rel=1e-4)


def test_values_are_those_of_the_table(found: rb.Segmentation, data: dict[str, Any]) -> None:
    """Levels to a ten-thousandth of what the column varies by, the others to five digits."""
    several = found.data.values.shape[1] > 1
    names = found.data.names or range(found.data.values.shape[1])
    for node, row in zip(data["nodes"], found.rows(), strict=True):
        for c, name in enumerate(names):
            suffix = f" {name}" if several else ""
            seen = found.data.values[:, c][~np.isnan(found.data.values[:, c])]
            extent = (np.ptp(seen) or np.abs(seen).max() or 1.0) if len(seen) else 1.0
            assert node["level"][c][0] == pytest.approx(row[f"level{suffix}"], abs=1e-4 * extent)
            for quantity in ("slope", "noise", "coefficient") if not node["arity"] else ():
                known = [row[f"{quantity}{end}{suffix}"] for end in ("", "_low", "_high")]
                assert node[quantity][c] == pytest.approx(known, rel=1e-4, abs=1e-300)


def test_changes_and_boundaries(found: rb.Segmentation, data: dict[str, Any]) -> None:
    told = [(one["position"], one["probability"], one["low"], one["high"], one["within"]) for one in data["changes"]]
    assert told == list(map(tuple, found.changes))
    assert [one["name"] for one in data["changes"]] == [found.data.place(change.position) for change in found.changes]
    at = data["boundaries"]["at"]
    assert data["boundaries"]["probability"] == pytest.approx(found.boundary_probability[at], abs=1e-4)
    others = np.delete(found.boundary_probability, [0, *at, -1])
    assert others.max(initial=0.0) < 1e-4


def test_spans_are_those_that_draws_have(found: rb.Segmentation, data: dict[str, Any]) -> None:
    table, told = found.posterior.nodes, data["spans"]
    starts, ends = np.array(told["points"])[[told["starts"], told["ends"]]]
    assert told["probability"] == pytest.approx(table.of(starts, ends), abs=1e-4)
    assert len(starts) == (table.probability >= 0.001).sum()


def test_spans_near_changes_have_the_probabilities_of_the_tree(found: rb.Segmentation) -> None:
    """Where windows of changes do not overlap, `found.tree` counts the same draws."""
    near = near_changes(found.posterior, found.changes)
    for (a, b), (c, d) in pairwise((one.position - one.within, one.position + one.within) for one in found.changes):
        if b >= c:
            pytest.skip(f"{a}..{b} and {c}..{d} overlap")
    probability = near.of(*np.array(found.tree.spans).T)
    assert probability == pytest.approx([node.probability for node in found.tree], abs=1e-9)


def test_spans_more_probable_than_not_never_cross(found: rb.Segmentation) -> None:
    near = near_changes(found.posterior, found.changes).at_least(0.5 + 1e-9)
    spans = list(zip(near.starts.tolist(), near.ends.tolist(), strict=True))
    assert not any(a < c < b < d for a, b in spans for c, d in spans)


def test_series_and_lines(found: rb.Segmentation, data: dict[str, Any]) -> None:
    for column, seen in zip(data["series"]["columns"], found.data.values.T, strict=False):
        told = np.array([np.nan if value is None else value for value in column["values"]])
        extent = np.nanmax(np.abs(seen)) if not np.isnan(seen).all() else 1.0
        np.testing.assert_allclose(told, seen, atol=1e-4 * extent)
    assert len(data["series"]["columns"]) == data["drawn"] == min(found.data.values.shape[1], 24)
    seen_rows = ~np.isnan(found.data.values[:, 0])
    edges = [(line["at"][0], line["at"][-1]) for line in data["lines"]]
    assert edges == [leaf.span for leaf in found.tree.leaves]
    for line, leaf in zip(data["lines"], found.tree.leaves, strict=True):
        assert (np.diff(line["at"]) > 0).all()
        if "season" not in leaf.own["kind"] and not found.logarithms:
            middle = (line["columns"][0]["mean"][0] + line["columns"][0]["mean"][-1]) / 2
            extent = np.ptp(found.data.values[seen_rows, 0]) or abs(found.data.values[0, 0])
            assert middle == pytest.approx(float(leaf.value[0]), abs=1e-4 * extent)


def test_table_is_the_table(found: rb.Segmentation, data: dict[str, Any]) -> None:
    rows = found.rows()
    assert data["table"]["names"] == list(rows[0])
    for told, row, node in zip(data["table"]["rows"], rows, found.tree, strict=True):
        known = list(row.values())
        if found.data.index is None:
            assert told[:2] == known[:2] == [node.start, node.end - 1]
        else:
            assert told[:2] == [found.data.place(node.start), found.data.place(node.end - 1)]
        for one, other in zip(told[2:], known[2:], strict=True):
            assert one == (pytest.approx(other, rel=1e-11) if isinstance(other, float) else other)


def test_names_of_rows_are_there_where_spans_end(found: rb.Segmentation, data: dict[str, Any]) -> None:
    axis = data["axis"]
    wanted = {row for node in data["nodes"] for row in (node["start"], node["end"] - 1)}
    assert wanted <= set(axis["rows"])
    if found.data.index is not None:
        named = dict(zip(axis["rows"], axis["names"], strict=True))
        assert all(named[row] == found.data.place(row) for row in wanted)


def test_dates_are_those_of_clocks_at_the_place() -> None:
    axis = report_data(odd("time zones"))["axis"]
    assert axis["kind"] == "dates"
    first = np.datetime64(axis["times"][0], "ms")
    assert first == np.datetime64("2024-10-26T12:00")
    steps = np.diff(axis["times"]) / 3_600_000
    assert steps.min() == 0.0  # two o'clock comes twice
    assert steps.sum() == 46.0


@pytest.mark.parametrize(
    ("name", "kind"),
    [("numbers", "numbers"), ("texts", "names"), ("noise", "rows"), ("irregular", "dates"), ("far dates", "names")],
)
def test_kinds_of_axes(name: str, kind: str) -> None:
    assert report_data(odd(name))["axis"]["kind"] == kind


def test_what_is_said() -> None:
    data = report_data(hostile())
    said = " ".join(one["text"] for one in data["trust"])
    assert "4 values of 120 are missing" in said
    assert f"worth {hostile().posterior.effective_sample_size:.0f} independent" in said
    assert data["lead"].startswith("3 change points in 120 observations from 2011-01-01 to 2020-12-01")
    assert data["title"] == f"Changes of {HOSTILE}"
    assert dict(data["made"])["package"] == f"recbayes {rb.__version__}"
    assert dict(data["made"])["call"] == "rb.segment(data, kinds='level', draws=200, seed=0)"
    assert "in logarithms" in report_data(odd("logarithms"))["lead"]
    assert "The first 24 of 30 columns are drawn" in " ".join(
        one["text"] for one in report_data(odd("many columns"))["trust"]
    )


def test_values_of_other_spans_are_those_of_the_draws() -> None:
    found, told = plain(), report_data(plain())["values"]
    known = found.posterior.latents()
    leaves = 0
    for one in told:
        span = one["start"], one["end"]
        assert one["level"][0][0] == pytest.approx(known[span].mean[0], abs=1e-3)
        if "noise" in one:
            leaves += 1
            assert one["noise"][0][0] == pytest.approx(found.posterior.leaves([span])[span].noise.mean[0], rel=1e-4)
            assert one["segment"] == pytest.approx(
                found.posterior.leaf(*span).probability / known[span].probability, abs=1e-3
            )
    assert leaves > 3
