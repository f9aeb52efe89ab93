"""``edit``: one piece of a text file of the workspace replaced by another."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

from ....compiler.reason import reason_of
from .arguments import ToolError, read_arguments
from .read import BOM
from .replacing import replace_once
from .tool import AgentTool, ToolContext, ToolOutput, failed
from .workspace import State
from .write import encoded

#: Largest file that is edited, in bytes: it is held in memory twice.
LARGEST: Final = 32 * 1024 * 1024

PARAMETERS: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "The file, relative to the workspace."},
        "oldText": {"type": "string", "description": "The text to replace, exactly as it is in the file, once."},
        "newText": {"type": "string", "description": "The text in its place."},
    },
    "required": ["path", "oldText", "newText"],
    "additionalProperties": False,
}

DESCRIPTION: Final = (
    "Replace one piece of a text file of the workspace. oldText must stand in the file exactly once; line ends, and "
    "everything else of the file, stay as they are."
)


def _run(arguments: Mapping[str, Any], context: ToolContext) -> ToolOutput:
    try:
        given = read_arguments(PARAMETERS, arguments)
        path = given["path"]
        old, new = (encoded(given[name].removeprefix("\ufeff")) for name in ("oldText", "newText"))
        with context.workspace.reading(path) as file:
            status = os.fstat(file.fileno())
            if status.st_size > LARGEST:
                raise ToolError("too_large", f"{path} has {status.st_size} bytes; at most {LARGEST} can be edited")
            data = file.readall()
        if b"\0" in data:
            raise ToolError("binary", f"{path} is binary: it cannot be edited as text")
        mark = BOM if data.startswith(BOM) else b""
        text, line = replace_once(data[len(mark) :], old, new, path)
        context.workspace.write(path, mark + text, expected=State.of(status))
    except ToolError as error:
        return failed(error.message, error.help)
    except OSError as error:
        return failed(f"{arguments.get('path')} cannot be read: {reason_of(error)}")
    return ToolOutput(f"edited {path} at line {line}", details={"path": path, "line": line})


EDIT: Final = AgentTool("edit", DESCRIPTION, PARAMETERS, _run)
