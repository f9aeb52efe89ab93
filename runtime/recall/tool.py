"""``dc_recall`` as a tool that a model can call: its schemas, and how its arguments are read."""

from __future__ import annotations

from typing import Any, Final, Literal

from ..kernel.content import parse_object

NAME: Final = "dc_recall"

DESCRIPTION: Final = (
    "Search this conversation's ledger, also what has left the context, by words. Returns the best lines with "
    "their turn; [retired] marks what is no longer in context."
)

PARAMETERS: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"query": {"type": "string", "description": "Words to look for, in any language."}},
    "required": ["query"],
    "additionalProperties": False,
}

#: What a call without a usable query is answered with.
USAGE: Final = 'dc_recall needs a query: {"query": "words to look for"}'


def schema(format: Literal["openai", "anthropic"]) -> dict[str, Any]:
    """The tool's declaration, as an entry of ``tools`` in a request of that format."""
    if format == "anthropic":
        return {"name": NAME, "description": DESCRIPTION, "input_schema": PARAMETERS}
    return {
        "type": "function",
        "function": {"name": NAME, "description": DESCRIPTION, "parameters": PARAMETERS},
    }


def query_of(arguments: str) -> str | None:
    """The query in a call's arguments (JSON text); None when there is none."""
    query = (parse_object(arguments) or {}).get("query")
    return query.strip() or None if isinstance(query, str) else None
