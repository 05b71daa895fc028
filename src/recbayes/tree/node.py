"""One node of a tree."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from recbayes.checks.arrays import number, short, whole_number
from recbayes.errors import DataError

FURTHEST = 2**62  # position of a node: arrays hold no larger ones


@dataclass(frozen=True)
class Node:
    """One node: the half-open span it covers, and what is known about it.

    Nodes are equal if their spans, labels and rules are: what is believed about a node does not change which node it is.

    Arguments:
        start: the first observation it covers.
        end: the observation after its last.
        label: the name of its template variable, or its symbol.
        rule: what it did: "split", "split shift 1", "emit".
        value: its latent value where that is known (in sampled trees), or else the posterior mean of it. None: nothing is
            known.
        covariance: the posterior covariance of the value. None where there is none.
        probability: that the true tree has a node with this span. None where nobody has asked.
        own: what a leaf has of its own beside its value, by name: its noise, its slope. None: nothing.
    """

    start: int
    end: int
    label: str = ""
    rule: str = ""
    value: np.ndarray | None = field(default=None, compare=False)
    covariance: np.ndarray | None = field(default=None, compare=False)
    probability: float | None = field(default=None, compare=False)
    own: Mapping[str, Any] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if not (type(self.start) is type(self.end) is int and -FURTHEST <= self.start <= self.end <= FURTHEST):
            for name in ("start", "end"):
                position = whole_number(getattr(self, name), name, error=DataError)
                if abs(position) > FURTHEST:
                    raise DataError(f"{name} must lie between -2**62 and 2**62, got {position}")
                object.__setattr__(self, name, position)
        if not (isinstance(self.label, str) and isinstance(self.rule, str)):
            raise DataError(f"label and rule must be texts, got {short(self.label)} and {short(self.rule)}")
        if self.probability is not None and type(self.probability) is not float:
            object.__setattr__(self, "probability", number(self.probability, "probability"))
        if self.own is not None and not isinstance(self.own, Mapping):
            raise DataError(f"own must be a mapping of names to what the leaf has of its own, got {short(self.own)}")

    @property
    def span(self) -> tuple[int, int]:
        """(start, end): the half-open span."""
        return self.start, self.end

    @property
    def length(self) -> int:
        """The number of observations the node covers."""
        return self.end - self.start
