"""Gaussian models as notebooks show them."""

from typing import TYPE_CHECKING

import numpy as np

from recbayes.family.chain import Chain
from recbayes.family.shown import Way, model_html, numbers, said
from recbayes.gaussian.emissions.emission import Emission
from recbayes.gaussian.emissions.leaf import Leaf
from recbayes.gaussian.model.parts import Link, Split, Variable

if TYPE_CHECKING:
    from recbayes.gaussian.model.linear import Branch, LinearGaussianRBN
    from recbayes.gaussian.model.rbn import GaussianRBN


def model_to_html(model: "GaussianRBN | LinearGaussianRBN", chain: Chain | None = None) -> str:
    """Root, prior, and a table of the rules with the deviations of their links and of their noise."""
    prior = model.prior
    parts = [f"N({numbers(one.mean)}, {numbers(np.sqrt(np.diag(one.covariance)))}²)" for one in prior.components[:3]]
    more = "" if len(prior.components) <= 3 else f" and {len(prior.components) - 3} more"
    about: list[tuple[str, object]] = [
        ("columns of a series", model.observed_dim),
        ("root", " or ".join(prior.weights_of_roots)),
        ("its value", ", ".join(parts) + more),
    ]
    if chain is not None:
        about.append(("chain", f"{chain.state} leads on to the next {chain.state}, and is shown by {chain.shown}"))
    ways = [_way(variable, rule) for variable in model.variables for rule in variable.rules]
    return model_html(type(model).__name__, about, ways)


def _way(variable: Variable, rule: "Split | Emission | Branch") -> Way:
    name = f"{variable.name} (dimension {variable.dim})"
    if isinstance(rule, Emission):
        return Way(name, rule.probability, f"observations, {said(rule.length)}", _noise(rule))
    if isinstance(rule, Split):
        how = f"left {_deviations(rule.left_link)}, right {_deviations(rule.right_link)}"
        if len(rule.shifts) > 1:
            how += f", {len(rule.shifts)} shifts"
        return Way(name, rule.probability, f"{rule.left} {rule.right}", how)
    children = [child[0] if isinstance(child, tuple) else "observation" for child in rule.children]
    return Way(name, rule.probability, " ".join(children))


def _deviations(link: Link) -> str:
    spread = numbers(np.sqrt(np.diag(link.covariance)))
    moved = "a copy" if link.map is None and link.offset is None else "a linear map"
    return moved if spread == "0" else f"{moved} ± {spread}"


def _noise(rule: Emission) -> str:
    if isinstance(rule, Leaf):
        has = {"trend": rule.trend_std, "season": rule.season_std, "regressors": rule.regressor_std}
        count = len(rule.noise_levels) * len(rule.coefficients)
        bank = f"noise {numbers(rule.noise_std)}" + (f", one of {count} kinds" if count > 1 else "")
        return ", ".join([bank, *(name for name, spread in has.items() if spread is not None)])
    covariance = getattr(rule, "covariance", None)
    return "" if covariance is None else f"noise {numbers(np.sqrt(np.diag(covariance)))}"
