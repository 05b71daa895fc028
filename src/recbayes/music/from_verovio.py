"""Scores of the formats that verovio knows: MusicXML, compressed or not, kern and MEI."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from recbayes.errors import DataError, FileError
from recbayes.music.content import score_text
from recbayes.music.extra import music_module
from recbayes.music.kern import composer_of, mended
from recbayes.music.mei import MEI, Bar, Written, mei_text, read_mei
from recbayes.music.meter import Meter
from recbayes.music.notes import Note, score_of
from recbayes.music.score import Score
from recbayes.music.unfolding import unfold

PROCESS = Path(__file__).with_name("verovio_process.py")
LONGEST = 300.0  # seconds
TEMPO = re.compile(r"(?m)^(?:[^!\n]*\t)?\*MM\d")  # in kern; verovio guesses one where there is none
TRANSCODED = "Transcoded from MusicXML"  # lists of parts are then verovio's own guesses


def read_with_verovio(path: Path, repeats: bool) -> Score:
    """A score with its notes, as they are written or unfolded, and the MEI it can be drawn from."""
    text = score_text(path)
    kern = mended(text, path.name) if path.suffix.lower() == ".krn" else None
    found = _converted(path.name, kern or text)
    drawing = found["mei"]
    root = ElementTree.fromstring(drawing)
    stands_for: dict[str, str] = {}  # names of what is played again, and of what it is
    if repeats and (music := root.find(f".//{MEI}score")) is not None:
        stands_for = unfold(music, listed=TRANSCODED not in drawing)
    written = read_mei(root, path.name)
    endings = not stands_for and len({one.get("n") for one in root.iter(f"{MEI}ending")}) > 1
    drawing = mei_text(root) if stands_for else drawing
    times = _Times(found["times"])
    notes, bars = _played(written, times, stands_for)
    if not notes:
        only = " but those of percussion" if times.begin else ""
        raise DataError(f"{path.name} has no notes{only}; give a score with some")
    starts, names, meters = _divided(bars, max(note.offset for note in notes))
    tempo = written.tempo if kern is None or TEMPO.search(kern) else None
    title, sounding = written.title or path.stem, _tied(notes, written, stands_for)
    signs = [(time, bars[time].signature) for time in sorted(bars)]
    changes = [(time, new) for (_, old), (time, new) in pairwise(signs) if new is not None and new != old]
    score = score_of(title, sounding, starts, names, meters, tempo, drawing, written.signature, changes)
    composer = written.composer or (composer_of(kern) if kern else "")
    return replace(score, composer=composer, endings=endings)


class _Times:
    """When things begin and end, by their names: what verovio's time map says."""

    def __init__(self, entries: list[dict[str, Any]]) -> None:
        self.bars: dict[str, tuple[Fraction, Fraction]] = {}
        self.begin: dict[str, Fraction] = {}
        self.end: dict[str, Fraction] = {}
        starts: list[tuple[Fraction, str]] = []
        last = Fraction(0)
        for entry in entries:
            time = Fraction(*entry["qfrac"])
            last = max(last, time)
            starts += [(time, entry["measureOn"])] if "measureOn" in entry else []
            self.begin |= dict.fromkeys(entry.get("on", []), time)
            self.end |= dict.fromkeys(entry.get("off", []), time)
        for (start, name), (stop, _) in pairwise([*sorted(starts), (last, "")]):
            self.bars[name] = start, stop - start


def _played(written: Written, times: _Times, stands_for: dict[str, str]) -> tuple[list[Note], dict[Fraction, Bar]]:
    """All notes with their times, bar by bar, and when bars begin."""
    notes: list[Note] = []
    bars: dict[Fraction, Bar] = {}
    now = Fraction(0)
    for name, bar in written.bars.items():
        if (place := times.bars.get(stands_for.get(name, name))) is not None:
            bars[now] = replace(bar, name=written.bars[stands_for.get(name, name)].name)
            for one in bar.notes:
                known = stands_for.get(one, one)
                if known in times.begin and times.end.get(known, Fraction(0)) > times.begin[known]:
                    shift = now - place[0]
                    begin, end = times.begin[known] + shift, times.end[known] + shift
                    notes.append(Note(begin, written.pitches[one], end, one, written.steps.get(one)))
            now += place[1]
    return notes, bars


def _converted(name: str, text: str) -> dict[str, Any]:
    """What the process with verovio in it makes of the text of a score."""
    music_module("verovio")
    command = [sys.executable, "-P", str(PROCESS)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    try:
        done = subprocess.run(
            command, input=text.encode(), capture_output=True, timeout=LONGEST, env=environment, check=False
        )
    except subprocess.TimeoutExpired:
        raise FileError(f"{name} was not read within {LONGEST:.0f} s; is it what its name says?") from None
    if done.returncode:
        raise FileError(f"{name} is damaged, or not what its ending says: verovio, which reads scores, gave up on it")
    found = json.loads(done.stdout.splitlines()[-1])
    if "problem" in found:
        raise FileError(f"{name}: {found['problem']}")
    return found


def _tied(notes: list[Note], written: Written, stands_for: dict[str, str]) -> Iterable[Note]:
    """Notes that are tied to one before them are its continuation, wherever they follow each other when unfolded."""
    tied = {stands_for.get(second, second): stands_for.get(first, first) for first, second in written.ties}
    held: dict[tuple[str, Fraction], Note] = {}  # by what is written, and when it ends
    hanging: dict[tuple[int, Fraction], str] = {}  # by pitch instead, where a tie has lost its end
    for note in sorted(notes, key=lambda note: note[:4]):
        name = stands_for.get(note.id, note.id)
        first = tied.get(name, "")
        if name in written.tied_back:
            first = hanging.get((note.pitch, note.onset), first)
        before = held.pop((first, note.onset), None)
        held[name, note.offset] = note if before is None else before._replace(offset=note.offset)
        if name in written.tied_on:
            hanging[note.pitch, note.offset] = name
    return held.values()


def _divided(bars: dict[Fraction, Bar], last: Fraction) -> tuple[list[Fraction], list[str], list[Meter | None]]:
    """Where bars begin, and the end; their names and time signatures. What comes after the last note is left out."""
    times: list[Fraction] = []
    names: list[str] = []
    meters: list[Meter | None] = []
    starts = sorted(bars)
    for start, stop in pairwise([*starts, max(last, starts[-1])]):
        bar = bars[start]
        length = (stop - start) / bar.rests
        fitting = [meter for meter in bar.meters if meter.bar == length]  # staves may have signatures of their own
        for number in range(bar.rests):
            if start + number * length < last:
                times.append(start + number * length)
                names.append(bar.named(number))
                meters.append(next(iter((*fitting, *bar.meters)), None))
    return [*times, last], names, meters
