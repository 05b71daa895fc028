"""What the study is held to, and what it measured."""

from recbayes.studies.synthetic.methods import BASELINES, BEST_TREE, EXPECTED_F1, HC_CPD, NODES, Method, label
from recbayes.studies.synthetic.study import Results
from recbayes.studies.synthetic.tables import TRUTHS, Row, find_score, levels_of

PAPERS_CHOICE = "Pelt, l2"
NEAR_PUBLISHED = 0.03
GAIN = 0.025
NEAR_TRUE = 0.015
BALANCE = 0.06
MINUTES = 30


def check_rows(results: Results, tables: dict[str, list[Row]]) -> list[Row]:
    """One row a claim. With few sequences chance alone can break any of them."""
    scores = tables["scores"]
    gains = _differences(tables, label(EXPECTED_F1, "learnt"), label(BEST_TREE, "learnt"))
    losses = _differences(tables, label(EXPECTED_F1, "learnt"), label(EXPECTED_F1, "true"))
    chosen = {noise: choice["chosen"]["name"] for noise, choice in results.change_points.items()}
    others = [f"{name} at {noise}" for noise, name in chosen.items() if name != PAPERS_CHOICE]
    minutes = results.elapsed["all"] / 60
    balance = {
        noise: abs(row["precision"] - row["recall"])
        for noise in levels_of(scores)
        for row in [find_score(scores, noise, NODES, "learnt")]
    }
    return [
        _check(f"the best change point method is {PAPERS_CHOICE}", "; ".join(others) or "everywhere", not others),
        *(row for truth in TRUTHS for row in _near_published(scores, truth)),
        _check(
            f"{EXPECTED_F1.name} above {BEST_TREE.name} at every level",
            f"at least {min(gains.values()):+.3f}",
            min(gains.values()) > 0,
        ),
        _check(
            f"{EXPECTED_F1.name} above {BEST_TREE.name} by {GAIN} on average", f"{_mean(gains):+.3f}", _mean(gains) >= GAIN
        ),
        *(_above(tables, baseline) for baseline in BASELINES),
        _check(
            f"{EXPECTED_F1.name} within {NEAR_TRUE} of itself with the true parameters",
            _largest(losses),
            max(map(abs, losses.values())) <= NEAR_TRUE,
        ),
        _check(
            f"precision and recall of {NODES.name} within {BALANCE} of each other",
            _largest(balance),
            max(balance.values()) <= BALANCE,
        ),
        _check(f"tuning, learning and testing in less than {MINUTES} minutes", f"{minutes:.1f} minutes", minutes < MINUTES),
    ]


def _near_published(scores: list[Row], truth: str) -> list[Row]:
    checks = []
    for method, parameters in ((HC_CPD, ""), (BEST_TREE, "learnt")):
        rows = {noise: find_score(scores, noise, method, parameters, truth) for noise in levels_of(scores)}
        far = {noise: row["f1"] - row["published_f1"] for noise, row in rows.items() if row["published_f1"] is not None}
        claim = f"F1 of {method.name} within {NEAR_PUBLISHED} of the published one ({truth})"
        if far:
            checks.append(_check(claim, _largest(far), max(map(abs, far.values())) <= NEAR_PUBLISHED))
    return checks


def _above(tables: dict[str, list[Row]], baseline: Method) -> Row:
    least = min(_differences(tables, label(EXPECTED_F1, "learnt"), baseline.name).values())
    return _check(f"{EXPECTED_F1.name} above {baseline.name} at every level", f"at least {least:+.3f}", least > 0)


def _differences(tables: dict[str, list[Row]], method: str, minus: str) -> dict[float, float]:
    rows = [row for row in tables["differences"] if (row["method"], row["minus"]) == (method, minus)]
    return {row["noise"]: row["f1"] for row in rows if row["noise"] != "all"}


def _mean(values: dict[float, float]) -> float:
    return sum(values.values()) / len(values)


def _largest(values: dict[float, float]) -> str:
    noise = max(values, key=lambda level: abs(values[level]))
    return f"at most {values[noise]:+.3f} (noise {noise})"


def _check(claim: str, measured: str, holds: bool) -> Row:
    return {"claim": claim, "measured": measured, "holds": bool(holds)}
