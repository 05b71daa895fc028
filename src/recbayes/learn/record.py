"""What a fit returns."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from recbayes.checks.markup import Column, facts, short_number
from recbayes.checks.markup import table as table_html
from recbayes.family.family import family_of
from recbayes.family.shown import curve, panel
from recbayes.learn.ascent import Ended
from recbayes.learn.climb import Summit
from recbayes.learn.drawn import AUTOMATIC, Gap
from recbayes.learn.here import ExactEvidence
from recbayes.learn.information import Row, table
from recbayes.learn.penalty import nearly_singular
from recbayes.learn.reestimate import Estimate
from recbayes.learn.run import Run

ModelT = TypeVar("ModelT")

POOR = 10.0  # effective draws, below which little is known
GAINED = 1e-3  # nats by which a climb that was cut short must be ahead of those that came to their end


@dataclass(frozen=True, eq=False)
class Fit(Generic[ModelT]):
    """A trained model, and how it came about. Print it for the table of parameters.

    Attributes:
        model: the best that was found.
        log_likelihood: the sum of the log evidences of all series, priors and penalties left out: by draws, with
            `log_likelihood_error`, unless charts were to be trusted.
        converged: whether the climb has come to its end.
        reason: why it ended, in words.
        history: the log likelihood at every evaluation.
        starts: the log likelihoods reached from all starts, the best first.
        table: every free number in the model's own terms, each with `name`, `estimate` and `standard_error` (infinite: not
            determined by the data; NaN: not computed).
        free: how many free numbers there are.
        observations: rows of all series that were used.
        skipped: which series were left out (by number), and why.
        seconds: how long it took.
        vector: the free vector of the model. None after expectation maximisation.
        information: the observed information, minus the second derivatives of what was maximised. None if there are no
            standard errors.
        exact: the log evidence by draws, with its standard error. None if charts were trusted.
        chart_log_likelihood: the log likelihood by charts.
        gap: log evidences of all series by charts (`chart`) and by draws (`drawn`). None if they were not compared.
        log_prior: what priors and penalties add to the log likelihood.
        complaint: what is doubtful about the result, which `fit` has warned of; nothing if it is good.
    """

    model: ModelT
    log_likelihood: float
    converged: bool
    reason: str
    history: tuple[float, ...]
    starts: tuple[float, ...]
    table: tuple[Row, ...]
    free: int
    observations: int
    skipped: dict[int, str]
    seconds: float
    vector: np.ndarray | None = None
    information: np.ndarray | None = None
    exact: ExactEvidence | None = None
    chart_log_likelihood: float = math.nan
    gap: Gap | None = None
    log_prior: float = 0.0
    complaint: str = ""

    @property
    def log_likelihood_error(self) -> float:
        """The standard error of the log likelihood: 0 where it is the chart's."""
        return 0.0 if self.exact is None else self.exact.standard_error

    @property
    def agreeing(self) -> int:
        """How many starts have reached the best one within 0.1 nats."""
        return sum(max(self.starts) - value < 0.1 for value in self.starts)

    @property
    def aic(self) -> float:
        """Akaike's criterion: twice the number of free parameters minus twice the log likelihood."""
        return 2.0 * self.free - 2.0 * self.log_likelihood

    @property
    def bic(self) -> float:
        """Schwarz's criterion, with as many data as there are observations (rows of all series)."""
        return self.free * math.log(max(self.observations, 1)) - 2.0 * self.log_likelihood

    def __str__(self) -> str:
        width = max([len(row.name) for row in self.table] + [9])
        lines = [f"{'parameter':{width}}  {'estimate':>12}  {'standard error':>14}"]
        lines += [f"{row.name:{width}}  {row.estimate:>12.5g}  {_error(row.standard_error):>14}" for row in self.table]
        error = "" if self.exact is None else f" ± {self.exact.standard_error:.4f} by draws"
        lines.append(f"log likelihood {self.log_likelihood:.4f}{error}   AIC {self.aic:.2f}   BIC {self.bic:.2f}")
        if self.exact is not None and family_of(self.model).has("inside"):
            lines.append(f"that of charts {self.chart_log_likelihood:.4f}")
        state = "converged" if self.converged else "not converged"
        lines.append(f"{state} ({self.reason}) after {len(self.history)} evaluations in {self.seconds:.1f} s")
        if len(self.starts) > 1:
            values = ", ".join(f"{value:.3f}" for value in self.starts)
            lines.append(f"log likelihood by start: {values}; {self.agreeing} of {len(self.starts)} agree")
        if self.skipped:
            lines.append("skipped series: " + "; ".join(f"{number} ({why})" for number, why in self.skipped.items()))
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        columns = [Column("parameter"), Column("estimate", numbers=True), Column("standard error", numbers=True)]
        rows = [(row.name, short_number(row.estimate, 5), _error(row.standard_error)) for row in self.table]
        error = "" if self.exact is None else f" ± {self.exact.standard_error:.4f} by draws"
        about = [
            ("log likelihood", f"{self.log_likelihood:.4f}{error}"),
            ("AIC, BIC", f"{self.aic:.2f}, {self.bic:.2f}"),
            ("free parameters", self.free),
            ("ended", f"{'converged' if self.converged else 'not converged'} ({self.reason}) in {self.seconds:.1f} s"),
            ("starts", f"{self.agreeing} of {len(self.starts)} agree" if len(self.starts) > 1 else ""),
            ("skipped series", len(self.skipped) or ""),
            ("beware", self.complaint),
        ]
        shown = curve(self.history, "Log likelihood")
        return panel(
            "Fit", facts([pair for pair in about if pair[1] != ""]), shown, table_html(columns, rows) if rows else ""
        )

    def __repr__(self) -> str:
        return f"Fit(log likelihood {self.log_likelihood:.6g}, {self.free} free parameters, {self.reason})"


