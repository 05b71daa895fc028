"""The methods that are compared, by the names they have in all tables."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Method:
    """`published` is the paper's name for it. `trees`: it gives a tree; else probabilities of all nodes."""

    name: str
    published: str | None = None
    trees: bool = True


HC_CPD = Method("HC/CPD", published="HC/CPD")
BAYESIAN = Method("Bayesian change points, merged")
BEST_TREE = Method("best tree", published="RBN max")
MOST_PROBABLE = Method("most probable tree")
EXPECTED_F1 = Method("expected-F1 tree")
OUTSIDE = Method("outside marginals", published="RBN marginal", trees=False)
QUICK = Method("quick node probabilities", trees=False)
NODES = Method("node probabilities", trees=False)

BASELINES = (HC_CPD, BAYESIAN)
NETWORK = (BEST_TREE, MOST_PROBABLE, EXPECTED_F1, OUTSIDE, QUICK, NODES)
PARAMETERS = ("learnt", "true")


def label(method: Method, parameters: str) -> str:
    """How a method is called in parts and tables; baselines have no parameters that are learnt or true, but ""."""
    return f"{method.name} ({parameters})" if parameters else method.name
