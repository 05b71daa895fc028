"""A page for musicians: an analysis below its score, to be looked at and listened to in any browser."""

from recbayes.music.page.nodes import PageNode
from recbayes.music.page.page import music_page

__all__ = ["PageNode", "music_page"]
