"""Usage of a run: what is billed is summed, what the context holds is the last call's (runtime spec, section 2).

Every call of a tool loop reports the whole context as read from the cache. Summed, that is N times the context; so the
figures of the last call stand beside the sums and are never made of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ..values import Usage
from .result import RunUsage


@dataclass(frozen=True, slots=True)
class Reported:
    """One call's report. None: the provider did not say. ``input`` is what no cache served.

    ``exact``: the report speaks of one request that was sent once (``Usage.exact``).
    """

    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    total: int | None = None
    exact: bool = True

    @property
    def says_something(self) -> bool:
        """Whether any figure is above zero: a call that was aborted reports zeros, and they mean nothing."""
        return any(value for value in (self.input, self.output, self.cache_read, self.cache_write, self.total))

    @property
    def prompt(self) -> int:
        """The length of the prompt, cached or not, in tokens."""
        return (self.input or 0) + (self.cache_read or 0) + (self.cache_write or 0)

    @property
    def whole(self) -> int:
        """The call's own total: as reported, else prompt and output."""
        return self.total or self.prompt + (self.output or 0)

    @classmethod
    def of(cls, usage: Usage) -> Reported:
        """The report of a usage that a provider of dcc read."""
        return cls(
            usage.input, usage.output, usage.cache_read, usage.cache_write, usage.total or None, usage.exact
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Spent:
    """The calls of a run or a session so far: sums of each figure, and the last call that said something."""

    sums: Reported = field(default_factory=lambda: Reported(0, 0, 0, 0, 0))
    last: Reported | None = None
    calls: int = 0

    def and_call(self, report: Reported | None) -> Spent:
        """With one more call. One that says nothing changes no figure."""
        if report is None or not report.says_something:
            return self
        before = self.sums
        sums = Reported(
            (before.input or 0) + (report.input or 0),
            (before.output or 0) + (report.output or 0),
            (before.cache_read or 0) + (report.cache_read or 0),
            (before.cache_write or 0) + (report.cache_write or 0),
            (before.total or 0) + report.whole,
            before.exact and report.exact,
        )
        return replace(self, sums=sums, last=report, calls=self.calls + 1)

    @property
    def context(self) -> int | None:
        """Tokens that the context held at the last call, its answer apart; None where nobody knows: never a sum."""
        return (self.last.prompt or None) if self.last is not None else None

    def usage(self, billed: Spent | None = None) -> RunUsage | None:
        """The usage as the seed wants it; None when no call said anything.

        ``billed``: all calls that are paid for, where there were others beside those of the conversation (summaries).
        """
        paid = (billed or self).sums
        if self.last is None and not paid.says_something:
            return None
        last, output = self.last or Reported(), self.sums.output or 0
        return RunUsage(
            last.input or 0, output, last.cache_read or 0, last.cache_write or 0,
            last.prompt + output, last.whole,
            paid.input or 0, paid.output or 0, paid.cache_read or 0, paid.cache_write or 0, paid.exact,
        )  # fmt: skip
