"""What the paper reports of its experiments.

R. Lieck and M. Rohrmeier: Recursive Bayesian Networks: Generalising and Unifying Probabilistic Context-Free Grammars and
Dynamic Bayesian Networks. Advances in Neural Information Processing Systems 34 (NeurIPS 2021).
"""

from typing import NamedTuple

CITATION = "Lieck & Rohrmeier, Recursive Bayesian Networks, NeurIPS 2021"


class Published(NamedTuple):
    """Means over 500 test sequences."""

    precision: float
    recall: float
    f1: float


# The numbers of the figure on tree induction (a), by method and noise level.
TREE_INDUCTION: dict[str, dict[float, Published]] = {
    "HC/CPD": {
        0.01: Published(0.7013, 0.6781, 0.6889),
        0.05: Published(0.6670, 0.6422, 0.6531),
        0.10: Published(0.5978, 0.4840, 0.5311),
        0.15: Published(0.5505, 0.4102, 0.4640),
        0.20: Published(0.4461, 0.3921, 0.4121),
        0.25: Published(0.4606, 0.3603, 0.3993),
    },
    "RBN max": {
        0.01: Published(0.7975, 0.7749, 0.7855),
        0.05: Published(0.7737, 0.7191, 0.7435),
        0.10: Published(0.6841, 0.5853, 0.6278),
        0.15: Published(0.6191, 0.4718, 0.5312),
        0.20: Published(0.5769, 0.4406, 0.4960),
        0.25: Published(0.5414, 0.4194, 0.4696),
    },
    "RBN marginal": {
        0.01: Published(0.8330, 0.1549, 0.2447),
        0.05: Published(0.8093, 0.1524, 0.2402),
        0.10: Published(0.7520, 0.1372, 0.2175),
        0.15: Published(0.7095, 0.1277, 0.2020),
        0.20: Published(0.6370, 0.1217, 0.1883),
        0.25: Published(0.6003, 0.1227, 0.1856),
    },
}
