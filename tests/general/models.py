"""General models that tests share: one variable, in so many dimensions, which splits in two or emits."""

from functools import cache
from typing import Any

import recbayes as rb


def model_of(kind: str, dim: int = 1, **parameters: Any) -> rb.RBN:
    """One of them; those that differ in parameters alone share what was compiled."""
    model = _model_of(kind, dim)
    return model.with_parameters({**model.parameters, **parameters})


@cache
def _model_of(kind: str, dim: int) -> rb.RBN:
    """Student-t, Poisson or Bernoulli observations, termination that depends on the value, or links with heavy tails."""
    import jax
    import jax.numpy as jnp
    import numpyro.distributions as dist

    class Base(rb.RBN):
        value = rb.Real(dim)
        length = rb.OnePlusPoisson(3.0)
        domains = {"spread": rb.Positive(), "noise": rb.Positive()}  # noqa: RUF012
        spread: float = 0.7
        noise: float = 0.3
        ends: float = 0.4
        mean: float = 0.0

        def prior(self) -> Any:
            return dist.Normal(jnp.zeros(dim) + self.mean, 1.0).to_event(1)

        def structure(self, x: Any) -> Any:
            return {"emit": jax.nn.sigmoid(self.ends)}

        def split(self, x: Any) -> Any:
            return [dist.Normal(x, self.spread).to_event(1)] * 2

        def emit(self, x: Any) -> Any:
            return dist.Normal(x, self.noise).to_event(1)

    class Student(Base):
        def emit(self, x: Any) -> Any:
            return dist.StudentT(3.0, x, self.noise).to_event(1)

    class Tolerant(Base):  # of outliers
        length = rb.OnePlusPoisson(6.0)

        def split(self, x: Any) -> Any:
            return [dist.Normal(x, 1.0).to_event(1)] * 2

        def emit(self, x: Any) -> Any:
            return dist.StudentT(2.5, x, 0.25).to_event(1)

    class Scaled(Base):
        unit: float = 1.0
        offset: float = 0.0

        def prior(self) -> Any:
            return dist.Normal(self.offset + jnp.zeros(dim), self.unit).to_event(1)

        def split(self, x: Any) -> Any:
            return [dist.Normal(x, 0.7 * self.unit).to_event(1)] * 2

        def emit(self, x: Any) -> Any:
            return dist.StudentT(3.0, x, 0.3 * self.unit).to_event(1)

    class Counts(Base):
        def emit(self, x: Any) -> Any:
            return dist.Poisson(jnp.exp(1.0 + x)).to_event(1)

    class Bits(Base):
        def emit(self, x: Any) -> Any:
            return dist.Bernoulli(logits=2.0 * x).to_event(1)

    class Ends(Base):
        def structure(self, x: Any) -> Any:
            return {"emit": jax.nn.sigmoid(self.ends + 2.0 * x[0])}

    class Tails(Base):
        def split(self, x: Any) -> Any:
            return [dist.StudentT(3.0, x, 0.5).to_event(1)] * 2

    class Rates(Base):
        value = rb.Positive(dim)

        def prior(self) -> Any:
            return dist.LogNormal(jnp.zeros(dim), 1.0).to_event(1)

        def split(self, x: Any) -> Any:
            return [dist.Gamma(4.0, 4.0 / x).to_event(1)] * 2

        def emit(self, x: Any) -> Any:
            return dist.Poisson(x).to_event(1)

    class Shares(Base):
        value = rb.Simplex(dim)

        def prior(self) -> Any:
            return dist.Dirichlet(2.0 * jnp.ones(dim))

        def split(self, x: Any) -> Any:
            return [dist.Dirichlet(1.0 + 8.0 * x)] * 2

        def emit(self, x: Any) -> Any:
            return dist.Categorical(x)

    kinds = {
        "student": Student,
        "counts": Counts,
        "bits": Bits,
        "ends": Ends,
        "tails": Tails,
        "tolerant": Tolerant,
        "scaled": Scaled,
        "normal": Base,
        "rates": Rates,
        "shares": Shares,
    }
    return kinds[kind]()
