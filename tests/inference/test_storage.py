"""Model files: exact round trips, and clear errors for files that are damaged, foreign or from a newer version."""

import json
import re
import struct
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import recbayes as rb
from recbayes.errors import FileError
from recbayes.family.saved import VERSION, from_json, to_json
from recbayes.gaussian.model.parts import Reference
from tests.random_models import one_variable, two_variables

PAPER = rb.GaussianRBN.create(dim=3, termination=0.6, shifts={0: 0.5, 1: 0.5}, extra_observations=5.0)


def floats(model: rb.GaussianRBN) -> bytes:
    """All numbers of a model as raw bytes, gathered from its records and not from its JSON text."""
    numbers: list[float] = []
    for component in model.prior.components:
        numbers += [
            component.weight,
            *component.mean,
            *component.covariance.flat,
            *component.shifts,
            *component.shifts.values(),
        ]
    for variable in model.variables:
        for rule in variable.rules:
            numbers.append(rule.probability)
            links = [rule.left_link, rule.right_link] if isinstance(rule, rb.Split) else [rule]
            for link in links:
                for array in (link.covariance, link.map, link.offset):
                    numbers += [np.nan] if array is None else array.ravel().tolist()
            if isinstance(rule, rb.Split):
                numbers += [number for shift, weight in rule.shifts.items() for number in (*shift, weight)]
            elif isinstance(rule.length, rb.OnePlusPoisson):
                numbers.append(rule.length.rate)
            elif isinstance(rule.length, rb.LengthTable):
                numbers += rule.length.probabilities
            elif isinstance(rule.length, rb.OnePlusNegativeBinomial):
                numbers += [rule.length.mean, rule.length.dispersion]
    for reference in model.references or ():
        numbers += [*reference.mean, *reference.covariance.flat]
    return struct.pack(f"{len(numbers)}d", *numbers)


@given(st.one_of(one_variable(), two_variables()))
def test_round_trip_is_exact(tmp_path_factory: pytest.TempPathFactory, model: rb.GaussianRBN) -> None:
    path = tmp_path_factory.mktemp("models") / "model.json"
    model.save(path)
    restored = rb.load(path)
    assert restored == model
    assert hash(restored) == hash(model)
    assert floats(restored) == floats(model)
    assert repr(restored) == repr(model)
    assert [path.name] == [file.name for file in path.parent.iterdir()]


@given(
    st.floats(-1e100, 1e100),
    st.floats(1e-100, 1e100),
    st.floats(0.0, 1.0),
    st.floats(min_value=0.0, max_value=1e5, exclude_min=True),
)
def test_extreme_numbers_survive(mean: float, deviation: float, termination: float, rate: float) -> None:
    model = rb.GaussianRBN.create(
        dim=1, prior_mean=mean, prior_std=deviation, termination=termination, extra_observations=rate
    )
    assert floats(from_json(to_json(model))) == floats(model)


def test_names_in_any_script(tmp_path: Path) -> None:
    variable = rb.Variable('Größe "x"\n', 1, (rb.Emit(1.0, np.eye(1)),))
    model = rb.GaussianRBN([variable], rb.Prior(variable.name, (rb.Component(np.zeros(1), np.eye(1)),)))
    model.save(tmp_path / "Modell ä.json")
    assert rb.load(str(tmp_path / "Modell ä.json")).variables[0].name == variable.name


def test_saving_replaces_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text("old")
    PAPER.save(path)
    assert rb.load(path) == PAPER


@given(st.floats(0.0, 1.0, exclude_max=True))
def test_truncated_files(tmp_path_factory: pytest.TempPathFactory, part: float) -> None:
    path = tmp_path_factory.mktemp("models") / "truncated.json"
    text = to_json(PAPER)
    path.write_text(text[: int(part * len(text))])
    with pytest.raises(FileError, match=r"truncated\.json.*not a recbayes model: it is not valid JSON"):
        rb.load(path)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "not valid JSON"),
        (b"\x89PNG\r\n\x1a\n\xff\xfe", "not text"),
        (b"[" * 100_000, "not valid JSON"),
        (b"[1, 2, 3]", '"format"'),
        (b"null", '"format"'),
        (b'{"name": "a package", "version": 1}', '"format"'),
        (b'{"format": "recbayes.Other", "version": 1}', '"format"'),
        (
            json.dumps({"format": "recbayes.GaussianRBN", "version": VERSION + 1}).encode(),
            f"version {VERSION + 1}.*reads version",
        ),
        (json.dumps({"format": "recbayes.GaussianRBN"}).encode(), "version None"),
        (json.dumps({"format": "recbayes.GaussianRBN", "version": VERSION}).encode(), "'prior' is missing"),
    ],
    ids=["empty", "binary", "nested", "list", "null", "foreign", "other format", "newer", "no version", "no content"],
)
def test_foreign_files(tmp_path: Path, content: bytes, complaint: str) -> None:
    path = tmp_path / "foreign.json"
    path.write_bytes(content)
    with pytest.raises(FileError, match=rf"foreign\.json.*{complaint}"):
        rb.load(path)


