"""Commands: what a command line does to a session, and what it answers (language.md section 4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..grammar.ast import Command
from .errors import SessionError
from .view.status import status

if TYPE_CHECKING:
    from .session import Session


def carry_out(session: Session, command: Command) -> str:
    """Carry out a command; returns its answer. Raises SessionError: nothing was changed."""
    args: dict[str, Any] = dict(command.args)
    match command.name:
        case "dc-rule":
            session.patch_rule(args["element"], args["start"], args["end"], args["mode"])
            return f"{args['element']}: [{_show(args['start'])}, {_show(args['end'])}] {args['mode']}"
        case "dc-addrow":
            session.patch_rule(args["element"], args["start"], args["end"], "add_row")
            return f"{args['element']}: [{_show(args['start'])}, {_show(args['end'])}]"
        case "dc-end":
            ended = session.end(args["target"])
            over = ", ".join(ended) or args["target"] + " (queued patches)"
            return f"over from the next turn: {over}{_still_kept(session, ended)}"
        case "pin":
            return f"pinned as {session.pin(args['text'])}"
        case "cancelpin":
            pin = session.cancel_pin(args["pin"])
            return f"cancelled {pin}{_still_kept(session, (pin,))}"
        case "dc-keep":
            return f"kept: {', '.join(session.keep(args['slot']))}"
        case "dc-unkeep":
            return f"back under its rule: {', '.join(session.unkeep(args['slot']))}"
        case "dc-compact":
            return session.compact()
        case "dc-recall":
            return session.recall(args["query"]).text
        case "dc-status":
            return status(session)
        case "cpat":
            return _cpat(session, args)
        case "canon" if args["action"] == "settings":
            return session.set_canon(str(args.get("arg") or ""))
        case "canon":
            return session.canon.status()
        case name:
            raise _not_here(f"/{name}")


def _cpat(session: Session, args: dict[str, Any]) -> str:
    governance = session.governance
    match args["action"]:
        case None:
            return governance.status()
        case "manifest":
            return governance.manifest()
        case "journal":
            return "\n".join(entry.line() for entry in governance.newest()) or "nothing was done to the context yet"
        case "on" | "off" as action:
            session.govern(action == "on")
            return f"governance is {action}"
        case "undo":
            target = str(args["arg"] or "1")
            if target.startswith("#"):
                session.undo_transaction(int(target[1:]))
                return f"taken back: {target}"
            taken = session.undo(int(target))
            fewer = f"; no more than {len(taken)} could be" if len(taken) < int(target) else ""
            return "taken back: " + ", ".join(f"#{n}" for n in taken) + fewer
        case "why":
            return "\n".join(f"turn {c.turn}: {c.text} ({c.origin})" for c in session.why(str(args["arg"])))
        case action:
            raise _not_here(f"/cpat {action}")


def _still_kept(session: Session, slots: Sequence[str]) -> str:
    """What to add to the answer where a keep has slots stay for all that."""
    kept = [slot for slot in slots if session.is_kept(slot)]
    return f"; kept, so on stage until /dc-unkeep: {', '.join(kept)}" if kept else ""


def _not_here(what: str) -> SessionError:
    return SessionError(
        "not_available", f"{what} is not part of this version of dcc",
        help="/dc-status lists what is on stage",
    )  # fmt: skip


def _show(value: object) -> str:
    return "null" if value is None else str(value)
