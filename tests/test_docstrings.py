"""Docstrings: everything in the reference says what it is, and every argument and field of it is described.

What is public is found by itself, from `__all__`, the reference (`docs/reference`, which lists records that verbs return,
too) and signatures. Arguments are described in a section of the docstring:

    Arguments:
        name: what it is; further lines are indented by four more.

Fields of records that are made by verbs alone are `Attributes`. What a base class says of the arguments of a method holds
for those that override it.
"""

import ast
import doctest
import inspect
import re
from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple, get_args, get_origin

import pytest

import recbayes as rb

REFERENCE = Path(__file__).parents[1] / "docs" / "reference"
LISTED = re.compile(r"^\.\. auto(?:class|exception|function):: recbayes\.([\w.]+)$", re.MULTILINE)
SECTION = re.compile(r"^(?:Arguments|Attributes):\n((?:    .*\n?|\n(?=    ))+)", re.MULTILINE)
ENTRY = re.compile(r"    (\*{0,2}\w+(?:, \*{0,2}\w+)*): ")
SENTENCE = re.compile(r"([A-Z0-9`(]|[a-z]+_?\w* ?[(~=]|log |d log ).*[.:]$", re.DOTALL)  # or one that begins with a formula
NONE = re.compile(r"\bNone\b|default|not used")  # words that say what it means to leave an argument out
DEFAULT = re.compile(r"\bby default (-?\d[\d.e-]*\d|\d|True|False|\"[^\"]*\")(?=[\s.,;:)]|$)")
OURS = (FunctionType, property, cached_property, classmethod, staticmethod)
PUBLIC: list[str] = vars(rb)["__all__"]
ROOMS = [name for name in PUBLIC if inspect.ismodule(getattr(rb, name))]


def names() -> list[str]:
    """All public names, those of rooms as "plot.tree", and what the reference lists beside them."""
    public = [name for name in PUBLIC if name not in ROOMS]
    public += [f"{room}.{name}" for room in ROOMS for name in getattr(rb, room).__all__]
    listed = [name for page in sorted(REFERENCE.glob("*.md")) for name in LISTED.findall(page.read_text(encoding="utf-8"))]
    return sorted({*public, *listed})


def thing_of(name: str) -> Any:
    module, _, last = f"recbayes.{name}".rpartition(".")
    return getattr(import_module(module), last)


def described(text: str) -> dict[str, str]:
    """What the sections of a docstring say of each argument or field."""
    found: dict[str, str] = {}
    for section in SECTION.findall(text):
        own: list[str] = []
        for line in section.splitlines():
            entry = ENTRY.match(line)
            own = entry[1].replace("*", "").split(", ") if entry else own
            assert own, f"a section begins with {line!r}"
            found |= {
                name: f"{found.get(name, '')} {line[entry.end() :] if entry else line.strip()}".strip() for name in own
            }
    return found


