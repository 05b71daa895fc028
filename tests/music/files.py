"""Small scores in several formats, written here."""

from pathlib import Path

from recbayes.music.score import Score

NAMES = {1: "eighth", 2: "quarter", 4: "half", 8: "whole"}  # by eighths
REST = '<note><rest measure="yes"/><duration>8</duration><voice>1</voice></note>'
UNPITCHED = (
    "<note><unpitched><display-step>E</display-step><display-octave>4</display-octave></unpitched>"
    "<duration>4</duration><voice>1</voice><type>half</type></note>"
)


def sounding(score: Score) -> list[tuple[float, float, int]]:
    """Onset, offset and pitch of all notes."""
    return list(zip(score.onsets.tolist(), score.offsets.tolist(), score.pitches.tolist(), strict=True))


def note(step: str, octave: int, eighths: int, before: str = "", after: str = "", voice: int = 1) -> str:
    """A note of MusicXML."""
    return (
        f"<note>{before}<pitch><step>{step}</step><octave>{octave}</octave></pitch><duration>{eighths}</duration>"
        f"<voice>{voice}</voice><type>{NAMES[eighths]}</type>{after}</note>"
    )


def grace(step: str, octave: int, before: str = "") -> str:
    """A grace note of MusicXML."""
    pitch = f"<pitch><step>{step}</step><octave>{octave}</octave></pitch>"
    return f"<note><grace/>{before}{pitch}<voice>1</voice><type>eighth</type></note>"


def music_xml(*bars: str, more: str = "", title: str = "", clef: str = "<sign>G</sign><line>2</line>") -> str:
    """A part of four quarters a bar."""
    start = (
        "<attributes><divisions>2</divisions><key><fifths>0</fifths></key>"
        f"<time><beats>4</beats><beat-type>4</beat-type></time><clef>{clef}</clef>{more}</attributes>"
    )
    measures = "".join(f'<measure number="{at + 1}">{"" if at else start}{bar}</measure>' for at, bar in enumerate(bars))
    parts = '<part-list><score-part id="P1"><part-name>part</part-name></score-part></part-list>'
    return f'<score-partwise version="3.1">{title}{parts}<part id="P1">{measures}</part></score-partwise>'


def written(folder: Path, name: str, text: str | bytes) -> Path:
    """A file."""
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def kern(*lines: str) -> str:
    """A table whose cells are divided by blanks, and chords by commas."""
    return "".join("\t".join(cell.replace(",", " ") for cell in line.split()) + "\n" for line in lines)


def number(value: int) -> bytes:
    """As MIDI writes a time: seven bits at once, the lowest last."""
    parts = [value & 127]
    while value := value >> 7:
        parts.append(value & 127 | 128)
    return bytes(reversed(parts))


def midi(*tracks: list[tuple[int, bytes]], quarter: int = 480) -> bytes:
    """A MIDI file of tracks of (when, what)."""
    content = b"MThd" + (6).to_bytes(4) + (1).to_bytes(2) + len(tracks).to_bytes(2) + quarter.to_bytes(2)
    for events in tracks:
        now, track = 0, b""
        for time, event in sorted(events, key=lambda pair: pair[0]):
            track += number(time - now) + event
            now = time
        track += b"\x00\xff\x2f\x00"
        content += b"MTrk" + len(track).to_bytes(4) + track
    return content


def played(begin: int, end: int, pitch: int, channel: int = 0) -> list[tuple[int, bytes]]:
    """A note in a MIDI file."""
    return [(begin, bytes([0x90 | channel, pitch, 64])), (end, bytes([0x80 | channel, pitch, 0]))]


def signature(time: int, count: int, power: int) -> tuple[int, bytes]:
    """A time signature in a MIDI file: its unit is a power of two."""
    return time, bytes([0xFF, 0x58, 4, count, power, 24, 8])
