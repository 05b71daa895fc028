"""A piano roll, for music without a printed score: every note a bar at its pitch, on the lines of the two common staves."""

import numpy as np

from recbayes.music.page.axis import Picture, TimeAxis
from recbayes.music.score import Score

_STAVES = (43, 47, 50, 53, 57, 64, 67, 71, 74, 77)  # G2 B2 D3 F3 A3, E4 G4 B4 D5 F5
_MARGIN = 44.0  # pixels at the left, for the names of octaves
_STEP = 5.0  # pixels of a semitone
_PIXELS = 20.0  # of a typical note
_NARROWEST, _WIDEST = 18.0, 90.0  # pixels of a quarter


def piano_roll(score: Score) -> Picture:
    """The notes as bars; all quarters are equally wide, so wide that notes of typical length can be told apart."""
    typical = float(np.median(score.offsets - score.onsets)) if len(score) else 1.0
    quarter = float(np.clip(_PIXELS / max(typical, 1e-3), _NARROWEST, _WIDEST))
    pitches = np.asarray(score.pitches, dtype=int)
    top = max(int(pitches.max(initial=77)), 77) + 2
    bottom = min(int(pitches.min(initial=43)), 43) - 2
    first = float(score.bars[0])
    axis = TimeAxis(np.array([first, score.end]), np.array([_MARGIN, _MARGIN + quarter * (score.end - first)]))
    right = axis(score.end)

    def y(pitch: int) -> float:
        return (top - pitch) * _STEP

    parts = [f'<path class="staff-line" d="M{_MARGIN:g} {y(line) + _STEP / 2:g}H{right:g}"/>' for line in _STAVES]
    bar_lines = "".join(f"M{axis(bar):.1f} {y(77):g}V{y(42):g}" for bar in score.bars.tolist())
    parts.append(f'<path class="bar-line" d="{bar_lines}"/>')
    for pitch in range(12 * (bottom // 12 + 1), top, 12):
        parts.append(f'<text class="octave" x="{_MARGIN - 10:g}" y="{y(pitch) + 5.5:g}">C{pitch // 12 - 1}</text>')
    for place, (onset, offset, pitch) in enumerate(zip(score.onsets, score.offsets, pitches, strict=True)):
        left, width = axis(onset), max(axis(offset) - axis(onset) - 1.0, 1.5)
        parts.append(
            f'<rect class="note" data-note="{place}" rx="1.5"'
            f' x="{left:.1f}" y="{y(int(pitch)):g}" width="{width:.1f}" height="{_STEP:g}"/>'
        )
    return Picture("".join(parts), right + 20.0, (top - bottom + 1) * _STEP, axis)
