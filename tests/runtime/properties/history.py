"""Random rulesets and random histories of a session, as plain values that print and shrink well."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from hypothesis import strategies as st
from sampling import sampled

from dcc.compiler.program import ElementRow, Program, Rule, Template
from dcc.grammar.ast import BORN, OPEN, Bound
from dcc.runtime.view.transcript import Format

PATCHED = ("goal", "constraint", "note")
SPOKEN = ("user", "assistant", "think", "toolResult")
LONG = ("much to read " * 100).strip()

_UNTIL_GOAL = Bound("until_end", element="goal")
ENDS = (
    OPEN, BORN, Bound("born", 1), Bound("born", 2), Bound("turn", 2), Bound("turn", 4),
    Bound("born", 1, "calls"), Bound("born", 2, "calls"), Bound("born", 4, "calls"),
    Bound("until_cancelled"), Bound("until_superseded"), _UNTIL_GOAL, Bound("until_end", element="note"),
)  # fmt: skip


class Act(NamedTuple):
    """One thing that is done to a session: the name of a method of ``Driver``, and plain arguments.

    Slots are named by a number: 0 is the newest that the act can be done to, 1 the one before it, …
    """

    name: str
    args: tuple[Any, ...] = ()

    def __repr__(self) -> str:
        return f"{self.name}{self.args!r}".replace(LONG, "LONG")


class History(NamedTuple):
    """A ruleset in short, the format that requests are asked in, and what is done."""

    rules: tuple[tuple[str, Rule], ...]
    folds: tuple[str, ...] | None
    endings: bool
    format: Format
    acts: tuple[Act, ...]

    @property
    def program(self) -> Program:
        """The program of the ruleset."""
        rows = {name: ElementRow(name, rule) for name, rule in self.rules}
        return Program(
            "random",
            "0" * 64,
            rows,
            roles={"goal": "user", "constraint": "system"},
            ending_template=Template("plain", "END {element}: {content}") if self.endings else None,
            folds=self.folds,
            patchable=frozenset(PATCHED),
            declared=frozenset(rows) | frozenset(PATCHED),
        )


numbers = st.sampled_from((0, 0, 0, 1, 1, 2, 3, 5, 8))
texts = st.sampled_from(("hello", "hello", "look at it", "go on", LONG))
short = st.sampled_from(("aim", "aim", "hold to it"))
starts = st.sampled_from((BORN, BORN, BORN, BORN, Bound("born", 1), Bound("turn", 3)))
ends = st.sampled_from(ENDS)
rules = st.builds(Rule, starts, ends)
counts = st.sampled_from((1, 1, 1, 2, 2, 3, None))
modes = st.sampled_from(("remain", "remain", "roll", "refresh"))
#: A content patch: element, content, mode, turns.
patches = st.tuples(st.sampled_from(PATCHED), short, modes, counts)

rule_patches = st.tuples(
    st.sampled_from(("goal", "note", "user", "assistant", "toolResult", "toolCall", "extra", "system")),
    rules,
    st.sampled_from(("forward", "add_row", "reset_from_now", "force_refresh", "force_refresh")),
)

refreshes = st.tuples(st.sampled_from(("user", "assistant", "toolResult", "system")), rules, st.just("force_refresh"))


def _act(name: str, *args: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Act, ...]]:
    return st.tuples(*args).map(lambda values: (Act(name, values),))


def _scene(*acts: st.SearchStrategy[tuple[Act, ...]]) -> st.SearchStrategy[tuple[Act, ...]]:
    return st.tuples(*acts).map(lambda parts: tuple(act for part in parts for act in part))


undo = _act("undo", st.sampled_from((1, 1, 1, 2, 3)))
again = _act("restart")
controls: st.SearchStrategy[tuple[Act, ...]] = st.one_of(
    _act("keep", st.none() | numbers),
    _act("unkeep", st.just("all") | numbers),
    _act("close", numbers),
    _act("reopen", numbers),
    _act("represent", numbers, st.sampled_from(("full", "ref", "stub"))),
    _act("end", st.sampled_from((*PATCHED, "user", "pin_user_p01")) | numbers),
    _act("pin", texts),
    _act("cancel_pin", numbers),
    _act("entry", st.sampled_from(("note", "constraint", "goal", "log")), texts),
    _act("patch", patches, st.sampled_from((0, 0, 1, 2))),
    _act("rule", rule_patches),
    _act("rule", refreshes),
    undo,
    _act("undo_at", numbers),
    again,
    _act("break_store"),
    _act("ask"),
    _scene(_act("close", numbers), _act("reopen", numbers), undo),
    _scene(_act("pin", short), _act("cancel_pin", numbers), undo),
    _scene(_act("keep", numbers), _act("unkeep", st.just("all")), undo),
    _scene(_act("rule", rule_patches), undo),
    _scene(_act("patch", patches, st.sampled_from((0, 1, 2))), _act("end", st.sampled_from(PATCHED)), undo),
)
interludes = st.lists(controls, max_size=2).map(lambda many: tuple(a for acts in many for a in acts))
seldom = st.one_of(st.just(()), st.just(()), st.just(()), interludes)

replies = st.tuples(
    st.booleans(),
    st.sampled_from(("", "", "ok", "ok", LONG)),
    st.lists(st.tuples(st.sampled_from(("c1", "c1", "c2")), st.sampled_from(("", LONG))), max_size=3),
)


@st.composite
def calls(draw: st.DrawFn, *, first: bool) -> tuple[Act, ...]:
    """One call: perhaps a failure or two, the reply, and the results in any order."""
    acts: list[Act] = []
    if draw(st.sampled_from((*[False] * 7, True))):
        acts.append(Act("fail"))
        if first:
            acts += [*draw(seldom), Act("begin", (draw(texts), ()))]
    acts += draw(seldom)
    thinking, text, tools = draw(replies)
    acts.append(Act("reply", (thinking, text, tuple(tools))))
    left = len(tools)
    while left:
        acts += draw(seldom)
        if draw(st.booleans()):
            acts.append(Act("start", (draw(numbers),)))
            acts += draw(seldom)
        acts.append(Act("result", (draw(numbers), draw(texts), draw(st.booleans()))))
        left -= 1
    return tuple(acts)


@st.composite
def turns(draw: st.DrawFn) -> tuple[Act, ...]:
    """One turn: what comes before it, the message with its patches, the calls, the end."""
    acts = list(draw(interludes))
    typed = tuple(draw(st.lists(patches, max_size=2))) if draw(st.booleans()) else ()
    acts.append(Act("begin", (draw(texts), typed)))
    if draw(st.sampled_from((False, False, False, True))):
        acts.append(Act("undo", (1,)))
    for number in range(draw(st.sampled_from((1, 1, 1, 2, 2, 3, 4, 5)))):
        acts += draw(calls(first=number == 0))
    end = draw(st.sampled_from(("commit", "commit", "commit", "commit", "commit", "abort", "", "fail")))
    if end:
        acts.append(Act(end))
    return tuple(acts)


@st.composite
def histories(draw: st.DrawFn) -> History:
    """A ruleset with every kind of end, and one to eight turns under it."""
    table = {name: Rule() for name in ("system", "toolCall", *SPOKEN, *PATCHED)}
    for name in draw(st.lists(st.sampled_from((*SPOKEN, *PATCHED)), unique=True, max_size=5)):
        table[name] = Rule(BORN, draw(ends)) if name == "user" else draw(rules)
    sometimes = draw(st.sampled_from((None, None, None, "system", "toolCall", "toolCall")))
    if sometimes is not None:
        table[sometimes] = draw(rules)
    folds = draw(st.sampled_from((None, ("user", "assistant"), ("user", "think", "constraint"), ("assistant",))))
    length = draw(st.sampled_from((1, 2, 3, 4, 5, 6, 7)))
    acts = [act for _ in range(length) for act in draw(turns())]
    return History(
        tuple(table.items()),
        folds,
        draw(st.sampled_from((True, True, True, True, False))),
        draw(st.sampled_from(("openai", "anthropic", "pi"))),
        tuple(acts),
    )


@cache
def sample() -> list[History]:
    """The same 300 histories every time."""
    return sampled(histories(), seeds=30)
