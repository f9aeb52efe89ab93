"""``dcc chat``: a conversation in the terminal, or from standard input, under a ruleset."""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Annotated, Literal

import typer

from ..compiler.load import load_program
from ..compiler.program import Program
from ..runtime.chat.chat import Chat
from ..runtime.chat.config import VARIABLE, find_config
from ..runtime.chat.opening import compressor_of, in_window, open_session, open_store
from ..runtime.providers.choose import choose
from ..runtime.store.claim import claimed
from ..runtime.store.location import store_file
from ..runtime.store.reopening import program_of
from ..runtime.store.sqlite import SqliteStore
from .chat_loop import talk
from .chat_screen import PlainScreen, Screen
from .governing import (
    AllowOption,
    AllowRedactOption,
    AllowReplaceOption,
    CanonReadOnlyOption,
    CpatOffOption,
    GovernanceOption,
    MaxContextOption,
    check_gates,
    flags_of,
)
from .reading import fail_usage
from .signals import leaving
from .stored import StoreOption, usage_errors


def chat(
    ruleset: Annotated[
        str | None, typer.Option("--ruleset", "-r", metavar="R", help="A shipped ruleset or a path.")
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session", metavar="ID", help="The session to go on with, or the id of a new one.")
    ] = None,
    store: StoreOption = None,
    provider: Annotated[
        Literal["echo", "openai", "anthropic"] | None,
        typer.Option(help="Who answers (default: the ruleset's provider, else echo, offline)."),
    ] = None,
    model: Annotated[str | None, typer.Option(metavar="NAME", help="The model that answers.")] = None,
    dc_config: Annotated[
        Path | None,
        typer.Option(
            "--dc-config", metavar="FILE",
            help=f"The ruleset as a file (default: {VARIABLE}, ./config/standard/runtime.yaml, standard).",
        ),
    ] = None,
    max_context: MaxContextOption = None,
    allow: AllowOption = None,
    allow_replace: AllowReplaceOption = False,
    allow_redact: AllowRedactOption = False,
    governance: GovernanceOption = None,
    cpat_off: CpatOffOption = False,
    canon_read_only: CanonReadOnlyOption = False,
) -> None:
    """Chat with a model under a ruleset; the session is stored, and taken up again with --session.

    In a terminal Enter sends, Alt-Enter breaks the line, Tab completes, Ctrl-C stops an answer and keeps what has
    come of it, or clears the line, Ctrl-D leaves. Without a terminal each line of standard input is a message; answers
    go to standard output, notices to standard error, and the exit code is 1 when a message ended with an error. A
    session that is taken up again keeps its own rules unless --ruleset or --dc-config names others.
    """
    if ruleset is not None and dc_config is not None:
        fail_usage("--ruleset and --dc-config name two rulesets", "name one of them")
    flags = flags_of(max_context, allow, allow_replace, allow_redact, governance, cpat_off, canon_read_only)
    path = store_file(store)
    with usage_errors():
        stored = open_store(path, session)
    with leaving(), closing(stored), ExitStack() as claim:
        with usage_errors():
            claim.enter_context(claimed(path, stored.session, "chat"))
            program = _program(stored, ruleset, dc_config)
        check_gates(flags, program)
        choice = choose(program.sections.get("provider"), environ=os.environ, type=provider, model=model)
        flags, window = in_window(choice, program, flags)
        compressor = compressor_of(choice, program, flags)
        with open_session(stored, program, compressor, flags) as opened:
            talker = Chat(opened, choice, compressor)
            screen = _screen(talker, stored.session)
            screen.tell(f"session {stored.session}, rules of {program.name}, answered by {choice.model}")
            if window is not None and window.source == "default":
                assumed = f"{window.tokens:,} tokens are assumed; write another number in governance.window"
                screen.tell(f"nobody knows the context window of {choice.model}: {assumed}")
            if screen.is_interactive:
                screen.tell("/ and Tab: the commands | Ctrl-C: stops an answer | Ctrl-D: leaves | /help")
            all_well = talk(talker, screen)
            if screen.is_interactive:
                again = f"the same command with --session {shlex.quote(stored.session)} goes on with it"
                kept = f"session {stored.session} is kept: {again}"
                screen.tell(kept if opened.is_stored else "nothing was said: no session is kept")
    if not all_well and not screen.is_interactive:
        raise typer.Exit(1)


def _program(store: SqliteStore, ruleset: str | None, dc_config: Path | None) -> Program:
    """The rules: those that are named, else those of a stored session, else those of the file that is found."""
    if ruleset is not None:
        return load_program(ruleset)
    if dc_config is None and store.last:
        return program_of(store)
    return load_program(find_config(dc_config, os.environ))


def _screen(chat: Chat, name: str) -> Screen:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return PlainScreen()
    # The line editor is large, and of use only here.
    from .chat_line import hint, suggestions
    from .chat_status import status_line
    from .chat_terminal import TerminalScreen

    session = chat.session
    return TerminalScreen(
        lambda text: suggestions(text, session),
        lambda text: hint(text, session.program),
        lambda: status_line(session, chat.choice.provider.format, name),
    )


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("chat")(chat)
