"""Everything that comes from outside, with secrets taken out of it before it is borne or told."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from ..compaction.compressors import CompressionError, Compressor, Continuing, spent_by
from ..kernel.content import Content, Opaque, Text, thought_of
from ..providers.errors import ProviderError
from ..providers.protocol import Tool
from ..values import Reply, ReplyPiece, ToolCall, Usage
from .masking import Secrets


def masked_content(content: Content, secrets: Secrets) -> Content:
    """A content with its texts masked."""
    if isinstance(content, str):
        return secrets.mask(content)
    return tuple(Text(secrets.mask(part.text)) if isinstance(part, Text) else part for part in content)


def masked_reply(reply: Reply, secrets: Secrets) -> Reply:
    """A reply with everything masked that becomes a slot. Signed thinking that holds a secret loses its signature."""
    return replace(
        reply,
        text=secrets.mask(reply.text),
        thinking=_thinking(reply.thinking, secrets),
        calls=tuple(_call(call, secrets) for call in reply.calls),
        elements=tuple((name, secrets.mask(text)) for name, text in reply.elements),
        pins=tuple(map(secrets.mask, reply.pins)),
        pieces=tuple(_piece(piece, secrets) for piece in reply.pieces),
    )


def masked_tool(tool: Tool, secrets: Secrets) -> Tool:
    """A declaration with its texts masked: a server of tools may repeat what it was started with."""
    return Tool(tool.name, secrets.mask(tool.description), _values(tool.parameters, secrets))


def masked_error(error: ProviderError, secrets: Secrets) -> ProviderError:
    """The same error, its message and its help masked; some servers repeat what they were sent."""
    error.message = secrets.mask(error.message)
    error.help = secrets.mask(error.help) if error.help else error.help
    error.args = (error.message,)
    return error


class MaskingCompressor:
    """A compressor whose summaries hold no secret."""

    def __init__(self, compressor: Compressor, secrets: Secrets) -> None:
        self._compressor = compressor
        self._secrets = secrets

    def summarise(self, transcript: str, prompt: str) -> str:
        """See ``Compressor.summarise``."""
        return self.summarise_after("", transcript, prompt)

    def summarise_after(self, previous: str, transcript: str, prompt: str) -> str:
        """See ``Continuing.summarise_after``; for a compressor that does not carry on there is no summary so far."""
        try:
            if previous and isinstance(self._compressor, Continuing):
                return self._secrets.mask(self._compressor.summarise_after(previous, transcript, prompt))
            return self._secrets.mask(self._compressor.summarise(transcript, prompt))
        except (ProviderError, CompressionError) as error:
            error.message = self._secrets.mask(error.message)
            error.args = (error.message,)
            raise

    def take_spent(self) -> Usage | None:
        """See ``Metered.take_spent``."""
        return spent_by(self._compressor)


def _thinking(thinking: str | tuple[Opaque, ...], secrets: Secrets) -> str | tuple[Opaque, ...]:
    if isinstance(thinking, str):
        return secrets.mask(thinking)
    if all(secrets.mask(part.data) == part.data and _is_clean(part, secrets) for part in thinking):
        return thinking
    texts = (thought.text for part in thinking if (thought := thought_of(part)) is not None)
    return secrets.mask("\n".join(filter(None, texts)))


def _is_clean(part: Opaque, secrets: Secrets) -> bool:
    """Whether a part says no secret however its JSON spells it."""
    thought = thought_of(part)
    return thought is None or secrets.mask(thought.text) == thought.text


def _call(call: ToolCall, secrets: Secrets) -> ToolCall:
    given = call.arguments
    arguments = _json(secrets.mask(given), secrets) if isinstance(given, str) else _values(given, secrets)
    return ToolCall(secrets.mask(call.id), secrets.mask(call.name), arguments)


def _json(text: str, secrets: Secrets) -> str:
    """JSON text with its strings masked: one may be spelled with escapes. What is no JSON stays as it is."""
    try:
        value = json.loads(text)
        masked = _values(value, secrets)
    except (ValueError, RecursionError):
        return text
    return text if masked == value else json.dumps(masked, ensure_ascii=False, separators=(",", ":"))


def _values(value: Any, secrets: Secrets) -> Any:
    match value:
        case str():
            return secrets.mask(value)
        case list():
            return [_values(item, secrets) for item in value]
        case dict():
            return {_values(key, secrets): _values(item, secrets) for key, item in value.items()}
    return value


def _piece(piece: ReplyPiece, secrets: Secrets) -> ReplyPiece:
    match piece:
        case ("think", thinking):
            return "think", _thinking(thinking, secrets)
        case ("text", text):
            return "text", secrets.mask(text)
    return piece
