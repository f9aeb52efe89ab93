"""``dcc replay``: runs rules over a recorded session, beside keeping everything (contracts.md)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from ..compiler.load import load_program
from ..runtime.hosts.pi_session import SessionFileError, read_pi_session
from ..runtime.hosts.recording import Recording
from ..runtime.hosts.replay import KEEP_EVERYTHING, Replayed, replay
from .reading import fail_usage


def replay_session(
    session: Annotated[Path, typer.Argument(metavar="SESSION", help="A pi session: JSONL, plain or .gz.")],
    ruleset: Annotated[
        list[str] | None, typer.Option("--ruleset", "-r", metavar="R", help="A ruleset to run; repeatable.")
    ] = None,
    format: Annotated[Literal["text", "json"], typer.Option(help="What to print.")] = "text",
    calls: Annotated[bool, typer.Option("--calls", help="Print what every call held.")] = False,
    as_: Annotated[
        Literal["openai", "anthropic", "pi"], typer.Option("--as", help="The format of the requests.")
    ] = "openai",
) -> None:
    """Run rulesets over a recorded session and compare them with keeping everything."""
    programs = [load_program(KEEP_EVERYTHING), *map(load_program, ruleset or [])]
    try:
        recording = read_pi_session(session)
    except SessionFileError as error:
        fail_usage(error.message, error.help)
    results = [replay(recording, program, format=as_) for program in programs]
    if format == "json":
        print(json.dumps(document(session, recording, results, calls), ensure_ascii=False, indent=2))
    else:
        for line in _report(session, recording, results, calls):
            print(line)


def document(session: Path, recording: Recording, results: list[Replayed], calls: bool = False) -> dict[str, Any]:
    """The results in the shape of contracts.md; the first of them is the measure of the others."""
    return {
        "schema_version": 1,
        "session": str(session),
        "calls": recording.calls,
        "turns": _turns(recording),
        "skipped": [
            {"type": skipped.type, "count": skipped.count, "unknown": skipped.unknown} for skipped in recording.skipped
        ],
        "notes": [{"code": note.code, "message": note.message} for note in recording.notes],
        "policies": [_policy(result, results[0], calls) for result in results],
    }


def _turns(recording: Recording) -> int:
    return sum(turn.user is not None for turn in recording.turns)


def _policy(result: Replayed, measure: Replayed, calls: bool) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "name": result.policy,
        "prompt_tokens": result.prompt_tokens,
        "tokens_ratio": _ratio(result.prompt_tokens, measure.prompt_tokens),
        "peak": result.peak,
        "prefix_kept": result.prefix_kept,
        "cost": round(result.cost, 2),
        "cost_ratio": _ratio(result.cost, measure.cost),
        "user_verbatim": result.user_verbatim,
        "unread_removed": result.unread_removed,
    }
    if calls:
        shown["calls"] = [
            {
                "ordinal": call.ordinal,
                "turn": call.turn,
                "tokens": call.tokens,
                "prefix_kept": call.prefix_kept,
                "visible": list(call.visible),
            }
            for call in result.calls
        ]
    return shown


def _ratio(part: float, whole: float) -> float:
    """A share of the measure; without a call there is nothing to share, and nothing was saved."""
    return round(part / whole, 4) if whole else 1.0


def _report(session: Path, recording: Recording, results: list[Replayed], calls: bool) -> Iterator[str]:
    yield f"{session}: {recording.calls} calls in {_turns(recording)} turns"
    for skipped in recording.skipped:
        kind = "records of unknown type" if skipped.unknown else "records of type"
        yield f"  left out: {skipped.count} {kind} {skipped.type}"
    for note in recording.notes:
        yield f"  note: {note.message} [{note.code}]"
    if calls:
        for result in results:
            yield from ("", result.policy)
            for call in result.calls:
                size = f"{call.tokens} tokens, {call.prefix_kept} as before"
                yield f"  #{call.ordinal} turn {call.turn}: {size}: {' '.join(call.visible)}"
    yield ""
    yield f"{'policy':24} {'tokens':>12} {'ratio':>7} {'peak':>9} {'kept':>12} {'cost':>12} {'ratio':>7}"
    for result in results:
        shown = _policy(result, results[0], calls=False)
        yield (
            f"{result.policy:24} {result.prompt_tokens:>12,} {shown['tokens_ratio']:>7.3f} {result.peak:>9,} "
            f"{result.prefix_kept:>12,} {result.cost:>12,.0f} {shown['cost_ratio']:>7.3f}"
        )
        if not result.user_verbatim:
            yield "  a message that was typed is not in every later request, word for word"
        if result.unread_removed:
            yield f"  {result.unread_removed} results left before any request held them"


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("replay")(replay_session)
