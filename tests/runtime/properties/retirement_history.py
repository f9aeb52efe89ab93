"""Random rulesets that retire, and random histories under them, as plain values that print and shrink well."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from history import Act, numbers
from hypothesis import strategies as st
from sampling import sampled

from dcc.compiler.program import ElementRow, Match, Program, Rule, Settle
from dcc.grammar.ast import BORN, OPEN, Bound
from dcc.runtime.view.transcript import Format

FOLDER = "/work"
SHORT = "ok, done as asked"
MIDDLE = "a line that takes some room, and another one that takes some more, and a third"
LONG = ("much to read " * 40).strip()
WRITTEN = ("x = 1; " * 40).strip()
REWRITTEN = ("x = 2; " * 50).strip()
NAMES = {WRITTEN: "WRITTEN", REWRITTEN: "REWRITTEN", SHORT: "SHORT", MIDDLE: "MIDDLE", LONG: "LONG"}

ENDS = (
    OPEN, OPEN, BORN, Bound("born", 1), Bound("turn", 2), Bound("born", 1, "calls"), Bound("born", 2, "calls"),
    Bound("born", 4, "calls"), Bound("idle", 1, "calls"), Bound("idle", 2, "calls"), Bound("idle", 1),
    Bound("until_superseded"),
)  # fmt: skip
#: Most calls speak of few paths, in many spellings; some of none.
PATHS = ("a.py", "a.py", "./a.py", "src/..//a.py", "/work/a.py", "b.md", "b.md", "../b.md", "/b.md", "", 7, None)

#: What a refinement may be of and match, by the name it then has.
REFINEMENTS = {
    "read": ("toolResult", (Match("tool", "equal", ("read",)),)),
    "edits": ("chain", (Match("tool", "equal", ("edit", "write")),)),
    "python": ("toolResult", (Match("args.path", "regex", (r"\.py$",)),)),
    "failed": ("toolResult", (Match("is_error", "equal", (True,)),)),
    "large": ("chain", (Match("tokens", "at_least", (40,)), Match("tool", "equal", ("read", "ls")))),
    "writing": ("toolCall", (Match("tool", "equal", ("edit",)),)),
}


class RetirementHistory(NamedTuple):
    """The rows of a ruleset, its settle section, the format that requests are asked in, and what is done."""

    rows: tuple[ElementRow, ...]
    settle: Settle | None
    format: Format
    acts: tuple[Act, ...]

    @property
    def program(self) -> Program:
        """The program of the ruleset."""
        rows = {row.name: row for row in self.rows}
        return Program("random", "0" * 64, rows, settle=self.settle, declared=frozenset(rows))


@st.composite
def policies(draw: st.DrawFn, name: str, of: str | None = None, match: tuple[Match, ...] = ()) -> ElementRow:
    """A row with any end and any way to retire; only what belongs to a tool call has a key."""
    floor = draw(st.sampled_from((0, 0, 0, 1, 2)))
    ceiling = draw(st.sampled_from((None, None, None, 1, 2)))
    return ElementRow(
        name,
        Rule(draw(st.sampled_from((BORN, BORN, BORN, BORN, BORN, Bound("born", 1)))), draw(st.sampled_from(ENDS))),
        of,
        match,
        "args.path" if of is not None and draw(st.sampled_from((True, True, False))) else None,
        draw(st.sampled_from(("drop", "offload", "offload", "stub"))),
        floor,
        ceiling and max(ceiling, floor),
        draw(st.sampled_from((False, False, True))),
        draw(st.sampled_from((0, 0, 0, 20, 60))),
    )


ends = st.sampled_from(ENDS)
texts = st.sampled_from((SHORT, MIDDLE, LONG, LONG))
rule_patches = st.tuples(
    st.sampled_from(("toolResult", "toolResult", "note", "assistant", "toolCall")),
    st.builds(Rule, st.just(BORN), ends),
    st.sampled_from(("forward", "reset_from_now", "force_refresh", "force_refresh")),
)
#: A tool call: the provider's id, the tool, its arguments.
tools = st.tuples(
    st.sampled_from(("c1", "c2")),
    st.sampled_from(("read", "read", "edit", "ls")),
    st.tuples(
        st.tuples(st.just("path"), st.sampled_from(PATHS)),
        st.tuples(st.just("content"), st.sampled_from(("x", WRITTEN, REWRITTEN))),
    ),
)


def _act(name: str, *args: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Act, ...]]:
    return st.tuples(*args).map(lambda values: (Act(name, values),))


controls: st.SearchStrategy[tuple[Act, ...]] = st.one_of(
    _act("keep", st.none() | numbers),
    _act("unkeep", st.just("all") | numbers),
    _act("close", numbers),
    _act("reopen", numbers),
    _act("represent", numbers, st.sampled_from(("full", "full", "ref", "stub"))),
    _act("entry", st.just("note"), texts),
    _act("rule", rule_patches),
    _act("undo", st.sampled_from((1, 1, 1, 2))),
    _act("undo", st.just(1)),
    _act("undo_at", numbers),
    _act("restart"),
    _act("break_store"),
    _act("ask"),
)
seldom = st.one_of(st.just(()), st.just(()), st.just(()), st.just(()), controls)


@st.composite
def calls(draw: st.DrawFn) -> tuple[Act, ...]:
    """One call: perhaps a failure, the reply, and the results in any order."""
    acts: list[Act] = []
    if draw(st.sampled_from((*[False] * 9, True))):
        acts += [Act("ask"), Act("fail"), *draw(seldom), Act("begin", (SHORT, ()))]
    acts += draw(seldom)
    asked = tuple(draw(st.lists(tools, min_size=1, max_size=2)))
    acts.append(Act("reply", (draw(st.booleans()), draw(st.sampled_from(("", "", LONG))), asked)))
    for _ in asked:
        acts += draw(seldom)
        acts.append(Act("result", (draw(numbers), draw(texts), draw(st.sampled_from((False, False, True))))))
    return tuple(acts)


@st.composite
def turns(draw: st.DrawFn) -> tuple[Act, ...]:
    """One turn: what comes before it, the message, a tool loop, the end."""
    acts = [*draw(seldom), *draw(seldom), Act("begin", (SHORT, ()))]
    for _ in range(draw(st.sampled_from((0, 1, 2, 2, 3, 4)))):
        acts += draw(calls())
    acts += draw(seldom)
    if draw(st.sampled_from((True, True, True, True, False))):
        acts += [Act("reply", (False, draw(texts), ())), Act("commit")]
    else:
        acts.append(Act(draw(st.sampled_from(("abort", "restart", "fail")))))
    return tuple(acts)


@st.composite
def histories(draw: st.DrawFn) -> RetirementHistory:
    """A ruleset with rows that retire, and one to six turns under it."""
    rows = [ElementRow(name) for name in ("system", "user", "think", "assistant", "toolCall", "toolResult", "note")]
    for name in draw(st.lists(st.sampled_from(("assistant", "toolResult", "toolResult", "note")), max_size=2)):
        rows = [draw(policies(name)) if row.name == name else row for row in rows]
    for name in draw(st.lists(st.sampled_from(tuple(REFINEMENTS)), unique=True, min_size=1, max_size=3)):
        rows.append(draw(policies(name, *REFINEMENTS[name])))
    settle = draw(st.sampled_from((None, None, Settle(1, 0), Settle(1, 60), Settle(3, 0), Settle(4, 100))))
    length = draw(st.sampled_from((1, 2, 3, 4, 5)))
    acts = [act for _ in range(length) for act in draw(turns())]
    return RetirementHistory(tuple(rows), settle, draw(st.sampled_from(("openai", "anthropic", "pi"))), tuple(acts))


@cache
def sample() -> list[RetirementHistory]:
    """The same 200 histories every time."""
    return sampled(histories(), seeds=20)
