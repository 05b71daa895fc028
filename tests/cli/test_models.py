"""`recbayes fit`, `parse`, `sample` and `info`, for Gaussian models and grammars."""

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

import recbayes as rb
from recbayes.cli import app
from tests.cli.files import GOOD, GRAMMAR, TWO, model_text, write


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"x.csv": GOOD, "two.csv": TWO, "m.json": model_text(), "g.txt": GRAMMAR, "s.txt": "a a b\n\nb a\n"})


def run(command: str) -> Result:
    result = CliRunner().invoke(app, command.split())
    assert result.exit_code == 0, result.output
    return result


def test_fit_writes_what_python_finds() -> None:
    result = run("fit two.csv -m m.json -o fitted.json --max-evaluations 12 --restarts 0 --fixed x.rules*")
    assert "two.csv: 2 series by machine (A, B), 40 observations each, of value" in result.stdout
    assert result.stdout.endswith("written: fitted.json\n")
    series = [table.values for table in rb.data.read_file("two.csv")]
    found = rb.fit(rb.load("m.json"), series, max_evaluations=12, restarts=0, fixed=["x.rules*"], seed=0)
    assert rb.load("fitted.json") == found.model
    assert f"log likelihood {found.log_likelihood:.4f}" in result.stdout


def test_fit_goes_on_from_a_checkpoint() -> None:
    run("fit x.csv -m m.json -o a.json --restarts 0 --max-evaluations 6 --checkpoint c.jsonl --resume")
    size = Path("c.jsonl").stat().st_size
    again = CliRunner().invoke(app, ["fit", "x.csv", "-m", "m.json", "-o", "b.json", "--checkpoint", "c.jsonl"])
    assert again.exit_code == 1
    assert "c.jsonl exists; resume=True goes on from it" in again.stderr
    run("fit x.csv -m m.json -o b.json --restarts 0 --max-evaluations 6 --checkpoint c.jsonl --resume")
    assert Path("c.jsonl").stat().st_size == size  # nothing had to be evaluated again
    assert Path("a.json").read_bytes() == Path("b.json").read_bytes()


def test_parse() -> None:
    words = run("parse x.csv -m m.json --draws 100")
    assert re.search(r"├─ 2024-01-01 to 2024-01-20  0\.\d\d  x emit, value 19\.", words.stdout)
    document = json.loads(run("parse x.csv -m m.json --draws 100 --json").stdout)["series"][0]
    posterior = rb.sample_posterior(rb.load("m.json"), [rb.data.read_file("x.csv").table.values], draws=100, seed=0)[0]
    assert document["log_evidence"] == posterior.log_evidence
    assert [one["label"] for one in document["boundaries"]] == ["2024-01-21"]
    assert rb.Tree.from_json(json.dumps(document["tree"])) == posterior.tree()


def test_files_of_parse(tmp_path: Path) -> None:
    result = run("parse two.csv -m m.json --draws 40 --table t.csv --plot p.png --no-picture")
    assert "written: t.csv, p-A.png, p-B.png" in result.stdout
    with open("t.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["machine", "start", "end", "observations", "depth", "label", "rule", "probability", "value"]
    assert Path("p-A.png").read_bytes().startswith(b"\x89PNG")


def test_gaps_are_gaps(tmp_path: Path) -> None:
    """A model whose leaves last as long as days say: days that are left out count."""
    lines = GOOD.splitlines()
    write(tmp_path, {"gaps.csv": "\n".join(lines[:15] + lines[25:]) + "\n"})
    document = json.loads(run("parse gaps.csv -m m.json --draws 100 --json").stdout)["series"][0]
    table = rb.data.read_file("gaps.csv").table
    series = rb.Series(table.values, times=table.times)
    expected = rb.sample_posterior(rb.load("m.json"), [series], draws=100, seed=0)[0].log_evidence
    assert document["log_evidence"] == expected
    assert expected != pytest.approx(rb.sample_posterior(rb.load("m.json"), table.values, draws=100, seed=0).log_evidence)


def test_grammars() -> None:
    words = run("parse s.txt -m g.txt --draws 50 --brackets")
    assert words.stdout.splitlines()[1].startswith("line 3\t(S")
    assert rb.Tree.from_brackets(words.stdout.splitlines()[0].split("\t")[1]).length == 3
    run("fit s.txt -m g.txt -o learnt.json")
    expected = rb.fit(rb.PCFG.from_string(GRAMMAR), [["a", "a", "b"], ["b", "a"]]).model
    assert rb.load("learnt.json") == expected
    assert (
        run("sample -m g.txt -n 3 --seed 4 --max-length 6").stdout
        == run("sample -m g.txt -n 3 --seed 4 --max-length 6").stdout
    )


def test_sample() -> None:
    command = "sample -m m.json -n 3 --min-length 4 --max-length 30 --seed 5"
    text = run(f"{command} --trees t.jsonl").stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    trees = [rb.Tree.from_json(line) for line in Path("t.jsonl").read_text(encoding="utf-8").splitlines()]
    generator = np.random.default_rng(5)
    for number, tree in enumerate(trees, start=1):
        values, expected = rb.load("m.json").sample(seed=generator, min_length=4, max_length=30)
        assert tree == expected
        assert [float(row["value"]) for row in rows if row["series"] == str(number)] == values[:, 0].tolist()
    run(f"{command} --trees t.nwk --output out.csv")
    assert Path("out.csv").read_text(encoding="utf-8") == text
    assert [rb.Tree.from_newick(line).length for line in Path("t.nwk").read_text().splitlines()] == [
        one.length for one in trees
    ]


def test_what_is_sampled_can_be_learnt_from() -> None:
    run("sample -m m.json -n 2 --min-length 10 --max-length 30 --output out.csv")
    result = run("parse out.csv -m m.json --by series --draws 20 --no-picture")
    assert "2 series by series (1, 2)" in result.stdout
    assert "time is 'row'" in result.stdout


def test_info() -> None:
    result = run("info m.json")
    assert result.stdout.startswith("m.json: a GaussianRBN, ")
    assert "-> x x" in result.stdout
    numbers = json.loads(run("info m.json --json").stdout)
    assert numbers["kind"] == "GaussianRBN"
    assert numbers["free_numbers"] == rb.Parameters(rb.load("m.json")).size
    assert numbers["parameters"]["prior.components[0].mean"] == pytest.approx(22.0)
    assert "S -> S S [0.4]" in run("info g.txt").stdout


def test_all_commands_have_help() -> None:
    for command in ("", "segment", "fit", "parse", "sample", "info", "warmup", "demo", "study real", "music analyse"):
        assert "Usage: recbayes" in run(f"{command} --help").stdout


def test_data_in_other_units() -> None:
    """A model of 22 ± 4 and data around 2300: a note, before the work that takes long."""
    write(Path(), {"y.csv": GOOD.replace(",", ",10").replace("10value", "value")})
    result = run("parse y.csv -m m.json --draws 5 -q")
    assert "note: the data are 1018 to 1027" in result.stderr
    assert "the model expects 22 ± 5.1: were they measured in the same units?" in result.stderr
    assert "same units" not in run("parse x.csv -m m.json --draws 5").stderr
