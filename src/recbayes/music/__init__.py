"""Music: reading scores, pitch classes in slices of time, and analyses that can be looked at and listened to."""

from recbayes.music.analysis import analyse, pretrained
from recbayes.music.harmony import Harmony
from recbayes.music.harmony_learning import learn_harmony
from recbayes.music.prelude import prelude
from recbayes.music.reading import read_score
from recbayes.music.score import Score
from recbayes.music.slices import Slices, slice_score

__all__ = [
    "Harmony",
    "Score",
    "Slices",
    "analyse",
    "learn_harmony",
    "prelude",
    "pretrained",
    "read_score",
    "slice_score",
]
