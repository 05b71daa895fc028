"""NLTK's text format: what NLTK reads is read alike, what is written reads back to the bit, errors point to the place."""

import ast
import inspect
import textwrap
from time import process_time

import nltk
import pytest
from hypothesis import given
from hypothesis import strategies as st

import recbayes as rb
from recbayes import PCFG, ModelError, Rule, Terminal

SMALL = PCFG("S", [Rule("S", ("S", "S"), 0.25), Rule("S", (Terminal("a"),), 0.75)])


def toy_grammars() -> list[str]:
    """The texts of the grammars in NLTK's own demonstration."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(nltk.grammar.pcfg_demo)))
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and "->" in str(node.value)]
    assert len(texts) >= 2
    return texts


@pytest.mark.parametrize("text", toy_grammars())
def test_reads_as_nltk_does(text: str) -> None:
    theirs = nltk.PCFG.fromstring(text)
    ours = PCFG.from_string(text, weights="check")
    assert PCFG.from_nltk(theirs) == ours
    assert ours.to_nltk().productions() == theirs.productions()
    assert ours.to_nltk().start() == theirs.start()
    assert nltk.PCFG.fromstring(str(ours)).productions() == theirs.productions()
    assert PCFG.from_string(str(ours)) == ours


@pytest.mark.parametrize(
    "text",
    [
        "S -> S S [0.25] | 'a' [0.75]",
        'S->S S[.25]|"a"[0.75]',
        "\n# a comment\nS -> S S [0.25]   # another\n\n  S -> 'a' [7.5e-1]",
        "S -> S S [0.25]\n  | 'a' [0.75]",
        "S -> S S [0.25] \\\n | 'a' [0.75]",
        "S -> S S [0.25]\r\nS -> 'a' [0.75]\r\n",
        "\ufeffS -> S S [0.25] | 'a' [0.75]",
        "S -> 'a'[ 0.25 ] | S S [.125] | 'a' [0.5] | S S [.125]",
    ],
    ids=["bars", "no blanks", "comments", "bar on a new line", "backslash", "Windows", "byte order mark", "duplicates"],
)
def test_ways_to_write_one_grammar(text: str) -> None:
    grammar = PCFG.from_string(text, weights="check")
    assert sorted(grammar.rules, key=str) == sorted(SMALL.rules, key=str)


def test_start_symbol() -> None:
    text = "A -> 'a' [1.0]\nB -> A A [1.0]\n"
    assert PCFG.from_string(text).start == "A"
    assert PCFG.from_string("%start B\n" + text).start == "B"
    assert PCFG.from_string(text + "%start B").start == "B"
    assert PCFG.from_string("%start B\n" + text, start="A").start == "A"
    assert nltk.PCFG.fromstring(str(PCFG.from_string(text, start="B"))).start().symbol() == "B"


def test_weights() -> None:
    text = "S -> S S [2] | 'a' [6]"
    assert PCFG.from_string(text) == SMALL
    assert [rule.weight for rule in PCFG.from_string(text, weights="keep").rules] == [2.0, 6.0]
    with pytest.raises(ModelError, match=r"weights of S must sum to one, they sum to 8;.*normalise"):
        PCFG.from_string(text, weights="check")
    assert [rule.weight for rule in PCFG.from_string("S -> S S | 'a'").rules] == [0.5, 0.5]
    assert [rule.weight for rule in PCFG.from_string("S -> S S [2] | 'a'", weights="keep").rules] == [2.0, 1.0]
    with pytest.raises(ModelError, match=r"line 1, column 10: expected a weight in square brackets, found '\|'"):
        PCFG.from_string("S -> S S | 'a'", weights="check")
    with pytest.raises(ModelError, match="'normalise', 'check' or 'keep', got 'sum'"):
        PCFG.from_string(text, weights="sum")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "no rules"),
        ("# nothing", "no rules"),
        ("S -> 'a'\n-> B", "line 2, column 1: expected a non-terminal.*found '->'"),
        ("S 'a'", "line 1, column 3: expected '->', found \"'a'\""),
        ("'a' -> S", "line 1, column 1: expected a non-terminal"),
        ("| 'a'", r"line 1, column 1: expected a non-terminal.*found '\|'"),
        ("S ->", "line 1, column 5: expected a non-terminal or a terminal.*epsilon.*the end of the text"),
        ("S -> 'a' | \nS -> 'b'", "line 1, column 12: .*epsilon.*the end of the line"),
        ("S -> [0.5]", r"line 1, column 6: .*epsilon.*found '\[0.5\]'"),
        ("S -> ''", "line 1, column 6: .*no epsilon rules"),
        ("S -> 'a", "line 1, column 6: expected ' to close it, found ' without an end"),
        ('S -> A "a [1]', 'line 1, column 8: expected " to close it'),
        ("S -> 'a' [0.5", r"line 1, column 10: expected \] to close it"),
        ("S -> 'a' [half]", r"line 1, column 10: expected a weight that is a number.*found '\[half\]'"),
        ("S -> 'a' [-1]", r"line 1, column 10: expected a weight that is a number, zero or more"),
        ("S -> 'a' [1e999]", "line 1, column 10: expected a weight"),
        ("S -> 'a' [nan]", "line 1, column 10: expected a weight"),
        ("S -> 'a' [0.5] B", r"line 1, column 16: expected '\|' or the end of the line, found 'B'"),
        ("S -> 'a' -> B", "line 1, column 10: expected a symbol, a weight.*found '->'"),
        ("S -> A ]", r"line 1, column 8: expected.*found '\]'"),
        ("S -> A \\ B", r"line 1, column 8: expected.*found"),
        ("%begin S\nS -> 'a'", "line 1, column 1: expected the directive %start, found '%begin'"),
        ("%start\nS -> 'a'", "line 1, column 7: expected the start symbol, found the end of the line"),
        ("%start S T\nS -> 'a'", "line 1, column 10: expected the end of the line, found 'T'"),
        ("S -> NP VP\nNP -> 'a'", "without rules: 'VP';.*in quotes"),
        ("%start T\nS -> 'a'", "start symbol 'T' has no rules"),
    ],
)
def test_errors_say_where_and_what(text: str, complaint: str) -> None:
    with pytest.raises(ModelError, match=complaint):
        PCFG.from_string(text)


def test_text_must_be_text() -> None:
    with pytest.raises(ModelError, match="from a string, got bytes"):
        PCFG.from_string(b"S -> 'a'")  # type: ignore[arg-type]


WEIGHTS = st.floats(0.0, 1e149, exclude_min=True)
NAMES = st.text(st.characters(exclude_categories=["Z", "C"], exclude_characters="'\"[]|#\\%"), min_size=1, max_size=4)
WORDS = st.text(min_size=1, max_size=4).filter(lambda word: "\n" not in word and not ("'" in word and '"' in word))


@st.composite
def grammars(draw: st.DrawFn) -> PCFG:
    names = draw(st.lists(NAMES.filter(lambda name: "->" not in name), min_size=1, max_size=3, unique=True))
    symbols = st.one_of(st.sampled_from(names), WORDS.map(Terminal))
    rules = [Rule(name, (Terminal(draw(WORDS)),), draw(WEIGHTS)) for name in names]
    for name in names:
        for right in draw(st.lists(st.lists(symbols, min_size=1, max_size=3), max_size=3)):
            rules.append(Rule(name, tuple(right), draw(st.one_of(WEIGHTS, st.just(0.0)))))
    return PCFG(draw(st.sampled_from(names)), rules)


@given(grammars())
def test_written_text_reads_back_to_the_bit(grammar: PCFG) -> None:
    assert PCFG.from_string(str(grammar), weights="keep") == grammar
    once = grammar.normalised()
    assert once.is_normalised
    assert once.normalised() == once
    assert PCFG.from_string(str(once)) == once
    assert PCFG.from_string(str(once), weights="check") == once


@given(grammars())
def test_nltk_objects_round_trip(grammar: PCFG) -> None:
    once = grammar.normalised()
    assert PCFG.from_nltk(once.to_nltk()) == once


@given(st.text("SA'\"|->[]01.#%\\ \n", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        grammar = PCFG.from_string(text, weights="keep")
    except ModelError:
        return
    assert PCFG.from_string(str(grammar), weights="keep") == grammar


@pytest.mark.parametrize("name", ["a b", "S'", "A->B", "%S", "#", "a|b", "[", "back\\slash", "'a'"])
def test_names_that_cannot_be_written(name: str) -> None:
    grammar = PCFG(name, [Rule(name, (Terminal("a"),))])
    with pytest.raises(ModelError, match=r"non-terminal .* cannot be written.*save as JSON"):
        str(grammar)
    assert name in repr(grammar)


@pytest.mark.parametrize("name", ["'\"", "a\nb"])
def test_terminals_that_cannot_be_written(name: str) -> None:
    with pytest.raises(ModelError, match=r"terminal .* cannot be written.*line breaks or both kinds of quotes"):
        str(PCFG("S", [Rule("S", (Terminal(name),))]))


@pytest.mark.parametrize("name", ["PRP$", "-NONE-", "x=A", ".", ",", "``", "NP-SBJ^S", "größe", "$", "A%", "(", "<a>"])
def test_symbols_of_treebanks_can_be_written(name: str) -> None:
    grammar = PCFG(name, [Rule(name, (Terminal("it's"),)), Rule(name, (Terminal('say "no"'), name))])
    assert PCFG.from_string(str(grammar), weights="keep") == grammar


def test_what_nltk_cannot_hold() -> None:
    with pytest.raises(ModelError, match=r"NLTK refuses.*S do not sum to 1.*normalised\(\)"):
        PCFG("S", [Rule("S", (Terminal("a"),), 0.5)]).to_nltk()
    with pytest.raises(ModelError, match=r"expected an nltk\.PCFG, got CFG"):
        PCFG.from_nltk(nltk.CFG.fromstring("S -> 'a'"))
    numbers = nltk.PCFG(nltk.Nonterminal("S"), [nltk.ProbabilisticProduction(nltk.Nonterminal("S"), [3], prob=1.0)])
    with pytest.raises(ModelError, match="symbols must be non-empty strings"):
        PCFG.from_nltk(numbers)


def test_public_names() -> None:
    assert rb.Rule("S", ("NP", rb.Terminal("it's")), 0.5).text == 'S -> NP "it\'s"'


@pytest.mark.parametrize(
    "text",
    [
        "S -> " + "[" * 100_000,
        "S -> 'a' " + "[ 1" * 30_000,
        "S -> 'a' [" + "1" * 100_000 + "x]",
        "S -> " + "'\"" * 50_000,
        "S -> " + "|" * 100_000,
        "S -> " + "\\\t" * 50_000,
        "S -> " + "é" * 100_000,
        "%" * 100_000,
    ],
    ids=["brackets", "weights", "digits", "quotes", "bars", "backslashes", "a long name", "a long directive"],
)
def test_what_is_no_grammar_is_refused_at_once(text: str) -> None:
    """In time linear in its length (some of these took minutes), and in a line that can be read."""
    began = process_time()
    with pytest.raises(ModelError) as refused:
        PCFG.from_string(text)
    assert process_time() - began < 5.0
    assert len(str(refused.value)) < 300
