"""What a scenario says of the model and its tools: replies, tool calls, results, content."""

from __future__ import annotations

import json

from ..kernel.content import Content, Image, Opaque, Part, Text
from ..values import Usage
from .model import Expect, WrittenCall, WrittenCallItem, WrittenResult
from .node import Node

#: What a call may be compared with: the fields of a call of ``dcc play``, and ``texts`` (role and text
#: of each message of its request).
CALL_EXPECTS = (
    "call", "ordinal", "visible", "texts", "messages", "system", "tokens", "prefix_kept", "results", "tail",
)  # fmt: skip


def read_content(node: Node) -> Content:
    """Content: a string, or a list of parts (``{text}``, ``{image, media_type}``, ``{opaque}``)."""
    if isinstance(node.value, list):
        return tuple(_part(item) for item in node.items())
    return node.text()


def _part(node: Node) -> Part:
    if isinstance(node.value, str):
        return Text(node.value)
    fields = node.fields("text", "image", "media_type", "opaque")
    if "image" in fields:
        media = fields["media_type"].text() if "media_type" in fields else "image/png"
        return Image(media_type=media, data=fields["image"].text())
    if "opaque" in fields:
        return _opaque(fields["opaque"])
    if "text" not in fields and fields:
        node.problem("missing-key", "a part needs `text`, `image` (base64) or `opaque`")
    return Text(fields["text"].text() if "text" in fields else "")


def _opaque(node: Node) -> Opaque:
    """A provider's own part. It is kept byte for byte: a mapping becomes one canonical JSON text."""
    if isinstance(node.value, str):
        return Opaque(node.value)
    return Opaque(json.dumps(node.mapping(), ensure_ascii=False, separators=(",", ":")))


def _thinking(node: Node | None) -> str | tuple[Opaque, ...]:
    """Thinking: text, or a list of the provider's own (signed) parts."""
    if node is None or node.value is None:
        return ""
    if isinstance(node.value, list):
        return tuple(_opaque(item) for item in node.items())
    return node.text()


def read_reply(node: Node) -> WrittenCallItem:
    """``reply: text`` (or a mapping as under ``assistant``): the short form of one call."""
    if isinstance(node.value, dict):
        return read_call(node, {"assistant": node}, (), None)
    return WrittenCallItem(path=node.path, text=node.text())


def read_call(
    node: Node, fields: dict[str, Node], results: tuple[WrittenResult, ...], expect: Expect | None
) -> WrittenCallItem:
    """An item of ``calls`` that does not fail."""
    usage = _usage(fields["usage"]) if "usage" in fields else None
    if "assistant" not in fields:
        return WrittenCallItem(path=node.path, answers=False, results=results, usage=usage, expect=expect)
    said = fields["assistant"]
    parts = {} if isinstance(said.value, str) else said.fields("text", "thinking", "tool_calls")
    calls = tuple(_tool_call(item) for item in parts["tool_calls"].items()) if "tool_calls" in parts else ()
    item = WrittenCallItem(
        path=node.path,
        text=said.value if isinstance(said.value, str) else _text(parts.get("text")),
        thinking=_thinking(parts.get("thinking")),
        tool_calls=calls,
        results=results,
        usage=usage,
        expect=expect,
    )
    _check_ids(node, item)
    return item


def _text(node: Node | None) -> str:
    return "" if node is None or node.value is None else node.text()


def _check_ids(node: Node, item: WrittenCallItem) -> None:
    wanted = [call.id for call in item.tool_calls]
    for call_id in sorted({call_id for call_id in wanted if wanted.count(call_id) > 1}):
        node.problem("repeated-id", f"two tool calls of one reply have the id {call_id!r}", "rename one")
    answered = [result.id for result in item.results]
    for index, call_id in enumerate(answered):
        result = node.child("results", None).child(index, None)
        if call_id not in wanted:
            known = ", ".join(wanted) or "none"
            result.problem("unknown-call", f"no tool call {call_id!r} in this reply", f"its calls: {known}")
        elif call_id in answered[:index]:
            result.problem("repeated-id", f"a second result for tool call {call_id!r}", "leave one out")


def _tool_call(node: Node) -> WrittenCall:
    fields = node.fields("id", "name", "arguments")
    for needed in ("id", "name"):
        if needed not in fields and fields:
            node.problem("missing-key", f"a tool call needs `{needed}`")
    arguments = fields.get("arguments")
    if arguments is not None and not isinstance(arguments.value, dict | str):
        arguments.wrong("a mapping, or its JSON as text")
    return WrittenCall(
        id=fields["id"].text() if "id" in fields else "",
        name=fields["name"].text() if "name" in fields else "",
        arguments=arguments.value if arguments is not None else {},
    )


def read_results(node: Node) -> tuple[WrittenResult, ...]:
    """The results of tool calls, in the order in which they arrive."""
    return tuple(_result(item) for item in node.items())


def _result(node: Node) -> WrittenResult:
    fields = node.fields("id", "content", "is_error")
    if "id" not in fields and fields:
        node.problem("missing-key", "a result needs the `id` of the tool call that it answers")
    return WrittenResult(
        id=fields["id"].text() if "id" in fields else "",
        content=read_content(fields["content"]) if "content" in fields else None,
        is_error=fields["is_error"].truth() if "is_error" in fields else False,
        path=node.path,
    )


def _usage(node: Node) -> Usage:
    fields = node.fields("input", "output", "cache_read", "cache_write")
    counts = {name: field.whole() for name, field in fields.items()}
    return Usage(
        counts.get("input", 0), counts.get("output", 0), counts.get("cache_read", 0), counts.get("cache_write", 0)
    )
