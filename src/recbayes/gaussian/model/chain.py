"""Whether a Gaussian model is the chain that it says it is: a linear dynamical system."""

import numpy as np

from recbayes.family.chain import Chain
from recbayes.gaussian.emissions.emission import Emission
from recbayes.gaussian.model.parts import NO_SHIFT, Prior, Split, Variable
from recbayes.lengths import ExactlyOne


def check_chain(chain: Chain, variables: tuple[Variable, ...], prior: Prior) -> None:
    """state -> shown state, where `shown` copies the state, or one observation; shown -> one observation."""
    names = [variable.name for variable in variables]
    chain.demand(names == [chain.state, chain.shown], f"its variables are {names}")
    roots = list(prior.weights_of_roots)
    chain.demand(roots == [chain.state], f"its root is {' or '.join(map(repr, roots))}")
    state, shown = (variable.rules for variable in variables)
    kinds = [type(rule).__name__ for rule in state]
    chain.demand(
        len(state) == 2 and isinstance(state[0], Split) and isinstance(state[1], Emission) and len(shown) == 1,
        f"the rules of {chain.state!r} are {kinds} and those of {chain.shown!r} are {len(shown)}, where a Split and an "
        "emission, and one emission, are needed",
    )
    split, last, others = state[0], state[1], shown[0]
    chain.demand(
        (split.left, split.right) == (chain.shown, chain.state), f"{chain.state!r} leads to {split.left!r}, {split.right!r}"
    )
    link = split.left_link
    copies = link.map is None and link.offset is None and not np.any(link.covariance) and dict(split.shifts) == NO_SHIFT
    chain.demand(copies, f"{chain.shown!r} does not copy {chain.state!r}: its link must be Link(0), without shifts")
    single = all(isinstance(rule, Emission) and rule.length == ExactlyOne() for rule in (last, others))
    chain.demand(single, "some of its leaves have more than one observation, or none")
