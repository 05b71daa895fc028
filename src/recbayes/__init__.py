"""Recursive Bayesian networks: latent trees over sequences, with honest probabilities.

Names are loaded when they are first used, so that importing the package stays fast; `__init__.pyi` says where they live.
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
