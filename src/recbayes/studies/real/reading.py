"""Annotated series from files: one JSON file with everything, or the Turing Change Point Dataset as it comes.

One file: an object that has, by the name of each series, `values` (a list per column, null for missing ones) and
`annotations` (change points by annotator), and perhaps `published_default_cover_f1` (pairs of covering and F1 by method).
What else there is, such as `time`, is not looked at but for its length.

The dataset (github.com/alan-turing-institute/TCPD): a folder with `annotations.json`, which has change points by series and
annotator, and `datasets/NAME/NAME.json`, or the files that its `make export` writes beside `annotations.json`. A series
which nobody has annotated is left out. Any one of these files will do, too, if its annotations are in their place.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from recbayes.checks.arguments import path_of
from recbayes.checks.arrays import short
from recbayes.checks.documents import strict_json
from recbayes.errors import FileError
from recbayes.studies.real.series import AnnotatedSeries, fields, listed, make_series

ANNOTATIONS = "annotations.json"


class Collection(NamedTuple):
    """Series by name, and the names of those that have annotations but no file: some have to be downloaded."""

    series: tuple[AnnotatedSeries, ...]
    absent: tuple[str, ...] = ()


def read_collection(path: str | Path) -> Collection:
    """What is in a folder or a file of either layout."""
    path = path_of(path)
    if path.is_dir():
        return _read_dataset(path, _files(path))
    content = _read(path)
    if "series" in content and "n_obs" in content:
        places = [path.parent, *path.absolute().parent.parent.parents][:2]  # beside it, or where `datasets` is
        root = next((place for place in places if (place / ANNOTATIONS).is_file()), None)
        if root is None:
            raise FileError(f"{path} has no annotations; put {ANNOTATIONS} beside it, or give the whole dataset")
        return _read_dataset(root, [path])._replace(absent=())
    return _read_one_file(path, content)


def _read_one_file(path: Path, content: dict[str, Any]) -> Collection:
    series = []
    for name, entry in content.items():
        with _place(f"{path}: series {short(name)}"):
            known = fields(entry, "a series")
            columns = _field(known, "values")
            _agree(known, "columns", len(listed(columns, "values")))
            one = make_series(name, columns, _field(known, "annotations"), known.get("published_default_cover_f1"))
            _agree(known, "time", len(one))
            series.append(one)
    return _some(Collection(tuple(sorted(series, key=lambda one: one.name))), path)


def _read_dataset(root: Path, paths: list[Path]) -> Collection:
    annotations = _read(root / ANNOTATIONS)
    series: dict[str, AnnotatedSeries] = {}
    for path in paths:
        content = _read(path)
        with _place(str(path)):
            name = _field(content, "name")
            if not isinstance(name, str) or name in series:
                raise FileError(f"its name must be a text that no other series has, got {short(name)}")
            if name in annotations:
                columns = [_field(fields(one, "a column"), "raw") for one in listed(_field(content, "series"), "series")]
                series[name] = make_series(name, columns, annotations[name])
                _expect(len(columns), _field(content, "n_dim"), "columns")
                _expect(len(series[name]), _field(content, "n_obs"), "observations")
                _agree(fields(_field(content, "time"), "time"), "index", len(series[name]))
    found = Collection(
        tuple(series[name] for name in sorted(series)), tuple(sorted(name for name in annotations if name not in series))
    )
    return _some(found, root)


def _files(root: Path) -> list[Path]:
    if not (root / ANNOTATIONS).is_file():
        raise FileError(
            f"{root} has no {ANNOTATIONS}; give the folder of the Turing Change Point Dataset, or a JSON file of series"
        )
    if (root / "datasets").is_dir():
        return sorted(path for path in (root / "datasets").glob("*/*.json") if path.stem == path.parent.name)
    return sorted(path for path in root.glob("*.json") if path.name != ANNOTATIONS)


def _read(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as problem:
        raise FileError(f"{path} is not a JSON file: it is not text") from problem
    except OSError as problem:
        raise FileError(f"{path} cannot be read: {problem.strerror}") from problem
    with _place(str(path)):
        return fields(strict_json(text, "not a file of series"), "what is in it")


@contextmanager
def _place(where: str) -> Iterator[None]:
    """Errors say where they are."""
    try:
        yield
    except FileError as problem:
        raise FileError(f"{where}: {problem}") from problem


def _field(data: dict[str, Any], name: str) -> Any:
    if name not in data:
        raise FileError(f'the field "{name}" is missing')
    return data[name]


def _expect(there: int, said: Any, what: str) -> None:
    if said is True or there != said:
        raise FileError(f"it has {there} {what}, and says that it has {short(said)}")


def _agree(data: dict[str, Any], name: str, length: int) -> None:
    """What goes with the values, if it is there, has as many entries."""
    if name in data and len(listed(data[name], name)) != length:
        raise FileError(f'the field "{name}" has {len(data[name])} entries where {length} are expected')


def _some(collection: Collection, path: Path) -> Collection:
    if not collection.series:
        raise FileError(f"{path} has no annotated series")
    return collection