def record_climb(run: Run, ended: Ended, units: np.ndarray, lengths: Sequence[int], began: float) -> Fit[Any]:
    """The best of what was found, however the climb ended."""
    run.settle()
    if run.best is None:
        raise KeyboardInterrupt  # nothing was evaluated yet, so there is nothing to return
    best = ended.refined or max(ended.summits, key=lambda summit: summit.objective, default=None)
    cut_short = ended.reason != "" and ended.refined is None
    evidence, gap = ended.evidence or (None, None)
    if best is None or (cut_short and run.best[1].objective > best.objective + GAINED):
        best = Summit(run.best[0], run.best[1].objective, run.best[1].log_likelihood, False, ended.reason)
        evidence = gap = None  # they were found elsewhere
    vector = best.vector
    notes = [ended.reason or best.reason, nearly_singular(run.parameters, vector)]
    if ended.information is not None and not np.isfinite(ended.information).all():
        notes.append("no standard errors, as a step beside the optimum cannot be evaluated")
    chart = best.log_likelihood if gap is None else float(gap.chart.sum())
    return Fit(
        model=run.parameters.with_vector(vector),
        log_likelihood=chart if evidence is None else evidence.log_evidence,
        converged=best.converged,
        reason="; ".join(filter(None, notes)),
        history=tuple(run.history),
        starts=(*(summit.log_likelihood for summit in ended.summits), *ended.given_up),
        table=tuple(table(run.parameters, vector, ended.information, units)),
        free=run.parameters.size,
        observations=sum(length for number, length in enumerate(lengths) if number not in run.skipped),
        skipped=run.skipped,
        seconds=time.monotonic() - began,
        vector=vector,
        information=ended.information,
        exact=evidence,
        chart_log_likelihood=chart,
        gap=gap,
        log_prior=run.log_prior(vector),
        complaint=_complaint(gap, ended),
    )


def _complaint(gap: Gap | None, ended: Ended) -> str:
    """What is wrong with the result, if anything is."""
    if gap is None:
        return ""
    poor = int((gap.efficiency * max(gap.draws, AUTOMATIC) < POOR).sum())  # of fewer wished for, nobody expects more
    if poor:
        return (
            f"the draws of {poor} of {len(gap.drawn)} series are worth little, so that the log likelihood is uncertain; "
            "more draws (exact=1000) or components=4 may help"
        )
    if ended.refined is None and gap.matters and not ended.reason:
        return f"charts overestimate the log likelihood by {gap.total:.2f} nats; exact=200 climbs on draws"
    return ""


def record_estimate(found: Estimate, steps: int, observations: int, began: float) -> Fit[Any]:
    """A model that was re-estimated."""
    return Fit(
        model=found.model,
        log_likelihood=found.history[-1],
        converged=found.converged,
        reason="the gain fell below the tolerance" if found.converged else f"all {steps} steps used",
        history=tuple(found.history),
        starts=(found.history[-1],),
        table=(),
        free=found.model.family.free_numbers(found.model),
        observations=observations,
        skipped={},
        seconds=time.monotonic() - began,
    )


def _error(value: float) -> str:
    if math.isnan(value):
        return ""
    return "not determined" if math.isinf(value) else f"{value:.3g}"
