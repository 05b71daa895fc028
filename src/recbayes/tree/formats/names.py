"""Label and rule of a node as one name, so that formats with a single name per node keep both.

The name is `label:rule`, or the label alone where there is no rule. A label that is empty is written `_`. A backslash
protects colons and backslashes inside either part and a label that is itself `_`; characters that do not print (line
breaks, unusual blanks) become `\\u` and four or `\\U` and eight hexadecimal digits. A colon with nothing on one side of
it, such as the treebank's label for dashes and colons, separates nothing.
"""

import re

_SEPARATED = re.compile(r"((?:[^:\\]|\\.)+):(.+)", re.DOTALL)
_ESCAPED = re.compile(r"\\(u[0-9a-f]{4}|U00(?:0[0-9a-f]|10)[0-9a-f]{4}|.)", re.DOTALL)


def join_name(label: str, rule: str) -> str:
    """The name that stands for both."""
    if label in ("", "_"):
        head = "\\_" if label else "_"
    else:
        head = _escape(label)
    return f"{head}:{_escape(rule)}" if rule else head


def split_name(name: str) -> tuple[str, str]:
    """Label and rule of a name; the inverse of `join_name`. Any text is a name, if nothing else then a label."""
    match = _SEPARATED.fullmatch(name)
    label, rule = match.groups() if match else (name, "")
    return "" if label == "_" else _unescape(label), _unescape(rule)


def printable(text: str) -> str:
    """The text on one line: characters that do not print as their codes."""
    return "".join(character if character.isprintable() else _code(character) for character in text)


def _escape(text: str) -> str:
    return printable(re.sub(r"([:\\])", r"\\\1", text))


def _code(character: str) -> str:
    number = ord(character)
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def _unescape(text: str) -> str:
    return _ESCAPED.sub(lambda match: _character(match[1]), text)


def _character(escaped: str) -> str:
    return chr(int(escaped[1:], 16)) if len(escaped) > 1 else escaped
