"""A chat message as a person typed it: its patches, its command and the text that is left for the model.

language.md sections 3 and 4; the same as ``dcc parse`` prints (contracts.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from . import findings
from .ast import Finding, Message, Patch, Vocabulary
from .blanks import line_end
from .commands import parse_command
from .names import COMMANDS
from .patches import help_for, missing, read_patch, remarks
from .remainder import without
from .scan import Window, windows
from .shield import shield
from .spans import Span

_COMMAND = re.compile(r"\s*+/(?P<word>[\w-]++)(?!\S)")
_SLASH_LINE = re.compile(r"^[^\S\n]*+/", re.MULTILINE)

# A hint looks at no more of a line than this: enough for any line that was meant as a patch.
_HINT_REACH = 2_000


def parse_message(source: str, vocabulary: Vocabulary) -> Message:
    """Read a message. Never raises: what is wrong is a finding, and the text then stays as it was typed.

    ``vocabulary`` says which elements the ruleset declares. Spans count characters of ``source``.
    """
    if "/" not in source:
        return Message(source.strip() or None)
    opening = _COMMAND.match(source)
    if opening and opening["word"] in COMMANDS:
        return _command(source, opening)
    return _with_patches(source, shield(source), vocabulary)


def _command(source: str, opening: re.Match[str]) -> Message:
    word = opening["word"]
    start = opening.start("word") - 1
    line, _, rest = source[start:].partition("\n")
    line = line.rstrip()
    if rest.strip():
        span = Span(start, start + len(line))
        return Message(None, findings=(findings.command_not_alone(word, span),))
    command, told = parse_command(line, word, start)
    return Message(None, command=command, findings=told)


def _with_patches(source: str, text: str, vocabulary: Vocabulary) -> Message:
    """Read a message that is no command; ``text`` is the shielded source."""
    read: list[Window] = []  # every patch, also one that is too long to be taken
    patches: list[Patch] = []
    told: list[Finding] = []
    over: dict[str, Span] = {}  # what is over a limit, and where first
    reach = len(source)
    for window in windows(text, vocabulary):
        span = Span(window.start, window.end)
        if len(patches) == findings.MAX_PATCHES:
            over.setdefault(f"a message may hold {findings.MAX_PATCHES} patches", span)
            reach = window.start
            break
        read.append(window)
        if _too_long(source[window.name.end() : window.pair.start()]):
            over.setdefault(f"the content of a patch may have {findings.MAX_CONTENT_BYTES:,} bytes", span)
            continue
        patch = read_patch(source, window)
        patches.append(patch)
        told.extend(remarks(window, patch, vocabulary))
    told.extend(_slash_hints(text, reach, read, vocabulary))
    if over:
        told.append(findings.over_limit(" and ".join(over), next(iter(over.values()))))
    told.sort(key=lambda finding: finding.span.start)
    rest = without(source, [patch.span for patch in patches]).strip()
    return Message(rest or None, tuple(patches), None, tuple(told))


def _too_long(content: str) -> bool:
    limit = findings.MAX_CONTENT_BYTES
    # A character has at most 4 bytes; a lone surrogate, which JSON may carry, counts as 3.
    return len(content) * 4 > limit and len(content.strip().encode("utf-8", "surrogatepass")) > limit


def _slash_hints(text: str, reach: int, read: Sequence[Window], vocabulary: Vocabulary) -> Iterator[Finding]:
    """A hint for each line before ``reach`` that starts with a slash and is no patch (rule 5)."""
    at, given = 0, 0
    later = iter(read)
    patch = next(later, None)
    while line := _SLASH_LINE.search(text, at, reach):
        slash = line.end() - 1
        while patch and patch.end <= slash:
            patch = next(later, None)
        if patch and patch.start <= slash:
            at = patch.end
            continue
        if given == findings.MAX_SLASH_HINTS:
            yield findings.hint_limit(Span(slash, slash + 1))
            return
        given += 1
        at = line_end(text, slash)
        end = min(at, slash + _HINT_REACH, patch.start if patch else at)
        yield _slash_hint(text, slash, end, vocabulary, patch_follows=bool(patch and patch.start == end))


def _slash_hint(text: str, slash: int, end: int, vocabulary: Vocabulary, *, patch_follows: bool) -> Finding:
    command = _COMMAND.match(text, slash, end)
    if command and command["word"] in COMMANDS:
        return findings.command_in_text(command["word"], Span(slash, command.end()))
    span = Span(slash, slash + len(text[slash:end].rstrip()))
    wrong, expected = missing(text, slash, span.end, patch_follows=patch_follows)
    return findings.slash_line(
        text[slash : span.end], wrong, expected, help_for(text, slash, vocabulary), span
    )
