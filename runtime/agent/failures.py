"""Failures of a run: what an error means for the run, for the profile that was used, and for the person.

An error is read by its kind (``providers/classify.py`` is the one classifier) and, for what has no kind of its own, by
its words. Only errors are read: what a person typed or a model wrote may say the same words and means nothing by them
(runtime spec, sections 6 and 8, I-8).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ...grammar.errors import DccError
from ..providers.errors import ProviderError
from .profiles.profile import Reason

#: The seed's sentence for the end of the overflow ladder.
OVERFLOW: Final = "Context overflow: prompt too large for the model"

_ROLES: Final = re.compile(
    r"roles? must alternate|incorrect role information|unexpected role|message ordering"
    r"|tool_use.{0,80}without.{0,40}tool_result|tool_result.{0,80}without|角色.{0,10}(?:交替|顺序)",
    re.IGNORECASE,
)
_IMAGE_SIZE: Final = re.compile(
    r"image (?:exceeds|is larger than) ([0-9.]+) ?mb|图片.{0,6}超过 ?([0-9.]+) ?mb", re.IGNORECASE
)
_IMAGE_SHAPE: Final = re.compile(r"image dimensions? exceed|图片尺寸", re.IGNORECASE)
#: What a server says that sums up by itself, and cannot, because even that is too long (runtime spec, 6.1).
_COMPACTION: Final = re.compile(
    r"summari[sz]ation failed|compaction|(?:压缩|摘要|总结).{0,6}失败", re.IGNORECASE
)

#: What each kind of error means for the profile that was used; a kind that is not here says nothing of the profile.
_REASONS: Final[Mapping[str, Reason]] = {
    "rate_limit": "rate_limit",
    "overloaded": "timeout",
    "timeout": "timeout",
    "billing": "billing",
    "auth": "auth",
}

_TEXTS: Final[Mapping[str, str]] = {
    "context_overflow": f"{OVERFLOW}. Begin a new session, or choose a model with a larger window.",
    "compaction_failure": f"{OVERFLOW}, and its history could not be summarised. Begin a new session.",
    "role_ordering": "The provider refused the order of the messages. Try again; if it stays so, begin a new session.",
    "image_shape": "An image has more pixels than the model takes. Make it smaller and send it again.",
    "rate_limit": "The provider's limit is reached. Try again later, or choose another model.",
    "overloaded": "The provider is too busy at the moment. Try again shortly.",
    "timeout": "The time was up before there was an answer. Try again, or allow more: --timeout, or provider.timeout.",
    "billing": "The provider's account has no credit left. Add some, or choose another provider.",
    "auth": "The provider does not accept the key. Check the one that the profile or the ruleset names.",
    "network": "The provider could not be reached. Check the connection and its address.",
    "malformed": "The provider's answer could not be understood. Check that its address and type belong together.",
}


@dataclass(frozen=True, slots=True)
class Failure:
    """What an error means. ``reason``: why its profile is to be left alone for a while; None: it is not to blame."""

    kind: str
    text: str
    message: str
    reason: Reason | None = None

    @property
    def is_overflow(self) -> bool:
        """Whether the overflow ladder is for it."""
        return self.kind in ("context_overflow", "compaction_failure")


def failure_of(error: DccError) -> Failure:
    """What an error of a model call, or of the session, means for the run."""
    if not isinstance(error, ProviderError):
        return Failure(error.code, sentence(error), error.message)
    kind = _kind(error)
    return Failure(kind, _text(kind, error), error.message, _REASONS.get(kind))


def sentence(error: DccError) -> str:
    """An error and how to mend it, for a person."""
    if error.help is None:
        return error.message
    is_command = error.help.startswith("dcc ")
    return f"{error.message}. {error.help if is_command else error.help[:1].upper() + error.help[1:]}."


def _kind(error: ProviderError) -> str:
    """The error's kind; what is refused for its images or its order has one of its own, and so has a failed summary."""
    if _IMAGE_SHAPE.search(error.message):
        return "image_shape"
    if _IMAGE_SIZE.search(error.message):
        return "image_size"
    if error.kind == "bad_request" and _ROLES.search(error.message):
        return "role_ordering"
    if error.kind == "context_overflow" and _COMPACTION.search(error.message):
        return "compaction_failure"
    return error.kind


def _text(kind: str, error: ProviderError) -> str:
    if kind == "image_size":
        match = _IMAGE_SIZE.search(error.message)
        most = next((group for group in match.groups() if group), None) if match else None
        return f"An image is larger than the {most} MB that the model takes. Make it smaller and send it again."
    return _TEXTS.get(kind) or sentence(error)
