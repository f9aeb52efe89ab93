"""From plain data to a Scenario (contracts.md, "Scenario"); raises ScenarioError with every problem."""

from __future__ import annotations

from collections.abc import Mapping
from types import UnionType

from ...compiler.problem import Problem
from ..kernel.clock import ClockError, parse_duration, parse_instant
from ..values import GovernanceFlags
from .matching import NUMBERS
from .model import Expect, Scenario, ScenarioError, Step, Wait, WrittenCallItem, WrittenSummary
from .node import Node, kind_of
from .read_act import read_actions
from .read_call import CALL_EXPECTS, read_call, read_content, read_reply, read_results

#: What a step may be compared with: the fields of a step of ``dcc play``, ``ranges``, and what its last
#: call may be compared with.
STEP_EXPECTS = (
    "turn", "committed", "text", "stage", "ranges", "notices", "error", "output",
    "queue", "opened", "closed", "changed", "breaks", "state_hash", "prompt",
    "transactions", "band", "archived", "hidden", "same_hash_as",
    *CALL_EXPECTS,
)  # fmt: skip

#: What is compared with a list; some may be written otherwise: how many breaks, results by the ids of their calls.
LISTS = (
    "visible", "stage", "notices", "queue", "opened", "closed", "changed", "breaks", "results", "transactions",
    "archived", "hidden",
)  # fmt: skip
_BESIDES: Mapping[str, type | UnionType] = {"breaks": int | dict, "results": dict}

_KINDS = ("user", "do", "resume", "abort")

#: What is said of a message.
_OF_MESSAGES = ("labels", "typed")


def read_scenario(data: object) -> Scenario:
    """The scenario in ``data``. Raises ScenarioError when its shape is wrong."""
    problems: list[Problem] = []
    scenario = _scenario(Node(data, (), problems))
    if problems:
        raise ScenarioError(tuple(problems))
    return scenario


def _scenario(root: Node) -> Scenario:
    fields = root.fields("ruleset", "system", "steps", "folder", "about", "governance")
    if "steps" not in fields and isinstance(root.value, dict):
        root.problem("missing-key", "a scenario needs `steps`", "add `steps:` with a list of messages")
    steps = tuple(_step(item) for item in fields["steps"].items()) if "steps" in fields else ()
    ruleset = fields.get("ruleset")
    if ruleset is not None and not isinstance(ruleset.value, str | dict):
        ruleset.wrong("a shipped name, a path or an inline mapping")
    system = fields.get("system")
    return Scenario(
        ruleset=ruleset.value if ruleset else "standard",
        steps=steps,
        system=None if system is None or system.value is None else system.text(),
        folder=fields["folder"].text() if "folder" in fields else "",
        about=fields["about"].text() if "about" in fields else None,
        flags=_flags(fields["governance"]) if "governance" in fields else GovernanceFlags(),
    )


def _flags(node: Node) -> GovernanceFlags:
    """What the person says of governance, as on the command line."""
    fields = node.fields("window", "max_context", "gates", "off")
    return GovernanceFlags(
        max_context=fields["max_context"].whole(1) if "max_context" in fields else None,
        window=fields["window"].whole(1) if "window" in fields else None,
        allow=frozenset(gate.text() for gate in fields["gates"].items()) if "gates" in fields else frozenset(),
        on=False if "off" in fields and fields["off"].truth() else None,
    )


def _step(node: Node) -> Step:
    fields = node.fields(
        *_KINDS, *_OF_MESSAGES, "reply", "calls", "fail", "wait", "at", "summary", "expect", "name"
    )  # fmt: skip
    kinds = [kind for kind in _KINDS if kind in fields]
    if len(kinds) != 1 and fields:
        node.problem(
            "step-kind",
            "a step does one thing: `user`, `do`, `resume` or `abort`"
            + (f"; this one has {' and '.join(kinds)}" if kinds else ""),
            "split it into several steps" if kinds else "add one of them",
        )
    for kind in ("resume", "abort"):
        if kind in fields and fields[kind].value is not True:
            fields[kind].wrong("true", f"leave the step out when there is nothing to {kind}")
    for name in _OF_MESSAGES:
        if name in fields and kinds and "user" not in fields:
            help = "remove it, or write what is said under `user`"
            fields[name].problem("step-kind", f"`{name}` belongs to a `user` step", help)
    return Step(
        path=node.path,
        user=read_content(fields["user"]) if "user" in fields else None,
        actions=read_actions(fields["do"]) if "do" in fields else None,
        resume="resume" in fields,
        abort="abort" in fields,
        calls=_calls(node, fields),
        labels=fields["labels"].mapping() if "labels" in fields else None,
        typed=fields["typed"].truth() if "typed" in fields else True,
        wait=_wait(fields),
        summary=_summary(fields["summary"]) if "summary" in fields else None,
        expect=read_expect(fields["expect"], STEP_EXPECTS) if "expect" in fields else None,
        name=fields["name"].text() if "name" in fields else None,
    )


