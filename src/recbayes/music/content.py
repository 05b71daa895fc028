"""What a file holds, whatever its name says: a score of the kind of its ending, as text, or an error that says what it is.

Verovio guesses what it is given, and makes music of nearly anything; so nothing but what fits reaches it.
"""

import io
import re
import zipfile
from pathlib import Path, PurePosixPath
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from recbayes.errors import FileError

ZIP = b"PK\x03\x04"
HEAD = b"MThd"
CONTAINER = "META-INF/container.xml"
LARGEST = 1 << 28  # bytes of a score in a zip file
UTF_8 = '<?xml version="1.0" encoding="UTF-8"?>'
DECLARATION = re.compile(r"\s*<\?xml[^>]*\?>")
MARKUP = (".musicxml", ".xml", ".mxl", ".mei")
LOOKS = (  # how files begin that are often called something else
    (b"%PDF", "a PDF file: a picture of a score; a file that holds the notes is needed"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (HEAD, "a MIDI file; give it the ending .mid"),
    (ZIP, "a zip file; give it the ending .mxl, if it is compressed MusicXML"),
    (b"**", "kern; give it the ending .krn"),
    (b"!!!", "kern; give it the ending .krn"),
    (b"\x1f\x8b", "compressed by gzip; unpack it first"),
)


def score_text(path: Path) -> str:
    """The text of a score, kern, MEI or MusicXML by parts, without a byte-order mark; or a `FileError`."""
    content = path.read_bytes()
    if not content.strip():
        raise FileError(f"{path.name} is empty")
    if path.suffix.lower() == ".krn":
        return _kern(content, path.name)
    if path.suffix.lower() not in (".mei",) and content.startswith(ZIP):
        content = _unzipped(content, path.name)
    elif path.suffix.lower() == ".mxl" and not _is_markup(content):
        raise FileError(f"{path.name} is no compressed MusicXML, whatever its ending: {_looks(content)}")
    return _markup(content, path.name)


def _kern(content: bytes, name: str) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    if not text.lstrip().startswith(("**", "!")):
        raise FileError(
            f"{name} is not kern, which has a spine (**kern) in its first line but for comments: {_looks(content)}"
        )
    return text


def _unzipped(content: bytes, name: str) -> bytes:
    """The score in a zip file: the one that its container names first, or the first that may be one."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = archive.namelist()
            there = [one for one in names if PurePosixPath(one).suffix.lower() in (".xml", ".musicxml")]
            found = next((one for one in there if not one.startswith(("META-INF/", "__MACOSX/"))), None)
            if CONTAINER in names:
                root = ElementTree.fromstring(archive.read(CONTAINER))
                listed = [one.get("full-path") for one in root.iter() if _plain(one.tag) == "rootfile"]
                found = next((one for one in listed if one in names), found)
            if found is None:
                raise FileError(f"{name} is a zip file without a score in it")
            if archive.getinfo(found).file_size > LARGEST:
                raise FileError(f"{name} is not sound: what is in it would be larger than {LARGEST >> 20} megabytes")
            return archive.read(found)
    except FileError:
        raise
    except (zipfile.BadZipFile, ElementTree.ParseError, RuntimeError, NotImplementedError, EOFError, OSError, ValueError):
        raise FileError(f"{name} is not sound: it begins as a zip file and cannot be unpacked") from None


def _markup(content: bytes, name: str) -> str:
    """XML whose root is that of a score, in Unicode; measures of parts are put into parts."""
    if not _is_markup(content):
        raise FileError(f"{name} is no sound XML: {_looks(content)}")
    try:
        root = ElementTree.fromstring(content)
    except (ElementTree.ParseError, LookupError, ValueError) as problem:
        if re.match(rb"\s*(<!doctype html|<html)", content.removeprefix(b"\xef\xbb\xbf"), re.IGNORECASE):
            raise FileError(f"{name} is a page of the web, and no score") from None
        raise FileError(f"{name} is no sound XML ({problem})") from None
    kind = _plain(root.tag)
    if kind == "score-timewise":
        return UTF_8 + ElementTree.tostring(_by_parts(root), encoding="unicode")
    if kind not in ("score-partwise", "mei"):
        what = {"html": "a page of the web", "opus": "a list of scores", "container": "the list of what a zip file has"}
        raise FileError(f"{name} is no score: it is {what.get(kind, f'XML of another kind, <{kind[:40]}>')}")
    return _unicode(content)


def _unicode(content: bytes) -> str:
    """XML as text, by the encoding that it declares."""
    declared = re.match(rb"""\s*<\?xml[^>]*?encoding=["']([\w.:-]+)["']""", content)
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else declared[1].decode() if declared else "utf-8-sig"
    text = content.decode("utf-8-sig" if content.startswith(b"\xef\xbb\xbf") else encoding)
    return UTF_8 + DECLARATION.sub("", text, count=1)


def _by_parts(root: Element) -> Element:
    """MusicXML of measures with parts in them as parts with measures in them."""
    found = Element("score-partwise", root.attrib)
    parts: dict[str, Element] = {}
    for child in root:
        if child.tag != "measure":
            found.append(child)
            continue
        for part in child.findall("part"):
            name = part.get("id", "")
            parts.setdefault(name, Element("part", {"id": name}))
            SubElement(parts[name], "measure", child.attrib).extend(part)
    found.extend(parts.values())
    return found


def _is_markup(content: bytes) -> bool:
    start = content[:400].removeprefix(b"\xef\xbb\xbf").lstrip()
    return start.startswith(b"<") or (content[:2] in (b"\xff\xfe", b"\xfe\xff") and b"<" in start)


def _looks(content: bytes) -> str:
    """What a file seems to be."""
    start = content[:400].removeprefix(b"\xef\xbb\xbf").lstrip()
    for sign, what in LOOKS:
        if start.startswith(sign):
            return f"it is {what}"
    if _is_markup(content):
        kinds = {b"<mei": "MEI; give it the ending .mei", b"score-": "MusicXML; give it the ending .musicxml"}
        return f"it is {next((what for sign, what in kinds.items() if sign in content[:2000]), 'XML')}"
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return "it is damaged, or another kind of file"
    return "it is a text" if text.isprintable() or not set(text) & {chr(one) for one in range(9)} else "it is binary data"


def _plain(tag: object) -> str:
    return str(tag).rpartition("}")[2]
