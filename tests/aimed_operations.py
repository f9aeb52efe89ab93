"""Transactions that are aimed at one answer: applied, or refused for one reason, as far as there are slots for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from dcc.compiler.ops.cases import is_of_targets
from dcc.compiler.ops.decisions import ALLOWED, decisions
from dcc.compiler.ops.model import GUARD_CODES, Op, OpTable
from dcc.runtime.governance.facts import Facts, Reader
from dcc.runtime.kernel.content import text_of
from dcc.runtime.session import Session

Operation = dict[str, Any]

#: The rejections of a transaction as a whole.
WHOLE = (
    "bad_payload", "reason_missing", "operations_missing", "too_many_ops", "stale_base", "bad_argument",
    "unknown_argument", "chain_atomicity", "open_chain", "empty_view", "role_sequence",
)  # fmt: skip

#: What an operation may not do though it does not say so, by the effects for which that is asked last of all.
FLOOR = {
    "set_visibility": ("protected_kept", "held_elsewhere", "artifact_missing"),
    "payload_offload": ("artifact_missing",),
    "compact": ("protected_kept",),
    "fold": ("protected_kept",),
    "merge": ("protected_kept",),
    "replace": ("protected_kept", "artifact_missing"),
    "redact": ("redact_elsewhere", "redact_nothing", "redact_early"),
}

LONG = "a line of words that nobody will read a second time\n" * 12


def pairs(table: OpTable) -> set[tuple[str, str]]:
    """Every operation with every code that it can be refused with, by the decision table and by what it declares."""
    found = {("transaction", code) for code in WHOLE} | {("unknown", "unknown_op"), ("unknown", "bad_operation")}
    found |= {(op, code) for op, codes in FLOOR.items() for code in codes}
    found |= {(row.op, row.result) for row in decisions(table) if row.result != ALLOWED}
    for op in table.ops.values():
        codes = {"bad_argument", "unknown_argument", "empty_ids", "unknown_id"}
        codes.add("extra_ids" if _takes_one(op) else "duplicate_ids")
        codes |= {refusal.code for refusal in op.refusals if not is_of_targets(refusal.when)}
        codes |= {argument.refuse for argument in op.args if argument.refuse is not None}
        codes |= {GUARD_CODES[guard] for guard in op.guards} | ({"op_disabled"} if op.gate is not None else set())
        found |= {(op.name, code) for code in codes}
    return found


def _takes_one(op: Op) -> bool:
    return next(argument.type for argument in op.args if argument.name == op.targets) == "slot"


class Aiming:
    """Makes transactions for the state that a session is in."""

    def __init__(self, session: Session, random: Random) -> None:
        self.session = session
        self.random = random
        self.reader = Reader(session._recorder, session.program)
        ledger = session._recorder.ledger
        self.all: list[Facts] = [self.reader.of(slot) for slot in ledger.slots.values() if not slot.is_undone]

    def payload(self, code: str) -> Any:
        """A transaction that should be refused as a whole with this code."""
        ops: Any = [self.valid("set_visibility")]
        reason: Any = "at random"
        match code:
            case "bad_payload":
                return self.random.choice((7, None, "nothing", []))
            case "reason_missing":
                reason = self.random.choice(("", None, " "))
            case "operations_missing":
                ops = self.random.choice((None, 3, "all of it"))
            case "too_many_ops":
                ops = ops * 65
            case "stale_base":
                return {"reason": reason, "operations": ops, "base": 1}
            case "bad_argument":
                return {"reason": reason, "operations": ops, "base": "newest"}
            case "unknown_argument":
                return {"reason": reason, "operations": ops, "why": "not"}
            case "chain_atomicity":
                halves = self._where(lambda f: self._is_plain(f) and len(self._chain(f)) == 2)
                ops = [self._archive(self._one(halves))]
            case "open_chain":
                ops = [self._archive(self._one(self._where(lambda f: f["open_chain"])))]
            case "empty_view" | "role_sequence":
                first = [f.id for f in self.all if f["visibility"] == "model" and f["kind"] != "system"][:1]
                ops = [self._archive(self._with_chains(first))]
        return {"reason": reason, "operations": ops}

    def aimed(self, op: str, code: str) -> Operation:
        """An operation that should be refused with this code; a valid one where no slot is fit for it."""
        asked = self.valid(op)
        change = _CHANGES.get(code)
        if change is not None:
            asked |= change
        elif code == "bad_argument":
            asked |= self.random.choice(({"ids": 7}, {"ids": [{}]}))
        elif code in ("duplicate_ids", "extra_ids"):
            ids = asked["ids"] or [self.all[0].id]
            asked["ids"] = ids + (ids[:1] if code == "duplicate_ids" else [self.random.choice(self.all).id, "user@1"])
        elif code == "merge_arity":
            asked["ids"] = asked["ids"][:1]
        elif code == "fold_range":
            shown = self._where(lambda f: f["visibility"] == "model" and f["kind"] not in ("system", "think", "user"))
            asked["ids"] = [*shown[:1], *shown[-1:]]
        elif code in _TARGETS:
            asked["ids"] = self._fit(op, code)
            asked |= {"visibility": self.random.choice(("archived", "hidden"))} if code != "held_elsewhere" else {}
        if code == "protected_hidden":
            asked["visibility"] = "hidden"
        if code in ("held_elsewhere",):
            asked["visibility"] = "model"
        return asked

    def valid(self, op: str) -> Operation:
        """An operation that nothing should stand in the way of, if the session has slots for it."""
        random = self.random
        said = {"description": "what it was", "content": "a line"}
        chosen: list[str]
        match op:
            case "restore":
                chosen = self._some(lambda f: f["storage"] == "offloaded" and not f["lost"])
            case "payload_offload":
                chosen = self._some(lambda f: self._is_plain(f) and f["kind"] == "toolResult" and f["tokens"] > 40)
            case "redact":
                chosen = self._some(self._holds_token)
            case "replace":
                chosen = self._some(lambda f: self._is_plain(f) and f["kind"] in ("assistant", "toolResult"))[:1]
            case "set_visibility":
                visibility = random.choice(("archived", "hidden", "model"))
                free = self._some(lambda f: f["visibility"] in ("archived", "hidden")) if visibility == "model" else []
                ids = self._with_chains(free or self._some(self._is_plain))
                return {"op": op, "ids": ids, "visibility": visibility if free or visibility != "model" else "archived"}
            case _:
                chosen = self._run() if op == "fold" else self._with_chains(self._some(self._is_large))
        return {
            "op": op, "ids": chosen, **said, "retrieval_hint": "to read it", "preserve": ["line"],
            "scope_label": "work", "drop": random.choice((["token"], ["deep.token", "log"])),
            "resolution": random.choice(("update", "contradiction")),
        }  # fmt: skip

    def _fit(self, op: str, code: str) -> list[str]:
        """Targets of which this is true; with the rest of their chains where the operation takes them off stage."""
        test = _TARGETS[code]
        fit = self._where(lambda f: test(self, f))
        if code == "artifact_missing" and op == "payload_offload":
            fit = [id for id in fit if self._of(id)["kind"] == "toolResult" and self._of(id)["storage"] == "inline"]
        if code == "artifact_missing" and op == "restore":
            fit = [id for id in fit if self._of(id)["storage"] == "offloaded"] or fit
        if code == "artifact_missing" and op == "replace":
            fit = [id for id in fit if self._of(id)["kind"] in ("toolResult", "assistant")]
        if code in ("protected_kept", "protected_unread", "no_gain") and op in ("payload_offload", "replace"):
            fit = [id for id in fit if self._of(id)["kind"] in ("toolResult", "assistant")]
            fit = [id for id in fit if op != "payload_offload" or self._of(id)["kind"] == "toolResult"]
        if code == "already_offloaded":
            fit = [id for id in fit if self._of(id)["kind"] == "toolResult"] or fit
        chosen = self._one(fit)
        if op == "merge" and chosen:
            chosen = self._with_chains([*chosen, *self._some(self._is_plain)])
        elif op in ("set_visibility", "compact", "fold") and chosen and code != "protected_kind":
            chosen = self._with_chains(chosen)
        return chosen or [self.random.choice(self.all).id]

    def _is_plain(self, facts: Facts) -> bool:
        """Whether an operation may take it off stage."""
        return (
            facts["visibility"] == "model" and facts["storage"] == "inline" and not facts["protected"]
            and not facts["unread"] and not facts["open_chain"] and not facts["state"] and not facts["lost"]
            and facts["kind"] not in ("system", "think", "user")
        )  # fmt: skip

    def _is_large(self, facts: Facts) -> bool:
        return self._is_plain(facts) and facts["tokens"] > 40

    def _holds_token(self, facts: Facts) -> bool:
        """Whether it is an object with a field to delete."""
        is_object = facts["kind"] == "toolResult" and facts["json_object"] and facts["storage"] == "inline"
        return is_object and facts.slot is not None and '"token"' in text_of(self.reader.content(facts.slot))

    def is_narrow(self, facts: Facts) -> bool:
        """Whether the context is nearly full with the slot in full."""
        planner = self.session._planner
        if planner.limits is None or facts.slot is None or facts["storage"] == "inline" or facts["lost"]:
            return False
        return planner.limits.band(planner.used() + facts.slot.tokens) == "critical"

    def can(self, code: str) -> bool:
        """Whether the session has slots for which an operation may be refused so."""
        test = _TARGETS.get(code)
        return test is None or any(test(self, facts) for facts in self.all)

    def _run(self) -> list[str]:
        """Some neighbours in view."""
        shown = self._where(lambda f: f["visibility"] == "model" and f["kind"] not in ("system", "think"))
        start = self.random.randrange(max(1, len(shown)))
        return self._with_chains(shown[start : start + self.random.choice((1, 2, 4))])

    def _of(self, id: str) -> Facts:
        return next(facts for facts in self.all if facts.id == id)

    def _where(self, test: Callable[[Facts], bool]) -> list[str]:
        return [facts.id for facts in self.all if test(facts)]

    def _some(self, test: Callable[[Facts], bool]) -> list[str]:
        found = self._where(test)
        return self.random.sample(found, min(len(found), self.random.choice((1, 1, 2, 3))))

    def _one(self, ids: list[str]) -> list[str]:
        return [self.random.choice(ids)] if ids else []

    def _chain(self, facts: Facts) -> tuple[str, ...]:
        return self.reader.chain(facts.slot) if facts.slot is not None else ()

    def _with_chains(self, ids: list[str]) -> list[str]:
        return list(dict.fromkeys(one for id in ids for one in (*self._chain(self._of(id)), id)))

    def _archive(self, ids: list[str]) -> Operation:
        return {"op": "set_visibility", "ids": ids, "visibility": "archived"}


#: Codes that an argument alone leads to.
_CHANGES: Mapping[str, Operation] = {
    "unknown_argument": {"colour": "red"},
    "empty_ids": {"ids": []},
    "unknown_id": {"ids": ["nothing@9"]},
    "visibility_missing": {"visibility": "gone"},
    "merge_resolution": {"resolution": "both"},
    "offload_replacement": {"retrieval_hint": " "},
    "compact_output": {"content": ""},
    "fold_output": {"description": None},
    "merge_output": {"content": " "},
    "replace_content": {"content": ""},
    "compact_policy": {"preserve": []},
    "preserve_missing": {"preserve": ["what is nowhere"]},
    "fold_scope": {"scope_label": ""},
    "redact_fields": {"drop": []},
    "redact_nothing": {"drop": ["colour"]},
    "no_gain": {"content": LONG * 9},
    "redact_elsewhere": {"drop": ["asked"]},
}

#: What a target must be like for a code.
_TARGETS: Mapping[str, Callable[[Aiming, Facts], bool]] = {
    "protected_kind": lambda a, f: f.slot is not None and a.reader.is_untouchable(f.slot),
    "protected_hidden": lambda a, f: f["protected"] and f["kind"] != "system" and not f["current_question"],
    "protected_current_question": lambda a, f: f["current_question"],
    "protected_state": lambda a, f: f["state"],
    "protected_unread": lambda a, f: f["unread"] and f["visibility"] == "model",
    "offload_kind": lambda a, f: f["kind"] not in ("toolResult", "system"),
    "already_offloaded": lambda a, f: f["storage"] == "offloaded",
    "not_offloaded": lambda a, f: f["storage"] == "inline",
    "artifact_missing": lambda a, f: f["lost"],
    "budget_exceeded": lambda a, f: a.is_narrow(f),
    "hidden_target": lambda a, f: f["visibility"] == "hidden",
    "not_visible": lambda a, f: f["visibility"] in ("archived", "retired"),
    "replace_protected": lambda a, f: f["protected"] or f["kind"] in ("toolCall", "think"),
    "redact_kind": lambda a, f: f["kind"] not in ("toolResult", "system"),
    "redact_not_json": lambda a, f: f["kind"] == "toolResult" and not f["json_object"],
    "protected_kept": lambda a, f: f.slot is not None and a.reader.is_kept(f.slot) and a._is_plain(f),
    "redact_early": lambda a, f: a.session._recorder.is_staged and a._holds_token(f),
    "held_elsewhere": lambda a, f: f.slot is not None and a.reader.is_held_elsewhere(f.slot),
}

#: How often to aim at a code: more often where it asks for slots that are seldom there.
SELDOM = {
    **dict.fromkeys(_TARGETS, 4),
    "artifact_missing": 12, "protected_kept": 12, "redact_early": 16, "redact_elsewhere": 4, "budget_exceeded": 16,
}  # fmt: skip
