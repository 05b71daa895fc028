"""The errors and warnings recbayes raises on purpose; every message says what was expected, what came and what to do."""


class ModelError(ValueError):
    """A model that contradicts itself: probabilities that do not sum to one, shapes that do not fit, and so on."""


class DataError(ValueError):
    """Observations that cannot be used with the given model."""


class FileError(ValueError):
    """A file that is damaged, foreign or from a newer version."""


class LengthError(ValueError):
    """No tree of the model has the requested length, or none was found in a reasonable number of attempts."""


class ApproximationWarning(UserWarning):
    """A number was computed whose approximation is visibly poor."""


class StudyError(RuntimeError):
    """A study that cannot run, here or with such settings."""
