"""The page for musicians as a text: complete, harmless, and with a time axis that is the score's."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from recbayes.errors import DataError
from recbayes.music.page import PageNode, music_page
from recbayes.music.page.axis import Picture, TimeAxis
from recbayes.music.page.engraving import engrave
from recbayes.music.page.nodes import percent, pretty, shift_in_words
from recbayes.music.page.roll import piano_roll
from recbayes.music.page.tree_drawing import draw_tree
from tests.music.small_piece import HOSTILE, NOTES, small_score, small_tree


class Elements(HTMLParser):
    """All elements with their attributes, and the text in them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def with_class(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for _, attributes in self.found if name in (attributes.get("class") or "").split()]


def page(**changes: object) -> str:
    settings = {"heading": "A heading", "explanation": "First.\n\nSecond.", **changes}
    return music_page(small_score(), small_tree(), **settings)  # type: ignore[arg-type]


def engraved() -> Picture:
    picture = engrave(small_score())
    assert picture is not None
    return picture


def test_page_has_all_of_the_score_and_the_tree() -> None:
    text = page()
    elements = Elements(text)
    assert {attributes.get("data-note") for _, attributes in elements.found} >= {str(place) for place in range(len(NOTES))}
    nodes = elements.with_class("node")
    assert [node["data-node"] for node in nodes] == [str(place) for place in range(7)]
    assert nodes[1]["aria-label"] == "G major, bars 1–2, ends with D7, passage 62 %, a fifth above what follows"
    assert nodes[4]["aria-label"] == "Dm, bars 2.1–2.2, key D minor, passage 30 %, on the root of what follows"
    assert [node["tabindex"] for node in nodes] == ["0"] + 6 * ["-1"]
    assert {"A heading", "First.", "Second.", "Small piece"} <= set(elements.texts)
    assert len(text) < 300_000  # of which the font of the metronome mark is a fifth
    assert text.startswith("<!DOCTYPE html>")


def test_data_are_the_notes() -> None:
    found = re.search(r'<script type="application/json" class="data">(.*?)</script>', page(), re.DOTALL)
    assert found is not None
    data = json.loads(found[1])
    assert data["notes"] == [[onset, offset, pitch] for _, onset, offset, pitch in NOTES]
    assert data["names"] == ["1", "2", "3"]
    assert [node["facts"][0] for node in data["nodes"]] == [
        "bars 1–3",
        "bars 1–2",
        "bar 1",
        "bar 2",
        "bars 2.1–2.2",
        "bars 2.3–2.4",
        "bar 3",
    ]


def test_same_page_for_the_same_score() -> None:
    assert page() == page()


def test_nothing_of_users_becomes_markup() -> None:
    """Texts of the caller, and a score that holds a script, an event handler and hostile text."""
    score = replace(small_score(title=HOSTILE), names=(HOSTILE, "2", "3"))
    harmless = Elements(page())
    hostile = Elements(music_page(score, small_tree(HOSTILE), heading=HOSTILE, explanation=HOSTILE))
    for elements in (harmless, hostile):
        assert sum(tag == "script" for tag, _ in elements.found) == 2
        for tag, attributes in elements.found:
            assert tag not in ("img", "iframe", "object", "embed", "foreignobject", "base", "a")
            assert not [name for name in attributes if name.startswith("on") or name == "src"]
            assert re.match(r"#|data:,|$", attributes.get("href") or "")
    assert HOSTILE in hostile.texts
    assert "<script>window.hacked = 1</script>" in harmless.texts  # of the lyrics, as text
    policy = next(attributes["content"] for tag, attributes in hostile.found if attributes.get("http-equiv"))
    assert policy is not None
    assert "default-src 'none'" in policy
    assert "script-src 'sha256-" in policy


@pytest.mark.parametrize("make", [engraved, lambda: piano_roll(small_score(drawing=None))])
def test_time_axis_rises_from_beginning_to_end(make) -> None:  # type: ignore[no-untyped-def]
    picture = make()
    times = np.linspace(0, 12, 97)
    x = np.array([picture.axis(time) for time in times])
    assert (np.diff(x) > 0).all()
    assert x[0] > 0
    assert x[-1] <= picture.width


