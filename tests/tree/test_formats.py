"""Formats: what is written reads back equal, others read it too, and what others write is understood."""

import json
import sys
from collections.abc import Callable
from random import Random

import networkx
import nltk
import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

import recbayes as rb
from recbayes.errors import DataError, FileError
from tests.tree.random_trees import DEEP, believed_trees, build, names, nested, trees

SMALL = rb.Tree(
    [rb.Node(0, 5, "x", "split shift 1"), rb.Node(0, 3, "x", "emit"), rb.Node(3, 5, "z", "emit")],
    [2, 0, 0],
)
FORMATS: dict[str, tuple[Callable, Callable]] = {
    "brackets": (rb.Tree.to_brackets, rb.Tree.from_brackets),
    "json": (rb.Tree.to_json, rb.Tree.from_json),
    "networkx": (rb.Tree.to_networkx, rb.Tree.from_networkx),
    "newick": (rb.Tree.to_newick, rb.Tree.from_newick),
    "nltk": (rb.Tree.to_nltk, rb.Tree.from_nltk),
}
WORDS = st.text(alphabet="abcXYZ", min_size=1, max_size=4)


@pytest.mark.parametrize("name", FORMATS)
@given(tree=trees())
def test_what_is_written_reads_back_equal(name: str, tree: rb.Tree) -> None:
    write, read = FORMATS[name]
    assert read(write(tree)) == tree


@pytest.mark.parametrize("tree", DEEP.values(), ids=DEEP)
@pytest.mark.parametrize("name", FORMATS)
def test_deep_trees_read_back_equal(name: str, tree: rb.Tree) -> None:
    write, read = FORMATS[name]
    assert read(write(tree)) == tree


@pytest.mark.parametrize("name", FORMATS)
def test_readers_return_the_class_they_are_called_on(name: str) -> None:
    class Family(rb.Tree):
        pass

    write, _ = FORMATS[name]
    assert type(getattr(Family, f"from_{name}")(write(SMALL))) is Family


# Brackets


def test_brackets() -> None:
    assert SMALL.to_brackets() == "(x:split~shift~1 (x:emit 0 1 2) (z:emit 3 4))"
    assert SMALL.to_brackets(["the", "dog", "(", "]", 5]) == "(x:split~shift~1 (x:emit the dog -LRB-) (z:emit -RSB- 5))"
    assert build((0, 3, ((0, 1, ()), (1, 3, ())))).to_brackets() == "(_ (_ 0) (_ 1 2))"
    assert rb.Tree([rb.Node(7, 9, "x")], [0]).to_brackets() == "(x 7 8)"


@pytest.mark.parametrize(
    "name", ["-LRB-", "-LRB(", "(LRB-", "(LRB(", "-LRB-LRB-", "-RSB{LRB)", "\\(", "\\-LRB-", "_", ":", "a:"]
)
def test_names_that_look_like_what_they_are_written_as(name: str) -> None:
    for node in (rb.Node(0, 1, name), rb.Node(0, 1, "", name), rb.Node(0, 1, name, name)):
        tree = rb.Tree([node], [0])
        assert rb.Tree.from_brackets(tree.to_brackets()) == tree
        assert rb.Tree.from_newick(tree.to_newick()) == tree


@given(trees(first=st.just(0)), st.data())
def test_nltk_reads_our_brackets(tree: rb.Tree, data: st.DataObject) -> None:
    """Its parser finds the same spans, the tokens in order, and the tree that `to_nltk` builds."""
    token = st.text(min_size=1, max_size=3).filter(lambda text: text.split() == [text] and not text.isdigit())
    token |= st.sampled_from([*"()[]{}\\", "a\\"])  # numbers in order would be positions
    tokens = data.draw(st.lists(token, min_size=tree.length, max_size=tree.length))
    for given_tokens in (None, tokens):
        read = nltk.Tree.fromstring(tree.to_brackets(given_tokens))
        assert read == tree.to_nltk(given_tokens)
        spans: list[tuple[int, int]] = []

        def walk(node: nltk.Tree, start: int, spans: list = spans) -> int:
            place = len(spans)
            spans.append((start, start))
            end = start
            for child in node:
                end = walk(child, end) if isinstance(child, nltk.Tree) else end + 1
            spans[place] = (start, end)
            return end

        walk(read, 0)
        assert tuple(spans) == tree.spans
        assert rb.Tree.from_nltk(read).spans == tree.spans
    assert nltk.Tree.fromstring(tree.to_brackets()).leaves() == [str(position) for position in range(tree.length)]
    plain = {"(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-"}
    assert read.leaves() == ["".join(plain.get(character, character) for character in token) for token in tokens]


