"""Reading scores: which file is read how."""

import os
from pathlib import Path

from recbayes.checks.arguments import flag, path_of
from recbayes.errors import DataError, FileError
from recbayes.music.from_midi import read_midi
from recbayes.music.from_verovio import read_with_verovio
from recbayes.music.score import Score

SCORES = (".musicxml", ".xml", ".mxl", ".krn", ".mei")
PERFORMANCES = (".mid", ".midi")
ADVICE = {  # endings that people have scores in, and what to do
    **dict.fromkeys((".mscz", ".mscx"), "MuseScore's own; export MusicXML from MuseScore, and name that"),
    **dict.fromkeys((".sib", ".musx", ".dorico"), "a notation program's own; export MusicXML from there, and name that"),
    **dict.fromkeys(
        (".pdf", ".png", ".jpg", ".jpeg", ".svg"),
        "a picture of a score; a file that holds the notes, such as MusicXML, is needed",
    ),
}


def read_score(path: str | os.PathLike, *, repeats: bool = False) -> Score:
    """The notes of a file, with its bars and beats: MusicXML (.musicxml, .xml, .mxl), kern (.krn), MEI (.mei) or MIDI.

    Tied notes are one, grace notes and percussion are left out, and instruments that transpose sound as they do. A piece
    ends with its last note. A MIDI file has no repeats, and its bars are those that its time signatures count from the
    beginning. Files that cannot be read are a `FileError`.

    Arguments:
        path: the file.
        repeats: whether repeats and endings are unfolded; the score is then drawn as it is played.
    """
    place = check_score(path)
    repeats = flag(repeats, "repeats")
    if place.suffix.lower() in SCORES:
        return read_with_verovio(place, repeats)
    if repeats:
        raise DataError(f"{place.name} is a MIDI file, which is as it is played: leave repeats out")
    return read_midi(place)


def check_score(path: str | os.PathLike) -> Path:
    """The name of a file that is there, and whose ending is that of a score."""
    place = path_of(path)
    kind = place.suffix.lower()
    if place.is_dir():
        raise FileError(f"{place} is a folder; name a file in it")
    if kind not in (*SCORES, *PERFORMANCES):
        endings = ", ".join((*SCORES, *PERFORMANCES))
        said = f"is {ADVICE[kind]}" if kind in ADVICE else f"has an unknown ending; scores are {endings}"
        raise FileError(f"{place.name} {said}")
    if not place.is_file():
        raise FileError(f"{place} is not there" if not place.exists() else f"{place} is not a file")
    return place