class Described(NamedTuple):
    """What has a docstring: a function, a class, or a member of one; and what is said of its arguments and fields."""

    name: str
    text: str
    entries: dict[str, str]
    parameters: dict[str, inspect.Parameter]
    fields: set[str]  # of a class, that are no arguments

    @classmethod
    def of(cls, name: str, thing: Any) -> "Described":
        text = inspect.cleandoc(thing.__doc__ or "")
        fields = set(dir(thing)) if isinstance(thing, type) else set()
        for base in thing.__mro__ if fields and isinstance(thing, type) else ():
            fields |= set(inspect.get_annotations(base))
        if fields:
            fields |= set(re.findall(r"self\.(\w+)(?:: [^=\n]+)? = ", inspect.getsource(thing)))
        plain = isinstance(thing, type) and issubclass(thing, Exception)
        return cls(name, text, described(text), {} if plain else parameters_of(thing), fields)

    @classmethod
    def of_member(cls, owner: str, member: str, kind: type) -> "Described":
        raw = inspect.getattr_static(kind, member)
        texts = [inspect.cleandoc(vars(base)[member].__doc__ or "") for base in kind.__mro__ if member in vars(base)]
        sections = (found for found in map(described, texts) if found)
        callable_ = not isinstance(raw, property | cached_property)
        parameters = parameters_of(getattr(kind, member)) if callable_ else {}
        return cls(f"{owner}.{member}", next(filter(None, texts), ""), next(sections, {}), parameters, set())

    def complaints(self) -> Iterator[str]:
        if not SENTENCE.match(self.text.split("\n\n")[0]):
            yield f"{self.name} does not begin with a sentence: {self.text.splitlines()[:1]}"
        for name, parameter in self.parameters.items():
            yield from self.complaints_of(name, parameter)
        keywords = {one for parameter in self.parameters.values() for one in keywords_of(parameter)}
        for name in set(self.entries) - {*self.parameters, *self.fields, *keywords}:
            if not name.endswith("_"):  # scikit-learn's, known after fitting
                yield f"{self.name} has no {name}"

    def complaints_of(self, name: str, parameter: inspect.Parameter) -> Iterator[str]:
        entry = self.entries.get(name)
        keywords = keywords_of(parameter)
        if entry is None:
            if not keywords or not set(keywords) <= set(self.entries):
                yield f"{self.name} does not say what {name} is"
            return
        if parameter.default is None and not NONE.search(entry):
            yield f"{self.name} does not say what {name}=None means"
        told = DEFAULT.search(entry)
        if told and parameter.default is not None and ast.literal_eval(told[1]) != parameter.default:
            yield f"{self.name} says that {name} is {told[1]} by default, it is {parameter.default!r}"


def parameters_of(thing: Any) -> dict[str, inspect.Parameter]:
    """Those that callers can give. Classes that cannot be made have none."""
    if inspect.isabstract(thing):
        return {}
    found = inspect.signature(thing).parameters
    return {name: one for name, one in found.items() if name not in ("self", "cls") and not name.startswith("_")}


def keywords_of(parameter: inspect.Parameter) -> list[str]:
    """Keywords of a TypedDict, which may be described one by one."""
    unpacked = parameter.kind is parameter.VAR_KEYWORD and get_origin(parameter.annotation) is not None
    return list(get_args(parameter.annotation)[0].__annotations__) if unpacked else []


def all_of(name: str) -> Iterator[Described]:
    """What a name stands for and, of a class, its members that are written here."""
    thing = thing_of(name)
    yield Described.of(name, thing)
    for member in dir(thing) if isinstance(thing, type) else ():
        raw = inspect.getattr_static(thing, member)
        inner = getattr(raw, "__func__", None) or getattr(raw, "fget", None) or getattr(raw, "func", None) or raw
        if not member.startswith("_") and isinstance(raw, OURS) and inner.__module__.startswith("recbayes."):
            yield Described.of_member(name, member, thing)


@pytest.mark.parametrize("name", names())
def test_every_argument_is_described(name: str) -> None:
    complaints = [complaint for one in all_of(name) for complaint in one.complaints()]
    assert not complaints, "\n".join(complaints)


def test_a_docstring_that_misses_something_is_found() -> None:
    def verb(data: Any, count: int = 3, more: int | None = None) -> None:
        """Does something.

        Arguments:
            count: how often, by default 4.
            more: how often again.
            fewer: not at all.
        """

    assert sorted(Described.of("verb", verb).complaints()) == [
        "verb does not say what data is",
        "verb does not say what more=None means",
        "verb has no fewer",
        "verb says that count is 4 by default, it is 3",
    ]


def test_examples_are_right() -> None:
    runner = doctest.DocTestRunner()
    tried = 0
    for one in (one for name in names() for one in all_of(name) if ">>>" in one.text):
        parsed = doctest.DocTestParser().get_doctest(one.text, {"rb": rb}, one.name, None, 0)
        tried += 1
        assert not runner.run(parsed).failed, f"the example of {one.name} is wrong"
    assert tried
