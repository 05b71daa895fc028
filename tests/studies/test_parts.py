"""Finished parts are kept, and only unfinished ones are done."""

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from recbayes.errors import FileError
from recbayes.studies.parts import Done, Folder, Part, elapsed, run_parts


def note(folder: Path, number: int) -> list[float]:
    """A part that leaves a trace of each time it was done."""
    with (folder / "trace").open("a", encoding="utf-8") as file:
        file.write(f"{number}\n")
    return [number, 0.1 * number]


def fail() -> None:
    raise ValueError("this part fails")


def parts(trace: Path, count: int) -> list[Part]:
    return [Part(f"some/{number}", note, (trace, number)) for number in range(count)]


def run(folder: Folder, wanted: list[Part]) -> tuple[dict[str, Done], int]:
    told = []
    with ThreadPoolExecutor(2) as pool:
        return run_parts(wanted, folder, pool, lambda: told.append(1)), len(told)


def done_so_far(trace: Path) -> list[int]:
    return sorted(int(line) for line in (trace / "trace").read_text(encoding="utf-8").split())


def test_nothing_is_done_twice(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "out", {"seed": 1})
    first, told = run(folder, parts(tmp_path, 3))
    assert told == 3
    again, told = run(Folder(tmp_path / "out", {"seed": 1}), parts(tmp_path, 3))
    assert told == 3
    assert again == first
    assert again["some/2"].result == [2, 0.1 * 2]
    run(folder, parts(tmp_path, 5))
    assert done_so_far(tmp_path) == [0, 1, 2, 3, 4]


def test_a_damaged_part_is_done_again(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "out", {})
    first, _ = run(folder, parts(tmp_path, 4))
    for number, text in enumerate(["", '{"result": [0', '{"result": 1}', "[1, 2]"]):
        (tmp_path / "out" / "parts" / "some" / f"{number}.json").write_text(text, encoding="utf-8")
    again, _ = run(folder, parts(tmp_path, 4))
    assert {key: done.result for key, done in again.items()} == {key: done.result for key, done in first.items()}
    assert done_so_far(tmp_path) == [0, 0, 1, 1, 2, 2, 3, 3]


def test_what_was_finished_before_a_failure_is_kept(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "out", {})
    with ThreadPoolExecutor(1) as pool, pytest.raises(ValueError, match="this part fails"):
        run_parts([*parts(tmp_path, 2), Part("bad", fail, ()), *parts(tmp_path, 40)[2:]], folder, pool, lambda: None)
    kept = [number for number in range(40) if folder.read(f"some/{number}") is not None]
    begun = done_so_far(tmp_path)
    assert len(kept) >= 2
    assert set(kept) <= set(begun)
    assert len(begun) - len(kept) <= 1  # the one that was being done when the other failed
    run(folder, parts(tmp_path, 40))
    assert [done_so_far(tmp_path).count(number) for number in kept] == [1] * len(kept)


def test_folders_that_are_something_else(tmp_path: Path) -> None:
    Folder(tmp_path / "out", {"seed": 1, "settings": {"test": 5}})
    with pytest.raises(FileError, match="test is 5 there and 6 here"):
        Folder(tmp_path / "out", {"seed": 1, "settings": {"test": 6}})
    (tmp_path / "killed").mkdir()
    (tmp_path / "killed" / "settings.json.17.part").write_text("{", encoding="utf-8")
    Folder(tmp_path / "killed", {})
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(FileError, match="is a file"):
        Folder(tmp_path / "file", {})
    with pytest.raises(FileError, match="has files in it"):
        Folder(tmp_path, {})
    for text in ("[]", "{"):
        (tmp_path / "out" / "settings.json").write_text(text, encoding="utf-8")
        with pytest.raises(FileError, match=r"none of ours|damaged"):
            Folder(tmp_path / "out", {})


def test_time_by_the_clock() -> None:
    assert elapsed([Done(0, 1.0, 3.0), Done(0, 2.0, 4.0), Done(0, 2.5, 3.0), Done(0, 10.0, 11.0)]) == 4.0
    assert elapsed([]) == 0.0


SLOW = """
import sys, time
from concurrent.futures import ThreadPoolExecutor
from recbayes.studies.parts import Folder, Part, run_parts
def slow(number):
    time.sleep(0.1)
    return number
parts = [Part(f"{number:03d}", slow, (number,)) for number in range(1000)]
with ThreadPoolExecutor(2) as pool:
    run_parts(parts, Folder(sys.argv[1], {}), pool, lambda: None)
"""


def test_kill(tmp_path: Path) -> None:
    """Whatever is in the folder after kill -9 is whole."""
    files = tmp_path / "out" / "parts"
    with subprocess.Popen([sys.executable, "-c", SLOW, str(tmp_path / "out")]) as process:
        deadline = time.monotonic() + 60
        while len(list(files.glob("*.json"))) < 5 and time.monotonic() < deadline:
            time.sleep(0.01)
        process.kill()
    found = sorted(files.glob("*.json"))
    assert 5 <= len(found) < 1000
    for path in found:
        assert json.loads(path.read_text(encoding="utf-8"))["result"] == int(path.stem)
