"""One node of a tree."""

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Node:
    """One node: the half-open span it covers, and what is known about it.

    `label` names its template variable and `rule` what it did ("split", "split shift 1", "emit"). `value` is its latent
    value where that is known (in sampled trees) or else the posterior mean of it, with the posterior `covariance`.
    `probability` is the posterior probability that the true tree has a node with this span. Nodes are equal if their
    spans, labels and rules are: what is believed about a node does not change which node it is.
    """

    start: int
    end: int
    label: str = ""
    rule: str = ""
    value: np.ndarray | None = field(default=None, compare=False)
    covariance: np.ndarray | None = field(default=None, compare=False)
    probability: float | None = field(default=None, compare=False)

    @property
    def span(self) -> tuple[int, int]:
        return self.start, self.end

    @property
    def length(self) -> int:
        """The number of observations the node covers."""
        return self.end - self.start
