"""`rb.load`: models from the files that `model.save` wrote."""

from pathlib import Path

from recbayes.checks.arguments import path_of
from recbayes.discrete.model.pcfg import PCFG
from recbayes.discrete.model.rbn import DiscreteRBN
from recbayes.errors import FileError
from recbayes.family.saved import from_json
from recbayes.gaussian.model.linear import LinearGaussianRBN
from recbayes.gaussian.model.rbn import GaussianRBN

Model = GaussianRBN | LinearGaussianRBN | PCFG | DiscreteRBN  # a class enters its format when it is imported


def load(path: str | Path) -> Model:
    """Read a model that `save` wrote: a GaussianRBN, LinearGaussianRBN, PCFG, DiscreteRBN or a Harmony.

    A file that is damaged, foreign, or from a newer version is a `FileError`.

    Arguments:
        path: the file.
    """
    try:
        text = path_of(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as problem:
        raise FileError(f"{path} is not a recbayes model: it is not text") from problem
    try:
        return from_json(text)  # type: ignore[return-value]
    except FileError as problem:
        raise FileError(f"{path}: {problem}") from problem
