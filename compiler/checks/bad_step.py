"""A step does one thing, and says it once.

## What it finds

A scenario without steps; a step with none or several of user, do, resume and abort; a reply written in two
ways; labels or typed where there is no message; what a failed call says; a call that says nothing; an act with two
keys, or without an argument that it needs.

## Why it matters

Such a step cannot be played, or not as it is meant.

## Example

    steps:
      - {user: hello, reply: hi, resume: true}

## Instead

    steps:
      - {user: hello, reply: hi}
      - resume: true

## Fix

Split the step, or take out what contradicts the rest.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check
from ..diagnostics import Diagnostic
from ..ir.scenario import Act, CallItem, Step
from ..problem import KeyPath
from ..scenarios import ScenarioContext

CHECK = Check("DCC901", "bad-step", "error", kind="scenario")


_KINDS = ("user", "do", "resume", "abort")
_WAYS = ("reply", "calls", "fail")
_NEEDED = {
    "patch": ("element", "content"),
    "rule": ("element",),
    "represent": ("slot", "as_"),
    "entry": ("element", "content"),
    "update": ("reason", "operations"),
}

#: Where a step is wrong, what is wrong, and how to mend it.
_Fault = tuple[KeyPath, str, str]


def run(context: ScenarioContext) -> Iterator[Diagnostic]:
    faults: list[_Fault] = []
    # Steps of which one is refused by its shape are written all the same, and so may be those of unread text.
    if "steps" not in context.chain.data and not context.chain.main.problems:
        faults.append(((), "a scenario needs `steps`", "add `steps:` with a list of messages"))
    for index, step in enumerate(context.scenario.steps):
        faults += _of_step(step, ("steps", index))
    for path, message, help in faults:
        yield from context.report(CHECK, path, message, help=help, on="key")


def _of_step(step: Step, path: KeyPath) -> Iterator[_Fault]:
    written = step.model_fields_set
    kinds = [kind for kind in _KINDS if kind in written]
    ways = [way for way in _WAYS if way in written]
    if len(kinds) != 1:
        several = f": this one has {' and '.join(kinds)}" if kinds else ""
        message = f"a step has one of user, do, resume and abort{several}"
        yield path, message, "split it into several steps" if kinds else "add one of them"
    if len(ways) > 1:
        message = f"{ways[0]} and {ways[1]} both say what the model does"
        yield (*path, ways[1]), message, "reply and fail are short forms of one call: keep calls alone"
    takers = {"user", "resume"} if "calls" in written else {"user"}
    if ways and kinds and not takers & set(kinds):
        yield (*path, ways[0]), f"{ways[0]} belongs to a step with user", "write what is typed under user"
    for name in ("labels", "typed"):
        if name in written and kinds and "user" not in kinds:
            yield (*path, name), f"{name} belongs to a step with user", "write what is said under user"
    if {"wait", "at"} <= written:
        yield (*path, "at"), "wait and at both move the clock", "keep one of them"
    for index, call in enumerate(step.calls):
        first, last = index == 0 and "resume" in written, index + 1 == len(step.calls)
        yield from _of_call(call, (*path, "calls", index), first=first, last=last)
    for index, act in enumerate(step.do):
        yield from _of_act(act, (*path, "do", index))


def _of_call(call: CallItem, path: KeyPath, *, first: bool, last: bool) -> Iterator[_Fault]:
    """The faults of one call. ``first``: the first item of a resume step, which may hold results only."""
    written = call.model_fields_set
    if "fail" in written:
        for extra in sorted(written & {"assistant", "results", "usage"}):
            yield (*path, extra), f"a call that fails has no {extra}", "keep one of them"
        if not last:
            yield path, "a failed call ends its step", "go on in a step with resume: true"
    elif "assistant" not in written and not ("results" in written and first):
        message = "a call needs `assistant`, which is what the model says, or `fail`"
        yield path, message, "results alone may only open a step with resume: true"


def _of_act(act: Act, path: KeyPath) -> Iterator[_Fault]:
    written = sorted(act.model_fields_set)
    if len(written) != 1:
        yield (
            path,
            f"an item of do is one act, this has {len(written)}",
            "start a new item with `- ` for each",
        )
        return
    (name,) = written
    argument = getattr(act, name)
    for needed in _NEEDED.get(name, ()):
        if argument is not None and needed not in argument.model_fields_set:
            key = needed.rstrip("_")
            yield (*path, name), f"{name} needs {key}", f"write {{{name}: {{{key}: …}}}}"
