"""Effects of ops: their words and options against the closed list (language.md section 6)."""

from __future__ import annotations

import re
from typing import Any, cast

from ...grammar.ops_syntax import EffectSyntax, Name, Node
from ..problem import one_of, quote
from .expressions import compile_condition
from .model import Effect, EffectKind
from .scope import Scope, repeated, twice, unknown
from .vocabulary import EFFECT_SHAPES, EFFECTS, EffectShape

_PLACE = re.compile(r"\{([^{}]*)\}")


def compile_effect(syntax: EffectSyntax, scope: Scope) -> Effect | None:
    """One effect as a value, problems noted in ``scope``; None when its kind is none."""
    kind = syntax.kind
    when = None if syntax.when is None else compile_condition(syntax.when, scope)
    if kind.text not in EFFECTS:
        scope.problems.append(
            unknown("ops-word", f"{quote(kind.text)} is no effect", kind.text, kind.span, EFFECTS)
        )
        return None
    shape = EFFECT_SHAPES[kind.text]
    options = _how(syntax, shape, scope)
    allowed = shape.options
    if shape.optioned is not None and options.get("how") not in shape.optioned:
        allowed = {}
    for name, first in repeated(name for name, _ in syntax.options):
        message = f"the option {quote(name.text)} is written twice"
        scope.problems.append(twice("ops-duplicate-argument", message, name, first))
    for name, value in syntax.options:
        if name.text not in allowed:
            message = f"`{_said(syntax)}` takes no {quote(name.text)}"
            scope.problems.append(unknown("ops-effect", message, name.text, name.span, allowed))
        else:
            options.setdefault(name.text, _option(name, value, allowed[name.text].type, scope))
    for option, asked in allowed.items():
        if asked.required and option not in options:
            scope.report(
                "ops-effect",
                f"`{_said(syntax)}` needs {quote(option)}: the argument whose value it takes",
                syntax.kind.span,
                f"write `effect {_said(syntax)} {{ {option}: argument }}`",
            )
    return Effect(cast(EffectKind, kind.text), when, options)


def _how(syntax: EffectSyntax, shape: EffectShape, scope: Scope) -> dict[str, Any]:
    """The word after the kind: ``how``, or ``arg`` when an argument says it."""
    kind, how = syntax.kind.text, syntax.how
    if how is None:
        if shape.how:
            scope.report(
                "ops-effect", f"`effect {kind}` does not say how", syntax.kind.span,
                f"write {one_of(f'`effect {kind} {word}`' for word in shape.how)}",
            )  # fmt: skip
        return {}
    if how.text in shape.how:
        return {"how": how.text}
    argument = scope.arguments.get(how.text)
    if shape.by_argument and argument is not None:
        strange = [word for word in argument.words if word not in shape.by_argument]
        if argument.type != "word" or not set(shape.how) & set(argument.words):
            scope.report(
                "ops-effect", f"{quote(how.text)} does not say how to {kind}", how.span,
                f"it must be a word({'|'.join(shape.how)})",
            )  # fmt: skip
        elif strange and syntax.when is None:
            fitting = ", ".join(word for word in argument.words if word in shape.by_argument)
            said = one_of(map(quote, strange))
            scope.report(
                "ops-effect", f"{quote(how.text)} may say {said}, which is no way to {kind}", how.span,
                f"end the effect with `when {how.text} in [{fitting}]`",
            )  # fmt: skip
        return {"arg": how.text}
    if not shape.how:
        scope.report("ops-effect", f"`effect {kind}` takes no word, here is {quote(how.text)}", how.span, "remove it")
    else:
        words = (name for name, argument in scope.arguments.items() if argument.type == "word")
        known = (*shape.how, *(words if shape.by_argument else ()))
        scope.problems.append(
            unknown("ops-word", f"{quote(how.text)} is no way to {kind}", how.text, how.span, known)
        )
    return {}


def _option(name: Name, value: Node, type_: str, scope: Scope) -> str:
    """The value of an option: the name of an argument of the right type, or a text."""
    written = str(value.value)
    if type_ == "template":
        if value.kind != "text":
            scope.report("ops-effect", f"{quote(name.text)} is a text", value.span, "put it in quotes")
        for place in _PLACE.findall(written):
            if place not in scope.arguments:
                message = f"`{{{place}}}` names no argument of {quote(scope.op)}"
                scope.unknown_argument(message, place, value.span, whole=False)
        return written
    if value.kind == "text":
        scope.report(
            "ops-effect", f"{quote(name.text)} names an argument, here is a text", value.span,
            "write the name of an argument without quotes",
        )  # fmt: skip
        return written
    argument = scope.argument(written, value.span)
    if argument is not None and argument.type != type_:
        scope.report(
            "ops-effect",
            f"{quote(name.text)} takes an argument of type {type_}, {quote(written)} is of type {argument.type}",
            value.span, f"name an argument of type {type_}",
        )  # fmt: skip
    return written


def _said(syntax: EffectSyntax) -> str:
    return f"{syntax.kind.text} {syntax.how.text}" if syntax.how else syntax.kind.text
