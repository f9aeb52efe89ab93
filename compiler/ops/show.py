"""Op tables in words: as the language writes them, as a table for a terminal, as the reference page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from .decisions import Decision, decisions, summary
from .model import Argument, Effect, Expr, OpTable
from .tool_schema import signature

#: A word that needs no quotes, and the words that mean something else without them.
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_MEANING = frozenset({"true", "false"})


def show_expr(expr: Expr) -> str:
    """An expression as it is written in a ``.ops`` file."""
    args = expr.args
    match expr.op:
        case "or" | "and":
            return f" {expr.op} ".join(_inside(part, expr.op) for part in args)
        case "not":
            return f"not {_inside(args[0], 'not')}"
        case "any" | "all":
            return f"{expr.op}({show_expr(args[0])})"
        case "missing" | "blank" | "count":
            return f"{expr.op}({args[0]})"
        case "arg":
            return str(args[0])
        case "target":
            return f"target.{args[0]}"
        case "value":
            return _constant(args[0])
        case "list":
            return f"[{', '.join(map(_constant, args))}]"
        case _:
            return f"{show_expr(args[0])} {expr.op} {show_expr(args[1])}"


def table_lines(table: OpTable) -> Iterator[str]:
    """Every operation with what is decided for each kind of slot, for a terminal."""
    rows = _decided(table)
    for number, op in enumerate(table.ops.values()):
        yield from ("",) if number else ()
        yield signature(op) + (f"   gate {op.gate}" if op.gate else "")
        yield from (f"  {op.doc}",) if op.doc else ()
        for choice, told in rows[op.name]:
            yield from (f"  {choice}",) if choice else ()
            width = max(len(kinds) for kinds, _ in told)
            yield from (f"    {kinds:{width}}  {said}" for kinds, said in told)
        if op.guards:
            yield f"  then: {', '.join(op.guards)}"


def page_lines(table: OpTable) -> Iterator[str]:
    """Every operation in Markdown: arguments, refusals, effects and decisions."""
    yield from ("| operation | gate | reversed by | what it does |", "|---|---|---|---|")
    for op in table.ops.values():
        yield _row(f"[`{op.name}`](#{op.name})", _code(op.gate), _code(op.reverse), op.doc)
    rows = _decided(table)
    for op in table.ops.values():
        yield from ("", f"## {op.name}", "", op.doc, "")
        yield from ("| argument | type | meaning |", "|---|---|---|")
        yield from (_row(f"`{a.name}`", _type(a), a.doc) for a in op.args)
        if op.refusals:
            yield from ("", "| refused as | when | said |", "|---|---|---|")
            yield from (_row(f"`{r.code}`", f"`{show_expr(r.when)}`", r.message) for r in op.refusals)
        if op.guards:
            yield from ("", f"Guards: {', '.join(op.guards)}.")
        yield from ("", f"Effects: {'; '.join(f'`{show_effect(effect)}`' for effect in op.effects)}.")
        of = "case" if any(choice for choice, _ in rows[op.name]) else "kind of slot"
        yield from ("", f"| {of} | decision |", "|---|---|")
        for choice, told in rows[op.name]:
            yield from (_row(f"{choice}: {kinds}" if choice else kinds, said) for kinds, said in told)


def show_effect(effect: Effect) -> str:
    """An effect as it is written in a ``.ops`` file, without its first word."""
    options = dict(effect.options)
    how = options.pop("how", None) or options.pop("arg", None)
    given = ", ".join(f"{k}: {_quoted(v) if k == 'prefix' else v}" for k, v in options.items())
    parts = (effect.kind, how, f"{{ {given} }}" if given else None)
    when = f"when {show_expr(effect.when)}" if effect.when is not None else None
    return " ".join(part for part in (*parts, when) if part)


Told = list[tuple[str, list[tuple[str, str]]]]


def _decided(table: OpTable) -> dict[str, Told]:
    """For each op and choice of its words: (kinds, what is decided), kinds with one decision together."""
    found: dict[str, Told] = {}
    for (op, choice), rows in groupby(decisions(table), key=lambda row: (row.op, row.choice)):
        shown = ", ".join(f"{name} {_constant(value)}" for name, value in choice)
        found.setdefault(op, []).append((shown, _told(rows)))
    return found


def _told(rows: Iterable[Decision]) -> list[tuple[str, str]]:
    by_decision: dict[str, list[str]] = {}
    for kind, own in groupby(rows, key=lambda row: row.kind):
        by_decision.setdefault(summary(list(own)), []).append(kind)
    return [(", ".join(kinds), said) for said, kinds in by_decision.items()]


def _inside(expr: Expr, around: str) -> str:
    """A part of an expression, in brackets where it would be read otherwise."""
    binds = {"or": 0, "and": 1, "not": 2}
    shown = show_expr(expr)
    return f"({shown})" if binds.get(expr.op, 3) < binds[around] else shown


def _constant(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str) and not (_WORD.fullmatch(value) and value not in _MEANING):
        return _quoted(value)
    return str(value)


def _quoted(text: object) -> str:
    return '"' + str(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _type(argument: Argument) -> str:
    words = f"({' or '.join(argument.words)})" if argument.words else ""
    default = "" if argument.default is None else f", {_constant(argument.default)} if left out"
    refuse = "" if argument.refuse is None else f", else `{argument.refuse}`"
    return f"{argument.type}{words}{default}{refuse}"


def _code(name: str | None) -> str:
    return f"`{name}`" if name else ""


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