def test_bars_begin_at_their_lines() -> None:
    """Bar lines are the upright lines of that thickness; the axis is made of the staff lines, which end there."""
    picture = engraved()
    box = re.search(r'viewBox="0 0 ([\d.]+)', picture.svg)
    margin = re.search(r'translate\(([\d.]+), [\d.]+\)">', picture.svg)
    assert box is not None
    assert margin is not None
    upright = re.findall(r'd="M(\d+) \d+ L(\d+) \d+" stroke-width="27"', picture.svg)
    lines = {(float(margin[1]) + float(x)) * picture.width / float(box[1]) for x, other in upright if x == other}
    for bar in (4.0, 8.0):
        assert min(abs(line - picture.axis(bar)) for line in lines) < 1.0
    assert max(lines) < picture.axis(12.0) + 1.0 < max(lines) + 10.0  # the end, after the thick line of the last bar


def test_bars_that_the_reader_counts_otherwise_are_found_by_their_notes() -> None:
    score = small_score()
    other = replace(score, bars=np.array([0.0, 8.0, 12.0]), names=("1–2", "3"))
    picture = engrave(other)
    assert picture is not None
    assert picture.axis(8.0) == pytest.approx(engraved().axis(8.0))


@pytest.mark.parametrize("suffix", ["", "-again"])
def test_repeats_that_are_played_out_get_a_piano_roll(suffix: str) -> None:
    """Notes of the drawing sound again, or others that it does not show: no time axis could be the drawing's."""
    once = small_score()
    twice = replace(
        once,
        onsets=np.concatenate([once.onsets, once.onsets + 12.0]),
        offsets=np.concatenate([once.offsets, once.offsets + 12.0]),
        pitches=np.tile(once.pitches, 2),
        bars=np.arange(0.0, 25.0, 4.0),
        names=tuple("123123"),
        ids=once.ids + tuple(name + suffix for name in once.ids),
    )
    assert engrave(twice) is None
    assert Elements(music_page(twice, small_tree(), heading="", explanation="")).with_class("roll")


def test_piano_roll_shows_every_note_at_its_time_and_pitch() -> None:
    score = small_score(drawing=None)
    picture = piano_roll(score)
    notes = Elements(picture.svg).with_class("note")
    assert [note["data-note"] for note in notes] == [str(place) for place in range(len(NOTES))]
    for note, (_, onset, _, _) in zip(notes, NOTES, strict=True):
        assert float(note["x"] or "") == pytest.approx(picture.axis(onset), abs=0.1)
    heights = {pitch: float(note["y"] or "") for note, (_, _, _, pitch) in zip(notes, NOTES, strict=True)}
    assert sorted(heights, key=heights.__getitem__) == sorted(heights, reverse=True)


def test_what_is_written_depends_on_the_room() -> None:
    """Label, chord, probability; then less and less; keys become letters, small ones for minor."""
    score = small_score(drawing=None)
    axis = TimeAxis(np.array([0.0, 12.0]), np.array([0.0, 1200.0]))
    texts = []
    for end in (12.0, 1.0, 0.7, 0.4, 0.05):
        node = PageNode(
            0, end, 0, 1, probability=0.5, key=2, mode="minor", label="D minor", shift=7, parent=None, chord="A7"
        )
        drawing = Elements(draw_tree([node], score, axis))
        texts.append(" ".join(drawing.texts))
    assert texts == ["D minor → A7 50 %", "D minor → A7", "D minor", "d", ""]


def test_what_must_be_there_has_no_probability() -> None:
    """Single bars and the whole piece: a percentage on them would be read as one of their chords and keys."""
    text = page()
    names = [str(node["aria-label"]) for node in Elements(text).with_class("node")]
    assert "%" not in names[0]
    assert "passage > 99 %" in names[2]
    certain = [replace(node, probability=1.0 - 1e-12) for node in small_tree()]
    told = Elements(music_page(small_score(), certain, heading="", explanation="")).with_class("node")
    assert ["%" in str(node["aria-label"]) for node in told] == [False, True, False, True, False, False, False]


