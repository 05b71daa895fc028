"""Bad input to the command line: one clear line on standard error, an exit code, nothing half-written, no traceback."""

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from typer.testing import CliRunner

from recbayes.cli import app
from tests.cli.files import DAYS, GOOD, GRAMMAR, JUMP, TWO, model_text, npy, npz, write

OBJECTS = np.array([{"a": 1}, None], dtype=object)
HUGE = "date,value\n2024-01-01,1e200\n2024-01-02,2e200\n2024-01-03,3\n"


class Bad(NamedTuple):
    """Files, a command, and what must be said of them."""

    files: dict[str, str | bytes]
    command: str
    said: str
    code: int = 1


def rows(*lines: str, names: str = "date,value") -> str:
    return "\n".join([names, *lines]) + "\n"


def spoilt(line: int, text: str) -> str:
    """The good table with another line."""
    lines = GOOD.splitlines()
    lines[line - 1] = text
    return "\n".join(lines) + "\n"


FILES = {
    "missing file": Bad({}, "segment x.csv", "x.csv: there is no such file"),
    "a folder": Bad({}, "segment .", ". is a folder"),
    "empty": Bad({"x.csv": ""}, "segment x.csv", "it is empty"),
    "blank lines only": Bad({"x.csv": "\n\n  \n"}, "segment x.csv", "it is empty"),
    "comments only": Bad({"x.csv": "# a\n# b\n"}, "segment x.csv", "nothing but comments"),
    "names only": Bad({"x.csv": "date,value\n"}, "segment x.csv", "no rows in it, only a line of names (date, value)"),
    "binary": Bad({"x.csv": bytes(range(256)) * 8}, "segment x.csv", "it is no text"),
    "a picture": Bad({"x.csv": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"}, "segment x.csv", "it is no text"),
    "compressed": Bad({"x.csv.gz": b"\x1f\x8b\x08\x00abc"}, "segment x.csv.gz", "compressed (gzip), and damaged"),
    "a spreadsheet": Bad({"x.xlsx": b"PK\x03\x04rest"}, "segment x.xlsx", "save its table as CSV"),
    "UTF-16 without a mark": Bad(
        {"x.csv": GOOD.encode("utf-16-le")}, "segment x.csv", "if it is UTF-16, say so (--encoding)"
    ),
    "not in the encoding told": Bad(
        {"x.csv": "Höhe\n1\n2\n".encode("latin-1")}, "segment x.csv --encoding utf-8", "not in the encoding utf-8: byte 1"
    ),
    "an encoding that is none": Bad({"x.csv": GOOD}, "segment x.csv --encoding klingon", "there is no encoding 'klingon'"),
    "text among numbers": Bad({"x.csv": spoilt(7, "2024-01-06,abc")}, "segment x.csv", "line 7 has 'abc' where column"),
    "half of it text": Bad(
        {"x.csv": rows("1,a", "2,b", "3,4", names="t,value")}, "segment x.csv --columns value", "line 2 has 'a' where"
    ),
    "one column of text": Bad({"x.csv": "word\nfoo\nbar\n"}, "segment x.csv", "no column of numbers in it: 'word' is text"),
    "dates and nothing else": Bad({"x.csv": rows(*DAYS, names="date")}, "segment x.csv", "no column of numbers"),
    "ragged": Bad({"x.csv": spoilt(9, "2024-01-08")}, "segment x.csv", "line 9 has 1 cell, the line of names has 2"),
    "too many cells": Bad({"x.csv": spoilt(9, "2024-01-08,1,2")}, "segment x.csv", "line 9 has 3 cells, the line of names"),
    "a quotation mark not closed": Bad(
        {"x.csv": spoilt(5, '"2024-01-04,5')}, "segment x.csv", "is a quotation mark in it, or before it, not closed?"
    ),
    "infinite": Bad({"x.csv": spoilt(7, "2024-01-06,inf")}, "segment x.csv", "infinite at line 7, column 'value'"),
    "beyond floating point": Bad({"x.csv": spoilt(7, "2024-01-06,1e999")}, "segment x.csv", "infinite at line 7"),
    "huge": Bad({"x.csv": HUGE}, "segment x.csv", "values beyond 1e150"),
    "nothing but missing": Bad({"x.csv": rows("2024-01-01,", "2024-01-02,NA")}, "segment x.csv", "all values are missing"),
    "too short": Bad({"x.csv": "x\n1\n"}, "segment x.csv --segments 3", "has 1 observations, too few"),
    "broken JSON": Bad({"x.jsonl": '{"a": 1}\n{"a": \n'}, "segment x.jsonl", "line 2 is not valid JSON"),
    "JSON of other things": Bad({"x.jsonl": '{"a": 1}\n[1]\n'}, "segment x.jsonl", "line 2 is no object"),
    "nested JSON": Bad({"x.jsonl": '{"a": {"b": 1}}\n'}, "segment x.jsonl", "line 1 has dicts inside 'a'"),
    "Parquet that is none": Bad({"x.parquet": "PAR1 and not more"}, "segment x.parquet", "damaged, or no Parquet"),
    "a damaged array": Bad({"x.npy": npy(JUMP)[:100]}, "segment x.npy", "damaged, or no array of numpy"),
    "an array of objects": Bad({"x.npy": npy(OBJECTS, pickled=True)}, "segment x.npy", "pickles"),
    "pickles in an archive": Bad({"x.npz": npz(a=OBJECTS, pickled=True)}, "segment x.npz", "pickles"),
    "an array of three dimensions": Bad({"x.npy": npy(np.zeros((3, 4, 5)))}, "segment x.npy", "got (3, 4, 5)"),
    "an array of texts": Bad({"x.npy": npy(np.array(["a"]))}, "segment x.npy", "must be numbers, and has <U1"),
    "which of two arrays": Bad({"x.npz": npz(a=JUMP, b=JUMP)}, "segment x.npz", "2 arrays, 'a', 'b'; say which (--array)"),
    "an array that is not there": Bad({"x.npz": npz(a=JUMP)}, "segment x.npz --array c", "no array 'c'; it has 'a'"),
}
TIMES = {
    "days that are none": Bad({"x.csv": spoilt(7, "2024-02-31,1")}, "segment x.csv", "line 7 has '2024-02-31' where column"),
    "dates out of order": Bad(
        {"x.csv": rows("2024-01-01,1", "2024-01-05,2", "2024-01-03,3")},
        "segment x.csv",
        "line 4 goes back in time, from 2024-01-05 to 2024-01-03; sort the rows (--sort)",
    ),
    "the same date twice": Bad(
        {"x.csv": rows("2024-01-01,1", "2024-01-02,2", "2024-01-02,3")},
        "segment x.csv",
        "line 3 and line 4 have the same time, 2024-01-02",
    ),
    "dates half missing": Bad(
        {"x.csv": rows("2024-01-01,1", ",2", ",3", "2024-01-04,3")}, "segment x.csv", "line 3 has no time in column 'date'"
    ),
    "two columns of dates": Bad(
        {"x.csv": rows("2024-01-01,2024-02-01,1", "2024-01-02,2024-02-02,2", names="from,to,x")},
        "segment x.csv",
        "several columns of dates, 'from', 'to'; say which",
    ),
    "a time that is text": Bad(
        {"x.csv": rows("foo,1", "bar,2")}, "segment x.csv --time date", "column 'date' is text, such as 'foo'"
    ),
    "dates of another form": Bad({"x.csv": GOOD}, "segment x.csv -t date --dates %d.%m.%Y", "such as '2024-01-01'"),
}
COLUMNS = {
    "a column that is not there": Bad({"x.csv": GOOD}, "segment x.csv --columns speed", "no column 'speed'; there are"),
    "a time that is not there": Bad({"x.csv": GOOD}, "segment x.csv --time when", "no column 'when'"),
    "a group that is not there": Bad({"x.csv": GOOD}, "segment x.csv --by site", "no column 'site'"),
    "a column twice": Bad({"x.csv": GOOD}, "segment x.csv --columns value,value", "'value' is named twice"),
    "the time as a column": Bad({"x.csv": GOOD}, "segment x.csv -t date --columns date,value", "'date' is named twice"),
    "rows without a group": Bad(
        {"x.csv": TWO.replace(",B,", ",,")}, "segment x.csv --by machine", "line 3 does not say to which series it belongs"
    ),
    "text told to be numbers": Bad({"x.csv": TWO}, "segment x.csv --columns machine", "'machine' is text, such as 'A'"),
    "too many columns": Bad({"x.csv": ",".join(["1"] * 100_001) + "\n"}, "segment x.csv", "100001 columns"),
    "a separator of two signs": Bad({"x.csv": GOOD}, "segment x.csv --separator ab", "a separator is one sign"),
    "the separator for decimals": Bad({"x.csv": GOOD}, "segment x.csv --separator , --decimal ,", "cannot be both"),
    "a separator that does not fit": Bad({"x.csv": GOOD}, "segment x.csv --separator ;", "is text, such as"),
}
MODELS = {
    "no model": Bad({"x.csv": GOOD}, "parse x.csv -m m.json", "m.json: there is no such file; recbayes fit makes one"),
    "a model of another version": Bad(
        {"x.csv": GOOD, "m.json": model_text().replace('"version": 1', '"version": 99')},
        "parse x.csv -m m.json",
        "m.json: version 99 of the format; this recbayes reads version 1",
    ),
    "a model cut short": Bad({"x.csv": GOOD, "m.json": model_text()[:200]}, "parse x.csv -m m.json", "not valid JSON"),
    "a model that is none": Bad({"x.csv": GOOD, "m.json": '{"a": 1}'}, "info m.json", 'the field "format" is none of'),
    "a model that is not text": Bad({"m.json": bytes(range(200, 256))}, "info m.json", "it is not text"),
    "a model that is a folder": Bad({}, "info .", "is a folder, not a model"),
    "an impossible model": Bad(
        {"m.json": model_text().replace('"probability": 0.', '"probability": 7.')}, "info m.json", "impossible model"
    ),
    "a grammar that is none": Bad({"g.txt": "S -> NP VP [x]"}, "info g.txt", "g.txt: "),
    "a model of other columns": Bad(
        {"x.csv": rows("1,2,3", "2,3,4", names="t,a,b"), "m.json": model_text()},
        "parse x.csv -m m.json",
        "2 columns, the model expects 1",
    ),
    "numbers for a grammar": Bad(
        {"x.csv": GOOD, "g.txt": GRAMMAR}, "parse x.csv -m g.txt", "x.csv: line 1: token 0 is 'date,value'"
    ),
    "an array for a grammar": Bad({"x.npy": npy(JUMP), "g.txt": GRAMMAR}, "parse x.npy -m g.txt", "not UTF-8 text"),
    "an unknown symbol": Bad({"s.txt": "a b c\n", "g.txt": GRAMMAR}, "parse s.txt -m g.txt", "'c'"),
    "a sentence without a tree": Bad(
        {"s.txt": "a\n", "g.txt": "S -> A A [1]\nA -> 'a' [1]\n"},
        "parse s.txt -m g.txt",
        "s.txt: the grammar generates no tree",
    ),
    "a tree that is too long": Bad({"g.txt": "S -> 'a' 'b' [1]"}, "sample -m g.txt --min-length 3", "no tree in"),
    "text to learn from": Bad({"x.csv": "a\nfoo\n"}, "fit x.csv -o m.json", "no column of numbers"),
    "a checkpoint of something else": Bad(
        {"x.csv": GOOD, "c.txt": "hello\n"}, "fit x.csv -o m.json --checkpoint c.txt --resume", "not a recbayes checkpoint"
    ),
    "series of different widths": Bad(
        {"x.csv": GOOD, "y.csv": rows("1,2,3", "2,3,4", names="t,a,b")}, "fit x.csv y.csv -o m.json", "column"
    ),
}
OUTPUTS = {
    "a folder that is not there": Bad({"x.csv": GOOD}, "segment x.csv --table no/t.csv", "there is no folder 'no'"),
    "an output that is a folder": Bad({"x.csv": GOOD}, "segment x.csv --report .", ". is a folder; name a file in it"),
    "a device that is full": Bad({"x.csv": GOOD}, "segment x.csv --table /dev/full", "is a device"),
    "a model into a folder": Bad({"x.csv": GOOD}, "fit x.csv -o .", ". is a folder"),
    "a folder for pictures": Bad({"x.csv": GOOD}, "segment x.csv --plot no/p.png", "there is no folder 'no'"),
    "trees nowhere": Bad({"m.json": model_text()}, "sample -m m.json --trees no/t.nwk", "there is no folder 'no'"),
}
USAGE = {
    "a picture of no kind": Bad({"x.csv": GOOD}, "segment x.csv --plot p.xyz", "pictures end in png, svg, pdf", 2),
    "two forms at once": Bad({"x.csv": GOOD}, "segment x.csv --json --newick", "only one of --json and --newick", 2),
    "two outputs of one name": Bad({"x.csv": GOOD}, "segment x.csv --table p.png --plot p.png", "the same name", 2),
    "no command": Bad({}, "guess", "No such command 'guess'", 2),
    "no data": Bad({}, "segment", "Missing argument", 2),
    "no model to parse with": Bad({"x.csv": GOOD}, "parse x.csv", "Missing option '--model'", 2),
    "no such option": Bad({"x.csv": GOOD}, "segment x.csv --fast", "No such option: --fast", 2),
    "a seed that is none": Bad({"x.csv": GOOD}, "segment x.csv --seed -1", "--seed", 2),
    "segments that are none": Bad({"x.csv": GOOD}, "segment x.csv --segments many", "such as 2-5; got 'many'", 2),
    "time and no time": Bad({"x.csv": GOOD}, "segment x.csv --time date --no-time", "exclude each other", 2),
    "lengths the wrong way round": Bad({"m.json": model_text()}, "sample -m m.json --min-length 5 --max-length 2", "few", 2),
    "resuming nothing": Bad({"x.csv": GOOD}, "fit x.csv -o m.json --resume", "--checkpoint", 2),
    "fewest above most": Bad({"x.csv": GOOD}, "segment x.csv --segments 5-2", "the fewest come first", 2),
    "a kind that is none": Bad({"x.csv": GOOD}, "segment x.csv --kinds levels", "kinds are 'level', 'trend', 'level + a", 2),
    "a season of one": Bad({"x.csv": GOOD}, "segment x.csv --period 1", "a number of observations, at least 2", 2),
    "a season in words": Bad({"x.csv": GOOD}, "segment x.csv --period week", "such as 7 for weeks of days; got 'week'", 2),
    "several files": Bad({"x.csv": GOOD}, "segment x.csv b.csv c.csv d.csv e.csv", "takes one file at a time, without", 2),
    "a report of a parse": Bad({"x.csv": GOOD}, "parse x.csv -m m --report r.html", "reports are of `recbayes segment`", 2),
    "the data as a table": Bad({"x.csv": GOOD}, "segment x.csv --table x.csv", "x.csv is a file that is read", 2),
    "the data as a table, by another name": Bad(
        {"x.csv": GOOD}, "segment x.csv --table ../{folder}/x.csv", "x.csv is a file that is read", 2
    ),
    "the data as changes": Bad({"x.csv": GOOD}, "segment x.csv --changes ./x.csv", "would be overwritten", 2),
    "the data as words": Bad({"x.csv": GOOD}, "segment x.csv -o x.csv", "would be overwritten", 2),
    "the data as JSON": Bad({"x.csv": GOOD}, "segment x.csv --json -o x.csv", "would be overwritten", 2),
    "the data as a page": Bad({"x.csv": GOOD}, "segment x.csv --report x.csv", "would be overwritten", 2),
    "the data as a picture": Bad({"x.png": GOOD}, "segment x.png --plot x.png", "would be overwritten", 2),
    "the data as a model": Bad({"x.csv": GOOD}, "fit x.csv -o x.csv", "would be overwritten", 2),
    "the data as a checkpoint": Bad({"x.csv": GOOD}, "fit x.csv -o m.json --checkpoint x.csv", "would be overwritten", 2),
    "the model as a table": Bad({"m.json": model_text()}, "parse x.csv -m m.json --table m.json", "overwritten", 2),
    "the model as drawn series": Bad({"m.json": model_text()}, "sample -m m.json -o m.json", "overwritten", 2),
    "series and trees in one": Bad({"m.json": model_text()}, "sample -m m.json -o s --trees ./s", "the same name", 2),
    "picture and page in one": Bad({}, "demo --output d.png --report ./d.png", "two outputs have the same name", 2),
    "a picture where no folder is": Bad({}, "demo --output no/d.png", "there is no folder 'no'"),
    "a number that is none": Bad({"x.csv": GOOD}, "segment x.csv --segments ²", "the fewest and the most", 2),
    "an unknown objective": Bad(
        {"x.csv": GOOD, "m.json": model_text()}, "parse x.csv -m m.json --objective best", "'f1'", 2
    ),
    "the data as a page of a group": Bad(
        {"r-a.csv": "m,v\na,1\na,2\nb,3\nb,4\n"}, "segment r-a.csv --draws 20 --by m --report r.csv", "overwritten", 2
    ),
    "words as a picture of a group": Bad(
        {"x.csv": "m,v\na,1\na,2\nb,3\nb,4\n"}, "segment x.csv --draws 20 --by m --plot r.svg -o r-a.svg", "same", 2
    ),
    "the model in the checkpoint": Bad({"x.csv": GOOD}, "fit x.csv -o m.json --checkpoint m.json", "the same name", 2),
}
ALL = {**FILES, **TIMES, **COLUMNS, **MODELS, **OUTPUTS, **USAGE}


@pytest.mark.parametrize("bad", ALL.values(), ids=list(ALL))
def test_one_clear_line(bad: Bad, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "/dev/full" in bad.command and not Path("/dev/full").exists():
        pytest.skip("there is no device that is always full")
    monkeypatch.chdir(tmp_path)
    write(tmp_path, bad.files)
    result = CliRunner().invoke(app, bad.command.format(folder=tmp_path.name).split())
    assert result.exit_code == bad.code, result.output
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1, result.stderr
    assert result.stderr.startswith("recbayes: ")
    assert bad.said in result.stderr
    assert "should not have happened" not in result.stderr
    assert {path.name for path in tmp_path.iterdir()} == set(bad.files)
    assert all((tmp_path / name).read_bytes() == _bytes(content) for name, content in bad.files.items())


def _bytes(content: str | bytes) -> bytes:
    return content if isinstance(content, bytes) else content.encode()


def test_there_are_more_than_forty_kinds() -> None:
    assert len(ALL) >= 40
    assert len({(bad.said, bad.command) for bad in ALL.values()}) > 80


@pytest.mark.parametrize("place", ["--debug segment x.csv", "segment x.csv --debug"])
def test_debug_shows_where(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, place.split())
    assert result.exit_code == 1
    assert result.stderr.startswith("Traceback (most recent call last)")
    assert "FileError: x.csv: there is no such file" in result.stderr


def test_errors_of_our_own_making_are_told_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What nobody foresaw is one line as well, which says how to see more."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"x.csv": GOOD})

    def broken(*arguments: object, **settings: object) -> None:
        raise KeyError("spoon")

    monkeypatch.setattr("recbayes.data.files.read.read_file", broken)
    result = CliRunner().invoke(app, ["segment", "x.csv"])
    assert result.exit_code == 1
    assert result.stderr == "recbayes: this should not have happened (KeyError: 'spoon'); --debug shows where it did\n"


@pytest.mark.parametrize(
    ("problem", "code", "said"),
    [
        (KeyboardInterrupt(), 130, "recbayes: interrupted\n"),
        (MemoryError(), 1, "recbayes: there is not enough memory; take fewer draws"),
        (PermissionError(13, "Permission denied", "t.csv"), 1, "recbayes: t.csv: Permission denied\n"),
    ],
)
def test_other_ends(problem: BaseException, code: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    def broken(*arguments: object, **settings: object) -> None:
        raise problem

    monkeypatch.setattr("recbayes.data.files.read.read_file", broken)
    result = CliRunner().invoke(app, ["segment", "x.csv"])
    assert result.exit_code == code
    assert result.stderr.startswith(said)
    assert len(result.stderr.splitlines()) == 1


def test_nothing_is_written_if_one_output_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table and a picture: the picture cannot be made, so there is no table."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"x.csv": GOOD})

    def broken(*arguments: object, **settings: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", broken)
    command = ["segment", "x.csv", "--draws", "20", "--table", "t.csv", "--plot", "p.png"]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 1
    assert result.stderr == "recbayes: No space left on device\n"
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]


def test_a_model_as_json_is_what_save_writes() -> None:
    """What the cases above spoil is good."""
    assert json.loads(model_text())["version"] == 1
