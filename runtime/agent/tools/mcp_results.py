"""What an MCP server answered, as the output of a tool."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from ...kernel.content import Content, Image, Part, Text
from .capture import Capture
from .tool import ToolOutput

if TYPE_CHECKING:
    from mcp_types import CallToolResult

#: Most bytes of text that are kept of one answer, its head and its tail; a longer image is named, not kept.
MOST_BYTES: Final = 100_000
_LARGEST_IMAGE: Final = 5 * 1024 * 1024


def output_of(result: CallToolResult) -> ToolOutput:
    """The answer as content: texts and images as they are, what no model takes as a line in brackets."""
    parts = [part for block in result.content for part in _parts(block.model_dump(mode="json", by_alias=True))]
    if not parts and result.structured_content is not None:
        parts = [Text(json.dumps(result.structured_content, ensure_ascii=False))]
    content, left_out = _within(parts)
    return ToolOutput(content, is_error=bool(result.is_error), details={"left_out": left_out})


def _parts(block: dict[str, Any]) -> list[Part]:
    match block:
        case {"type": "text", "text": str(text)}:
            return [Text(text)]
        case {"type": "image", "mimeType": str(kind), "data": str(data)} if len(data) <= _LARGEST_IMAGE:
            return [Image(kind, data)]
        case {"type": "resource", "resource": {"text": str(text), "uri": uri}}:
            return [Text(f"{uri}\n{text}")]
        case {"type": "resource", "resource": {"uri": uri}}:
            return [Text(f"[{uri}, which is no text]")]
        case {"type": "resource_link", "uri": uri}:
            return [Text(f"[{block.get('name') or 'resource'}: {uri}]")]
        case _:
            return [Text(f"[{block.get('type')} {block.get('mimeType') or ''}, left out]")]


def _within(parts: list[Part]) -> tuple[Content, int]:
    """The parts within the bound; texts that stand together are one."""
    joined: list[Part] = []
    for part in parts:
        if isinstance(part, Text) and joined and isinstance(joined[-1], Text):
            joined[-1] = Text(f"{joined[-1].text}\n{part.text}")
        else:
            joined.append(part)
    left_out, kept, texts = 0, [], max(1, sum(isinstance(part, Text) for part in joined))
    for part in joined:
        if isinstance(part, Text):
            capture = Capture(MOST_BYTES // texts)
            capture.add(part.text.encode("utf-8", "replace"))
            left_out += capture.left_out
            part = Text(capture.text())
        kept.append(part)
    if len(kept) == 1 and isinstance(kept[0], Text):
        return kept[0].text, left_out
    return tuple(kept) or "[no output]", left_out