@given(trees(first=st.just(0)))
def test_printed_nltk_trees_are_brackets(tree: rb.Tree) -> None:
    assert rb.Tree.from_brackets(tree.to_nltk().pformat(margin=30)) == tree


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "(S (NP the dog) (VP (V barks)))",
            [((0, 3), "S", 2), ((0, 2), "NP", 0), ((2, 3), "VP", 1), ((2, 3), "V", 0)],
        ),
        ("( (S (NP he) (VP ran)) )\n", [((0, 2), "S", 2), ((0, 1), "NP", 0), ((1, 2), "VP", 0)]),
        ("((S (A a)))", [((0, 1), "S", 1), ((0, 1), "A", 0)]),
        ("( (A a) (B b) )", [((0, 2), "", 2), ((0, 1), "A", 0), ((1, 2), "B", 0)]),
        (
            "(VP barks (ADV very loudly) now .)",
            [((0, 5), "VP", 4), ((0, 1), "", 0), ((1, 3), "ADV", 0), ((3, 4), "", 0), ((4, 5), "", 0)],
        ),
        ("(NP-SBJ=2 (: --) (-LRB- -LRB-))", [((0, 2), "NP-SBJ=2", 2), ((0, 1), ":", 0), ((1, 2), "(", 0)]),
        ("(S|<NP-VP>\n\t(NP_1   a)\n(`` ``))", [((0, 2), "S|<NP-VP>", 2), ((0, 1), "NP_1", 0), ((1, 2), "``", 0)]),
        ("(x 3 4 5)", [((3, 6), "x", 0)]),
        ("(x 3 5 4)", [((0, 3), "x", 0)]),
        ("(x 03 04)", [((0, 2), "x", 0)]),
    ],
)
def test_brackets_of_others(text: str, expected: list) -> None:
    tree = rb.Tree.from_brackets(text)
    assert [(node.span, node.label, arity) for node, arity in zip(tree, tree.arities, strict=True)] == expected
    assert {node.rule for node in tree} == {""}
    assert rb.Tree.from_nltk(nltk.Tree.fromstring(text)) == tree


def test_a_backslash_protects_a_bracket() -> None:
    assert rb.Tree.from_brackets(r"(x a\)b \(c)").spans == ((0, 2),)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "no bracket in it"),
        ("  \n", "no bracket in it"),
        ("S (NP a)", "begins with '\\(', not with 'S'"),
        (")", "begins with '\\(', not with '\\)'"),
        ("(S (NP a)", "closing brackets are missing: 1"),
        ("(S (NP (D a", "closing brackets are missing: 3"),
        ("(S a))", "go on after the tree is complete"),
        ("(S a) (S b)", "one tree at a time"),
        ("(S (NP) a)", "node 'NP' covers nothing"),
        ("()", "covers nothing"),
    ],
)
def test_brackets_that_are_no_tree(text: str, complaint: str) -> None:
    with pytest.raises(FileError, match=complaint):
        rb.Tree.from_brackets(text)


def test_tokens_must_be_words_and_one_for_each_observation() -> None:
    with pytest.raises(DataError, match="4 tokens for a tree over 5 observations"):
        SMALL.to_brackets("abcd")
    for token in ("", " ", "two words", "line\n"):
        with pytest.raises(DataError, match="is not one word"):
            SMALL.to_brackets([token] * 5)


def test_nltk_trees_that_are_none() -> None:
    with pytest.raises(DataError, match=r"expected an nltk.Tree, got str"):
        rb.Tree.from_nltk("(S a)")
    with pytest.raises(DataError, match="node 'NP' covers nothing"):
        rb.Tree.from_nltk(nltk.Tree("S", [nltk.Tree("NP", []), "a"]))


def test_nltk_labels_and_leaves_may_be_anything() -> None:
    tree = rb.Tree.from_nltk(nltk.Tree(nltk.Nonterminal("S"), [nltk.Tree("A", [0.5, None]), ("b", "B")]))
    assert [(node.span, node.label) for node in tree] == [((0, 3), "S"), ((0, 2), "A"), ((2, 3), "")]


