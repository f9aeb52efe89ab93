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

#: Characters of it that are looked through: what is wrong stands near the beginning.
_READ = 4_000

#: Sure words of a limit: they are asked before anything else (spec 6.1, its first veto).
_RATE = re.compile(
    r"rate[ _]limit|too many requests|tokens per (?:min|day)|\btpm\b|\b429\b|usage limit"
    r"|exceeded your current quota|quota exceeded|resource[ _](?:has been )?exhausted"
    r"|(?:请求|调用|访问).{0,8}(?:过于频繁|太频繁|频率)|请求过多|(?:速率|频率|流量|并发|次数).{0,6}(?:限制|过高|超)|限流"
    r"|请求数.{0,6}超|额度.{0,4}(?:用完|用尽|耗尽)"
)
#: Words that mean a limit where none of an overflow are sure (spec 6.1, its last veto).
_RATE_HINT = re.compile(
    r"requests per (?:min|hour|day)|quota|throttl|too many tokens|配额|限额"
    r"|每(?:秒|分钟|小时|天|日).{0,12}(?:请求|调用|token|次数)"
)
_OVERFLOW = re.compile(
    r"request_too_large|exceeds the maximum size|context[ _]length[ _]exceeded|maximum context length"
    r"|prompt is too long|context overflow:|model token limit|exceed_context|exceeds? (?:the )?context limit"
    r"|context_window_exceeded|ran out of room in the model's context"
    r"|exceeds (?:the )?model(?:'s)? (?:context window|maximum context)"
    r"|context (?:window|size|length).{0,80}(?:exceed|too (?:large|long))"
    r"|(?:request|input|prompt|max_tokens).{0,80}(?:exceed|too (?:large|long)).{0,80}context"
    r"|(?:longer|greater|larger) than the (?:model's |maximum )*context|maximum prompt length"
    r"|\binput is too long|range of input length should be|reduce the length of the (?:messages|prompt|input)"
    r"|too many tokens:.{0,80}(?:prompt|input)"
    r"|上下文.{0,6}(?:过长|太长|溢出|超(?!时))|超[出过]了?(?:模型)?的?最大上下文|请压缩上下文"
    r"|(?:输入|提示词?|prompt|请求).{0,12}(?:超长|长度.{0,6}超|超[出过].{0,4}(?:长度|token))"
    r"|(?:输入|提示词?|prompt|请求(?:内容|文本|体|消息)).{0,12}(?:过长|太长)"
)
#: Words that mean it together, in whatever order they stand (spec 6.1, version 2026.2.23).
_TOGETHER = (("max_tokens", "exceed", "context"), ("input length", "exceed", "context"))
#: Words that nearly always mean it, in an error that is not about how long the answer may be.
_LIKELY = re.compile(
    r"context.{0,40}overflow|context window.{0,80}(?:over\b|limit|max|requested|sent\b|tokens)"
    r"|\bprompt\b.{0,80}(?:too (?:large|long)|exceed|over\b|limit|max)"
    r"|\b(?:request|input)\b.{0,80}(?:context|window|length|token).{0,80}(?:too (?:large|long)|exceed|over\b|limit|max)"
    r"|\b413\b.{0,80}too large|too large.{0,80}\b413\b"
)
_OF_THE_ANSWER = re.compile(r"max_(?:completion_|output_)?tokens|(?:completion|output) tokens")
#: What a model that must think says of a request that forbids it; it may name the context, and is no overflow.
_REASONING = re.compile(r"reasoning is (?:mandatory|required)|requires reasoning|reasoning.{0,40}cannot be disabled")
_TOO_SMALL = re.compile(r"context window.{0,80}(?:too small|minimum is)")
_BILLING = re.compile(
    r"payment required|insufficient (?:credits?|balance|funds)|credit balance|plans & billing|余额不足|账户欠费|欠费"
)
#: A request that its server takes for badly formed, whoever sends it.
_FORMAT = re.compile(r"tool_use\.id|string should match pattern|invalid request format")
_OVERLOADED = re.compile(r"overloaded|服务.{0,6}(?:繁忙|过载)")
_TIMEOUT = re.compile(
    r"\btime(?:d )?-?out\b|deadline exceeded|without sending chunks|\breason: abort|(?:请求|响应|连接)超时"
)
_AUTH = re.compile(
    r"(?:invalid|incorrect|expired|missing|no) (?:api[ _]?key|credentials|token)"
    r"|api[ _]?key.{0,20}(?:invalid|not valid|expired)"
    r"|unauthori[sz]ed|\bforbidden\b|authentication|token has expired|access denied"
    r"|(?:密钥|令牌|api ?key).{0,6}(?:无效|错误|过期)|(?:无效|错误|过期)的? ?(?:密钥|令牌|api ?key)|(?:认证|鉴权)失败"
)
#: The order of the words (spec 6.2): those that say more than a status, and those that a status or a type goes before.
_CLEAR: tuple[tuple[re.Pattern[str], Kind], ...] = (
    (_OVERLOADED, "overloaded"), (_FORMAT, "bad_request"), (_BILLING, "billing"),
)  # fmt: skip
_VAGUE: tuple[tuple[re.Pattern[str], Kind], ...] = ((_TIMEOUT, "timeout"), (_AUTH, "auth"))
#: A status that the words begin with, or name: what a stream or a gateway passes on has no other.
_STATUS = re.compile(r"^(?:error:? )?([45]\d\d)\b|\b(?:http|status|status code|code)\W{1,3}([45]\d\d)\b")

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
    kind = _kind(status, said[:_READ].lower(), types)
    return Verdict(kind, said[:SHOWN], kind in _PASSING)


def _kind(status: int | None, text: str, types: tuple[str, ...]) -> Kind:
    if status is None:
        status = _status_of(text, types)
    # Who is not let in has reached no limit.
    may_be_a_limit = status not in (401, 403)
    if status == 429 or (may_be_a_limit and _RATE.search(text)):
        return "rate_limit"
    if _is_overflow(text):
        return "context_overflow"
    if may_be_a_limit and _RATE_HINT.search(text):
        return "rate_limit"
    if _is_likely_overflow(text):
        return "context_overflow"
    if (clear := _by_words(text, _CLEAR)) is not None:
        return clear
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    named = next((_BY_TYPE[type] for type in types if type in _BY_TYPE), None)
    if named not in (None, "bad_request"):
        return named
    vague = _by_words(text, _VAGUE) or named
    return vague or ("overloaded" if status is None or status >= 500 else "bad_request")


def _status_of(text: str, types: tuple[str, ...]) -> int | None:
    """The status that an error inside an answer names: as its code (OpenRouter does so), or in its words."""
    code = next((type for type in types if re.fullmatch("[45][0-9][0-9]", type)), None)
    if code is not None:
        return int(code)
    named = _STATUS.search(text)
    return int(named[1] or named[2]) if named is not None else None


def _is_overflow(text: str) -> bool:
    """Whether the words say so for sure."""
    if _TOO_SMALL.search(text) or _REASONING.search(text):
        return False
    return _OVERFLOW.search(text) is not None or any(all(word in text for word in words) for words in _TOGETHER)


def _is_likely_overflow(text: str) -> bool:
    vetoes = (_TOO_SMALL, _REASONING, _OF_THE_ANSWER)
    return _LIKELY.search(text) is not None and not any(veto.search(text) for veto in vetoes)


def _by_words(text: str, words: tuple[tuple[re.Pattern[str], Kind], ...]) -> Kind | None:
    """The kind of the first pattern that is found."""
    return next((kind for pattern, kind in words if pattern.search(text)), None)


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
