"""Files of music are sent to where they are read."""

import io
import zipfile
from pathlib import Path

import pytest

import recbayes as rb


def zipped() -> bytes:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w") as archive:
        archive.writestr("META-INF/container.xml", "<container/>")
    return kept.getvalue()


XML = b'<?xml version="1.0"?>\n<score-partwise version="4.0"></score-partwise>'
SCORES = {
    "melody.musicxml": XML,
    "melody.xml": XML,
    "melody.mxl": zipped(),
    "melody.mid": b"MThd\x00\x00\x00\x06",
    "melody": b"MThd\x00\x00\x00\x06",
    "melody.krn": b"**kern\n4c\n*-\n",
    "melody.txt": b"!!!COM: Nobody\n**kern\n4c\n*-\n",
    "melody.mei": b'<mei xmlns="http://www.music-encoding.org/ns/mei"/>',
}


@pytest.mark.parametrize(("name", "content"), SCORES.items(), ids=SCORES)
def test_scores_are_no_tables(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(rb.FileError, match=r"it is a score of music, and no table; `recbayes music analyse` and rb\.music"):
        rb.data.read_file(tmp_path / name)


def test_tables_with_names_of_notes_are_tables(tmp_path: Path) -> None:
    (tmp_path / "notes.csv").write_text("kern,mei\n1,2\n3,4\n")
    assert rb.data.read_file(tmp_path / "notes.csv").columns == ("kern", "mei")
