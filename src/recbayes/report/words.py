"""What a page says in words: the model, how far the numbers can be trusted, and how it was made."""

from collections.abc import Iterator

import numpy as np

from recbayes.report.series import MARKED, MOST_COLUMNS, WHOLE
from recbayes.segmentation.result import Segmentation
from recbayes.segmentation.texts import told_season, told_together, told_unplaced

UNPLACED = 5  # changes without a place that are told in words
ELSEWHERE = 0.5  # changes that are expected where nobody looked, from which on readers should know
FEW = 100.0  # independent draws, of which probabilities are rough


def model_of(found: Segmentation) -> list[str]:
    """What was taken for possible."""
    posterior = found.posterior
    periods = posterior.models[0].leaf.periods
    seasons = f", and seasons of {_listed([f'{one:g}' for one in periods])} observations" if periods else ""
    unit = " The data were taken in logarithms, in which slopes and noise are told." if found.logarithms else ""
    memory = "a memory of its noise" if any("autoregressive" in kind for kind in found.kinds) else ""
    own = _listed([one for one in ("a level", _slope(found), "noise", memory) if one])
    return [
        f"Every segment has {own} of its own{seasons}.{unit}",
        (
            f"{len(posterior.models)} models of the series were averaged, each counting as much as the data say."
            if len(posterior.models) > 1
            else "The data leave one of the models that were tried."
        ),
        f"A change is told where one is more probable than not, give or take {_count(found.tolerance, 'observation')}.",
    ]


def _slope(found: Segmentation) -> str:
    return "a slope" if any(kind.startswith("trend") for kind in found.kinds) else ""


def unplaced_of(found: Segmentation) -> list[str]:
    """Changes that are more probable than not while their places are not, a sentence each, which stand at the top."""
    told = told_unplaced(found)
    texts = [f"a change {where}, probability {percent(p)}: {why}; {average}" for where, p, why, average in told]
    more = [f"{len(texts) - UNPLACED} more such changes: see found.unplaced"] if len(texts) > UNPLACED else []
    return [sentence(text) for text in (*texts[:UNPLACED], *more)]


def trust_of(found: Segmentation) -> list[dict[str, str]]:
    """How good the numbers are; `care` where a reader should take it."""
    return [{"mood": mood, "text": text} for mood, text in _trust(found)]


def _trust(found: Segmentation) -> Iterator[tuple[str, str]]:
    posterior, data = found.posterior, found.data
    worth = posterior.effective_sample_size
    error = 50.0 / np.sqrt(max(worth, 1.0))
    drawn = f"{_count(len(posterior.trees), 'tree')} {_were(len(posterior.trees))} drawn"
    known = f"a probability of 50 % is known to about ±{error:.2g} %"
    yield "good" if worth >= FEW else "care", f"{drawn}, worth {_count(round(worth), 'independent one')}: {known}."
    if posterior.complaint:
        yield "care", sentence(posterior.complaint)
    looked, places = len(found.points.positions) - 2, len(data) - 1
    if looked >= places:
        yield "good", "Changes were looked for between all observations."
    else:
        mood = "good" if found.points.left_out < ELSEWHERE else "care"
        yield (
            mood,
            f"Changes were looked for at the {looked} likeliest of {places} places; {found.points.left_out:.2g} changes are "
            "expected at the others.",
        )
    yield "good", _counts(found)
    missing = int(np.isnan(data.values).sum())
    if missing:
        yield "good", f"{_count(missing, 'value')} of {data.values.size} {_are(missing)} missing; nothing was filled in."
    if found.outliers is not None and found.outliers.any():
        out = int(found.outliers.sum())
        more = f" (the first {MARKED} are marked)" if out > MARKED else ""
        yield (
            "good",
            f"{_count(out, 'observation')} stick{'s' * (out == 1)} out from neighbours, and {_were(out)} left out{more}.",
        )
    if found.likely_period is not None:
        yield "care", sentence(told_season(found.likely_period))
    for text in told_together(found):
        yield "care", sentence(text)
    if len(data) > WHOLE:
        yield "good", "The series is long: its picture shows the least and the greatest observation of every stretch."
    if data.values.shape[1] > MOST_COLUMNS:
        yield "good", f"The first {MOST_COLUMNS} of {data.values.shape[1]} columns are drawn; tables have all."


def _counts(found: Segmentation) -> str:
    """The probabilities of numbers of changes, the likeliest first."""
    probability = found.posterior.segment_count_probability[1:]
    order = np.argsort(-probability, kind="stable")[:3]
    likely = [f"{count} ({percent(probability[count])})" for count in order.tolist() if probability[count] >= 0.01]
    return f"Number of changes, by its probability: {', '.join(likely) or 'no number is probable by itself'}."


def percent(probability: float) -> str:
    """A probability in percent; what is not certain is never said to be."""
    number = round(100 * float(probability))
    if number == 100 and probability < 1:
        return "> 99 %"
    return "< 1 %" if number == 0 and probability > 0 else f"{number} %"


def made_of(found: Segmentation, version: str) -> list[tuple[str, str]]:
    """How it can be had again."""
    posterior = found.posterior
    return [
        ("package", f"recbayes {version}"),
        *([("call", found.call)] if found.call else []),
        ("method", f"draws of trees, {posterior.method}"),
        ("log evidence", f"{posterior.log_evidence:.2f} ± {posterior.log_evidence_error:.2g}".replace("-", "−")),
    ]


def sentence(text: str) -> str:
    """A text that begins and ends as sentences do."""
    return f"{text[:1].upper()}{text[1:]}."


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _were(number: int) -> str:
    return "was" if number == 1 else "were"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"
