"""What may go wrong at a provider, by what can be done about it."""

from __future__ import annotations

from typing import Literal

from ...grammar.errors import DccError
from ..values import Reply

Kind = Literal[
    "auth",  # no key, or one that is refused
    "billing",  # the account has no credit
    "rate_limit",  # too many requests or tokens for now
    "overloaded",  # the server fails or is too busy
    "context_overflow",  # the request is longer than the model's window
    "timeout",  # the time given was up
    "network",  # no connection, or one that broke
    "bad_request",  # the server does not take the request as it is
    "malformed",  # the answer is not in the provider's protocol
    "aborted",  # the host stopped the call
]

_MENDS: dict[Kind, str] = {
    "auth": "check the key that provider.key_env or provider.key_file (mode 0600) names",
    "billing": "add credit to the provider's account, or choose another provider",
    "rate_limit": "wait a while and send it again, or choose another model",
    "overloaded": "send it again later, or choose another model",
    "context_overflow": "make the context smaller with /dc-compact, or lower governance.max_context",
    "timeout": "send it again, or raise the time under provider.timeout",
    "network": "check the connection and provider.base_url",
    "bad_request": "check provider.model, provider.base_url and provider.options",
    "malformed": "check that provider.base_url and provider.type belong together",
    "aborted": "send it again",
}


class ProviderError(DccError):
    """A model call without a usable reply.

    ``code`` is the kind. ``retryable``: the same request may succeed a little later. ``retry_after_s``: how long
    the server asks to wait, in seconds. ``status``: the HTTP status, None when there was no answer.
    ``partial``: what had come of the reply. ``attempts``: how often the request was sent. No message holds a key.
    """

    attempts: int = 1

    def __init__(
        self,
        kind: Kind,
        message: str,
        *,
        help: str | None = None,
        retryable: bool = False,
        retry_after_s: float | None = None,
        status: int | None = None,
        partial: Reply | None = None,
    ) -> None:
        super().__init__(kind, message, help=help or _MENDS[kind])
        self.kind: Kind = kind
        self.retryable = retryable
        self.retry_after_s = retry_after_s
        self.status = status
        self.partial = partial

    def begun(self, partial: Reply) -> ProviderError:
        """The same error after a part of the reply was delivered: trying again would say it twice."""
        message = f"{self.message}; the reply had begun, so it was not tried again"
        return ProviderError(
            self.kind, message, help=self.help, retry_after_s=self.retry_after_s,
            status=self.status, partial=partial,
        )  # fmt: skip
