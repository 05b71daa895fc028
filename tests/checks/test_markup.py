"""Texts of users stay texts in HTML and SVG; tables have heads and ends."""

from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recbayes.checks.markup import MOST_ROWS, Column, Markup, facts, joined, markup, more, short_number, table, tag

HOSTILE = [
    "<script>alert(1)</script>",
    '" onload="x',
    "</td></table>",
    "&lt;",
    "]]>",
    "<!--",
    "'",
    "\x00\x1b",
    "\u202eabc",
    "\ud800",
]


class Reader(HTMLParser):
    """The elements and the text that a browser would find."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict]] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


@given(text=st.sampled_from(HOSTILE) | st.text())
def test_a_text_is_shown_as_it_is(text: str) -> None:
    """As content and as an attribute; what no page may hold is shown by its code."""
    found = Reader(tag("p", text, title=text))
    assert [name for name, _ in found.elements] == ["p"]
    assert list(found.elements[0][1]) == ["title"]
    shown = "".join(c if c.isprintable() or c in "\t\n\r" else "" for c in text)
    for written in (found.text, found.elements[0][1]["title"] or ""):
        assert all(c in written for c in shown)
        assert not set(written) & {"\x00", "\x1b", "\u202e", "\ud800"}
    if text.isprintable():
        assert found.text == text
    ElementTree.fromstring(tag("p", text, title=text).replace("\r", ""))
    assert tag("p", text).encode()


def test_markup_is_not_escaped_twice() -> None:
    inner = tag("b", "1 < 2")
    assert inner == "<b>1 &lt; 2</b>"
    assert tag("p", inner, " & ") == "<p><b>1 &lt; 2</b> &amp; </p>"
    assert joined([inner, "<"]) == inner + "<" == "<b>1 &lt; 2</b>&lt;"
    assert markup(inner) is inner
    assert isinstance(more("<", inner), Markup)


def test_attributes() -> None:
    assert tag("text", text_anchor="end", class_="a", x=None, y=3) == '<text text-anchor="end" class="a" y="3"></text>'


def test_a_table() -> None:
    made = ElementTree.fromstring(table([Column("name"), Column("<p>", numbers=True)], [("<b>", 1), ("c", 2)], "all & more"))
    assert made.findtext("caption") == "all & more"
    assert [head.text for head in made.iterfind("thead/tr/th")] == ["name", "<p>"]
    assert [[cell.text for cell in row] for row in made.iterfind("tbody/tr")] == [["<b>", "1"], ["c", "2"]]
    assert [cell.get("scope") for cell in made.iterfind(".//th")] == ["col", "col", "row", "row"]
    with pytest.raises(ValueError):
        table([Column("one")], [("too", "many")])


@pytest.mark.parametrize("count", [0, 1, MOST_ROWS, MOST_ROWS + 1, 5000])
def test_long_tables_say_what_they_leave_out(count: int) -> None:
    rows = list(ElementTree.fromstring(table([Column("n")], [(n,) for n in range(count)])).iterfind("tbody/tr"))
    named = [row.findtext("th") for row in rows]
    if count <= MOST_ROWS:
        assert named == [str(n) for n in range(count)]
        return
    left_out = count - MOST_ROWS
    assert rows[MOST_ROWS // 2].findtext("td") == f"… {left_out} more …"
    assert (named[0], named[-1], len(named)) == ("0", str(count - 1), MOST_ROWS + 1)


def test_facts() -> None:
    made = ElementTree.fromstring(facts([("<a>", 1), ("b", tag("i", "x"))]))
    assert [row.findtext("th") for row in made.iterfind("tbody/tr")] == ["<a>", "b"]
    assert made.findtext("tbody/tr/td/i") == "x"


def test_numbers_for_readers() -> None:
    assert [short_number(value) for value in (0.0, -1.23456, 1e-9, 12345678.0)] == ["0", "−1.235", "1e−09", "1.235e+07"]
