"""The errors and warnings recbayes raises on purpose; every message says what was expected, what came and what to do."""

from concurrent.futures import BrokenExecutor


class _OneLine(ValueError):
    """Messages are one line, whatever is quoted in them."""

    def __init__(self, *message: object) -> None:
        super().__init__(*(" ".join(one.split()) if isinstance(one, str) and "\n" in one else one for one in message))


class ModelError(_OneLine):
    """A model that contradicts itself: probabilities that do not sum to one, shapes that do not fit, and so on."""


class DataError(_OneLine):
    """Observations that cannot be used with the given model."""


class SizeError(DataError):
    """Work, or a result, that does not fit in memory; the message says how large it would be, and what fits."""


class FileError(_OneLine):
    """A file that is damaged, foreign or from a newer version."""


class LengthError(_OneLine):
    """No tree of the model has the requested length, or none was found in a reasonable number of attempts."""


class ExecutorError(BrokenExecutor):
    """An executor that cannot go on: one of its workers died, or it was shut down."""


class ApproximationWarning(UserWarning):
    """A number was computed whose approximation is visibly poor."""


class SlowWarning(UserWarning):
    """Work that is about to begin, and takes long."""


class StudyError(RuntimeError):
    """A study that cannot run, here or with such settings."""
