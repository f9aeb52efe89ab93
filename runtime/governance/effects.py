"""The six effects: what an operation would do, as steps. Nothing here knows an operation by name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...compiler.ops.evaluate import holds
from ...compiler.ops.model import Effect
from ..kernel.content import parse_object, text_of
from .facts import Facts
from .outcome import listed
from .redaction import Redacted, redacted
from .staged import Bear, Hold, Lift, Replace, Represent, Staged, Step
from .wire import Asked

#: Effects after which a slot is there under its own id, and nothing beside it.
_STAYING = ("hold", "lift", "represent")

_PLACE = re.compile(r"\{([^{}]*)\}")

#: What an effect cannot come without: the option that names the argument.
_NEEDED: Mapping[str, str] = {"hold": "arg", "bear": "content", "replace": "content", "purge": "fields"}


def missing(asked: Asked, targets: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The arguments that say nothing though an effect that would come takes its value from them."""
    named = (
        effect.options.get(_NEEDED[effect.kind]) for effect in asked.op.effects
        if effect.kind in _NEEDED and (effect.when is None or holds(effect.when, asked.arguments, targets))
    )  # fmt: skip
    return tuple(dict.fromkeys(name for name in named if name and not said(asked.arguments.get(name)).strip()))


def said(value: Any) -> str:
    """The value of an argument as a text says it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def filled(template: str, values: Mapping[str, str]) -> str:
    """A template with each ``{name}`` that has a value replaced by it; what the values say is never filled in again."""
    return _PLACE.sub(lambda place: values.get(place[1], place[0]), template)


def plan(asked: Asked, targets: Sequence[Facts], staged: Staged) -> list[Step]:
    """The steps of an operation that is not refused. What would change nothing is no step.

    Conditions are asked of the targets as they were; each effect acts on what the ones before it made of them.
    """
    steps: list[Step] = []
    coming = [e for e in asked.op.effects if e.when is None or holds(e.when, asked.arguments, targets)]
    last = len(coming) - 1
    while last > 0 and coming[last].kind == "bear" and coming[last - 1].kind in _STAYING:
        last -= 1  # What is borne asks nothing of its sources but who they are.
    borne = 0
    for n, effect in enumerate(coming):
        made = _PLANS[effect.kind](effect, asked, targets, staged, borne)
        steps += made
        if effect.kind not in _STAYING:
            borne += len(made)
        if n < last:
            staged = staged.after(made)
            targets = [staged.facts(staged.successors.get(target.id, target.id)) for target in targets]
    return steps


def bear_text(effect: Effect, arguments: Mapping[str, Any]) -> str:
    """What a summary says: prefix and description, a blank line, the content."""
    title = _said(effect, "description", arguments)
    if prefix := effect.options.get("prefix"):
        named = [name for name in _PLACE.findall(prefix) if name in arguments]
        title = filled(prefix, {name: said(arguments[name]) for name in named}) + title
    return f"{title.rstrip()}\n\n{_said(effect, 'content', arguments)}".strip()


def _said(effect: Effect, option: str, arguments: Mapping[str, Any]) -> str:
    """The text of the argument that an option names."""
    return said(arguments.get(effect.options.get(option, ""))).strip()


def _hold(effect: Effect, asked: Asked, targets: Sequence[Facts], staged: Staged, borne: int) -> list[Step]:
    argument = effect.options.get("arg")
    how = str(asked.arguments.get(argument) if argument is not None else effect.options["how"])
    if how == "model":
        return _lift(effect, asked, targets, staged, borne)
    return [Hold(target.id, how) for target in targets if target["visibility"] != how]


def _lift(effect: Effect, asked: Asked, targets: Sequence[Facts], staged: Staged, borne: int) -> list[Step]:
    return [Lift(target.id) for target in targets if not target.is_visible]


def _represent(effect: Effect, asked: Asked, targets: Sequence[Facts], staged: Staged, borne: int) -> list[Step]:
    how = effect.options["how"]
    changed = [target.id for target in targets if staged.how(target.id) != how]
    if how == "full":
        return [Represent(slot, how) for slot in changed]
    hint = _said(effect, "hint", asked.arguments)
    note = " ".join(part for part in (_said(effect, "note", asked.arguments), f"({hint})" if hint else "") if part)
    return [Represent(slot, how, note or None) for slot in changed]


def _bear(effect: Effect, asked: Asked, targets: Sequence[Facts], staged: Staged, borne: int) -> list[Step]:
    return [Bear(_ref(asked, borne), tuple(t.id for t in targets), bear_text(effect, asked.arguments))]


def _replace(effect: Effect, asked: Asked, targets: Sequence[Facts], staged: Staged, borne: int) -> list[Step]:
    content = _said(effect, "content", asked.arguments)
    return [Replace(_ref(asked, n), target.id, content) for n, target in enumerate(targets, borne)]


def _purge(effect: Effect, asked: Asked, targets: Sequence[Facts], staged: Staged, borne: int) -> list[Step]:
    fields = asked.arguments.get(effect.options["fields"]) or ()
    keep = asked.arguments.get(effect.options.get("keep", "")) or ()
    steps: list[Step] = []
    for n, target in enumerate(targets, borne):
        if target["lost"]:
            # No operation may do that to it: it is refused, not passed over.
            steps.append(Replace(_ref(asked, n), target.id, "", purges=True))
        elif target.slot is not None:
            text = text_of(staged.reader.content(target.slot))
            if parse_object(text) is None:
                problem = "redact_not_json", f"{target.id}: no JSON object"
                steps.append(Replace(_ref(asked, n), target.id, text, purges=True, problem=problem))
                continue
            left = redacted(text, fields, keep)
            steps.append(Replace(
                _ref(asked, n), target.id, left.text or text, left.values, purges=True,
                problem=_unredacted(target.id, left, fields),
            ))  # fmt: skip
    return steps


def _unredacted(slot: str, left: Redacted, fields: Sequence[str]) -> tuple[str, str] | None:
    """Why a redaction would not delete what it is asked to: to say that it did would be worse than to refuse it."""
    if left.text is None:
        named, has = listed(fields), listed(left.fields)
        return "redact_nothing", f"{slot}: no field {named} that is not to be preserved; it has {has}"
    if left.elsewhere:
        return "redact_elsewhere", (
            f"{slot} holds what is to be deleted in other fields too, {listed(left.elsewhere)}: name them in drop, "
            f"or in preserve to let them stay; nothing was redacted"
        )
    return None


def _ref(asked: Asked, n: int) -> str:
    """How later operations name the n-th slot, from 0, that an operation bears."""
    return f"${asked.index}" if n == 0 else f"${asked.index}.{n}"


_PLANS = {
    "hold": _hold, "lift": _lift, "represent": _represent, "bear": _bear, "replace": _replace, "purge": _purge,
}  # fmt: skip
