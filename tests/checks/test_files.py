"""Files are replaced whole, whoever else writes them, whatever goes wrong, and with the permissions they had."""

import errno
import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import recbayes as rb
from recbayes.checks.files import check_writable, write_whole
from recbayes.errors import FileError

MODEL = rb.GaussianRBN.create(dim=3)
SAVES = 60

WRITER = """
import sys
import recbayes as rb
for number in range(int(sys.argv[2])):
    rb.GaussianRBN.create(dim=1 + number % 12).save(sys.argv[1])
"""


def permissions(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_many_writers_and_a_reader(tmp_path: Path) -> None:
    """Threads and processes save one file; none fails, and whoever reads it meanwhile reads a whole model."""
    path = tmp_path / "model.json"
    MODEL.save(path)
    process = [sys.executable, "-c", WRITER, str(path), str(SAVES)]
    with ThreadPoolExecutor(6) as pool:
        writers = [pool.submit(subprocess.run, process, check=True) for _ in range(2)]
        writers += [pool.submit(MODEL.save, path) for _ in range(SAVES)]
        while not all(writer.done() for writer in writers):
            rb.load(path)
    assert [writer.exception() for writer in writers] == [None] * len(writers)
    assert os.listdir(tmp_path) == ["model.json"]


def test_permissions_stay(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    before = os.umask(0o027)
    try:
        MODEL.save(path)
        assert permissions(path) == 0o640  # what the user's umask says
        for mode in (0o600, 0o666):
            path.chmod(mode)
            MODEL.save(path)
            assert permissions(path) == mode
    finally:
        os.umask(before)


def test_a_link_stays(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    link, file = tmp_path / "model.json", tmp_path / "kept" / "model.json"
    link.symlink_to(file)
    for _ in range(2):  # what it points to is not there at first
        MODEL.save(link)
        assert link.is_symlink()
        assert rb.load(file) == MODEL
    assert os.listdir(tmp_path / "kept") == ["model.json"]


def test_links_that_others_put_beside_it(tmp_path: Path) -> None:
    """No name can be foreseen: the one with the number of the process could be."""
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / f"model.json.{os.getpid()}.part").symlink_to(victim)
    MODEL.save(tmp_path / "model.json")
    assert victim.read_text() == "precious"


@pytest.mark.parametrize("problem", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_nothing_is_left_of_what_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, problem: BaseException) -> None:
    path = tmp_path / "model.json"
    MODEL.save(path)

    def fail(_: int) -> None:
        raise problem

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(type(problem)):
        rb.GaussianRBN.create(dim=1).save(path)
    assert os.listdir(tmp_path) == ["model.json"]
    assert rb.load(path) == MODEL


def test_what_is_no_file_is_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(FileError, match="not a file that can be replaced"):
            MODEL.save(path)


def test_long_names(tmp_path: Path) -> None:
    path = tmp_path / ("ä" * 125 + ".json")
    MODEL.save(path)
    assert rb.load(path) == MODEL


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "model.json"
    with pytest.raises(FileError, match=r"cannot be written: there is no folder .*nowhere; make it first") as caught:
        MODEL.save(path)
    assert ".part" not in str(caught.value)


def test_errors_name_the_file_that_was_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And not its neighbour, which nobody knows."""

    def denied(name: str, *others: object, **settings: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied", name)

    path = tmp_path / "page.html"
    check_writable(path)
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(os, "open", denied)
    for attempt in (lambda: write_whole(path, "x"), lambda: check_writable(path)):
        with pytest.raises(PermissionError) as problem:
            attempt()
        assert problem.value.filename == str(path)
