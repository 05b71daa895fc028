"""What charts take is known before they are there: errors where they cannot fit, warnings where they take long."""

import warnings
from time import process_time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import recbayes as rb
from recbayes.errors import DataError, LengthError, ModelError, SizeError, SlowWarning
from recbayes.family import cost as limits
from recbayes.family.cost import Cost, time_in_words
from tests.gaussian.chart.test_chains import chain
from tests.random_models import one_variable, series_for, two_variables


def model() -> rb.GaussianRBN:
    return rb.GaussianRBN.create(dim=1, noise_std=0.5, termination=0.5)


def pairs_by_counting(chart: rb.Chart) -> int:
    """Of all cells: every way to divide the span so that the children's lengths are possible, by every rule and shift."""
    plan, found = chart.plan, 0
    names = [variable.name for variable in chart.model.variables]
    for v, variable in enumerate(chart.model.variables):
        for width in range(1, len(plan.positions)):
            row = plan.rows[v, width]
            for rule in variable.rules:
                if not isinstance(rule, rb.Split) or rule.probability == 0:
                    continue
                b, c = names.index(rule.left), names.index(rule.right)
                ways = [
                    left
                    for left in range(1, width)
                    if plan.shortest[b] <= left <= plan.longest[b] and plan.shortest[c] <= width - left <= plan.longest[c]
                ]
                shifts = sum(weight > 0 for weight in rule.shifts.values())
                found += max(int(row["high"] - row["low"]) + 1, 0) * len(ways) * shifts
    return found


@settings(max_examples=25)
@given(st.data())
def test_the_estimate_is_what_the_chart_has(data: st.DataObject) -> None:
    drawn = data.draw(st.one_of(one_variable(), two_variables()))
    y = data.draw(series_for(drawn.observed_dim, max_length=8))
    try:
        chart = rb.inside(drawn, y)
    except LengthError:
        return
    found = rb.estimate_cost(drawn, len(y))
    assert found.bytes == chart.messages.nbytes + chart.choices.nbytes
    assert found.cells == sum(len(starts) for starts, _, _ in chart.plan.cells())
    assert found.pairs == pairs_by_counting(chart)
    assert found.seconds > 0


def test_boundaries_and_what_is_known_make_it_cheaper() -> None:
    whole = rb.estimate_cost(model(), 1000)
    assert whole.cells == 1000 * 1001 // 2
    assert whole.pairs == 1001 * 1000 * 999 // 6
    few = rb.estimate_cost(model(), 1000, boundaries=np.arange(100, 1000, 100))
    assert few.cells == 10 * 11 // 2
    huge = rb.estimate_cost(model(), 100_000)
    assert huge.cells == pytest.approx(100_000**2 / 2, rel=1e-3)
    assert huge.bytes == pytest.approx(whole.bytes * 100**2, rel=0.05)
    tree = rb.Tree.from_spans([(0, 1000), (0, 500), (500, 1000)])
    assert rb.estimate_cost(model(), 1000, allowed=tree.only_spans()).cells == 3
    assert rb.estimate_cost(model(), 1000, components=4).bytes > 3 * whole.bytes


def test_chains_are_cheap() -> None:
    """Of a chain there are as many cells as observations: a long one is no problem."""
    assert rb.estimate_cost(chain(), 2000).cells < 10 * 2000


@pytest.mark.parametrize("length", [100_000, 1_000_000])
def test_what_cannot_fit_is_refused_at_once(length: int) -> None:
    y, began = np.zeros((length, 1)), process_time()
    for verb in (rb.inside, rb.log_evidence_and_gradient):
        with pytest.raises(SizeError, match=r"needs .* TB?, this machine has .*boundaries=.*rb\.segment|needs .*GB"):
            verb(model(), y)  # type: ignore[operator]
    with pytest.raises(SizeError, match="boundaries="):
        rb.sample_posterior(model(), y, seed=0)
    assert process_time() - began < 10.0
    assert isinstance(SizeError("x"), DataError)


def test_the_series_that_cannot_fit_is_named() -> None:
    with pytest.raises(SizeError, match=r"^series 1: a chart of 200001 positions"):
        rb.inside(model(), [np.zeros((3, 1)), np.zeros((200_000, 1))])


def test_memory_is_that_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chart that fits elsewhere is refused where there is little, and the slopes, which take twice as much, first."""
    y = np.zeros((300, 1))
    size = rb.estimate_cost(model(), 300).bytes
    monkeypatch.setattr(limits, "SMALL", 0)
    monkeypatch.setattr("recbayes.gaussian.chart.cost.SMALL", 0)
    monkeypatch.setattr(limits, "memory_of_machine", lambda: 1.5 * size)
    rb.inside(model(), y)
    with pytest.raises(SizeError, match="this machine has"):
        rb.log_evidence_and_gradient(model(), y)
    monkeypatch.setattr(limits, "memory_of_machine", lambda: 0.9 * size)
    with pytest.raises(SizeError, match="a chart of 301 positions has 45150 cells"):
        rb.inside(model(), y)


def test_long_work_is_announced_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LONG", 1e-9)
    y = np.random.default_rng(0).normal(size=(320, 1))
    verbs = {
        "inside": lambda: rb.inside(model(), y),
        "sample_posterior": lambda: rb.sample_posterior(model(), y, draws=2, seed=0),
        "log_evidence_and_gradient": lambda: rb.log_evidence_and_gradient(model(), y),
        "fit": lambda: rb.fit(model(), [y], max_evaluations=2, restarts=0, exact=None),
    }
    for name, verb in verbs.items():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            verb()
        told = [one for one in caught if one.category is SlowWarning]
        assert len(told) == 1, name
        assert str(told[0].message).startswith(f"{name} will take about")
        assert told[0].filename == __file__, name


def test_short_work_is_not_announced() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", SlowWarning)
        rb.inside(model(), np.zeros((320, 1)))


def test_grammars_and_models_without_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    grammar = rb.PCFG("S", [rb.Rule("S", ("S", "S"), 0.5), rb.Rule("S", (rb.Terminal("a"),), 0.5)])
    found = rb.estimate_cost(grammar, 10)
    assert found.cells == 55
    assert found.pairs == 11 * 10 * 9 // 6
    monkeypatch.setattr("recbayes.family.cost.memory_of_machine", lambda: 1e9)
    with pytest.raises(SizeError, match="divide the sequence"):
        rb.inside(grammar, ["a"] * 20_000)
    with pytest.raises(ModelError, match="expected a model"):
        rb.estimate_cost("a model", 10)  # type: ignore[arg-type]


def test_in_words() -> None:
    assert time_in_words(1.5) == "1.5 seconds"
    assert time_in_words(7200.0) == "2 hours"
    assert str(Cost(3, 4, 5_000_000, 130.0)) == ("3 cells, 4 pairs of splits and rules: 5 MB, about 2 minutes on one core")
