"""The closed lists of the op language (language.md section 6): types, effects with their options, values of facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import get_args

from .model import GUARD_CODES, ArgType, EffectKind

#: Types of arguments. ``slots`` and ``slot`` hold ids of slots; an op has one argument of these.
TYPES: tuple[str, ...] = get_args(ArgType)
TARGET_TYPES = ("slots", "slot")
GUARDS = tuple(GUARD_CODES)
EFFECTS: tuple[str, ...] = get_args(EffectKind)

#: Facts whose every value is known. Kinds and elements are open: a ruleset may declare its own.
FACT_VALUES: Mapping[str, tuple[str, ...]] = {
    "visibility": ("model", "archived", "hidden", "retired"),
    "storage": ("inline", "offloaded"),
}

#: Rejections that the runtime makes of any op, so that no op declares them (spec/cpat.md sections 2 to 4).
COMMON_CODES = frozenset(
    {
        "bad_payload", "reason_missing", "operations_missing", "bad_operation", "bad_argument", "missing_argument",
        "unknown_argument", "too_many_ops", "unknown_op", "op_disabled", "extra_ids", "empty_ids", "unknown_id",
        "duplicate_ids", "replaced", "protected_kind", "stale_base", "chain_atomicity", "empty_view", "role_sequence",
        "open_chain", "redact_elsewhere", "redact_nothing", "redact_early", *GUARD_CODES.values(),
    }
)  # fmt: skip

#: Rejections that guard what no op may do, though it does not say so; an op may declare them too (kernel.md, P2).
FLOOR_CODES = frozenset(
    {
        "protected_hidden", "replace_protected", "protected_current_question", "protected_unread", "protected_kept",
        "held_elsewhere", "artifact_missing", "redact_not_json",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Option:
    """An option of an effect.

    ``type``: of the argument that it names, or ``template``: a text in which ``{argument}`` stands for its value.
    """

    type: str
    required: bool = False


@dataclass(frozen=True, slots=True)
class EffectShape:
    """How an effect is written after its kind: one of the words ``how``, then options.

    ``by_argument``: a word argument may stand there instead and say one of these; ``optioned``: the words that take
    options.
    """

    how: tuple[str, ...] = ()
    by_argument: tuple[str, ...] = ()
    options: Mapping[str, Option] = field(default_factory=dict)
    optioned: tuple[str, ...] | None = None


EFFECT_SHAPES: Mapping[str, EffectShape] = {
    # An argument that says "model" brings the slots back.
    "hold": EffectShape(("archived", "hidden"), by_argument=("archived", "hidden", "model")),
    "lift": EffectShape(),
    "represent": EffectShape(
        ("full", "ref", "stub"), options={"note": Option("text"), "hint": Option("text")}, optioned=("ref",)
    ),
    "bear": EffectShape(
        options={
            "content": Option("text", required=True),
            "description": Option("text"),
            "prefix": Option("template"),
        }
    ),
    "replace": EffectShape(options={"content": Option("text", required=True), "description": Option("text")}),
    "purge": EffectShape(options={"fields": Option("texts", required=True), "keep": Option("texts")}),
}
