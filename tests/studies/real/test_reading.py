"""Both layouts say the same, and broken files say what is wrong with them."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recbayes.errors import FileError
from recbayes.studies.real.reading import Collection, read_collection
from recbayes.studies.real.series import Score, checksum
from tests.studies.real.files import dataset_entry, small_series, write_dataset, write_one_file


def check_small(collection: Collection) -> None:
    expected = small_series()
    assert [one.name for one in collection.series] == sorted(expected)
    for one in collection.series:
        columns = np.array(expected[one.name]["columns"], dtype=float)
        assert np.array_equal(one.values, columns.T, equal_nan=True)
        assert (len(one), one.columns) == columns.shape[::-1]
        assert {who: list(points) for who, points in one.annotations.items()} == expected[one.name]["annotations"]
    assert collection.absent == ()


def test_one_file(tmp_path: Path) -> None:
    collection = read_collection(write_one_file(tmp_path / "all.json"))
    check_small(collection)
    published = {one.name: dict(one.published) for one in collection.series}
    assert published["steps"] == {"zero": Score(0.5, 0.25), "bocpd": Score(0.75, 1.0)}
    assert published["pair"] == {}


@pytest.mark.parametrize("exported", [False, True])
def test_the_dataset(tmp_path: Path, exported: bool) -> None:
    check_small(read_collection(write_dataset(tmp_path / "TCPD", exported=exported)))


def test_one_series_of_the_dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in (
        write_dataset(tmp_path / "folders") / "datasets" / "pair" / "pair.json",
        write_dataset(tmp_path / "exported", exported=True) / "pair.json",
    ):
        for given in (path, Path(path.name)):
            monkeypatch.chdir(path.parent)
            (pair,) = read_collection(given).series
            assert (pair.name, pair.columns) == ("pair", 2)
    shutil.move(path, tmp_path / "pair.json")
    with pytest.raises(FileError, match=r"no annotations; put annotations.json beside it"):
        read_collection(tmp_path / "pair.json")


def test_what_is_annotated_and_there(tmp_path: Path) -> None:
    """Series to be downloaded are named, those without annotations and other files are left out."""
    root = write_dataset(tmp_path / "TCPD")
    (root / "datasets" / "pair" / "pair.json").unlink()
    (root / "datasets" / "steps" / "source.json").write_text("[1, 2", encoding="utf-8")
    (root / "datasets" / "other").mkdir()
    (root / "datasets" / "other" / "other.json").write_text(json.dumps(dataset_entry("other", [[1.0, 2.0]])))
    collection = read_collection(root)
    assert [one.name for one in collection.series] == ["flat", "steps"]
    assert collection.absent == ("pair",)


def test_the_checksum_is_of_everything(tmp_path: Path) -> None:
    """The values, their order, annotations, published scores; not where they come from."""
    folders = checksum(read_collection(write_dataset(tmp_path / "folders")).series)
    assert folders == checksum(read_collection(write_dataset(tmp_path / "exported", exported=True)).series)
    changes: list[Callable[[dict[str, Any]], object]] = [
        lambda data: None,
        lambda data: data["flat"]["columns"][0].reverse(),
        lambda data: data["pair"]["columns"].reverse(),
        lambda data: data["flat"]["annotations"]["6"].append(3),
        lambda data: data.pop("flat"),
    ]
    sums = {folders}
    for change in changes:
        series = small_series()
        change(series)
        sums.add(checksum(read_collection(write_one_file(tmp_path / "all.json", series)).series))
    assert len(sums) == 1 + len(changes)  # the first of them has published scores


def spoil(path: tuple[str | int, ...], value: Any) -> Callable[[Any], Any]:
    def change(data: Any) -> Any:
        place = data
        for step in path[:-1]:
            place = place[step]
        if value is ...:
            del place[path[-1]]
        else:
            place[path[-1]] = value
        return data

    return change


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda data: [data], "what is in it must be an object"),
        (lambda data: {}, "no annotated series"),
        (spoil(("steps",), [1, 2]), "series 'steps': a series must be an object"),
        (spoil(("steps", "values"), ...), 'the field "values" is missing'),
        (spoil(("steps", "values"), {}), "values must be a list"),
        (spoil(("steps", "values"), []), '"columns" has 1 entries where 0 are expected'),
        (spoil(("steps", "values", 0), 3), "column 0 must be a list"),
        (spoil(("steps", "values", 0, 7), "3"), "column 0 must be numbers.*entry 7 is '3'"),
        (spoil(("steps", "values", 0, 7), True), "entry 7 is True"),
        (spoil(("steps", "values", 0, 7), 1e200), "up to 1e.150"),
        (spoil(("steps", "values", 0), [None] * 40), "no values, all are missing"),
        (spoil(("steps", "values", 0), [1.0]), "at least 2 observations"),
        (spoil(("pair", "values", 0), [1.0, 2.0]), "of 2 and 40 observations"),
        (spoil(("steps", "time"), [1, 2]), '"time" has 2 entries where 40 are expected'),
        (spoil(("pair", "columns"), ["x"]), '"columns" has 1 entries where 2 are expected'),
        (spoil(("steps", "annotations"), ...), 'the field "annotations" is missing'),
        (spoil(("steps", "annotations"), {}), "nobody has annotated it"),
        (spoil(("steps", "annotations"), [3]), "annotations must be an object"),
        (spoil(("steps", "annotations", "6"), 3), "change points of annotator '6' must be a list"),
        (spoil(("steps", "annotations", "6"), [40]), "from 0 to 39, got 40"),
        (spoil(("steps", "annotations", "6"), [-1]), "from 0 to 39, got -1"),
        (spoil(("steps", "annotations", "6"), [2.5]), "whole number"),
        (spoil(("steps", "published_default_cover_f1"), 1), "published scores must be an object"),
        (spoil(("steps", "published_default_cover_f1", "zero"), [1]), "published scores are covering and F1"),
        (spoil(("steps", "published_default_cover_f1", "zero"), [0.5, None]), "published scores are covering and F1"),
        (spoil(("steps", "published_default_cover_f1", "zero"), [0.5, 1.5]), "from 0 to 1"),
        (spoil(("steps", "published_default_cover_f1", "zero"), None), "published scores must be a list"),
        (lambda data: {"a\nb": data["steps"]}, "one line of text"),
    ],
)
def test_broken_contents(tmp_path: Path, change: Callable[[Any], Any], complaint: str) -> None:
    path = write_one_file(tmp_path / "all.json")
    path.write_text(json.dumps(change(json.loads(path.read_text(encoding="utf-8")))), encoding="utf-8")
    with pytest.raises(FileError, match=complaint) as error:
        read_collection(path)
    assert str(path) in str(error.value)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "not valid JSON"),
        (b'{"a": ', "not valid JSON"),
        (b"\xff\xfe", "not text"),
        (b'{"a": 1, "a": 2}', "'a' is there twice"),
        (b'{"a": NaN}', "NaN is not a number"),
        (b'{"a": 1e999}', "not a number"),
        (b"[" * 100_000, "not valid JSON"),
    ],
)
def test_broken_files(tmp_path: Path, content: bytes, complaint: str) -> None:
    path = tmp_path / "all.json"
    path.write_bytes(content)
    with pytest.raises(FileError, match=complaint):
        read_collection(path)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (spoil(("name",), ...), 'the field "name" is missing'),
        (spoil(("name",), 3), "its name must be a text"),
        (spoil(("name",), "pair"), "that no other series has"),
        (spoil(("n_obs",), 39), "it has 40 observations, and says that it has 39"),
        (spoil(("n_dim",), 2), "it has 1 columns, and says that it has 2"),
        (spoil(("n_dim",), True), "says that it has True"),
        (spoil(("series",), ...), 'the field "series" is missing'),
        (spoil(("series", 0), [1.0]), "a column must be an object"),
        (spoil(("series", 0, "raw"), ...), 'the field "raw" is missing'),
        (spoil(("time",), ...), 'the field "time" is missing'),
        (spoil(("time", "index"), [0]), '"index" has 1 entries'),
    ],
)
def test_broken_datasets(tmp_path: Path, change: Callable[[Any], Any], complaint: str) -> None:
    path = write_dataset(tmp_path / "TCPD") / "datasets" / "steps" / "steps.json"
    path.write_text(json.dumps(change(json.loads(path.read_text(encoding="utf-8")))), encoding="utf-8")
    with pytest.raises(FileError, match=complaint) as error:
        read_collection(tmp_path / "TCPD")
    assert "steps.json" in str(error.value)


def test_nothing_there(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"nowhere.json cannot be read: No such file"):
        read_collection(tmp_path / "nowhere.json")
    with pytest.raises(FileError, match=r"has no annotations.json; give the folder"):
        read_collection(tmp_path)
    (tmp_path / "annotations.json").write_text("{}", encoding="utf-8")
    with pytest.raises(FileError, match="no annotated series"):
        read_collection(tmp_path)
