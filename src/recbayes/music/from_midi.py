"""Scores from MIDI files: what is played, with bars and beats counted from time signatures."""

from fractions import Fraction
from pathlib import Path

from recbayes.errors import DataError, FileError
from recbayes.music.extra import music_module
from recbayes.music.meter import Meter
from recbayes.music.notes import Note, score_of
from recbayes.music.score import Score

HEAD = b"MThd"
MOST = 1_000_000  # bars
USUAL = Meter(4, 4)  # what a MIDI file means that does not say


def read_midi(path: Path) -> Score:
    """The notes of all tracks but drums. It ends where the last note does."""
    symusic = music_module("symusic")
    content = path.read_bytes()
    if not content.startswith(HEAD):
        other = "; it looks like MusicXML: give it the ending .musicxml" if content.lstrip().startswith(b"<") else ""
        raise FileError(f"{path.name} is not a MIDI file, whatever its ending{other}")
    try:
        midi = symusic.Score.from_midi(content)
    except (RuntimeError, ValueError):
        raise FileError(f"{path.name} is not a sound MIDI file: it is damaged, or cut off") from None
    quarter = max(1, midi.ticks_per_quarter)
    drums = any(len(track.notes) for track in midi.tracks if track.is_drum)
    notes = [
        Note(Fraction(note.time, quarter), note.pitch, Fraction(note.time + note.duration, quarter))
        for track in midi.tracks
        if not track.is_drum
        for note in track.notes
        if note.duration > 0
    ]
    if not notes:
        raise DataError(f"{path.name} has no notes{' but drums' if drums else ''}; give a file with some")
    end = max(note.offset for note in notes)
    changes = {
        Fraction(one.time, quarter): Meter(one.numerator, one.denominator)
        for one in midi.time_signatures
        if one.numerator > 0 and one.denominator > 0
    }
    if end / min(meter.bar for meter in (USUAL, *changes.values())) > MOST:
        raise FileError(f"{path.name} is not a sound MIDI file (it is {float(end):.3g} quarters long)")
    bars, meters = _bars({Fraction(0): USUAL, **changes}, end)
    tempo = next((one.qpm for one in midi.tempos if one.time == 0), None)
    signature = next((int(one.key) for one in midi.key_signatures if one.time == 0), None)
    signatures = [(Fraction(one.time, quarter), int(one.key)) for one in midi.key_signatures if one.time > 0]
    names = [str(number + 1) for number in range(len(meters))]
    return score_of(path.stem, notes, bars, names, meters, tempo, signature=signature, signatures=sorted(signatures))


def _bars(changes: dict[Fraction, Meter], end: Fraction) -> tuple[list[Fraction], list[Meter]]:
    """Where bars begin, and the end, with the time signature of each; a new one begins a bar."""
    bars: list[Fraction] = []
    meters: list[Meter] = []
    starts = sorted(time for time in changes if time < end)
    for start, stop in zip(starts, [*starts[1:], end], strict=True):
        meter = changes[start]
        while start < stop:
            bars.append(start)
            meters.append(meter)
            start += meter.bar
    return [*bars, end], meters
