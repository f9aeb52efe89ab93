"""The root of dcc's error tree, and the errors that the grammars raise.

    DccError
      GrammarError        text that does not parse (grammar/)
      CompileError        a ruleset with errors (compiler/)
      SessionError        a wrong use of a session, or an answered error (runtime/)
      StoreError          a ledger that cannot be read or written (runtime/)
"""

from __future__ import annotations

from .spans import Span


class DccError(Exception):
    """Any error that dcc raises on purpose.

    ``code`` is stable (lower case, words joined by ``_``); ``message`` says what is wrong;
    ``help`` says how to mend it, or is None.
    """

    def __init__(self, code: str, message: str, *, help: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.help = help


class GrammarError(DccError):
    """Text that does not parse: where, and what was expected, in human words."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        span: Span,
        expected: tuple[str, ...] = (),
        help: str | None = None,
    ) -> None:
        super().__init__(code, message, help=help)
        self.span = span
        self.expected = expected
