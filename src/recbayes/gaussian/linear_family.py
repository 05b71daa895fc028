"""Linear Gaussian RBNs as a family: they have a normal form, which is a Gaussian RBN, and no chart of their own."""

from typing import Any, NoReturn

from recbayes.errors import ModelError
from recbayes.family.family import Family


class LinearFamily(Family[Any, Any, Any]):
    """Every verb sends the user to the normal form."""

    name = "a LinearGaussianRBN"

    def refuse(self, verb: str) -> NoReturn:
        raise ModelError(
            "a LinearGaussianRBN has no chart of its own; use its normal form, form = model.to_cnf(): form.model is a "
            "GaussianRBN, and form.restore(tree) leads back"
        )


LINEAR = LinearFamily()
