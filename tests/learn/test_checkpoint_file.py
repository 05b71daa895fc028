"""The file of a checkpoint: it only grows, torn ends are cut off, everything else that is wrong is refused."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from recbayes.errors import FileError
from recbayes.learn.checkpoint import Checkpoint, Evaluation, _line

SIZE = 3
VECTORS = np.random.default_rng(0).normal(size=(6, SIZE))


def at(vector: np.ndarray) -> Evaluation:
    return Evaluation(float(vector.sum()), 2.0 * vector, 0.1, 0.5)


def opened(path: Path, resume: bool = True, fit: str = "this fit") -> Checkpoint:
    return Checkpoint(path, fit, SIZE, resume)


def filled(path: Path, count: int = len(VECTORS)) -> Checkpoint:
    checkpoint = opened(path)
    for vector in VECTORS[:count]:
        checkpoint.add("all", vector, at(vector))
    return checkpoint


def known(checkpoint: Checkpoint) -> list[bool]:
    """Which evaluations are there, all as they were."""
    found = [checkpoint.find("all", vector) for vector in VECTORS]
    for vector, one in zip(VECTORS, found, strict=True):
        if one is not None:
            assert (one[0], *one[2:]) == (at(vector)[0], *at(vector)[2:])
            np.testing.assert_array_equal(one.gradient, at(vector).gradient)
    return [one is not None for one in found]


def test_it_only_grows(tmp_path: Path) -> None:
    """An evaluation costs a line, however many there are: what was written before is not written again."""
    path = tmp_path / "fit.jsonl"
    checkpoint, before, file = opened(path), b"", path.stat().st_ino
    for vector in VECTORS:
        checkpoint.add("all", vector, at(vector))
        text = path.read_bytes()
        assert text.startswith(before)
        assert (path.stat().st_ino, os.listdir(tmp_path)) == (file, ["fit.jsonl"])
        before = text
    assert known(opened(path)) == [True] * len(VECTORS)


def test_the_end_may_be_torn_anywhere(tmp_path: Path) -> None:
    """Kill -9 or a full disk in the middle of a line: the whole ones stay, and the next comes behind them."""
    path = tmp_path / "fit.jsonl"
    filled(path, 2)
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        checkpoint = opened(path)
        count = max(whole[:length].count(b"\n") - 1, 0)
        assert sum(known(checkpoint)) == count
        checkpoint.add("all", VECTORS[5], at(VECTORS[5]))
        assert known(opened(path)) == [number < count or number == 5 for number in range(len(VECTORS))]


def test_an_end_that_another_process_has_torn(tmp_path: Path) -> None:
    path = tmp_path / "fit.jsonl"
    checkpoint = filled(path, 1)
    with path.open("ab") as file:
        file.write(b'["0a')
    checkpoint.add("all", VECTORS[1], at(VECTORS[1]))
    assert known(opened(path)) == [True, True, False, False, False, False]


def test_a_step_into_the_impossible(tmp_path: Path) -> None:
    path = tmp_path / "fit.jsonl"
    opened(path).add("all", VECTORS[0], Evaluation(-np.inf, np.zeros(SIZE)))
    assert opened(path).find("all", VECTORS[0])[0] == -np.inf  # type: ignore[index]


GOOD = ["all", [1.0, 2.0, 3.0], -1.0, [1.0, 2.0, 3.0], 0.0, 1.0]


@pytest.mark.parametrize(
    ("place", "value", "complaint"),
    [
        (1, [1.0, 2.0], "in rows of one length"),
        (3, [1.0, 2.0, 3.0, 4.0], "in rows of one length"),
        (1, [1.0, np.nan, 3.0], "must be finite"),
        (3, [1.0, np.inf, 3.0], "must be finite"),
        (3, ["1", "2", "3"], "must be numbers"),
        (2, np.nan, "cannot be nan"),
        (2, np.inf, "cannot be inf"),
        (2, None, ""),
        (4, np.nan, "cannot be"),
        (0, 7, ""),
        (slice(4, 5), [], ""),
        (slice(0, 0), [[[[]]]], ""),
    ],
)
def test_rows_that_cannot_be(tmp_path: Path, place: int | slice, value: object, complaint: str) -> None:
    path = tmp_path / "fit.jsonl"
    filled(path, 1)
    row = list(GOOD)
    row[place] = value  # type: ignore[index]
    with path.open("ab") as file:
        file.write(_line(row))
    with pytest.raises(FileError, match=rf"fit\.jsonl is damaged in line 3: .*{complaint}"):
        opened(path)


def test_rows_of_another_size(tmp_path: Path) -> None:
    path = tmp_path / "fit.jsonl"
    filled(path, 1)
    with pytest.raises(FileError, match="line 2: vector and gradient must have 4 entries"):
        Checkpoint(path, "this fit", 4, True)


@pytest.mark.parametrize("damage", [b"2", b"\n", b"\x00", b"[" * 100_000], ids=["digit", "cut", "zero", "nested"])
def test_a_damaged_line_is_refused_and_nothing_is_lost(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "fit.jsonl"
    filled(path)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[3] = lines[3][:90] + damage + lines[3][91:]
    path.write_bytes(b"".join(lines))
    with pytest.raises(FileError, match=r"is damaged in line 4: [^\n]*remove that line"):
        opened(path)
    assert path.read_bytes() == b"".join(lines)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (b'{"head": {"format": "recbayes.checkpoint", "version": 1}}\n', "older recbayes.*remove it"),
        (_line({"format": "recbayes.checkpoint", "version": 3}), "version 3 of the format"),
        (_line({"format": "recbayes.Other"}), "not a recbayes checkpoint"),
        (b"[]", "not a recbayes checkpoint"),
        (b"notes of mine, without an end", "not a recbayes checkpoint"),
        (b"\xff\xfe\n\x00", "not a recbayes checkpoint"),
        (b"[" * 100_000 + b"\n", "not a recbayes checkpoint"),
        (b"\n", "not a recbayes checkpoint"),
    ],
    ids=["older", "newer", "other", "list", "notes", "binary", "nested", "newline"],
)
def test_foreign_files_are_left_as_they_are(tmp_path: Path, text: bytes, complaint: str) -> None:
    path = tmp_path / "fit.jsonl"
    path.write_bytes(text)
    with pytest.raises(FileError, match=rf"fit\.jsonl .*{complaint}"):
        opened(path)
    with pytest.raises(FileError, match="exists; resume=True"):
        opened(path, resume=False)
    assert path.read_bytes() == text


def test_links_and_permissions(tmp_path: Path) -> None:
    link, path = tmp_path / "link", tmp_path / "fit.jsonl"
    link.symlink_to(path)
    filled(link, 1)
    path.chmod(0o600)
    filled(link)
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert all(known(opened(path)))


WRITER = """
import sys
import numpy as np
from recbayes.learn.checkpoint import Checkpoint, Evaluation
checkpoint = Checkpoint(sys.argv[1], "this fit", 1000, True)
for number in range(40):
    vector = np.random.default_rng([int(sys.argv[2]), number]).normal(size=1000)
    checkpoint.add("all", vector, Evaluation(1.0, vector))
"""


def test_processes_that_share_a_file(tmp_path: Path) -> None:
    """They take turns: all lines of all of them are there, whole, while others begin in the middle."""
    path = tmp_path / "fit.jsonl"
    others = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(number)]) for number in range(3)]
    while any(other.poll() is None for other in others):
        Checkpoint(path, "this fit", 1000, True)
    assert [other.wait() for other in others] == [0, 0, 0]
    shared = Checkpoint(path, "this fit", 1000, True)
    for seed in ([one, number] for one in range(3) for number in range(40)):
        assert shared.find("all", np.random.default_rng(seed).normal(size=1000)) is not None


def test_another_fit_that_takes_the_file(tmp_path: Path) -> None:
    path = tmp_path / "fit.jsonl"
    ours = filled(path, 1)
    path.unlink()
    opened(path, resume=False, fit="other fit")
    with pytest.raises(FileError, match="belongs to another fit by now"):
        ours.add("all", VECTORS[1], at(VECTORS[1]))
    with pytest.raises(FileError, match="belongs to another fit"):
        opened(path)