def _summary(node: Node) -> WrittenSummary:
    if not isinstance(node.value, dict):
        return WrittenSummary(node.text())
    fields = node.fields("fail")
    if "fail" not in fields:
        node.problem("missing-key", "a summary is a text, or `fail` and a reason")
        return WrittenSummary()
    return WrittenSummary(fail=fields["fail"].text())


def _calls(node: Node, fields: dict[str, Node]) -> tuple[WrittenCallItem, ...]:
    ways = [way for way in ("reply", "calls", "fail") if way in fields]
    if len(ways) > 1:
        node.problem(
            "step-calls",
            f"`{ways[0]}` and `{ways[1]}` both say what the model does",
            "`reply` and `fail` are short forms of one call: keep `calls` alone",
        )
    takers = ("user", "resume") if "calls" in fields else ("user",)
    if ways and not any(kind in fields for kind in takers):
        node.problem("step-calls", f"`{ways[0]}` belongs to a `user` step (`calls` also to `resume`)")
    if "reply" in fields:
        return (read_reply(fields["reply"]),)
    if "fail" in fields:
        return (WrittenCallItem(path=fields["fail"].path, fail=fields["fail"].text()),)
    if "calls" not in fields:
        return ()
    items = [_call(item) for item in fields["calls"].items()]
    for index, item in enumerate(items):
        if index + 1 < len(items) and item.fail is not None:
            fields["calls"].child(index, None).problem(
                "call-after-failure", "a failed call ends its step", "go on in a `resume: true` step"
            )
        if item.results and not item.answers and (index or "resume" not in fields):
            fields["calls"].child(index, None).problem(
                "results-alone",
                "results without an assistant message may only be the first item of a `resume` step",
            )
    return tuple(items)


def _call(node: Node) -> WrittenCallItem:
    fields = node.fields("assistant", "results", "usage", "fail", "expect")
    expect = read_expect(fields["expect"], CALL_EXPECTS) if "expect" in fields else None
    if "fail" in fields:
        for extra in ("assistant", "results", "usage"):
            if extra in fields:
                fields[extra].problem("step-calls", f"a call that fails has no `{extra}`", "keep one of them")
        return WrittenCallItem(path=node.path, fail=fields["fail"].text(), expect=expect)
    results = read_results(fields["results"]) if "results" in fields else ()
    if "assistant" not in fields and "results" not in fields and isinstance(node.value, dict):
        node.problem("missing-key", "a call needs `assistant` (what the model says) or `fail`")
    return read_call(node, fields, results, expect)


def _wait(fields: dict[str, Node]) -> Wait | None:
    if "wait" in fields and "at" in fields:
        fields["at"].problem("step-time", "`wait` and `at` both move the clock", "keep one of them")
    try:
        if "wait" in fields:
            return Wait(seconds=parse_duration(fields["wait"].text()))
        if "at" in fields:
            text = str(fields["at"].value)
            parse_instant(text)
            return Wait(instant=text)
    except ClockError as error:
        named = fields["wait" if "wait" in fields else "at"]
        named.problem(error.code.replace("_", "-"), error.message, error.help)
    return None


def read_expect(node: Node, known: tuple[str, ...]) -> Expect:
    """An ``expect`` mapping with the known fields."""
    fields = node.fields(*known)
    for name in LISTS:
        if name in fields and not isinstance(fields[name].value, list | _BESIDES.get(name, list)):
            fields[name].wrong("a list", f"write `{name}: []` for none, not {kind_of(fields[name].value)}")
    if "ranges" in fields:
        fields["ranges"].mapping()
    for field in fields.values():
        _check_numbers(field)
    return Expect({name: field.value for name, field in fields.items()}, node.path)


def _check_numbers(node: Node) -> None:
    """What is asked of a number, ``at_least`` and ``at_most``, is a number itself, however deep it stands."""
    value = node.value
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, value in inner:
        child = node.child(key, value)
        if key in NUMBERS and (isinstance(value, bool) or not isinstance(value, int | float)):
            child.wrong("a number")
        _check_numbers(child)
