"""An op table as plain JSON values and back: what a compiled Program holds of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from .model import Argument, Effect, Expr, Op, OpTable, Refusal


def plain_ops(table: OpTable) -> list[dict[str, Any]]:
    """The ops in their order, as lists, mappings and scalars."""
    return [_plain(op) for op in table.ops.values()]


def read_plain_ops(plain: list[dict[str, Any]]) -> OpTable:
    """The table that ``plain_ops`` wrote. Raises ValueError, KeyError, TypeError or AttributeError on others."""
    ops = [_op(item) for item in plain]
    return OpTable({op.name: op for op in ops})


def _plain(value: Any) -> Any:
    if isinstance(value, Expr):
        return [value.op, *(_plain(part) for part in value.args)]
    if isinstance(value, Op | Argument | Refusal | Effect):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


def _op(plain: Mapping[str, Any]) -> Op:
    return Op(
        **{
            **plain,
            "args": tuple(Argument(**{**a, "words": tuple(a["words"])}) for a in plain["args"]),
            "refusals": tuple(Refusal(r["code"], _expr(r["when"]), r["message"]) for r in plain["refusals"]),
            "guards": tuple(plain["guards"]),
            "effects": tuple(_effect(effect) for effect in plain["effects"]),
        }
    )


def _effect(plain: Mapping[str, Any]) -> Effect:
    when = plain["when"]
    return Effect(plain["kind"], None if when is None else _expr(when), dict(plain["options"]))


def _expr(plain: list[Any]) -> Expr:
    op, *args = plain
    return Expr(op, tuple(_expr(part) if isinstance(part, list) else part for part in args))
