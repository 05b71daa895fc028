"""Repeats and endings by the rules of notation: what is played after what."""

from xml.etree import ElementTree

import pytest

from recbayes.music.unfolding import ID, MEI, unfold


def score(text: str) -> ElementTree.Element:
    """Bars as letters between barlines: |: :| :||: and endings as [1 B] [2 C]; definitions as !."""
    body, name = "", iter("abcdefghijklmnop")
    right = {":|": "rptend", "|:": "rptstart", ":||:": "rptboth"}
    for word in text.split():
        if word.startswith("["):
            body += f'<ending n="{word[1:]}">'
        elif word == "]":
            body += "</ending>"
        elif word == "!":
            body += '<scoreDef meter.count="3" meter.unit="4"/>'
        elif word in right:
            body = body.removesuffix("</ending>").removesuffix("</measure>") + (
                f"<{right[word]}/></measure>" + ("</ending>" if body.endswith("</ending>") else "")
            )
        else:
            body += f'<measure xml:id="{word}"><note xml:id="{next(name)}"/></measure>'
    namespace = MEI[1:-1]
    root = ElementTree.fromstring(f'<score xmlns="{namespace}"><scoreDef/><section>{body}</section></score>')
    for measure in root.iter(f"{MEI}measure"):
        for sign in [child for child in measure if child.tag != f"{MEI}note"]:
            measure.set("right", sign.tag.removeprefix(MEI))
            measure.remove(sign)
    return root


def played(text: str, listed: bool = False) -> str:
    root = score(text)
    unfold(root, listed)
    return "".join(measure.get(ID, "")[0] for measure in root.iter(f"{MEI}measure"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A B C", "ABC"),
        ("A B :|", "ABAB"),
        ("A :| B", "AAB"),
        ("A |: B :| C", "ABBC"),
        ("A :| B C :| D", "AABCBCD"),  # from where the last repeat ended
        ("A :||: B C :| D", "AABCBCD"),
        ("A [1 B :| ] [2 C ] D", "ABACD"),
        ("A |: B [1 C :| ] [2 D ] E :|", "ABCBDEE"),
        ("A [1,2 B :| ] [3 C ] D", "ABABACD"),
        ("A [1-3 B :| ] [4 C ]", "ABABABAC"),
        ("A [1 B C :| ] D E", "ABCADE"),  # what comes second has no bracket
        ("A [1 B ] C", "ABC"),
        ("A [2 B :| ] C", "ABABC"),
    ],
)
def test_order(text: str, expected: str) -> None:
    assert played(text) == expected


def test_names_are_new_and_known() -> None:
    root = score("A B :|")
    assert unfold(root, False) == {f"{name}-time2": name for name in ("A", "a", "B", "b")}
    names = [element.get(ID) for element in root.iter() if element.get(ID)]
    assert len(set(names)) == len(names) == 8
    assert all(measure.get("right") is None for measure in root.iter(f"{MEI}measure"))


def test_without_repeats_nothing_changes() -> None:
    root = score("A [1 B ] C")
    before = ElementTree.tostring(root)
    assert unfold(root, True) == {}
    assert ElementTree.tostring(root) == before


def test_lists_of_parts() -> None:
    root = score("A B C")
    section = root.find(f"{MEI}section")
    assert section is not None
    section.insert(0, ElementTree.Element(f"{MEI}expansion", {"plist": "#A #A #B #C #B"}))
    unfold(root, True)
    assert [measure.get(ID, "")[0] for measure in root.iter(f"{MEI}measure")] == list("AABCB")


def test_ties_and_slurs_go_to_what_follows() -> None:
    root = score("A B :| C")
    first, second, _ = root.iter(f"{MEI}measure")
    ElementTree.SubElement(first, f"{MEI}slur", {"startid": "#a", "endid": "#b"})
    ElementTree.SubElement(second, f"{MEI}tie", {"startid": "#b", "endid": "#c"})
    ElementTree.SubElement(second, f"{MEI}tie", {"startid": "#b", "endid": "#nobody"})
    unfold(root, False)
    ends = [(mark.get("startid"), mark.get("endid")) for mark in root.iter() if mark.get("startid")]
    assert ends == [("#a", "#b"), ("#b", "#c"), ("#a-time2", "#b-time2"), ("#b-time2", "#c")]


def test_what_was_defined_is_said_again() -> None:
    """The second time, the first bar has its old time signature."""
    root = score("A ! B :| C")
    unfold(root, False)
    kinds = [element.tag.removeprefix(MEI) for element in root.findall(f"{MEI}section/*")]
    assert kinds == ["measure", "scoreDef", "measure", "scoreDef", "measure", "scoreDef", "measure", "measure"]
