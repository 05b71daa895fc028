"""The process in which verovio runs: `python verovio_process.py` reads a score from standard input, and writes a
JSON object to standard output.

Verovio ends its process on some damaged files, and says what it likes on standard error; here neither hurts anybody. `mei`
is the score as MEI, and `times` is the time map of a copy in which nothing shifts the notes: verovio gives grace notes time
that it takes from others. This file imports nothing of ours.
"""

import json
import re
import sys
from contextlib import suppress
from copy import deepcopy
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

NAMESPACE = "http://www.music-encoding.org/ns/mei"
MEI = f"{{{NAMESPACE}}}"
ID = "{http://www.w3.org/XML/1998/namespace}id"
MEMORY = 4 << 30  # bytes
UNREADABLE = "verovio cannot read it"
OPTIONS = {
    "breaks": "none",
    "expandNever": True,
    "footer": "none",
    "header": "none",
    "xmlIdChecksum": True,  # the same names in every run
}
HANGING = ' color="red" type="hanging"'  # how it draws ties of kern that change voices


def limit_memory() -> None:
    """Damaged numbers may ask for any amount; where the system has no such limits, or others, there is that of time."""
    try:
        import resource
    except ImportError:
        return
    with suppress(ValueError, OSError):
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        least = MEMORY if hard == resource.RLIM_INFINITY else min(MEMORY, hard)  # what is set already is never raised
        resource.setrlimit(resource.RLIMIT_AS, (least, least))


def convert(text: str) -> dict[str, Any]:
    """The MEI of a score and its time map, or the problem with it."""
    import verovio

    verovio.enableLog(verovio.LOG_ERROR)
    toolkit = _toolkit(verovio)
    if not toolkit.loadData(text):
        return {"problem": UNREADABLE}
    mei = _sound(toolkit.getMEI())
    tree = _parsed(mei)
    if tree is None:
        return {"problem": "there is no music in it"}
    if _timeless(tree):
        return {"problem": "it has notes without a <type>, whose lengths verovio does not know; save it anew elsewhere"}
    if _write_out(tree):
        mei = _text(tree)
    copy = _toolkit(verovio)
    if not copy.loadData(_text(_unshifted(tree))):
        return {"problem": UNREADABLE}
    return {"mei": mei, "times": copy.renderToTimemap({"includeMeasures": True, "includeRests": True, "useFractions": True})}


def _toolkit(verovio: Any) -> Any:
    toolkit = verovio.toolkit()
    toolkit.setOptions(OPTIONS)
    return toolkit


def _sound(mei: str) -> str:
    """MEI whose prefixes are all declared: verovio keeps what it does not know, but for the namespace it is from.

    It does not say when it was made, so that it is the same every time.
    """
    mei = re.sub(r'(<application\b[^>]*?) isodate="[^"]*"', r"\1", mei)
    used = set(re.findall(r"[\s<]/?([A-Za-z_][\w.-]*):[A-Za-z_]", mei)) - {"xml", "xmlns"}
    missing = sorted(prefix for prefix in used if f"xmlns:{prefix}=" not in mei)
    declared = "".join(f'xmlns:{prefix}="urn:{prefix}" ' for prefix in missing)
    return mei.replace(HANGING, "").replace("<mei ", f"<mei {declared}", 1)


def _parsed(mei: str) -> Element | None:
    """The root of a document that has bars."""
    root = ElementTree.fromstring(mei) if mei else None
    return None if root is None or root.find(f".//{MEI}measure") is None else root


def _text(root: Element) -> str:
    _drop(root, lambda element: not element.tag.startswith(MEI))  # whose namespaces verovio would forget
    ElementTree.register_namespace("", NAMESPACE)
    return ElementTree.tostring(root, encoding="unicode")


def _timeless(root: Element) -> bool:
    """Whether a note or rest says how many ticks it lasts, as in MusicXML, but not which kind of note it is."""
    named = {id(note) for chord in root.iter(f"{MEI}chord") if chord.get("dur") for note in chord}
    return any(element.get("dur.ppq") and not element.get("dur") and id(element) not in named for element in root.iter())


def _write_out(root: Element) -> bool:
    """The notes of bars that only say that they are as the one before, whose notes verovio does not count."""
    before: dict[tuple[str | None, str | None], list[Element]] = {}
    again = 0
    for staff in root.iter(f"{MEI}staff"):
        for layer in staff.iter(f"{MEI}layer"):
            place = staff.get("n"), layer.get("n")
            if layer.find(f"{MEI}mRpt") is not None and place in before:
                again += 1
                layer[:] = deepcopy(before[place])
                for element in layer.iter():
                    if ID in element.attrib and element is not layer:
                        element.set(ID, f"{element.get(ID)}-again{again}")
            else:
                before[place] = list(layer)
    return again > 0


def _unshifted(root: Element) -> Element:
    """Without what verovio plays by moving notes."""
    _drop(
        root,
        lambda element: (
            element.get("grace") is not None or element.tag.removeprefix(MEI) in ("arpeg", "expansion", "graceGrp")
        ),
    )
    return root


def _drop(root: Element, unwanted: Any) -> None:
    for parent in list(root.iter()):
        for child in [child for child in parent if unwanted(child)]:
            parent.remove(child)


if __name__ == "__main__":
    limit_memory()
    try:
        answer = convert(sys.stdin.buffer.read().decode())
    except (ElementTree.ParseError, LookupError, ValueError) as problem:
        answer = {"problem": f"it is no sound XML ({problem})"}
    print(json.dumps(answer))
