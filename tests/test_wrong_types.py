"""Wrong types: every argument of every public callable, spoilt in turn, gives an error of ours or a right answer.

What is public is found by itself, from `rb.__all__` and signatures; a callable or an argument without an example (see
`public_calls`) is a failure, so that a new one is tried too. An error of ours is one line. A right answer has the type of
that of the good call, and the value must be of a kind that the argument's annotation knows.
"""

import inspect
import signal
import types
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TypeVar, Union, Unpack, get_args, get_origin

import numpy as np
import pytest

import recbayes as rb
from recbayes.convert.expansion import expand
from recbayes.discrete.posterior.posterior import DiscretePosterior
from recbayes.errors import ApproximationWarning, DataError, FileError, LengthError, ModelError
from recbayes.family.objectives import Objective
from recbayes.gaussian.emissions.emission import Emission
from recbayes.gaussian.posterior.posterior import GaussianPosterior
from recbayes.general.model.supports import Support
from recbayes.learn.climb import Climb
from recbayes.lengths import Length
from tests.public_calls import CALLS, OBJECTS, Call

BAD: dict[str, Any] = {
    "None": None,
    "text": "x",
    "NaN": float("nan"),
    "an object": object(),
    "-1": -1,
    "1.5": 1.5,
    "[]": [],
    "1j": 1j,
    "10**30": 10**30,
    "[None]": [None],
    "[(0.5, 2.7)]": [(0.5, 2.7)],
    "{'x': None}": {"x": None},
    "a matrix": np.zeros((2, 2)),
}
OURS = (DataError, FileError, LengthError, ModelError)
DEPTH = ("NoneType' object", "object is not", "unsupported operand", "has no attribute", "argument must be", "dtype=object")
RECORDS = {  # made by verbs alone
    *(
        "Chart",
        "Comparison",
        "DiscreteChart",
        "Fit",
        "JointChart",
        "Message",
        "Outside",
        "Posterior",
        "Scores",
        "Segmentation",
        "data.Reading",
        "music.Score",
        "music.Slices",
    ),
}
SEAMS = (Length, Emission, Climb, Objective, Support)  # what their methods are given was checked before
INNER = {  # methods for our own code, which has checked what it gives
    "Chain.demand",
    "Chart.has_cell",
    "DiscreteVariable.from_data",
    "DiscreteRBN.from_data",
    "GaussianRBN.from_data",
    "LinearGaussianRBN.from_data",
    "PCFG.from_data",
    "Posterior.finish",
    "RBN.called_with",
    "Series.part",
}
ELSEWHERE = {  # further keywords, where a signature does not say which
    "PCFG.expand": set(inspect.signature(expand).parameters) - {"grammar"},
    "compare": {"climb", "covariance", "executor", "fixed", "n_jobs"},
    "RBN": set(),  # parameters of a class of the user's
    "plot.calibration": set(),  # matplotlib's
    "plot.scores": set(),
    "plot.tree": set(),
}
KINDS = {"Posterior": [GaussianPosterior, DiscretePosterior]}  # that users see
SECONDS = 30.0


def public_callables() -> Iterator[tuple[str, Any]]:
    """All names under which something public is called, and their signatures."""
    for name in rb.__all__:
        value = getattr(rb, name)
        if inspect.ismodule(value):
            found = {f"{name}.{inner}": getattr(value, inner) for inner in value.__all__}
            yield from ((inner, one) for inner, one in found.items() if inner not in RECORDS)
        elif inspect.isclass(value) and not issubclass(value, Exception):
            if name not in RECORDS:
                yield name, value
            found = {inner: method for kind in KINDS.get(name, [value]) for inner, method in methods(kind).items()}
            yield from ((f"{name}.{inner}", method) for inner, method in found.items() if f"{name}.{inner}" not in INNER)
        elif inspect.isfunction(value):
            yield name, value


def methods(kind: type) -> dict[str, Any]:
    """Methods of ours that take arguments, but for those that only we call."""
    found = {}
    for name, value in inspect.getmembers(kind, lambda member: inspect.isfunction(member) or inspect.ismethod(member)):
        ours = value.__module__.startswith("recbayes.") and not name.startswith("_")
        seam = any(name in vars(base) for base in SEAMS if issubclass(kind, base))
        inner = issubclass(kind, Emission) or seam
        if ours and not inner and set(inspect.signature(value).parameters) - {"self"}:
            found[name] = value
    return found


