"""Which kind of error a provider's answer is: by its words where they are clear, else by type and status.

Facts: spec/pi_agent_runtime.md section 6. Only errors are read here, never what a person or a model wrote.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from .errors import Kind

#: Characters of a server's message that are shown.
SHOWN = 500

_RATE = re.compile(
    r"rate[ _]limit|too many (?:requests|tokens)|tokens per (?:min|day)|requests per (?:min|hour|day)|\btpm\b"
    r"|\b429\b|quota|resource[ _](?:has been )?exhausted|usage limit|throttl"
)
_OVERFLOW = re.compile(
    r"request_too_large|exceeds the maximum size|context[ _]length[ _]exceeded|maximum context length"
    r"|prompt is too long|context overflow:|model token limit|exceed_context|exceeds? (?:the )?context limit"
    r"|exceeds (?:the )?model(?:'s)? (?:context window|maximum context)"
    r"|context (?:window|size|length).{0,80}(?:exceed|too (?:large|long))"
    r"|(?:request|input|prompt|max_tokens).{0,80}(?:exceed|too (?:large|long)).{0,80}context"
    r"|(?:输入|上下文|请求).{0,20}(?:过长|超出|长度超|超过最大)|请压缩上下文"
)
_TOO_SMALL = re.compile(r"context window.{0,80}(?:too small|minimum is)")
_BILLING = re.compile(r"payment required|insufficient (?:credits?|balance|funds)|credit balance|plans & billing")

_BY_TYPE: dict[str, Kind] = {
    "authentication_error": "auth",
    "permission_error": "auth",
    "invalid_api_key": "auth",
    "billing_error": "billing",
    "rate_limit_error": "rate_limit",
    "rate_limit_exceeded": "rate_limit",
    "insufficient_quota": "rate_limit",
    "overloaded_error": "overloaded",
    "api_error": "overloaded",
    "server_error": "overloaded",
    "timeout_error": "timeout",
    "request_too_large": "context_overflow",
    "context_length_exceeded": "context_overflow",
    "invalid_request_error": "bad_request",
    "not_found_error": "bad_request",
}
_BY_STATUS: dict[int, Kind] = {
    401: "auth", 402: "billing", 403: "auth", 408: "timeout", 413: "context_overflow",
    429: "rate_limit", 504: "timeout", 524: "timeout",
}  # fmt: skip
#: Kinds that pass by themselves. A timeout that a server reports is one of them; one of our own is not.
_PASSING: frozenset[Kind] = frozenset({"rate_limit", "overloaded", "timeout"})


class Verdict(NamedTuple):
    """The kind of an error, what the server said, and whether the same request may succeed later."""

    kind: Kind
    said: str
    retryable: bool


def classify(status: int | None, body: str | dict[str, Any]) -> Verdict:
    """What an error answer means. ``status`` is None for an error inside a stream; ``body`` as it came."""
    said, types = _said(body)
    kind = _kind(status, said.lower(), types)
    return Verdict(kind, said[:SHOWN], kind in _PASSING)


def _kind(status: int | None, text: str, types: tuple[str, ...]) -> Kind:
    if status == 429 or (status not in (401, 403) and _RATE.search(text)):
        return "rate_limit"
    if _BILLING.search(text):
        return "billing"
    if _OVERFLOW.search(text) and not _TOO_SMALL.search(text):
        return "context_overflow"
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    named = next((_BY_TYPE[type] for type in types if type in _BY_TYPE), None)
    if named is not None:
        return named
    return "overloaded" if status is None or status >= 500 else "bad_request"


def _said(body: str | dict[str, Any]) -> tuple[str, tuple[str, ...]]:
    """The server's message, and the types and codes that it gives, from the shapes that are in use."""
    document: Any = body
    if isinstance(body, str):
        try:
            document = json.loads(body)
        except (ValueError, RecursionError):
            return " ".join(body[: 4 * SHOWN].split()), ()
    if isinstance(document, list) and document:  # Google's gateways wrap the one error in a list
        document = document[0]
    error = document.get("error", document) if isinstance(document, dict) else document
    if not isinstance(error, dict):
        return str(error), ()
    message = error.get("message") or error.get("detail") or json.dumps(error, ensure_ascii=False)
    types = tuple(str(error[key]) for key in ("code", "type") if error.get(key))
    return str(message), types
