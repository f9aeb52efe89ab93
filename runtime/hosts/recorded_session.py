"""Reading a recorded session, whoever recorded it: the records themselves say (contracts.md, ``dcc replay``)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .claude_code.session import read_claude_code_session
from .message_list import items_of
from .pi_session import read_pi_session
from .recording import Recording, gather
from .session_file import Damaged, SessionFileError, read_document, read_records


def read_session(path: Path | str) -> Recording:
    """The recorded session in the file ``path``, plain or gzip: of pi or Claude Code (JSONL), or a list of messages.

    A list is that of OpenAI or Anthropic: JSON, one message a line, or the ``messages`` of a request. Raises
    SessionFileError for a file that is missing, empty, binary or holds none of these.
    """
    path = Path(path)
    for record in read_records(path):
        match record:
            case Damaged() | {"messages": list()}:
                if (messages := _messages(read_document(path))) is not None:
                    return gather(path, items_of(messages))
            case {"role": str()}:
                return gather(path, items_of(r for r in read_records(path) if not isinstance(r, Damaged)))
            case {"type": "session" | "message"}:
                break
            case {"dcc_session": int()}:
                raise SessionFileError(
                    "not_a_session",
                    f"{path} is an exported session of dcc, not a recorded one",
                    help="dcc sessions import takes it in; the messages that export --view writes are read here",
                )
            case {"uuid": str(), "type": str()}:
                return read_claude_code_session(path)
    try:
        return read_pi_session(path)
    except SessionFileError as error:
        if error.code != "not_a_session":
            raise
        raise SessionFileError(
            "not_a_session",
            f"{path} holds no recorded session",
            help="expected a session of pi or Claude Code (JSONL), or a list of messages of OpenAI or Anthropic (JSON)",
        ) from error


def _messages(document: Any) -> list[Any] | None:
    """The messages of a document: itself, or those of a request; None: it is neither."""
    messages = document.get("messages") if isinstance(document, dict) else document
    if isinstance(messages, list) and any(isinstance(m, dict) and isinstance(m.get("role"), str) for m in messages):
        return messages
    return None