def arguments_of(name: str, function: Any) -> dict[str, Any]:
    """The names of all arguments with their annotations, those of keywords included."""
    found: dict[str, Any] = {}
    for argument in inspect.signature(function).parameters.values():
        if argument.kind != inspect.Parameter.VAR_KEYWORD:
            found[argument.name] = argument.annotation
        elif get_origin(argument.annotation) is Unpack:
            found.update(get_args(argument.annotation)[0].__annotations__)
        else:
            found.update(dict.fromkeys(ELSEWHERE[name], Any))
    found.pop("self", None)
    return found


def knows(annotation: Any, value: Any) -> bool:
    """Whether a value is of a kind that an annotation speaks of. Neither NaN nor complex numbers are numbers to it."""
    parts = get_args(annotation)
    origin = get_origin(annotation) or annotation
    if annotation in (Any, object, inspect.Parameter.empty) or isinstance(annotation, str | TypeVar):
        return True
    if origin in (Union, types.UnionType):
        return any(knows(part, value) for part in parts)
    if origin is Literal:
        return isinstance(value, str) and value in parts
    if value is None or annotation is type(None):
        return value is None and annotation in (None, type(None))
    if isinstance(value, float) and value != value:
        return False
    if isinstance(value, str):
        return origin is str or origin is Path
    if isinstance(value, int | float):
        return origin is np.ndarray or origin is float or (origin is int and isinstance(value, int))
    if isinstance(value, list | np.ndarray):
        return origin is np.ndarray or (inspect.isclass(origin) and issubclass(origin, Iterable) and origin is not str)
    return isinstance(value, Mapping) and origin in (Mapping, dict)


NAMES = dict(public_callables())


@contextmanager
def in_time() -> Iterator[None]:
    def late(*_: object) -> None:
        raise TimeoutError(f"no answer within {SECONDS} s")

    if not hasattr(signal, "SIGALRM"):
        yield
        return
    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def functions_of(call: Call) -> list[Any]:
    owner, _, method = call.name.rpartition(".")
    if inspect.ismodule(room := getattr(rb, owner, None) if owner else None):
        return [getattr(room, method)]
    if not owner:
        return [getattr(rb, method)]
    return [getattr(one, method) for one in OBJECTS[owner]() if hasattr(one, method)]


def attempt(call: Call, function: Any, arguments: dict[str, Any]) -> Any:
    with warnings.catch_warnings(), in_time():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ApproximationWarning)
        return call.then(function(**arguments))


def problem_with(call: Call, function: Any, good: Any, argument: str, annotation: Any, value: Any) -> str:
    """What is wrong with the outcome of one spoilt argument; nothing if all is well."""
    try:
        result = attempt(call, function, {**call.arguments(), argument: value})
    except OURS as problem:
        text = str(problem)
        if not text or "\n" in text or len(text) > 500 or any(phrase in text for phrase in DEPTH):
            return f"a poor message: {text!r}"
        return ""
    except OSError as problem:  # a file that is not there, or may not be written, is a matter of the system
        return "" if argument in ("path", "checkpoint") else repr(problem)
    except BaseException as problem:
        if isinstance(problem, KeyboardInterrupt):
            raise
        return f"{type(problem).__name__}: {problem}"
    if type(result) not in (type(good), *call.also):
        return f"answered by {type(result).__name__}, not {type(good).__name__}"
    return "" if knows(annotation, value) else "taken without a word"


def test_every_public_callable_has_an_example() -> None:
    """With every argument of it."""
    given: dict[str, set[str]] = {}
    for call in CALLS:
        given.setdefault(call.name, set()).update(call.arguments())
    missing = {name: set(arguments_of(name, function)) - given.get(name, set()) for name, function in NAMES.items()}
    assert {name: sorted(rest) for name, rest in missing.items() if rest or name not in given} == {}
    assert set(given) - set(NAMES) == set()


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of files are relative to here."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
def test_wrong_types(call: Call) -> None:
    found = []
    annotations = arguments_of(call.name, NAMES[call.name])
    answered = 0
    for function in functions_of(call):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ApproximationWarning)
                good = call.then(function(**call.arguments()))  # kernels that are not compiled yet take their time
        except OURS:
            continue  # an example of another kind of object
        answered += 1
        for argument in call.arguments():
            for name, value in BAD.items():
                problem = problem_with(call, function, good, argument, annotations[argument], value)
                if problem:
                    found.append(f"{call.name}({argument}={name}): {problem}")
    assert answered
    assert found == []