def places(document: object, prefix: tuple = ()) -> list[tuple]:
    """The paths of all entries inside a JSON document."""
    children: list[tuple] = []
    if isinstance(document, dict):
        children = list(document.items())
    elif isinstance(document, list):
        children = list(enumerate(document))
    return [place for key, child in children for place in [(*prefix, key), *places(child, (*prefix, key))]]


def damaged(text: str, place: tuple, value: str | None) -> tuple[str, object]:
    """The document with other JSON text at a place, or without what is there; and what was there."""
    document = json.loads(text)
    inner = document
    for key in place[:-1]:
        inner = inner[key]
    before = inner[place[-1]]
    if value is None:
        del inner[place[-1]]
        return json.dumps(document), before
    inner[place[-1]] = "HERE"
    return json.dumps(document).replace('"HERE"', value), before


LINEAR = rb.LinearGaussianRBN(
    (rb.Variable("A", 1, (rb.Branch(0.3, (("A", rb.Link(np.eye(1))), rb.Observe(np.eye(1)))), rb.Emit(0.7, np.eye(1)))),),
    rb.Prior("A", (rb.Component(np.zeros(1), np.eye(1)),)),
)
GRAMMAR = rb.PCFG.from_string("S -> S S [0.3] | 'a' [0.5] | 'b' S [0.2]")
TWO = rb.GaussianRBN(
    (
        rb.Variable(
            "A",
            2,
            (
                rb.Split(0.4, "A", "B", rb.Link(np.eye(2)), rb.Link(np.eye(1), np.ones((1, 2)), np.ones(1))),
                rb.Emit(0.6, np.eye(1), rb.LengthTable((0.5, 0.5)), np.ones((1, 2)), np.ones(1)),
            ),
        ),
        rb.Variable("B", 1, (rb.Emit(1.0, np.eye(1), rb.OnePlusNegativeBinomial(2.0, 1.0)),)),
    ),
    rb.Prior("A", (rb.Component(np.zeros(2), np.eye(2), 0.5, {0: 0.5, 1: 0.5}), rb.Component(np.ones(2), np.eye(2), 0.5))),
    (Reference(np.zeros(2), np.eye(2)), Reference(np.zeros(1), np.eye(1))),
)
CHAINS = (
    rb.HMM([0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]], [[0.5, 0.5], [0.1, 0.9]]),
    rb.LinearDynamicalSystem(*[np.eye(1)] * 4, np.zeros(1), np.eye(1)),
)
TREE = rb.Tree(
    [rb.Node(0, 3, "x", "split", np.zeros(2), np.eye(2), 0.5), rb.Node(0, 1, "y", "emit"), rb.Node(1, 3, "y", "emit")],
    [2, 0, 0],
)
FILES = [to_json(model) for model in (PAPER, LINEAR, GRAMMAR, GRAMMAR.to_rbn(), TWO, *CHAINS)]
PLACES = [(text, place) for text in (*FILES, TREE.to_json()) for place in places(json.loads(text))]
NESTED = "[" * 900 + "]" * 900
NUMBERS = ["-1", "0", "2", "0.5", "1e308", "-1e308", "5e-324", "1e999", "NaN", "-Infinity", "100000", "9" * 20, "9" * 5000]
DAMAGES = [
    *(None, "null", "true", "false", "[]", "{}", NESTED, "[[1, 2], [3]]", "[true]", "[1.0]", '["1.5"]', '{"a": 1, "a": 1}'),
    *('"text"', '"1.5"', '""', '"\\n"', '"\\ud800"', '{"terminal": 3}'),
    *NUMBERS,
]