# Newick


def test_newick() -> None:
    assert SMALL.to_newick() == "('x:emit':3,'z:emit':2)'x:split shift 1';"
    assert build((0, 3, ((0, 1, ()), (1, 3, ())))).to_newick() == "(:1,:2);"
    assert rb.Tree([rb.Node(7, 9, "it's")], [0]).to_newick() == "[&start=7]'it''s':2;"


def test_newick_with_probabilities() -> None:
    nodes = [rb.Node(0, 5, "x", probability=1.0), rb.Node(0, 3, "a", probability=0.93), rb.Node(3, 5, "", probability=1e-9)]
    tree = rb.Tree(nodes, [2, 0, 0])
    assert tree.to_newick() == "(a:3,:2)x;"
    assert tree.to_newick(probabilities=True) == "(a[&posterior=0.93]:3,[&posterior=1e-09]:2)x[&posterior=1.0];"


@given(tree=believed_trees())
def test_newick_keeps_probabilities(tree: rb.Tree) -> None:
    found = rb.Tree.from_newick(tree.to_newick(probabilities=True))
    assert found == tree
    assert [node.probability for node in found] == [node.probability for node in tree]


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("[&rate=1.5,posterior=0.25,height_95%_HPD={1,2}]", 0.25),
        ("[&posterior=1E-3]", 0.001),
        ("[&posterior=2.5]", None),
        ("[&posterior=high]", None),
        ("[&posterior=1.2.3]", None),
        ("[&posterior=]", None),
        ("[posterior=0.5]", None),
        ("[&prior_posterior=0.5]", None),
        ("[" + "&" * 50_000 + "posterior=0.5" + "," * 50_000 + "]", None),
    ],
)
def test_comments_of_others(comment: str, expected: float | None) -> None:
    assert rb.Tree.from_newick(f"(a{comment}:2,b):1;").leaves[0].probability == expected


@given(nested(), st.data())
def test_newick_agrees_with_a_recursive_writer(picture: tuple, data: st.DataObject) -> None:
    tree = build(picture)
    labels = data.draw(st.lists(WORDS, min_size=len(tree), max_size=len(tree)))
    waiting = iter(labels)

    def write(node: tuple) -> str:
        start, end, children = node
        label = next(waiting)
        return f"({','.join(map(write, children))}){label}" if children else f"{label}:{end - start}"

    labelled = rb.Tree([rb.Node(*node.span, label) for node, label in zip(tree, labels, strict=True)], tree.arities)
    assert labelled.to_newick() == write(picture) + ";"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(A,B,(C,D)E)F;", [((0, 4), "F"), ((0, 1), "A"), ((1, 2), "B"), ((2, 4), "E"), ((2, 3), "C"), ((3, 4), "D")]),
        ("(,(,));", [((0, 3), ""), ((0, 1), ""), ((1, 3), ""), ((1, 2), ""), ((2, 3), "")]),
        ("(a:2.0,b:3e0):0.25;\n", [((0, 5), ""), ((0, 2), "a"), ((2, 5), "b")]),
        (
            "[&R] ( big_cat [a comment] : 2 , 'small_cat' ) 'it''s' ;",
            [((0, 3), "it's"), ((0, 2), "big cat"), ((2, 3), "small_cat")],
        ),
        ("((a)b)c;", [((0, 1), "c"), ((0, 1), "b"), ((0, 1), "a")]),
        ("('':2,'(;,)')r;", [((0, 3), "r"), ((0, 2), ""), ((2, 3), "(;,)")]),
        (";", [((0, 1), "")]),
    ],
)
def test_newick_of_others(text: str, expected: list) -> None:
    assert [(node.span, node.label) for node in rb.Tree.from_newick(text)] == expected


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "ends without ';'"),
        ("(a,b)", "ends without ';'"),
        ("(a,b;", "closing brackets are missing before ';': 1"),
        ("a,b;", "',' at character 2 is outside all brackets"),
        ("(a,b));", r"'\)' at character 6 is outside all brackets"),
        ("(a,b);c", "goes on after the ';'"),
        ("(a b);", "'b' at character 4 is out of place"),
        ("a(b,c);", r"'\(' at character 2 is out of place"),
        ("(a,b)(c,d);", "out of place"),
        ("(a:1:2,b);", "':2' at character 5 is out of place"),
        ("(a:1 b,c);", "'b' at character 6 is out of place"),
        ("('a,b);", "the quote at character 2 has no other end"),
        ("(a[,b);", "the comment at character 3 has no other end"),
        ("(a],b);", "the bracket at character 3 has no other end"),
        ("(a:,b);", "branch length '' is not a number"),
        ("(a:1,b:1)c:x;", "branch length 'x' is not a number"),
        ("(a:0.3,b);", "leaf 'a' has the branch length '0.3', .* leave branch lengths out"),
        ("(a:0,b);", "must be its number of observations"),
        ("(a:-2,b);", "must be its number of observations"),
        ("(a:nan,b);", "must be its number of observations"),
        ("(a:inf,b);", "must be its number of observations"),
    ],
)
def test_newick_that_is_no_tree(text: str, complaint: str) -> None:
    with pytest.raises(FileError, match=complaint):
        rb.Tree.from_newick(text)


