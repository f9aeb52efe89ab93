"""``dcc parse``: reads one chat message and prints what dcc makes of it (contracts.md)."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from ..compiler.load import load_program
from ..compiler.source import SourceMap
from ..compiler.visible import visible_json
from ..grammar.ast import Finding, Message
from ..grammar.message import parse_message


def parse(
    ruleset: Annotated[
        str, typer.Option("--ruleset", "-r", metavar="R", help="A shipped ruleset or a path.")
    ] = "standard",
) -> None:
    """Read one chat message from standard input and print its text, patches and command as JSON."""
    data = sys.stdin.buffer.read()
    try:
        source = data.decode("utf-8")
    except UnicodeDecodeError as error:
        print(visible_json(_unreadable(data, error)))
        raise typer.Exit(2) from None
    source = source[:-2] if source.endswith("\r\n") else source.removesuffix("\n")
    message = parse_message(source, load_program(ruleset).vocabulary)
    print(visible_json(message_document(source, message)))
    if any(finding.severity == "error" for finding in message.findings):
        raise typer.Exit(1)


def message_document(source: str, message: Message) -> dict[str, Any]:
    """A message that was read, in the shape of contracts.md."""
    places = SourceMap("-", source, None)
    return {
        "schema_version": 1,
        "text": message.text,
        "patches": [
            {
                "element": patch.element,
                "content": patch.content,
                "mode": patch.mode,
                "turns": patch.turns,
                "span": [patch.span.start, patch.span.end],
            }
            for patch in message.patches
        ],
        "command": message.command and {"name": message.command.name, "args": dict(message.command.args)},
        "diagnostics": [_finding(places, finding) for finding in message.findings],
    }


def _finding(places: SourceMap, finding: Finding) -> dict[str, Any]:
    start, end = places.position(finding.span.start), places.position(finding.span.end)
    return {
        "code": finding.code,
        "severity": finding.severity,
        "message": finding.message,
        "start": {"line": start.line, "column": start.column, "offset": start.offset},
        "end": {"line": end.line, "column": end.column, "offset": end.offset},
        "help": finding.help,
    }


def _unreadable(data: bytes, error: UnicodeDecodeError) -> dict[str, Any]:
    """The document of a message that is not UTF-8: nothing was read, one diagnostic."""
    before = data[: error.start].decode("utf-8")
    at = SourceMap("-", before, None).position(len(before))
    place = {"line": at.line, "column": at.column, "offset": at.offset}
    diagnostic = {
        "code": "not_utf8",
        "severity": "error",
        "message": f"byte {data[error.start]:#04x} of the message is not UTF-8",
        "start": place,
        "end": place,
        "help": "send the message as UTF-8",
    }
    return {"schema_version": 1, "text": None, "patches": [], "command": None, "diagnostics": [diagnostic]}


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("parse")(parse)
