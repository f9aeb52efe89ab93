"""Carries out the acts of a ``do`` step."""

from __future__ import annotations

from ..session import Session
from .model import Action


def act(session: Session, action: Action) -> None:
    """Carry out one act. Raises SessionError when the session answers with an error."""
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
