"""Which models have charts, and what to do with the others."""

from recbayes.errors import ModelError
from recbayes.gaussian.model.linear import LinearGaussianRBN
from recbayes.gaussian.model.rbn import GaussianRBN


def check_gaussian(model: object) -> None:
    """An error if this, which is no discrete model, is no Gaussian RBN either."""
    if isinstance(model, LinearGaussianRBN):
        raise ModelError(
            "a LinearGaussianRBN has no chart of its own; use its normal form, form = model.to_cnf(): form.model is a "
            "GaussianRBN, and form.restore(tree) leads back"
        )
    if not isinstance(model, GaussianRBN):
        raise ModelError(f"expected a model, such as a GaussianRBN, a PCFG or a DiscreteRBN, got {type(model).__name__}")
