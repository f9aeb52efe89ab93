"""Carries out the acts of a ``do`` step."""

from __future__ import annotations

import json

from ..session import Session
from .model import Action


def act(session: Session, action: Action) -> str | None:
    """Carry out one act; what the session answers, if it says anything.

    Raises SessionError when it answers with an error.
    """
    args = action.args
    match action.name:
        case "close":
            session.close(args["slot"])
        case "reopen":
            session.reopen(args["slot"])
        case "keep":
            session.keep(args["slot"])
        case "unkeep":
            session.unkeep(args["slot"])
        case "patch":
            session.queue_patch(args["element"], args["content"], args["mode"], args["turns"], at=args["at"])
        case "rule":
            session.patch_rule(args["element"], args["start"], args["end"], args["mode"])
        case "pin":
            session.pin(args["text"])
        case "cancelpin":
            session.cancel_pin(args["pin"])
        case "end":
            session.end(args["target"])
        case "represent":
            session.represent(args["slot"], args["as"])
        case "undo" if isinstance(args["n"], str):
            session.undo_transaction(int(args["n"][1:]))
        case "undo":
            session.undo(args["n"])
        case "entry":
            session.add_entry(args["element"], args["content"])
        case "update":
            payload = {name: args[name] for name in ("reason", "operations", "base") if args[name] is not None}
            if payload.get("base") == "last":
                payload["base"] = session.governance.base
            return session.update_context(payload, actor=args["actor"], key=args["key"]).to_json()
        case "host_compaction":
            answer = session.on_host_compaction(args["reason"])
            return json.dumps(answer._asdict(), ensure_ascii=False)
    return None
