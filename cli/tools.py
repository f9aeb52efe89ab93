"""``dcc tools``: which tools exist for a model, and the step that decided (contracts.md)."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, redirect_stdout
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from ..compiler.check import Context
from ..compiler.diagnostics import Diagnostic
from ..compiler.documents import read_text, resolve
from ..compiler.facts.tools import policy_table, tool_sections
from ..compiler.ir.build import build_ruleset
from ..compiler.load import check_chain, find_ruleset, read_ruleset
from ..compiler.policy.declared import undeclared, without_policy
from ..compiler.policy.entries import Severity
from ..compiler.policy.known import built_in
from ..compiler.policy.table import PolicyTable, Where
from ..compiler.policy.verdicts import Decision
from ..compiler.problem import nearest, one_of
from ..compiler.program import Program
from ..compiler.providers import TYPES
from ..compiler.visible import visible, visible_json
from ..runtime.agent.masking import Secrets
from ..runtime.agent.secret_values import keys_of, secrets_of
from ..runtime.agent.tools.arguments import ToolError
from ..runtime.agent.tools.confinement import confinement, said_of_exec
from ..runtime.agent.tools.registry import Toolset, open_toolset
from ..runtime.agent.tools.workspace import Workspace
from ..runtime.agent.workspace_of import workspace_of
from ..runtime.errors import with_help
from ..runtime.providers.abort import Abort
from .reading import fail_usage
from .signals import interruptible

#: Version of the JSON document's shape.
SCHEMA_VERSION = 1

#: What the table says in place of an entry.
_WORDS = {"not_listed": "not listed", "owner_only": "owner only", "no_rule": "no rule speaks of it"}


def tools(
    ruleset: Annotated[str, typer.Option(metavar="R", help="A path or a shipped name.")] = "standard",
    agent: Annotated[str | None, typer.Option(metavar="ID", help="The agent that asks.")] = None,
    group: Annotated[str | None, typer.Option(metavar="ID", help="The group that it answers in.")] = None,
    provider: Annotated[str | None, typer.Option(metavar="NAME", help="The provider of the model.")] = None,
    model: Annotated[str | None, typer.Option(metavar="ID", help="The model.")] = None,
    sender: Annotated[Literal["owner", "other"], typer.Option(help="Who sent the message.")] = "owner",
    depth: Annotated[int, typer.Option(min=0, help="0: no subagent; else how deep it was started.")] = 0,
    sandbox: Annotated[bool, typer.Option("--sandbox", help="The run is in a sandbox.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Show which tools exist: each tool, allowed or not, and the step of the policy that decided.

    Tools of the host are those that policies know by name and dcc does not have. For the tools of plugins the servers
    of the ruleset are started and ended, and installed plugins are loaded; one that cannot be had is told in a line. A
    ruleset with errors is shown as it would be asked, its errors beside it and without the tools of its plugins, and
    the exit code is 1. An agent or a group that is not among those of the ruleset is wrong usage.
    """
    if model is not None and provider is None:
        fail_usage("a policy for a model is looked up under its provider, and none is named", "add --provider NAME")
    own = find_ruleset(ruleset, Path())
    chain = resolve(read_text(str(own), read_ruleset(own, ruleset)), own.parent, own)
    result = check_chain(chain)
    for line in _errors(result.diagnostics):
        typer.echo(visible(line), err=True)
    if result.program is None and any(document.problems for document in chain.documents):
        raise typer.Exit(1)  # What cannot be read whole would be shown as if the rest were not there.
    context = Context(chain, (), build_ruleset(chain.data)[0])
    _require_declared(context, agent, group)
    brought, left_out = _of_plugins(result.program, agent) if result.program is not None else (None, [])
    table = policy_table(context.ruleset, context.rows, brought)
    where = Where(agent, group, provider, model, sender == "owner", depth, sandbox)
    ours = frozenset(built_in(tool_sections(context.ruleset)))
    rows = [_row(tool, plugin, decision, ours) for (tool, plugin), decision in _decided(table, where)]
    warnings = [*left_out, *_warnings(context, table, where)]
    of_exec = _of_exec(context)
    if as_json:
        shown = {
            "schema_version": SCHEMA_VERSION, "ruleset": ruleset, "tools": rows, "warnings": warnings, "exec": of_exec,
        }  # fmt: skip
        typer.echo(visible_json(shown, indent=1))
    else:
        typer.echo(visible("\n".join(_table(rows))))
        typer.echo(visible(f"\nexec: {of_exec['message']}"))
        for warning in warnings:
            typer.echo(visible(f"{warning['severity']}: {warning['message']}"), err=True)
    raise typer.Exit(1 if result.program is None else 0)


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command()(tools)


