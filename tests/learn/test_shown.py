"""What notebooks show of models with hostile names or many rules, of fits and of comparisons."""

import math

import numpy as np
import pytest

import recbayes as rb
from recbayes.family.shown import curve, model_html
from recbayes.learn.compare import Candidate, Comparison
from recbayes.learn.information import Row
from recbayes.learn.record import Fit
from tests.harmless import harmless

EVIL = "<script>alert('x')</script>"


def fit(**changes: object) -> Fit:
    known = {
        "model": rb.GaussianRBN.create(1),
        "log_likelihood": -12.3456,
        "converged": True,
        "reason": "the gain fell below the tolerance",
        "history": (-100.0, -50.0, -13.0, -12.3456),
        "starts": (-12.3456, -12.35, -40.0),
        "table": (Row("x.rules[0]", 0.25, 0.1), Row(EVIL, -3.0, math.inf), Row("y", 1.0, math.nan)),
        "free": 3,
        "observations": 20,
        "skipped": {4: "too short"},
        "seconds": 1.5,
    }
    return Fit(**{**known, **changes})  # type: ignore[arg-type]


def hostile_models() -> list:
    link = rb.Link(np.eye(1))
    split = rb.Split(0.5, EVIL, EVIL, link, link)
    variable = rb.Variable(EVIL, 1, (split, rb.Emit(0.5, np.eye(1))))
    prior = rb.Prior(EVIL, (rb.Component(np.zeros(1), np.eye(1)),))
    gaussian = rb.GaussianRBN([variable], prior)
    grammar = rb.PCFG(EVIL, [rb.Rule(EVIL, (rb.Terminal('"><img onerror="x">'),), 1.0)])
    return [gaussian, rb.LinearGaussianRBN([variable], prior), gaussian.to_general(), grammar, grammar.to_rbn()]


@pytest.mark.parametrize("model", hostile_models(), ids=lambda model: type(model).__name__)
def test_names_are_texts(model: object) -> None:
    shown = harmless(model._repr_html_())  # type: ignore[attr-defined]
    assert "<script" in "".join(shown.itertext())


def test_large_models_are_small_tables() -> None:
    rules = [rb.Rule("S", ("S", "S"), 1.0), *(rb.Rule("S", (rb.Terminal(f"word {n}" * 50),), 1.0) for n in range(5000))]
    shown = rb.PCFG("S", rules)._repr_html_()
    assert len(harmless(shown).findall(".//tbody/tr")) < 100
    assert "… 4941 more …" in shown
    assert len(shown) < 30_000
    even = np.full((300, 300), 1 / 300)
    states = rb.HMM(even[0], even, np.full((300, 4), 0.25), termination=0.1)
    assert len(states._repr_html_()) < 10_000
    chain = "".join(harmless(states._repr_html_()).itertext())
    assert "chain" in chain
    assert "300 values" in chain


def test_long_series_have_small_posteriors() -> None:
    model = rb.HMM([0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]], [[0.7, 0.3], [0.1, 0.9]], termination=0.001)
    posterior = rb.sample_posterior(model, ["0", "1"] * 1000, draws=5, seed=0)
    assert len(posterior._repr_html_()) < 250_000


def test_columns_without_entries_are_left_out() -> None:
    assert [one.text for one in harmless(model_html("m", [], [])).iter("th")] == []
    shown = harmless(rb.GaussianRBN.create(1).to_general()._repr_html_())
    assert "probability" not in [one.text for one in shown.iter("th")]


def test_a_fit() -> None:
    """The numbers of its table, what is infinite in words, its history as a line, and what is to be known of it."""
    shown = harmless(fit(complaint="the draws are worth little")._repr_html_())
    rows = [[cell.text for cell in row] for row in shown.findall("table")[-1].findall("tbody/tr")]
    assert rows == [["x.rules[0]", "0.25", "0.1"], [EVIL, "−3", "not determined"], ["y", "1", None]]
    text = " ".join(shown.itertext())
    for expected in ("-12.3456", "2 of 3 agree", "the draws are worth little", "converged (the gain"):
        assert expected in text
    assert "not converged" in " ".join(harmless(fit(converged=False, table=(), starts=(1.0,))._repr_html_()).itertext())


def test_a_history_is_a_line_of_bounded_size() -> None:
    values = -1000.0 / np.arange(1, 10_001)
    svg = "{http://www.w3.org/2000/svg}"
    drawn = harmless(curve([*values, math.nan], "it"))
    points = np.array([point.split(",") for point in drawn.find(f"{svg}polyline").get("points").split()], dtype=float)
    assert 100 < len(points) <= 300
    assert (np.diff(points[:, 0]) > 0).all()
    assert (np.diff(points[:, 1]) <= 0).all()
    assert "from -1000 to -0.1" in drawn.findtext(f"{svg}title")
    for nothing in ([], [1.0], [math.nan, 2.0], [-math.inf] * 3):
        assert curve(nothing, "it") == ""


def test_a_comparison() -> None:
    found = Comparison((Candidate(EVIL, -1.0, 0.1, 0.0, 0.0, 5.0, 3), Candidate("b", -2.0, 0.1, 1.0, 0.2, 6.0, 4)), {})
    shown = harmless(found._repr_html_())
    rows = [[cell.text for cell in row] for row in shown.findall(".//tbody/tr")]
    assert rows == [[EVIL, "-1.00 ± 0.10", "0.00 ± 0.00", "5.00", "3"], ["b", "-2.00 ± 0.10", "1.00 ± 0.20", "6.00", "4"]]
