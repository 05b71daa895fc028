"""Puts the page together: one HTML text with score, tree, notes as data, style and script, which asks for nothing else."""

import json
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from recbayes.music.bars import times_of
from recbayes.music.chords import SIGNS
from recbayes.music.page.axis import Picture
from recbayes.music.page.engraving import engrave
from recbayes.music.page.nodes import PageNode, called, check_nodes, doubtful, facts_of, last_chord, pretty, uncertain
from recbayes.music.page.roll import piano_roll
from recbayes.music.page.tree_drawing import draw_overview, draw_ruler, draw_tree, tree_height
from recbayes.music.page.wheel import draw_wheel
from recbayes.music.score import Score
from recbayes.music.spelling import pitch_names

DIMINISHED = "diminished seventh"


def music_page(score: Score, nodes: Sequence[PageNode], *, heading: str, explanation: str) -> str:
    """A page, as HTML text, that shows and plays an analysis of a piece.

    `heading` is its title, `explanation` what readers should know of the analysis: plain text, paragraphs with an empty line
    between them. The page is complete in itself and works without a network.
    """
    check_nodes(nodes, score.end)
    engraved = engrave(score) if score.drawing else None
    picture = engraved or piano_roll(score)
    style = _part("page.css")
    script = _part("sound.js") + _part("page.js")
    below = tree_height(nodes)
    above = [text for text in (score.composer, score.title) if text not in ("", heading)]
    return Template(_part("page.html")).substitute(
        policy=escape(_policy(script)),
        heading=escape(heading),
        piece=f'<p class="piece">{escape(", ".join(above))}</p>' if above else "",
        explanation="".join(f"<p>{escape(part.strip())}</p>" for part in explanation.split("\n\n") if part.strip()),
        style=style,
        script=script,
        data=_data(score, nodes, picture),
        wheel=draw_wheel(nodes, score.signature),
        numbers=_numbers(nodes),
        width=f"{picture.width:g}",
        height=f"{picture.height + below:g}",
        paper=f"{picture.height:g}",
        tree_height=f"{below:g}",
        kind="engraved" if engraved else "roll",
        kind_words="score" if engraved else "notes",
        score_label=escape(f"{'Score' if engraved else 'Piano roll'} of {score.title}"),
        score=picture.svg,
        ruler=draw_ruler(score, picture.axis, below),
        tree=draw_tree(nodes, score, picture.axis),
        rows=str(1 + max((node.level for node in nodes), default=0)),
        overview=draw_overview(nodes, picture.axis),
        tempo=f"{min(max(round(60 / score.seconds), 20), 240)}",
    )


def _part(name: str) -> str:
    return files("recbayes.music.page").joinpath(name).read_text(encoding="utf-8")


def _policy(script: str) -> str:
    """What browsers let the page do: run its own script and nothing else, and load nothing."""
    digest = b64encode(sha256(script.encode()).digest()).decode()
    return f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; font-src data:; img-src data:"


def _numbers(nodes: Sequence[PageNode]) -> str:
    """What the numbers on the nodes mean, of those that are there."""
    parts = []
    if any(last_chord(node) for node in nodes):
        parts.append("<dt>→ G7</dt><dd>the chord that the passage ends with</dd>")
    if any(uncertain(node) for node in nodes):
        parts.append(
            "<dt>87 %</dt><dd>how probable it is that these bars are one passage, whatever its key; "
            "the less, the fainter</dd>"
        )
    if any(doubtful(node) for node in nodes):
        parts.append(
            "<dt>Dm7?</dt><dd>a chord, or a key, that is less probable than not, though nothing else is more probable</dd>"
        )
    if any(not node.is_chord for node in nodes):
        parts.append("<dt>mostly G</dt><dd>no chord: a single note above all, or <i>notes of G major</i>, a scale</dd>")
    if any(node.chord == DIMINISHED for node in nodes):
        parts.append(f"<dt>{SIGNS[DIMINISHED]}</dt><dd>a diminished seventh whose root is not known</dd>")
    return f"<dl>{''.join(parts)}</dl>" if parts else ""


def _data(score: Score, nodes: Sequence[PageNode], picture: Picture) -> str:
    """What the script reads, as JSON that cannot end the element it is in."""
    notes = zip(score.onsets.tolist(), score.offsets.tolist(), score.pitches.tolist(), strict=True)
    data: dict[str, Any] = {
        "end": score.end,
        "bars": _rounded(score.bars.tolist()),
        "names": [name + times for name, times in zip(score.names, times_of(score.names), strict=True)],
        "notes": [[*_rounded([onset, offset]), int(pitch)] for onset, offset, pitch in notes],
        "axis": [_rounded(picture.axis.quarters.tolist()), _rounded(picture.axis.x.tolist())],
        "nodes": [
            {
                "start": round(node.start, 5),
                "end": round(node.end, 5),
                "level": node.level,
                "parent": node.parent,
                "label": called(node),
                "names": [pretty(name) for name in pitch_names(score, node.start, node.end)],
                "facts": facts_of(node, score),
            }
            for node in nodes
        ],
    }
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _rounded(numbers: Sequence[float]) -> list[float]:
    return [round(number, 5) for number in numbers]
