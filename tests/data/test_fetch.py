"""Fetching: from a server of our own, which has what is asked for, something else, or nothing."""

import hashlib
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from typer.testing import CliRunner

import recbayes as rb
from recbayes.cli import app
from recbayes.data import fetch
from recbayes.errors import DataError, FileError

pytest.importorskip("pooch")

Server = tuple[str, Path, list[str]]  # where it is, its folder, what it was asked for
WORKS = (846, 869, 870, 893)
FILES = {846: "wtc1p01", 869: "wtc1p24", 870: "wtc2p01", 893: "wtc2p24"}  # first and last of both books


def content(number: int) -> bytes:
    return f"**kern\n!! BWV {number}\n*-\n".encode()


class Silent(SimpleHTTPRequestHandler):
    asked: list[str]

    def log_message(self, *_: object) -> None:
        self.asked.append(self.path)


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server with four works, which are all that there are meanwhile."""
    folder = tmp_path / "published"
    folder.mkdir()
    for number, name in FILES.items():
        (folder / f"{name}.krn").write_bytes(content(number))
    monkeypatch.setattr(fetch, "CHECKSUMS", {number: hashlib.sha256(content(number)).hexdigest() for number in WORKS})
    asked: list[str] = []
    handler = type("Handler", (Silent,), {"asked": asked})
    one = ThreadingHTTPServer(("127.0.0.1", 0), lambda *given: handler(*given, directory=str(folder)))
    thread = threading.Thread(target=one.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{one.server_port}", folder, asked
    one.shutdown()
    one.server_close()
    thread.join()


def nobody() -> str:
    """An address at which nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


def test_all_are_fetched_once(server: Server, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    url, _, asked = server
    found = rb.data.fetch_wtc(tmp_path / "new" / "folder", base_url=url)
    assert found == {number: tmp_path / "new" / "folder" / f"bwv{number}.krn" for number in WORKS}
    assert all(path.read_bytes() == content(number) for number, path in found.items())
    assert len(asked) == 4
    assert rb.data.fetch_wtc(str(tmp_path / "new" / "folder"), base_url=f"{url}/") == found
    assert len(asked) == 4
    assert capfd.readouterr() == ("", "")


def test_some_works_and_progress(server: Server, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    found = rb.data.fetch_wtc(tmp_path, works=[870], base_url=server[0], progress=True)
    assert list(found) == [870]
    assert [path.name for path in tmp_path.glob("*.krn")] == ["bwv870.krn"]
    out, err = capfd.readouterr()
    assert out == ""
    assert "fetching" in err


def test_a_wrong_checksum(server: Server, tmp_path: Path) -> None:
    (server[1] / "wtc1p24.krn").write_text("something else")
    with pytest.raises(
        FileError, match=r"wtc1p24\.krn is not the file that it was \(its checksum differs\), and was not kept"
    ):
        rb.data.fetch_wtc(tmp_path / "to", base_url=server[0])
    assert [path.name for path in (tmp_path / "to").iterdir()] == ["bwv846.krn"]


def test_what_is_there_is_not_replaced(server: Server, tmp_path: Path) -> None:
    (tmp_path / "bwv846.krn").write_text("mine")
    with pytest.raises(FileError, match=r"bwv846\.krn is there, and is not the file that would be fetched"):
        rb.data.fetch_wtc(tmp_path, base_url=server[0])
    assert (tmp_path / "bwv846.krn").read_text() == "mine"


def test_a_file_that_the_server_lacks(server: Server, tmp_path: Path) -> None:
    (server[1] / "wtc1p01.krn").unlink()
    with pytest.raises(FileError, match=r"wtc1p01\.krn cannot be fetched: the server answers 404$"):
        rb.data.fetch_wtc(tmp_path, base_url=server[0])


def test_no_server(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"wtc1p01\.krn cannot be reached \(ConnectionError\); are you online\?"):
        rb.data.fetch_wtc(tmp_path, base_url=nobody())


def test_a_folder_that_is_a_file(server: Server, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match=r"bwv846\.krn cannot be written"):
        rb.data.fetch_wtc(tmp_path / "file", base_url=server[0])


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"base_url": "ftp://127.0.0.1"}, "base_url must begin with http:// or https://, got 'ftp"),
        ({"base_url": 3}, "base_url must be a text"),
        ({"works": [845]}, "works must be a whole number from 846 to 893, got 845"),
        ({"works": 846}, "works must be a list of BWV numbers"),
        ({"folder": 7}, "folder must be the name of a file"),
    ],
)
def test_wrong_arguments(arguments: dict, complaint: str) -> None:
    with pytest.raises((DataError, FileError), match=complaint):
        rb.data.fetch_wtc(**{"folder": "wtc", "works": [], **arguments})


def test_what_is_fetched() -> None:
    """48 files of one commit, by their checksums."""
    assert list(fetch.CHECKSUMS) == list(range(846, 894))
    assert all(re.fullmatch("[0-9a-f]{64}", checksum) for checksum in fetch.CHECKSUMS.values())
    assert len(set(fetch.CHECKSUMS.values())) == 48
    assert fetch.PUBLISHED.startswith("https://raw.githubusercontent.com/humdrum-tools/bach-wtc/0b4f4d84b90b254615e7")


def test_by_default_they_go_to_the_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, server: Server) -> None:
    monkeypatch.setattr("pooch.os_cache", lambda name: tmp_path / "cache" / name)
    assert rb.data.fetch_wtc(works=[846], base_url=server[0]) == {
        846: tmp_path / "cache" / "recbayes" / "wtc" / "bwv846.krn"
    }


def test_the_command(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch, "PUBLISHED", server[0])
    done = CliRunner().invoke(app, ["data", "fetch", "wtc", "--to", str(tmp_path / "here")])
    assert done.exit_code == 0, done.output
    assert f"4 preludes are in {tmp_path / 'here'}: bwv846.krn to bwv893.krn." in done.stdout
    assert "for study, not for redistribution" in done.stdout
    assert len(list((tmp_path / "here").glob("*.krn"))) == 4


def test_the_command_fails_in_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch, "PUBLISHED", nobody())
    done = CliRunner().invoke(app, ["data", "fetch", "wtc", "--to", str(tmp_path)])
    assert done.exit_code == 1
    assert "are you online?" in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert CliRunner().invoke(app, ["data", "fetch", "everything"]).exit_code == 2


def test_without_pooch() -> None:
    code = "import sys; sys.modules['pooch'] = None; import recbayes as rb; rb.data.fetch_wtc(works=[])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "FileError: fetching needs pooch: pip install 'recbayes[music]'" in done.stderr
