"""`recbayes segment`: words, tables, JSON, trees, pictures and pages, of one series or several."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

import recbayes as rb
from recbayes.cli import app
from tests.cli.files import DAYS, GOOD, JUMP, TWO, npy, npz, write


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"x.csv": GOOD, "two.csv": TWO})


def run(command: str, **settings: object) -> Result:
    """The command, with little work: few draws, one kind of segments."""
    little = ["--draws", "40", *([] if "--kinds" in command else ["--kinds", "level"])]
    result = CliRunner().invoke(app, [*command.split(), *little], **settings)  # type: ignore[arg-type]
    assert result.exit_code == 0, result.output
    return result


def test_words() -> None:
    result = run("segment x.csv")
    assert result.stderr == ""
    assert "x.csv: 40 observations of value, 2024-01-01 to 2024-02-09\n  columns are separated by commas\n" in result.stdout
    assert (
        "1 change point in 40 observations from 2024-01-01 to 2024-02-09\n  2024-01-21: probability 1.00\n" in result.stdout
    )
    assert "  ├─ 2024-01-01 to 2024-01-20  " in result.stdout
    assert "written" not in result.stdout
    assert max(map(len, result.stdout.splitlines()[:24])) <= 80


def test_the_same_as_from_python_and_every_time() -> None:
    first, again, other = (run(f"segment x.csv --json --seed {seed}").stdout for seed in (0, 0, 1))
    assert first == again
    assert first != other
    told = json.loads(first)["series"][0]
    found = rb.segment(rb.data.read_file("x.csv"), draws=40, kinds="level", seed=0)
    assert [one["label"] for one in told["change_points"]] == [str(one) for one in found.change_points] == ["2024-01-21"]
    assert [one["probability"] for one in told["change_points"]] == [one.probability for one in found.changes]
    assert rb.Tree.from_json(json.dumps(told["tree"])) == found.tree


def test_json_and_nothing_else() -> None:
    result = run("segment two.csv --json")
    document = json.loads(result.stdout)
    assert result.stderr == ""
    assert [one["name"] for one in document["series"]] == ["A", "B"]
    assert document["by"] == "machine"
    assert document["time"] == "date"
    assert document["columns"] == ["value"]
    assert "series are told apart by 'machine'" in document["guessed"]
    assert document["settings"]["seed"] == 0


def test_files_of_several_series(tmp_path: Path) -> None:
    write(tmp_path, {"odd.csv": TWO.replace(",A,", ",press / 1,").replace(",B,", ",PRESS:1,")})
    result = run("segment odd.csv --table t.csv --plot p.svg --report r.html --no-picture")
    names = ["p-press_1.svg", "p-PRESS_1-2.svg", "r-press_1.html", "r-PRESS_1-2.html"]
    assert f"written: t.csv, {', '.join(names)}" in result.stdout
    assert {path.name for path in tmp_path.iterdir()} == {"x.csv", "two.csv", "odd.csv", "t.csv", *names}
    with open("t.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0])[:4] == ["machine", "start", "end", "observations"]
    assert [row["observations"] for row in rows] == ["40", "20", "20"] * 2
    assert {row["machine"] for row in rows} == {"press / 1", "PRESS:1"}
    assert Path("p-press_1.svg").read_text(encoding="utf-8").startswith("<?xml")
    assert "press / 1" in Path("r-press_1.html").read_text(encoding="utf-8")


def test_trees() -> None:
    lines = run("segment two.csv --newick -q").stdout.splitlines()
    assert [line.split("\t")[0] for line in lines] == ["A", "B"]
    tree = rb.Tree.from_newick(lines[0].split("\t")[1])
    assert tree.spans == ((0, 40), (0, 20), (20, 40))
    line = run("segment x.csv --brackets -q").stdout
    assert rb.Tree.from_brackets(line).spans == ((0, 40), (0, 20), (20, 40))


def test_guesses_are_told_beside_data() -> None:
    result = run("segment x.csv --table -")
    assert result.stdout.startswith("start,end,observations,depth,kind,probability,level,")
    assert result.stderr == "x.csv: columns are separated by commas\nx.csv: time is 'date'\n"
    assert run("segment x.csv --table - --quiet").stderr == ""


def test_output_is_what_would_be_printed() -> None:
    assert run("segment x.csv --json --output found.json").stdout == ""
    assert Path("found.json").read_text(encoding="utf-8") == run("segment x.csv --json").stdout
    assert run("segment x.csv -o words.txt").stdout == ""
    assert "1 change point" in Path("words.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("form", ["csv", "jsonl", "npy", "npz"])
def test_standard_input(form: str) -> None:
    lines = "\n".join(json.dumps({"date": day, "value": value}) for day, value in zip(DAYS, JUMP, strict=True))
    content = {"csv": GOOD.encode(), "jsonl": lines.encode(), "npy": npy(JUMP), "npz": npz(values=JUMP)}[form]
    told = json.loads(run("segment - --json", input=content).stdout)
    assert told["data"] == "standard input"
    assert [one["position"] for one in told["series"][0]["change_points"]] == [20]


def test_settings_arrive() -> None:
    command = "segment x.csv --json --segments 3-4 --kinds level --min-length 5 --tolerance 2 --no-logarithms --period 6"
    document = json.loads(run(command).stdout)
    expected = {"min_length": 5, "segments": [3, 4], "kinds": ["level"], "periods": [6], "tolerance": 2, "logarithms": False}
    assert {name: document["settings"][name] for name in expected} == expected
    found = document["series"][0]
    assert 2 <= len(found["change_points"]) <= 3
    assert found["tolerance"] == 2
    assert list(found["kinds"]) == ["level"]


def test_a_dead_sensor_does_not_stop_the_others(tmp_path: Path) -> None:
    write(tmp_path, {"dead.csv": TWO + "".join(f"{day},C,\n" for day in DAYS)})
    document = json.loads(run("segment dead.csv --by machine --json").stdout)
    assert [one["name"] for one in document["series"]] == ["A", "B"]
    assert document["left_out"] == ["series C is left out: all observations are missing; there is nothing to segment"]
    assert "  series C is left out: all observations" in run("segment dead.csv --by machine").stdout


def test_names_are_text(tmp_path: Path) -> None:
    """What looks like markup of a terminal, or a tag, is printed as it is."""
    write(tmp_path, {"odd.csv": GOOD.replace("value", "[bold]x[/bold] <script>")})
    assert "40 observations of [bold]x[/bold] <script>," in run("segment odd.csv").stdout


def test_long_series_and_many_columns(tmp_path: Path) -> None:
    values = np.random.default_rng(0).normal(size=(300, 6)) + 8.0 * (np.arange(300) >= 150)[:, None]
    write(tmp_path, {"wide.npy": npy(values)})
    result = run("segment wide.npy --kinds level")
    assert "300 observations of 1, 2, 3, 4, 5, 6, row 0 to row 299" in result.stdout
    assert "row 150: probability 1.00" in result.stdout
    assert result.stdout.count("┤") >= 8  # four panels


def test_noise_of_logarithms(tmp_path: Path) -> None:
    """Levels are in units of the data, and noise is not."""
    words = run("segment x.csv --logarithms --no-picture").stdout
    assert "segments, and what groups them, with probabilities (noise and slope are of the logarithms):\n" in words
    assert "of the logarithms" not in run("segment x.csv --no-logarithms --no-picture").stdout
