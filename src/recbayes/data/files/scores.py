"""Scores of music, which are no tables: what they are told by, so that they can be sent to where they are read."""

from pathlib import Path

ENDINGS = (".musicxml", ".mxl", ".mid", ".midi", ".krn", ".mei", ".mscz", ".mscx")
BEGINNINGS = (b"MThd", b"**kern")
WITHIN = (b"<score-partwise", b"<score-timewise", b"<mei ", b"<mei>", b"\n**kern", b"recordare/musicxml")
LOOK = 4000  # bytes
ADVICE = "it is a score of music, and no table; `recbayes music analyse` and rb.music read scores"


def is_score(source: Path, content: bytes) -> bool:
    """By its name, or by how it begins."""
    beginning = content[:LOOK]
    return source.suffix.lower() in ENDINGS or beginning.startswith(BEGINNINGS) or any(mark in beginning for mark in WITHIN)
