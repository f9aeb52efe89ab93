"""What ``dcc check --fix`` and ``--diff`` do with the fixed texts: write them, or show what would change."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from difflib import unified_diff

from ..compiler.compose import decode
from ..compiler.counted import counted
from ..compiler.diagnostics import Diagnostic
from ..compiler.files import check_file
from ..compiler.fixes import Fixer
from ..compiler.settings import Settings
from ..compiler.visible import visible
from ..runtime.whole_file import write_whole
from .gather import Target


@dataclass(frozen=True, slots=True)
class Mended:
    """A text before and after its fixes, the findings that went and those that are left."""

    target: Target
    before: str
    after: str
    mended: tuple[Diagnostic, ...]
    left: tuple[Diagnostic, ...]


def mend(target: Target, settings: Settings) -> Mended:
    """The text of a target with the fixes of the checks that speak made; a ruleset of dcc itself stays as it is."""
    text, problems = decode(target.data)
    if problems or not (target.file or target.is_stdin):
        return Mended(target, text, text, (), check_file(target.name, target.data).diagnostics)
    fixed = Fixer(target.name, settings.choice, settings.unsafe_fixes).fix(text)
    return Mended(target, text, fixed.text, fixed.mended, fixed.left)


def write(mended: Iterable[Mended]) -> tuple[Target, ...]:
    """Write the fixed texts, that of standard input to standard output; the targets as they are now."""
    targets = []
    for one in mended:
        target = one.target
        if one.after != one.before:
            target = replace(target, data=one.after.encode("utf-8"))
            if target.file is not None:
                write_whole(os.fspath(target.file), one.after)
        if target.is_stdin:
            sys.stdout.buffer.write(target.data)
        targets.append(target)
    return tuple(targets)


def show_diff(mended: Iterable[Mended]) -> bool:
    """Print what would change, as a unified diff; whether anything would."""
    changed = [one for one in mended if one.after != one.before]
    for one in changed:
        name = one.target.name
        for line in unified_diff(_lines(one.before), _lines(one.after), name, name):
            shown = visible(line) if sys.stdout.isatty() else line  # A program, such as patch, gets every byte.
            sys.stdout.write(shown if line.endswith("\n") else f"{shown}\n\\ No newline at end of file\n")
    files = counted(len(changed), "file")
    print(visible(f"dcc check: {files} would change"), file=sys.stderr)
    return bool(changed)


def _lines(text: str) -> list[str]:
    """The lines of a text with their ends; only a line feed ends one."""
    *lines, last = text.split("\n")
    return [f"{line}\n" for line in lines] + [last] * bool(last)
