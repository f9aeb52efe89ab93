"""The syntax of files of operations: what is read, and where and how an error is told."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcc.compiler.documents import shipped_ops_path
from dcc.grammar.ops import MAX_DEPTH, MAX_TEXT, read_ops
from dcc.grammar.ops_syntax import Node, OpSyntax

HEAD = 'op note { "Archive slots." ids: slots '
TAIL = " effect hold archived }"

SHIPPED = shipped_ops_path("cpat")
assert SHIPPED is not None
CPAT = SHIPPED.read_text(encoding="utf-8")


def one(text: str) -> OpSyntax:
    read = read_ops(text)
    assert [error.message for error in read.errors] == []
    (op,) = read.ops
    return op


def condition(text: str) -> Node:
    return one(f'{HEAD} refuse no when {text} "no" {TAIL}').refusals[0].when


def shape(node: Node) -> object:
    """An expression without its places."""
    return node.value if not node.parts else [node.kind, *map(shape, node.parts)]


def test_every_part_of_an_op() -> None:
    op = one(
        """
        # a comment, with "quotes
        op put_away reversed by bring_back gate careful {
          "It says this," "and that."
          ids: slots "the slots"
          how: word(archived|hidden) = archived else no_such_way "a # in a text"
          few: count = 3
          all_of_it: flag = true
          label: text = "a \\"b\\" \\\\ c\\nd"
          refuse first when blank(label) "one"
          guard gain, budget
          effect hold how when few >= 2
          effect bear { content: label, prefix: "[{label}] ", }
        }
        """
    )
    assert (op.name.text, op.doc) == ("put_away", "It says this, and that.")
    assert ([gate.text for gate in op.gates], [name.text for name in op.reverses]) == (["careful"], ["bring_back"])
    assert [(a.name.text, a.type.text, a.doc) for a in op.arguments[:2]] == [
        ("ids", "slots", "the slots"),
        ("how", "word", "a # in a text"),
    ]
    how = op.arguments[1]
    assert [word.text for word in how.words] == ["archived", "hidden"]
    assert how.default is not None
    assert how.otherwise is not None
    assert (how.default.value, how.otherwise.text) == ("archived", "no_such_way")
    assert [a.default.value for a in op.arguments[2:] if a.default] == [3, True, 'a "b" \\ c\nd']
    assert [(refusal.code.text, refusal.message) for refusal in op.refusals] == [("first", "one")]
    assert [guard.text for guard in op.guards] == ["gain", "budget"]
    hold, bear = op.effects
    assert hold.how is not None
    assert (hold.kind.text, hold.how.text, hold.when is not None) == ("hold", "how", True)
    assert [(name.text, value.kind, value.value) for name, value in bear.options] == [
        ("content", "name", "label"),
        ("prefix", "text", "[{label}] "),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("blank(a) or blank(b) and not c", ["or", ["blank", "a"], ["and", ["blank", "b"], ["not", "c"]]]),
        ("(blank(a) or blank(b)) and blank(c)", ["and", ["or", ["blank", "a"], ["blank", "b"]], ["blank", "c"]]),
        ("not not flag", ["not", ["not", "flag"]]),
        ("any(target.kind != toolResult)", ["any", ["!=", "kind", "toolResult"]]),
        ("count(ids) <= 2", ["<=", ["count", "ids"], 2]),
        ("how in [a, \"b c\", 3, false]", ["in", "how", ["list", "a", "b c", 3, False]]),
        ("((((how == a))))", ["==", "how", "a"]),
        # Words of the language are names where no such word can stand.
        ("any == all", None),
        ("guard == effect", ["==", "guard", "effect"]),
    ],
)  # fmt: skip
def test_expressions(text: str, expected: object) -> None:
    if expected is None:
        assert read_ops(f'{HEAD} refuse no when {text} "no" {TAIL}').errors
    else:
        assert shape(condition(text)) == expected


def test_a_place_is_that_of_the_text() -> None:
    text = f'# first\n{HEAD} refuse no when any(target.knid == user) "no" {TAIL}'
    fact = next(node for node in one(text).refusals[0].when.walk() if node.kind == "fact")
    assert text[fact.span.start : fact.span.end] == "target.knid"


@pytest.mark.parametrize(
    ("text", "wrong", "expected"),
    [
        ("op note { ids slots }", "slots", (":",)),
        ("op note { ids: slots effect }", "}", ("a name",)),
        ("op note { ids: slots effect hold archived", "", ("{", "effect", "}", "when")),
        ("note { ids: slots }", "note", ("op",)),
        ('op note { ids: slots refuse when "no" effect lift }', '"no"', ("when",)),
        ("op note { ids: slots refuse no any(target.unread) effect lift }", "any", ("when",)),
        ("op note { ids: slots refuse no when count(ids) < 2 effect lift }", "effect", ('a "text"',)),
        ("op note { ids: slots guard gain budget effect lift }", "budget", ("guard", "effect", "}", ",")),
        ('op note { ids: slots = "te }', '"te }', ("a name", "a whole number", "true", "false", 'a "text"')),
    ],
)  # fmt: skip
def test_errors_say_where_and_what_was_expected(text: str, wrong: str, expected: tuple[str, ...]) -> None:
    (error,) = read_ops(text).errors
    assert text[error.span.start : error.span.end] == wrong
    assert error.expected == expected
    assert error.code == "ops_syntax"
    assert error.help


@pytest.mark.parametrize(
    ("text", "help"),
    [
        ("op a { ids: slots effect lift } op b { ids: slots effect lift }", "an op begins on a line of its own"),
        ("op a(ids) { ids: slots effect lift }", "arguments stand inside of the braces, one after the other: "),
        ("op a { ids: slot[] effect lift }", "a list of ids is of type slots, a list of texts of type texts"),
        ('op a { ids: slots refuse x if blank(ids) "m" effect lift }', "a condition begins with `when`"),
        ("op a { ids: slots effect hold: archived }", "take the : out"),
        ("op a gate: careful { ids: slots effect lift }", "take the : out"),
        ("op a reversed_by b { ids: slots effect lift }", "`reversed by` are two words"),
        ('op a { ids: slots effect represent "ref" }', "a word of the language stands here, without quotes"),
        ("op a { 'x' ids: slots effect lift }", 'texts stand between "'),
        ('op a { "x", ids: slots effect lift }', "nothing stands between the parts of an op: take it out"),
        ("op a { ids: slots; effect lift }", "nothing stands between the parts of an op: take it out"),
        ('op a { ids: slots refuse x when any(target.tokens > 1_000) "m" effect lift }', "a whole number has"),
        ("op a { ids: slots n: count = -1 effect lift }", "a whole number has"),
        ("op a { ids: slots n: count = 1.5 effect lift }", "a whole number has"),
        ('op a { ids: slots refuse x when (any(target.unread) "m" effect lift }', "close the bracket before the text"),
        ('op a { ids: slots refuse x when any(target.tokens > 3 tokens) "m" effect lift }', "close the bracket, "),
        ('op a { ids: slots refuse x "m" when blank(ids) effect lift }', "the condition comes first: "),
        ('op a "x" { ids: slots effect lift }', "what an op does is said inside of its braces"),
        ('op a { ids: slots refuse x when blank(ids) "m effect lift }', "texts stand between "),
        ("op a { ids: slots refuse x when count(ids) = 1 effect lift }", "equality is written =="),
        ("op a { ids: slots refuse x when blank(ids) && blank(ids) effect lift }", "write and, or, not"),
    ],
)
def test_what_people_write_who_know_other_languages(text: str, help: str) -> None:
    (error, *_) = read_ops(text).errors
    assert (error.help or "").startswith(help)


def test_an_error_leaves_the_other_ops_whole() -> None:
    read = read_ops("op one { ids slots }\nop two { ids: slots }\n  op three { ids: slots\nop four { ids: slots }")
    assert [op.name.text for op in read.ops] == ["two", "four"]
    assert len(read.errors) == 2


def test_the_file_that_ships_has_eight_ops() -> None:
    read = read_ops(CPAT)
    assert read.errors == ()
    assert [op.name.text for op in read.ops] == [
        "set_visibility", "payload_offload", "restore", "compact", "fold", "merge", "replace", "redact",
    ]  # fmt: skip


def test_line_ends_and_a_byte_order_mark_do_not_matter() -> None:
    read = read_ops("\ufeff" + CPAT.replace("\n", "\r\n"))
    assert read.errors == ()
    assert len(read.ops) == 8
    first = read_ops(f"\ufeff{HEAD} {TAIL}")
    assert first.errors == ()
    assert [op.name.span.start for op in first.ops] == [4]


def test_what_stands_there_can_be_seen() -> None:
    (unseen,) = read_ops("\0\x1bop").errors
    assert unseen.message.startswith("`\\x00` stands here")
    (large,) = read_ops(f'op a {{ "x" ids: slots "t" n: count = {"9" * 20} "n" {TAIL}').errors
    assert large.help == "a whole number has at most 9 digits, 0 to 9"


def test_limits() -> None:
    assert one(f'{HEAD} refuse no when {"(" * 500}blank(ids){")" * 500} "no" {TAIL}')
    (deep,) = read_ops(f'{HEAD} refuse no when {"not " * (MAX_DEPTH + 2)}blank(ids) "no" {TAIL}').errors
    assert deep.code == "ops_too_deep"
    (large,) = read_ops("#" * (MAX_TEXT + 1)).errors
    assert large.code == "ops_too_large"


def test_the_time_is_linear() -> None:
    """A thousand times as much of anything is read, also of what could be tried in many ways."""
    for piece in ("op ", "op a ", "op a {", "(", '"', "#", " ", "\n", "op a { ids: slots }\n", "or ", "not ", "}"):
        read_ops(piece * 10_000)


@given(st.text(alphabet='op ac{}:()[]|=!<>"\\#\n,.é目 1_-', max_size=200))
def test_no_text_is_too_strange(text: str) -> None:
    read = read_ops(text)
    for error in read.errors:
        assert 0 <= error.span.start <= error.span.end <= len(text)
        assert error.help


def test_it_is_not_imported_before_it_is_needed() -> None:
    code = "import sys, dcc.compiler.load, dcc.compiler.check as c; c.ruleset_checks(); print([m for m in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "dcc.compiler.load" in loaded
    assert "dcc.grammar.ops" not in loaded
    assert "'lark'" not in loaded
