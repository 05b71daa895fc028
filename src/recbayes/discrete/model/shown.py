"""Discrete models as notebooks show them."""

from typing import TYPE_CHECKING

from recbayes.family.shown import Way, model_html

if TYPE_CHECKING:
    from recbayes.discrete.model.pcfg import PCFG
    from recbayes.discrete.model.rbn import DiscreteRBN


def grammar_to_html(grammar: "PCFG") -> str:
    """The rules, the most probable of each symbol first."""
    order = {name: place for place, name in enumerate(grammar.nonterminals)}
    rules = sorted(grammar.rules, key=lambda rule: (order[rule.left], -rule.weight))
    about = [
        ("start", grammar.start),
        ("symbols", f"{len(grammar.nonterminals)} non-terminals, {len(grammar.terminals)} terminals"),
        ("rules", len(grammar.rules)),
    ]
    ways = [Way(rule.left, rule.weight, rule.text.partition(" -> ")[2]) for rule in rules]
    return model_html("PCFG", about, ways)


def discrete_to_html(model: "DiscreteRBN") -> str:
    """Variables with their values, and the ways on from each, with their probabilities on average over the values."""
    about: list[tuple[str, object]] = [("root", model.prior[0])]
    for name, values in [(one.name, one.values) for one in model.variables] + [
        (one.name, one.values) for one in model.terminals
    ]:
        shown = ", ".join(values[:8]) + (", …" if len(values) > 8 else "")
        about.append((name, f"{len(values)} value{'s'[: len(values) - 1]}: {shown}"))
    if (chain := model.chain) is not None:
        about.append(("chain", f"{chain.state} leads on to the next {chain.state}, and is shown by {chain.shown}"))
    ways = [
        Way(
            variable.name,
            float(step.probability.mean()),
            " ".join(step.children),
            f"a table, {len(step.table.probabilities)} of its entries positive",
        )
        for variable in model.variables
        for step in variable.transitions
    ]
    return model_html("DiscreteRBN", about, ways)
