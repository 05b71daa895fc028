"""What is said about the project in files that no code reads: it agrees with the code."""

import re
import tomllib
from pathlib import Path

import pytest

import recbayes as rb

HERE = Path(__file__).parents[1]
yaml = pytest.importorskip("yaml")


def test_the_citation_has_this_version() -> None:
    citation = yaml.safe_load((HERE / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == rb.__version__
    assert citation["license"] == "Apache-2.0"
    assert [one["family-names"] for one in citation["preferred-citation"]["authors"]] == ["Lieck", "Rohrmeier"]


def test_workflows_try_the_versions_of_python_that_are_promised() -> None:
    project = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = [re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", one) for one in project["classifiers"]]
    promised = [one[1] for one in found if one]
    assert project["requires-python"] == f">={promised[0]}"
    jobs = {path.stem: _jobs(path) for path in (HERE / ".github" / "workflows").glob("*.yml")}
    assert jobs["tests"]["quick"]["strategy"]["matrix"]["python"] == promised
    assert jobs["release"]["try"]["strategy"]["matrix"]["python"] == [promised[0], promised[-1]]


def _jobs(path: Path) -> dict:
    return yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]


@pytest.mark.parametrize("path", sorted((HERE / ".github" / "workflows").glob("*.yml")), ids=lambda path: path.stem)
def test_what_workflows_call_exists(path: Path) -> None:
    """Targets of make, extras, and folders of tests; actions have the major version that they are tried with."""
    text = path.read_text(encoding="utf-8")
    makefile = (HERE / "Makefile").read_text(encoding="utf-8")
    extras = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    for target in re.findall(r"run: make (\w+)", text):
        assert f"\n{target}:" in makefile
    for extra in re.findall(r"-e '\.\[(\w+)\]'", text):
        assert extra in extras
    for folder in re.findall(r" (tests/\w+)", text):
        assert (HERE / folder).is_dir()
    for action in re.findall(r"uses: (\S+)", text):
        assert re.search(r"@(v\d+|release/v\d+)$", action)