# JSON


@given(believed_trees())
def test_json_keeps_everything_bit_for_bit(tree: rb.Tree) -> None:
    again = rb.Tree.from_json(tree.to_json())
    assert again == tree
    for one, other in zip(tree, again, strict=True):
        assert one.probability == other.probability
        for array, read in ((one.value, other.value), (one.covariance, other.covariance)):
            if array is None:
                assert read is None
            else:
                assert read is not None
                assert (read.shape, read.dtype, read.tobytes()) == (array.shape, array.dtype, array.tobytes())


def test_json_is_plain_data() -> None:
    node = rb.Node(np.int64(2), np.int64(4), "x", "emit", np.array([1, 2]), np.eye(2), np.float64(0.5))  # type: ignore[arg-type]
    document = json.loads(rb.Tree([node], [0]).to_json())
    known = {"value": [1, 2], "covariance": [[1.0, 0.0], [0.0, 1.0]], "probability": 0.5}
    entry = {"start": 2, "end": 4, "children": 0, "label": "x", "rule": "emit", **known}
    assert document == {"format": "recbayes.Tree", "version": 1, "nodes": [entry]}


@pytest.mark.parametrize("bad", [np.array([np.nan]), np.array([np.inf]), np.array([1j]), np.array(["a"]), np.array([True])])
def test_json_refuses_what_is_no_number(bad: np.ndarray) -> None:
    with pytest.raises(DataError, match=r"the value of node \(0, 1\) is not made of finite real numbers"):
        rb.Tree([rb.Node(0, 1, value=bad)], [0]).to_json()
    with pytest.raises(DataError, match=r"the probability of node \(0, 1\) is not made of finite"):
        rb.Tree([rb.Node(0, 1, probability=float("nan"))], [0]).to_json()


def edited(**fields: object) -> str:
    """A sound document with some fields of its only node replaced, or left out where None."""
    node = {"start": 0, "end": 1, "children": 0, "label": "x", "rule": "emit", **fields}
    node = {name: value for name, value in node.items() if value is not None}
    return json.dumps({"format": "recbayes.Tree", "version": 1, "nodes": [node]})


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ("[1, 2]", 'the field "format" is none of recbayes.Tree'),
        ('{"format": "recbayes.GaussianRBN", "version": 1}', 'the field "format"'),
        ('{"format": "recbayes.Tree", "version": 2, "nodes": []}', "version 2 of the format; this recbayes reads version 1"),
        ('{"format": "recbayes.Tree", "nodes": []}', "version None"),
        ('{"format": "recbayes.Tree", "version": 1}', "the field 'nodes' is missing"),
        ('{"format": "recbayes.Tree", "version": 1, "nodes": {}}', '"nodes" is not a list'),
        ('{"format": "recbayes.Tree", "version": 1, "nodes": []}', "describes an impossible tree: a tree needs"),
        ('{"format": "recbayes.Tree", "version": 1, "nodes": [3]}', "node 0 is not an object"),
        (edited(end=None), 'node 0 has no field "end"'),
        (edited(children=None), 'node 0 has no field "children"'),
        (edited(start="0"), '"start" of node 0 is not a whole number'),
        (edited(start=0.0), '"start" of node 0 is not a whole number'),
        (edited(end=True), '"end" of node 0 is not a whole number'),
        (edited(label=3), '"label" of node 0 is not a text'),
        (edited(end=0), r"impossible tree: node \(0, 0\) covers nothing"),
        (edited(children=2), "impossible tree: the tree ends before"),
        (edited(value=[[1, 2], [3]]), '"value" of node 0 is not an array: its rows differ in length'),
        (edited(value=["a"]), '"value" of node 0 is not made of finite numbers'),
        (edited(value=[10**400]), "1000.* is not a number"),
        (edited(value={"a": 1}), '"value" of node 0 is not made of finite numbers'),
        (edited(value=[float("nan")]), "NaN is not a number"),
        (edited(value=[float("-inf")]), "-Infinity is not a number"),
        (edited(value=[1.0]).replace("1.0", "1e999"), "1e999 is not a number"),
        (edited(probability=[0.5]), '"probability" of node 0 is not a single number'),
        (edited(probability="0.5"), '"probability" of node 0 is not made of finite numbers'),
        (edited(probability=10**400), "1000.* is not a number"),
    ],
)
def test_json_that_is_no_tree(text: str, complaint: str) -> None:
    with pytest.raises(FileError, match=complaint):
        rb.Tree.from_json(text)