@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value")
@settings(max_examples=1000)
@given(st.sampled_from(PLACES), st.sampled_from(DAMAGES))
def test_damaged_entries_give_a_file_error_or_another_valid_model(where: tuple[str, tuple], value: str | None) -> None:
    text, before = damaged(*where, value)
    read, write = (rb.Tree.from_json, rb.Tree.to_json) if "recbayes.Tree" in where[0] else (from_json, to_json)
    try:
        model = read(text)
    except FileError as problem:
        assert re.fullmatch(".{10,400}", str(problem))  # noqa: PT017
        return
    assert read(write(model)) == model
    if value is not None and type(json.loads(value)) in (bool, str):
        assert type(json.loads(value)) is type(before)


@pytest.mark.parametrize("text", FILES, ids=[json.loads(text)["format"] for text in FILES])
def test_numbers_of_another_kind(text: str) -> None:
    """Each number, and each matrix, in turn."""
    for place in places(json.loads(text)):
        for value in ("true", '"1.5"', "1.0"):
            changed, before = damaged(text, place, value)
            if isinstance(before, bool | str) or (value == "1.0" and not isinstance(before, list | dict)):
                continue
            if before is not None or value != "1.0":
                with pytest.raises(FileError):
                    from_json(changed)


def test_values_that_are_too_deep_to_be_shown() -> None:
    """Just below the depth that cannot be read."""
    for depth in range(800, 1000):
        for field in ('"weight": 1.0', '"dim": 3', '"rate": 5.0'):
            with pytest.raises(FileError):
                from_json(to_json(PAPER).replace(field, field.split()[0] + '{"a":' * depth + "1" + "}" * depth))


def test_a_large_dimension_takes_no_room() -> None:
    """One number that stands for a matrix, and a dimension that no memory holds."""
    document = json.loads(to_json(rb.GaussianRBN.create(dim=1)))
    document["variables"][0]["dim"] = 1500
    text = re.sub(r"\[\[([^],]*)\]\]", r"\1", json.dumps(document))
    tracemalloc.start()
    try:
        with pytest.raises(FileError, match="dimensions"):
            from_json(text)
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('"dim": 3', '"dim": 3, "dim": 3', "the field 'dim' is there twice"),
        ('"dim": 3', '"dim": 3, "note": 1', r"variables\[0\] must be of the form"),
        ('"dim": 3', '"dim": NaN', "NaN is not a number"),
        ('"dim": 3', '"dim": "3"', "must be a whole number"),
        ('"version": 1', '"version": true', "version True"),
        ('"weight": 1.0', '"weight": true', r"components\[0\].weight must be of the form 1.0, got true"),
        ('"weight": 1.0', '"weight": 1e999', "1e999 is not a number"),
        ('"weight": 1.0', f'"weight": 1{"0" * 400}', "1000.* is not a number"),
        ('"weight": 1.0', f'"weight": {NESTED}', "must be"),
        ("[\n  {", '[[1.5], "1.5", {', "damaged"),
    ],
)
def test_what_is_wrong_is_said(old: str, new: str, complaint: str) -> None:
    text = to_json(PAPER)
    assert old in text
    with pytest.raises(FileError, match=complaint):
        from_json(text.replace(old, new, 1))


def test_missing_and_impossible_entries_are_named(tmp_path: Path) -> None:
    path = tmp_path / "damaged.json"
    document = json.loads(to_json(PAPER))
    document["variables"][0]["rules"][1]["probability"] = 0.9
    path.write_text(json.dumps(document))
    with pytest.raises(FileError, match=r"damaged\.json.*impossible model: x: probabilities of the rules"):
        rb.load(path)
    document["variables"][0]["rules"][1]["emit"] = {"length": "logarithmic"}
    path.write_text(json.dumps(document))
    with pytest.raises(FileError, match=r"damaged\.json.*unknown length distribution 'logarithmic'"):
        rb.load(path)
    del document["variables"][0]["rules"][0]["left_link"]
    path.write_text(json.dumps(document))
    with pytest.raises(FileError, match=r"damaged\.json.*'left_link' is missing"):
        rb.load(path)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere\.json"):
        rb.load(tmp_path / "nowhere.json")
