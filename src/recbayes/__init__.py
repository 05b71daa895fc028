"""Recursive Bayesian networks: latent trees over sequences, with honest probabilities.

Names are loaded when they are first used, so that importing the package stays fast; `__init__.pyi` says where they live.
"""

import lazy_loader

__version__ = "0.1.0"

_attribute, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    if name in __all__ or name.startswith("_"):
        return _attribute(name)
    from recbayes.checks.names import unknown_name

    # told that there is neither name nor object, Python's traceback does not ask a second time what was meant
    raise AttributeError(unknown_name(name, __all__), name=None, obj=None)