# Graphs and tables


@given(believed_trees())
def test_networkx(tree: rb.Tree) -> None:
    graph = tree.to_networkx()
    assert networkx.is_arborescence(graph)
    assert list(networkx.dfs_preorder_nodes(graph, 0)) == list(range(len(tree)))
    assert networkx.dag_longest_path_length(graph) + 1 == tree.depth
    assert {child: parent for parent, child in graph.edges} == dict(enumerate(tree.parents[1:], start=1))
    for index, node in enumerate(tree):
        attributes = graph.nodes[index]
        assert (attributes["start"], attributes["end"], attributes["label"], attributes["rule"]) == (
            *node.span,
            node.label,
            node.rule,
        )
        for name in ("value", "covariance", "probability"):
            assert attributes.get(name) is getattr(node, name)


@given(believed_trees(), st.randoms())
def test_networkx_in_any_order_and_under_any_names(tree: rb.Tree, random: Random) -> None:
    graph = tree.to_networkx()
    order = list(graph)
    random.shuffle(order)
    shuffled = networkx.DiGraph()
    shuffled.add_nodes_from((f"node {index}", graph.nodes[index]) for index in order)
    shuffled.add_edges_from((f"node {graph_parent}", f"node {child}") for graph_parent, child in reversed(list(graph.edges)))
    again = rb.Tree.from_networkx(shuffled)
    assert again == tree
    for one, other in zip(tree, again, strict=True):
        assert one.value is other.value
        assert one.covariance is other.covariance
        assert one.probability is other.probability


def test_graphs_that_are_no_tree() -> None:
    graph = SMALL.to_networkx()
    with pytest.raises(DataError, match="expected a directed graph of networkx, got Graph"):
        rb.Tree.from_networkx(graph.to_undirected())
    with pytest.raises(DataError, match="expected a directed graph of networkx, got Tree"):
        rb.Tree.from_networkx(SMALL)
    with pytest.raises(DataError, match="the graph is not a tree"):
        rb.Tree.from_networkx(networkx.DiGraph())
    with pytest.raises(DataError, match="the graph is not a tree"):
        rb.Tree.from_networkx(networkx.DiGraph([(0, 2), (1, 2)]))
    graph.nodes[1]["end"] = 2
    with pytest.raises(DataError, match="must tile"):
        rb.Tree.from_networkx(graph)
    graph.nodes[1]["end"] = 2.5
    with pytest.raises(DataError, match="start and end of node 1 of the graph are not both whole numbers"):
        rb.Tree.from_networkx(graph)
    del graph.nodes[1]["end"]
    with pytest.raises(DataError, match="node 1 of the graph has no 'end'"):
        rb.Tree.from_networkx(graph)


def test_table() -> None:
    value = np.ones(2)
    tree = rb.Tree([rb.Node(0, 3, "x", "split"), rb.Node(0, 1, "x", "emit", value, None, 0.5), rb.Node(1, 3)], [2, 0, 0])
    table = pandas.DataFrame(tree.to_table())
    assert table["start"].tolist() == [0, 0, 1]
    assert table["end"].tolist() == [3, 1, 3]
    assert table["length"].tolist() == [3, 1, 2]
    assert table["level"].tolist() == [0, 1, 1]
    assert table["parent"].tolist() == [-1, 0, 0]
    assert table["children"].tolist() == [2, 0, 0]
    assert table["label"].tolist() == ["x", "x", ""]
    assert table["rule"].tolist() == ["split", "emit", ""]
    assert table["probability"].isna().tolist() == [True, False, True]
    assert table["value"][1] is value
    assert table["covariance"].isna().all()


