"""Texts of others on a terminal: signs that move its cursor, change its colours or turn lines round are told as codes."""

import re

# control characters but tabs and line ends, separators of lines, marks of direction, and halves of signs
HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    """The text, with nothing in it that a terminal obeys."""
    return HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
