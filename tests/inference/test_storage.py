"""Model files: exact round trips, and clear errors for files that are damaged, foreign or from a newer version."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import recbayes as rb
from recbayes.errors import FileError
from recbayes.family.saved import VERSION, from_json, to_json
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


LINEAR = rb.LinearGaussianRBN(
    (rb.Variable("A", 1, (rb.Branch(0.3, (("A", rb.Link(np.eye(1))), rb.Observe(np.eye(1)))), rb.Emit(0.7, np.eye(1)))),),
    rb.Prior("A", (rb.Component(np.zeros(1), np.eye(1)),)),
)
GRAMMAR = rb.PCFG.from_string("S -> S S [0.3] | 'a' [0.5] | 'b' S [0.2]")
FILES = [to_json(model) for model in (PAPER, LINEAR, GRAMMAR, GRAMMAR.to_rbn())]
PLACES = [(text, place) for text in FILES for place in places(json.loads(text))]
DAMAGES = [None, "text", -1, 1e999, 10**400, [], {}, [[1, 2], [3]], True, "remove"]


@settings(max_examples=300)
@given(st.sampled_from(PLACES), st.sampled_from(DAMAGES))
def test_damaged_entries_give_a_file_error_or_another_valid_model(where: tuple[str, tuple], value: object) -> None:
    text, place = where
    document = json.loads(text)
    inner = document
    for key in place[:-1]:
        inner = inner[key]
    if value == "remove":
        del inner[place[-1]]
    else:
        inner[place[-1]] = value
    try:
        model = from_json(json.dumps(document))
    except FileError:
        return
    assert from_json(to_json(model)) == model


def test_missing_and_impossible_entries_are_named(tmp_path: Path) -> None:
    path = tmp_path / "damaged.json"
    document = json.loads(to_json(PAPER))
    document["variables"][0]["rules"][1]["probability"] = 0.9
    path.write_text(json.dumps(document))
    with pytest.raises(FileError, match=r"damaged\.json.*impossible model: x: probabilities of the rules"):
        rb.load(path)
    document["variables"][0]["rules"][1]["emit"] = {"length": "geometric"}
    path.write_text(json.dumps(document))
    with pytest.raises(FileError, match=r"damaged\.json.*unknown length distribution 'geometric'"):
        rb.load(path)
    del document["variables"][0]["rules"][0]["left_link"]
    path.write_text(json.dumps(document))
    with pytest.raises(FileError, match=r"damaged\.json.*'left_link' is missing"):
        rb.load(path)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere\.json"):
        rb.load(tmp_path / "nowhere.json")
