"""A small piece for tests: three bars on two staves, written down twice, as MEI and as notes."""

import numpy as np

from recbayes.music.page import PageNode
from recbayes.music.score import Score

HOSTILE = '<img src="http://example.org/x" onerror="window.hacked = 1"></script><script>window.hacked = 1</script>'

# A symbol with a script in it, hostile text and a glyph of a text font are there on purpose.
MEI = """<?xml version="1.0" encoding="UTF-8"?>
<mei xmlns="http://www.music-encoding.org/ns/mei" meiversion="5.0">
<meiHead><fileDesc><titleStmt><title>Small</title></titleStmt><pubStmt/></fileDesc></meiHead>
<music><body><mdiv><score>
<scoreDef meter.count="4" meter.unit="4" keysig="1s">
<symbolTable><symbolDef xml:id="symbol"><svg xmlns="http://www.w3.org/2000/svg"><script>window.hacked = 1</script>
<path onclick="window.hacked = 1" d="M0 0 L99 99"/></svg></symbolDef></symbolTable>
<staffGrp symbol="brace" bar.thru="true">
<staffDef n="1" lines="5" clef.shape="G" clef.line="2"/><staffDef n="2" lines="5" clef.shape="F" clef.line="4"/>
</staffGrp></scoreDef>
<section>
<measure n="1">
<staff n="1"><layer n="1"><note xml:id="a1" pname="c" oct="5" dur="4" altsym="#symbol"/>
<chord dur="4"><note xml:id="a2" pname="e" oct="5"/><note xml:id="a3" pname="f" accid="s" oct="5"/></chord>
<note xml:id="a4" pname="g" oct="5" dur="2">
<verse n="1"><syl>&lt;script&gt;window.hacked = 1&lt;/script&gt;</syl></verse></note></layer></staff>
<staff n="2"><layer n="1"><note xml:id="b1" pname="c" oct="3" dur="1"/></layer></staff>
<tempo staff="1" tstamp="1"><rend glyph.auth="smufl" fontfam="smufl">&#xECA5;</rend> = 112</tempo>
</measure>
<measure n="2">
<staff n="1"><layer n="1"><note xml:id="a5" pname="a" oct="4" dur="2"/>
<note xml:id="a6" pname="b" accid="f" oct="4" dur="4"/><note xml:id="a7" pname="a" oct="4" dur="4"/></layer></staff>
<staff n="2"><layer n="1"><note xml:id="b2" pname="d" oct="3" dur="2"/>
<note xml:id="b3" pname="f" oct="3" dur="2"/></layer></staff>
</measure>
<measure n="3" right="end">
<staff n="1"><layer n="1"><note xml:id="play" pname="g" oct="4" dur="1"/></layer></staff>
<staff n="2"><layer n="1"><note xml:id="b4" pname="c" oct="3" dur="1"/></layer></staff>
</measure>
</section></score></mdiv></body></music></mei>"""

NOTES = [  # id, onset, offset, MIDI number
    *[("b1", 0, 4, 48), ("a1", 0, 1, 72), ("a2", 1, 2, 76), ("a3", 1, 2, 78), ("a4", 2, 4, 79)],
    *[("b2", 4, 6, 50), ("a5", 4, 6, 69), ("b3", 6, 8, 54), ("a6", 6, 7, 70), ("a7", 7, 8, 69)],
    *[("b4", 8, 12, 48), ("play", 8, 12, 67)],
]


def small_score(drawing: str | None = MEI, title: str = "Small piece") -> Score:
    ids, onsets, offsets, pitches = zip(*NOTES, strict=True)
    return Score(
        title=title,
        onsets=np.array(onsets, dtype=float),
        offsets=np.array(offsets, dtype=float),
        pitches=np.array(pitches),
        bars=np.array([0.0, 4.0, 8.0, 12.0]),
        names=("1", "2", "3"),
        beats=np.arange(13.0),
        seconds=0.5,
        drawing=drawing,
        ids=ids if drawing else (),
    )


def small_tree(label: str = "C major") -> list[PageNode]:
    """Bars 1, 2 and 3; the first two make a group; bar 2 falls into halves."""
    return [
        PageNode(0, 12, depth=0, level=3, probability=1.0, key=0, mode="major", label=label, shift=None, parent=None),
        PageNode(
            0, 8, depth=1, level=2, probability=0.62, key=7, mode="major", label="G major", shift=7, parent=0, chord="D7"
        ),
        PageNode(0, 4, depth=2, level=0, probability=0.999, key=0, mode="major", label="C", shift=-5, parent=1),
        PageNode(4, 8, depth=2, level=1, probability=0.4, key=2, mode="minor", label="D minor", shift=None, parent=1),
        PageNode(4, 6, depth=3, level=0, probability=0.3, key=2, mode="minor", label="Dm", shift=0, parent=3),
        PageNode(6, 8, depth=3, level=0, probability=None, key=None, mode=None, label="", shift=None, parent=3),
        PageNode(8, 12, depth=1, level=0, probability=0.9, key=0, mode="major", label="C major", shift=None, parent=0),
    ]