def test_long_names_of_parts_have_room() -> None:
    """The engraver thinks of narrower letters than browsers may have."""
    short = engraved()
    names = "<label>Viola da gamba and Violoncello, part 1</label></staffDef>"
    named = str(small_score().drawing).replace('clef.line="2"/>', f'clef.line="2">{names}')
    long = engrave(small_score(drawing=named))
    assert long is not None
    assert long.width > short.width + 37 * 8
    assert long.axis(0.0) > 37 * 9  # pixels of a wide letter
    assert long.axis(12.0) - long.axis(0.0) == pytest.approx(short.axis(12.0) - short.axis(0.0), rel=0.02)
    assert long.axis(12.0) <= long.width


def test_keys_are_spelt_as_the_key_signature_has_them() -> None:
    nodes = [replace(small_tree()[0], key=1, label="C# major", in_key="C# major")]
    text = music_page(replace(small_score(), signature=7), nodes, heading="", explanation="")
    assert "in this tree: C♯ major" in text
    assert "D♭ major" not in text
    assert '"C\\u266f"' in text


def test_a_piece_without_a_tree() -> None:
    assert Elements(music_page(small_score(), [], heading="x", explanation="")).with_class("node") == []


def test_words() -> None:
    assert pretty("Bb major") == "B♭ major"
    assert pretty("C#dim7/G") == "C♯dim7/G"
    assert pretty("Am7/Eb") == "Am7/E♭"
    assert pretty("Bbm") == "B♭m"
    assert pretty("Abgesang, Ebony, Bach") == "Abgesang, Ebony, Bach"
    assert [percent(p) for p in (0.0, 0.001, 0.5, 0.996, 1.0)] == ["0 %", "< 1 %", "50 %", "> 99 %", "100 %"]
    assert pretty("F##°7, Ebb major, G7b9") == "F♯♯°7, E♭♭ major, G7♭9"
    assert [shift_in_words(steps) for steps in (7, -5, 0, 5, -2)] == [
        "a fifth above what follows",
        "a fifth above what follows",
        "on the root of what follows",
        "a fourth above what follows",
        "a tone below what follows",
    ]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"end": 13.0}, r"nodes\[1\] must start before it ends, within the 12 quarters"),
        ({"start": 8.0}, "must start before it ends"),
        ({"probability": 1.5}, "probability of .* from 0 to 1 or None, not 1.5"),
        ({"key": 12}, "pitch class from 0"),
        ({"mode": "dorian"}, "'major', 'minor' or None, not 'dorian'"),
        ({"level": -1}, "level of"),
        ({"parent": 2}, "parent of"),
        ({"parent": 70}, "parent of"),
    ],
)
def test_nodes_that_cannot_be_drawn(change: dict[str, object], complaint: str) -> None:
    nodes = small_tree()
    nodes[1] = replace(nodes[1], **change)  # type: ignore[arg-type]
    with pytest.raises(DataError, match=complaint):
        music_page(small_score(), nodes, heading="x", explanation="")


def test_drawings_that_cannot_be_read() -> None:
    with pytest.raises(DataError, match="must be MEI that verovio reads"):
        engrave(small_score(drawing="<mei>"))
    with pytest.raises(DataError, match="id of each of its 12 notes, but it has 0"):
        engrave(replace(small_score(), ids=()))


def test_doubtful_keys_are_marked() -> None:
    """They have a question mark and are paler; the wheel does not have them as keys of the piece."""
    nodes = [replace(small_tree()[0], in_key="C major", key_probability=share) for share in (0.9, 0.3)]
    sure, doubtful = (Elements(music_page(small_score(), [node], heading="", explanation="")) for node in nodes)
    assert [one.with_class("node")[0]["aria-label"] for one in (sure, doubtful)] == [
        "C major, bars 1–3, key 90 %",
        "C major?, bars 1–3, key 30 %",
    ]
    assert [str(one.with_class("wheel")[0]["aria-label"]).endswith("C major") for one in (sure, doubtful)] == [True, False]
    assert sure.with_class("node")[0]["style"] != doubtful.with_class("node")[0]["style"]