@pytest.mark.parametrize("tree", DEEP.values(), ids=DEEP)
def test_deep_trees_as_tables_and_spans(tree: rb.Tree) -> None:
    assert [row["level"] for row in tree.to_table()] == list(tree.levels)
    assert rb.Tree.from_spans(tree.spans).arities == tree.arities


@pytest.mark.parametrize("package", ["nltk", "networkx"])
def test_missing_packages_are_asked_for(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=f"pip install {package}"):
        getattr(SMALL, f"to_{package}")()
    with pytest.raises(ImportError, match=f"pip install {package}"):
        getattr(rb.Tree, f"from_{package}")(SMALL)


# Spans


@given(nested(), st.randoms(), st.data())
def test_spans_in_any_order(picture: tuple, random: Random, data: st.DataObject) -> None:
    tree = build(picture)
    labels = data.draw(st.lists(names, min_size=len(tree), max_size=len(tree)))
    pairs = list(zip(tree.spans, labels, strict=True))
    random.shuffle(pairs)
    again = rb.Tree.from_spans((span for span, _ in pairs), labels=[label for _, label in pairs])
    assert again.arities == tree.arities
    assert [(node.span, node.label) for node in again] == list(zip(tree.spans, labels, strict=True))
    assert rb.Tree.from_spans(np.array([span for span, _ in pairs])) == tree


@given(trees())
def test_equal_spans_are_unary_chains_in_the_order_given(tree: rb.Tree) -> None:
    again = rb.Tree.from_spans(tree.spans, [node.label for node in tree])
    assert again == rb.Tree([rb.Node(*node.span, node.label) for node in tree], tree.arities)


@given(st.data(), nested())
def test_gaps_become_leaves(data: st.DataObject, picture: tuple) -> None:
    """Any part of a tree's spans with the root is a tree: all given spans, and one leaf for each maximal gap."""
    tree = build(picture)
    kept = {tree.spans[0], *data.draw(st.sets(st.sampled_from(tree.spans)))}
    again = rb.Tree.from_spans(kept, ["kept"] * len(kept))
    assert {node.span for node in again if node.label} == kept
    for index, node in enumerate(again):
        if node.label == "":
            assert again.arities[index] == 0
            assert not any(start < node.end and node.start < end and end - start < node.length for start, end in kept)
            siblings = again.children(again.parents[index])
            beside = [again.nodes[other] for other in siblings if {node.start, node.end} & set(again.nodes[other].span)]
            assert len(siblings) > 1
            assert [other.label for other in beside if other is not node] == ["kept"] * (len(beside) - 1)


def test_gaps_before_between_and_after() -> None:
    assert rb.Tree.from_spans([(5, 7), (0, 10), (2, 3)]).spans == ((0, 10), (0, 2), (2, 3), (3, 5), (5, 7), (7, 10))


@pytest.mark.parametrize(
    ("spans", "complaint"),
    [
        ([], "at least one span"),
        ([(0, 2), (2, 4)], r"no span covers all others; add that of the root, \(0, 4\)"),
        ([(1, 4), (0, 3)], r"add that of the root, \(0, 4\)"),
        ([(0, 9), (2, 5), (4, 7)], r"spans \(2, 5\) and \(4, 7\) cross"),
        ([(0, 9), (0, 5), (1, 2), (4, 7)], r"spans \(0, 5\) and \(4, 7\) cross"),
        ([(0, 9), (3, 3)], r"span \(3, 3\) covers nothing"),
        ([(0, 9), (1, 2, 3)], r"pair of whole numbers \(start, end\), got \(1, 2, 3\)"),
        ([(0, 9), (0.5, 2)], "pair of whole numbers"),
        ([0, 9], "pair of whole numbers"),
    ],
)
def test_spans_that_are_no_tree(spans: list, complaint: str) -> None:
    with pytest.raises(DataError, match=complaint):
        rb.Tree.from_spans(spans)


def test_every_span_has_its_label() -> None:
    with pytest.raises(DataError, match="1 labels for 2 spans"):
        rb.Tree.from_spans([(0, 2), (0, 1)], ["x"])
