"""JSON texts from files, which may hold anything: what is wrong with them is a FileError of one line."""

import json
import math
from collections.abc import Callable, Collection
from typing import Any, NoReturn, TypeVar

from recbayes.errors import DataError, FileError, ModelError

DIGITS = 20  # of a whole number; the largest of 64 bits have as many
LONGEST = 300  # characters of a complaint

T = TypeVar("T")


def strict_json(text: str, complaint: str) -> Any:
    """What JSON text says: no field is there twice, all numbers can be computed with. The complaint begins the error."""
    try:
        return json.loads(text, object_pairs_hook=_fields, parse_constant=_no_number, parse_float=_float, parse_int=_whole)
    except FileError:
        raise
    except (ValueError, RecursionError) as problem:
        raise FileError(f"{complaint}: it is not valid JSON ({problem})") from problem


def read_document(text: str, noun: str, formats: Collection[str], version: int) -> dict[str, Any]:
    """The fields of a document in one of these formats; a clear error if it is damaged, foreign or from a newer version."""
    document = strict_json(text, f"not a recbayes {noun}")
    name = document.get("format") if isinstance(document, dict) else None
    if not isinstance(name, str) or name not in formats:
        raise FileError(f'not a recbayes {noun}: the field "format" is none of {", ".join(formats)}')
    found = document.get("version")
    if type(found) is not int or found != version:
        raise FileError(f"version {_short(repr(found))} of the format; this recbayes reads version {version}")
    return document


def restored(document: dict[str, Any], noun: str, make: Callable[[dict[str, Any]], T], write: Callable[[T], str]) -> T:
    """What is made of a document, if it would be written in the same form: numbers where numbers are, and as many.

    So a class need not ask of every field whether it is text, or true, in place of a number. It must only not make more than
    the file holds, such as a large matrix of a single number.
    """
    try:
        made = make(document)
        difference = _difference(document, json.loads(write(made)), noun)
    except KeyError as problem:
        raise FileError(f"damaged: the field {_short(str(problem))} is missing") from problem
    except Exception as problem:  # nobody can foresee all that goes wrong with nonsense
        kind = f"describes an impossible {noun}: " if isinstance(problem, ModelError | DataError) else "damaged: "
        raise FileError(("" if isinstance(problem, FileError) else kind) + _short(str(problem))) from problem
    if difference:
        raise FileError(f"damaged: {_short(difference)}")
    return made


def _difference(given: Any, written: Any, where: str) -> str | None:
    """The first place where two documents differ in form."""
    if isinstance(given, dict) and isinstance(written, dict) and given.keys() == written.keys():
        inner = [(given[name], written[name], f"{where}.{name}") for name in given]
    elif isinstance(given, list) and isinstance(written, list) and len(given) == len(written):
        inner = [(*pair, f"{where}[{number}]") for number, pair in enumerate(zip(given, written, strict=True))]
    elif _kind(given) == _kind(written) and not isinstance(given, dict | list):
        return None
    else:
        return f"{where} must be of the form {json.dumps(written)[:100]}, got {json.dumps(given)}"
    return next(filter(None, (_difference(*one) for one in inner)), None)


def _kind(value: Any) -> type:
    return float if type(value) is int else type(value)


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise FileError(f"damaged: the field {_short(repr(twice))} is there twice")
    return fields


def _float(text: str) -> float:
    return float(text) if math.isfinite(float(text)) else _no_number(text)


def _whole(text: str) -> int:
    return int(text) if len(text) <= DIGITS else _no_number(text)


def _no_number(text: str) -> NoReturn:
    raise FileError(f"damaged: {text[:DIGITS]} is not a number that can be computed with")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 3] + "..."
