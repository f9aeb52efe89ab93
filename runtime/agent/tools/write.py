"""``write``: a text file of the workspace, whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .arguments import ToolError, read_arguments
from .tool import AgentTool, ToolContext, ToolOutput, failed

PARAMETERS: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "The file, relative to the workspace."},
        "content": {"type": "string", "description": "The whole text of the file."},
    },
    "required": ["path", "content"],
    "additionalProperties": False,
}

DESCRIPTION: Final = (
    "Write a text file of the workspace, in the place of what it held. Folders on the way are made. To change a part "
    "of a file, edit it."
)


def _run(arguments: Mapping[str, Any], context: ToolContext) -> ToolOutput:
    try:
        given = read_arguments(PARAMETERS, arguments)
        data = encoded(given["content"])
        is_new = context.workspace.write(given["path"], data)
    except ToolError as error:
        return failed(error.message, error.help)
    path = given["path"]
    return ToolOutput(f"{'made' if is_new else 'wrote'} {path}: {len(data)} bytes", details={"path": path})


def encoded(text: str) -> bytes:
    """``text`` in UTF-8. Raises ToolError (``bad_text``) for half a surrogate pair, which no file can hold."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise ToolError("bad_text", f"character {error.start} of the text is half of a pair, no character") from None


WRITE: Final = AgentTool("write", DESCRIPTION, PARAMETERS, _run)