def _require_declared(context: Context, agent: str | None, group: str | None) -> None:
    """An agent or a group that the ruleset does not know beside others ends the program with exit code 2."""
    ruleset = context.ruleset
    compat = ruleset.compat is not None
    for fault in (
        undeclared("agent", agent, ruleset.agents, compat=compat),
        undeclared("group", group, ruleset.groups, compat=compat),
    ):
        if fault is not None:
            fail_usage(*fault)


def _of_plugins(program: Program, agent: str | None) -> tuple[tuple[tuple[str, str], ...], list[dict[str, Any]]]:
    """The tools that plugins bring, each with its plugin, and a warning for each plugin that could not be had."""
    keys, abort = keys_of(program, os.environ), Abort()
    # What a plugin prints when it is loaded is no part of the answer.
    with ExitStack() as closing, interruptible(abort), redirect_stdout(sys.stderr):
        try:
            workspace = closing.enter_context(Workspace(workspace_of(program, agent, Path.cwd())))
        except ToolError as error:
            return (), [_warning("bad_workspace", with_help(error.message, error.help), ())]
        section = program.sections.get("tools")
        toolset = closing.enter_context(open_toolset(section, workspace, secrets=keys, abort=abort))
    if abort.is_set:
        raise KeyboardInterrupt
    brought = tuple((tool.name, tool.plugin) for tool in toolset.known if tool.plugin is not None)
    return brought, list(_left_out(toolset, Secrets(secrets_of(program, os.environ))))


def _left_out(toolset: Toolset, secrets: Secrets) -> Iterator[dict[str, Any]]:
    for plugin, message, help in toolset.problems:
        yield _warning("plugin_left_out", secrets.mask(f"{plugin}: {with_help(message, help)}"), (plugin,))


def _decided(table: PolicyTable, where: Where) -> Iterator[tuple[tuple[str, str | None], Decision]]:
    return zip(table.tools, table.decide(where), strict=True)


def _row(tool: str, plugin: str | None, decision: Decision, ours: frozenset[str]) -> dict[str, Any]:
    return {
        "name": tool,
        "allowed": decision.allowed,
        "step": decision.step,
        "label": decision.label,
        "rule": decision.rule,
        "plugin": plugin,
        "why": decision.why,
        "of": "plugin" if plugin is not None else "dcc" if tool in ours else "host",
    }


def _of_exec(context: Context) -> dict[str, Any]:
    """What confines commands on this system."""
    section = context.ruleset.tools.exec if context.ruleset.tools is not None else None
    unconfined = section is not None and section.unconfined
    return {
        "confinement": confinement().kind, "unconfined": unconfined, "message": said_of_exec(unconfined=unconfined),
    }  # fmt: skip


def _warnings(context: Context, table: PolicyTable, where: Where) -> Iterator[dict[str, Any]]:
    """What is to be said of the lists that were asked, and of who asks."""
    ruleset = context.ruleset
    agent = without_policy("agent", where.agent, ruleset.agents)
    group = without_policy("group", where.group, ruleset.groups)
    for code, name, message in (("unknown_agent", where.agent, agent), ("unknown_group", where.group, group)):
        if name is not None and message is not None:
            yield _warning(code, message, (name,), severity="info")
    providers = {*TYPES.values(), *(key.partition("/")[0] for key in table.known_keys)}
    if where.provider is not None and where.provider.strip().lower() not in providers:
        near = nearest(where.provider, providers)
        asked = f"did you mean {near}?" if near is not None else f"there are {one_of(providers)}"
        message = f"{where.provider} is no provider of dcc, and the ruleset has no policy for it: {asked}"
        yield _warning("unknown_provider", message, (where.provider,))
    for note in table.notes(where):
        yield _warning(note.code, note.message, note.entries, severity=note.severity, label=note.label)


def _warning(
    code: str, message: str, entries: Iterable[str], *, severity: Severity = "warning", label: str | None = None
) -> dict[str, Any]:
    return {"code": code, "severity": severity, "label": label, "entries": list(entries), "message": message}


def _table(rows: list[dict[str, Any]]) -> Iterator[str]:
    """The rows for people, in columns."""
    cells = [("tool", "of", "allowed", "step", "rule")]
    for row in rows:
        step = f"{row['step']} {row['label']}" if row["step"] is not None else "-"
        rule = row["rule"] if row["rule"] is not None else _WORDS[row["why"]]
        cells.append((row["name"], row["plugin"] or row["of"], "yes" if row["allowed"] else "no", step, rule))
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for line in cells:
        yield "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()


def _errors(diagnostics: Iterable[Diagnostic]) -> Iterator[str]:
    """The errors of the ruleset, each as a line with its mend below it."""
    for found in diagnostics:
        if found.severity == "error":
            yield f"{found.path}:{found.start.line}:{found.start.column}: {found.code} {found.message}"
            if found.help:
                yield f"  help: {found.help}"
