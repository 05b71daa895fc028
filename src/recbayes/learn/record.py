"""What a fit returns."""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from recbayes.learn.information import Row


class ExactEvidence(NamedTuple):
    """The log evidence by draws with exact weights, its standard error, and the smallest effective share of any draws."""

    log_evidence: float
    standard_error: float
    efficiency: float


@dataclass(frozen=True, eq=False)
class Fit:
    """A trained model, and how it came about. Print it for the table of parameters.

    `log_likelihood` is the sum of the log evidences of all series, penalties left out; `history` has it for every
    evaluation. `starts` are the log likelihoods reached from all starts. `skipped` says which series were left out and why.
    """

    model: Any
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

    @property
    def aic(self) -> float:
        """Akaike's criterion: twice the number of free parameters minus twice the log likelihood."""
        return 2.0 * self.free - 2.0 * self._best_known

    @property
    def bic(self) -> float:
        """Schwarz's criterion, with as many data as there are observations (rows of all series)."""
        return self.free * math.log(max(self.observations, 1)) - 2.0 * self._best_known

    @property
    def _best_known(self) -> float:
        """The exact log evidence where it is known, else that of the chart."""
        return self.log_likelihood if self.exact is None else self.exact.log_evidence

    def __str__(self) -> str:
        width = max([len(row.name) for row in self.table] + [9])
        lines = [f"{'parameter':{width}}  {'estimate':>12}  {'standard error':>14}"]
        lines += [f"{row.name:{width}}  {row.estimate:>12.5g}  {_error(row.standard_error):>14}" for row in self.table]
        lines.append(f"log likelihood {self.log_likelihood:.4f}   AIC {self.aic:.2f}   BIC {self.bic:.2f}")
        if self.exact is not None:
            lines.append(f"exact log evidence {self.exact.log_evidence:.4f} ± {self.exact.standard_error:.4f}")
        state = "converged" if self.converged else "not converged"
        lines.append(f"{state} ({self.reason}) after {len(self.history)} evaluations in {self.seconds:.1f} s")
        if len(self.starts) > 1:
            lines.append(f"log likelihood by start: {', '.join(f'{value:.3f}' for value in self.starts)}")
        if self.skipped:
            lines.append("skipped series: " + "; ".join(f"{number} ({why})" for number, why in self.skipped.items()))
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"Fit(log likelihood {self.log_likelihood:.6g}, {self.free} free parameters, {self.reason})"


def _error(value: float) -> str:
    if math.isnan(value):
        return ""
    return "not determined" if math.isinf(value) else f"{value:.3g}"
