"""Emissions of several kinds in one variable: each keeps its kind and has a name of its own."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import recbayes as rb
from recbayes.gaussian.model.naming import rule_name


@dataclass(frozen=True, eq=False)
class Other(rb.Emit):
    """Like a level, but of another kind."""

    name: ClassVar[str] = "other"


def model(first: type[rb.Emit], second: type[rb.Emit]) -> rb.GaussianRBN:
    split = rb.Split(0.4, "x", "x", rb.Link(np.eye(1)), rb.Link(np.eye(1)))
    rules = split, first(0.3, np.eye(1) * 0.1, rb.OnePlusPoisson(1.0)), second(0.3, np.eye(1) * 4.0)
    return rb.GaussianRBN((rb.Variable("x", 1, rules),), rb.Prior("x", (rb.Component(np.zeros(1), np.eye(1)),)))


def test_kinds_are_kept() -> None:
    found = model(rb.Emit, Other)
    assert [type(rule) for rule in found.variables[0].rules[1:]] == [rb.Emit, Other]
    again = rb.Parameters(found).with_vector(rb.Parameters(found).vector())
    assert [type(rule) for rule in again.variables[0].rules[1:]] == [rb.Emit, Other]


def test_names_of_rules_are_unique() -> None:
    """Else trees would not say which rule their leaves use, and their probabilities would be those of another."""
    mixed, alike = model(rb.Emit, Other), model(rb.Emit, rb.Emit)
    variable = mixed.variables[0]
    assert [rule_name(variable, r) for r in range(3)] == ["split", "emit 1", "emit 2"]
    y = np.array([[0.3], [-2.0], [0.1]])
    one, two = (rb.sample_posterior(some, y, draws=300, seed=0) for some in (mixed, alike))
    assert one.expected_rules == two.expected_rules
    for tree in one.trees[:20]:
        assert rb.log_joint(mixed, y, tree) == pytest.approx(rb.log_joint(alike, y, tree), rel=1e-12)
    assert len({rb.log_joint(mixed, y[:1], rb.Tree([rb.Node(0, 1, "x", f"emit {n}")], [0])) for n in (1, 2)}) == 2
