"""``dcc run``: one prompt, executed by an agent under a ruleset."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from ..runtime.agent.request import OpenTurn, RunContext, RunRequest
from ..runtime.agent.run import Agent
from ..runtime.agent.tools.hiding import keep_to_itself
from ..runtime.errors import SessionError
from ..runtime.providers.abort import Abort
from .governing import (
    AllowOption,
    AllowRedactOption,
    AllowReplaceOption,
    CanonReadOnlyOption,
    CpatOffOption,
    GovernanceOption,
    MaxContextOption,
    flags_of,
)
from .reading import fail_usage
from .run_given import image_of, prompt_of
from .run_output import Output
from .signals import stoppable
from .stored import StoreOption, usage_errors

#: Codes of errors that say: a run cannot be asked for like this.
_USAGE = frozenset({"nothing_to_run", "unknown_gate", "unknown_agent", "unknown_group"})


def run(
    prompt: Annotated[
        str | None, typer.Argument(metavar="PROMPT|-", help="What is asked; - reads it from standard input.")
    ] = None,
    ruleset: Annotated[
        str | None, typer.Option("--ruleset", "-r", metavar="R", help="A shipped ruleset or a path.")
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session", metavar="ID", help="The session to go on with, or the id of a new one.")
    ] = None,
    store: StoreOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON document.")] = False,
    agent: Annotated[str | None, typer.Option(metavar="ID", help="The agent that runs: its tools, its folder.")] = None,
    group: Annotated[str | None, typer.Option(metavar="ID", help="The group that it answers in.")] = None,
    sender: Annotated[Literal["owner", "other"], typer.Option(help="Who sent the prompt.")] = "owner",
    provider: Annotated[
        Literal["echo", "openai", "anthropic"] | None,
        typer.Option(help="Who answers (default: the ruleset's provider, else echo, offline)."),
    ] = None,
    model: Annotated[str | None, typer.Option(metavar="NAME", help="The model that answers.")] = None,
    profile: Annotated[
        str | None, typer.Option(metavar="NAME", help="The profile of the ruleset's auth section, and no other.")
    ] = None,
    think: Annotated[
        Literal["off", "minimal", "low", "medium", "high", "xhigh"] | None,
        typer.Option(help="How much the model may think; a level that it refuses gives way to one that it takes."),
    ] = None,
    image: Annotated[list[Path] | None, typer.Option(metavar="FILE", help="An image beside the prompt.")] = None,
    timeout: Annotated[float, typer.Option(min=0.001, metavar="S", help="Longest time of the run, in seconds.")] = 600,
    max_context: MaxContextOption = None,
    allow: AllowOption = None,
    allow_replace: AllowReplaceOption = False,
    allow_redact: AllowRedactOption = False,
    governance: GovernanceOption = None,
    cpat_off: CpatOffOption = False,
    canon_read_only: CanonReadOnlyOption = False,
    go_on: Annotated[bool, typer.Option("--continue", help="Go on with a turn that was left open.")] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Commit a turn that was left open as it is (default).")] = False,
    drop: Annotated[bool, typer.Option("--drop", help="Close a turn that was left open, out of view.")] = False,
) -> None:
    """Run an agent: it reads, writes and edits files in the current folder, runs commands, and answers.

    The answer goes to standard output as it comes, notices to standard error. Every call is on disk before the next
    thing happens: after a crash --continue goes on with the turn, and runs no tool twice; the prompt may be left out
    then. Ctrl-C stops the run, and so do SIGTERM and SIGHUP. Exit codes: 0 answered, 1 ended with an error, 2 wrong
    usage, 130 stopped.
    """
    if go_on + keep + drop > 1:
        fail_usage("--continue, --keep and --drop exclude each other", "give one of them")
    if prompt is None and not go_on:
        fail_usage("there is no prompt", "give one, or - to read it from standard input")
    asked = prompt_of(prompt)
    if not asked.strip() and not go_on:
        fail_usage("the prompt is empty", "type something")
    keep_to_itself()
    output = Output(abort := Abort(), as_json=as_json)
    open_turn: OpenTurn = "continue" if go_on else "drop" if drop else "keep"
    request = RunRequest(
        asked,
        tuple(map(image_of, image or ())),
        session_file=store,
        session=session,
        config=ruleset,
        think=think,
        provider=provider,
        model=model,
        abort=abort,
        timeout_s=timeout,
        callbacks=output.callbacks,
        context=RunContext(agent, group, sender == "owner"),
        profile=profile,
        open_turn=open_turn,
        flags=flags_of(max_context, allow, allow_replace, allow_redact, governance, cpat_off, canon_read_only),
    )
    with usage_errors(), stoppable(abort):
        try:
            result = Agent().run(request)
        except SessionError as error:
            if error.code not in _USAGE:
                raise
            fail_usage(error.message, error.help)
    raise typer.Exit(output.result(result))


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("run")(run)
