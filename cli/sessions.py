"""``dcc sessions``: what the file of sessions holds, and ways in and out of it."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from ..compiler.counted import counted
from ..compiler.load import load_program
from ..compiler.visible import visible, visible_json, visible_line
from ..runtime.hosts.pi_session import SessionFileError, read_pi_session
from ..runtime.kernel.clock import SystemClock, show_instant
from ..runtime.replay.run import session_of
from ..runtime.session import Session
from ..runtime.store.claim import claimed
from ..runtime.store.deleting import delete_session
from ..runtime.store.forking import fork_session
from ..runtime.store.location import make_folder, store_file
from ..runtime.store.memory import MemoryStore
from ..runtime.store.sessions import Summary, checked_id, find_session, new_id, sessions_in
from ..runtime.store.transfer import Transferred, bring_in, export_session, import_session, is_export
from .reading import fail_usage
from .stored import RulesetOption, SessionArgument, StoreOption, opened, session_in, stored, usage_errors
from .writing import STANDARD_OUTPUT, written

FormatOption = Annotated[Literal["text", "json"], typer.Option(help="What to print.")]
IdOption = Annotated[str | None, typer.Option("--id", metavar="ID", help="The id of the new session.")]
NameOption = Annotated[str | None, typer.Option("--name", help="A name for the new session.")]


def list_(store: StoreOption = None, format: FormatOption = "text") -> None:
    """List the sessions, the last used first."""
    with usage_errors():
        found = sessions_in(store_file(store))
    if format == "json":
        _print_json(sessions=[_summary(session) for session in found])
        return
    if not found:
        typer.echo(visible(f"no session in {store_file(store)}: dcc chat and dcc run begin one"), err=True)
    for session in found:
        used = datetime.fromtimestamp(session.used, UTC).strftime("%Y-%m-%d %H:%M")
        state = "  (damaged: dcc verify tells more)" if session.is_damaged else "  (a turn is open)" * session.is_open
        name = f"  {session.name}" if session.name else ""
        line = f"{session.id}  {used}  {counted(session.turns, 'turn')}  {counted(session.calls, 'call')}{name}{state}"
        print(visible_line(line))


def show(
    session: SessionArgument, store: StoreOption = None, ruleset: RulesetOption = None, format: FormatOption = "text"
) -> None:
    """Show where a session stands, and the slots on its stage."""
    with stored(session, store) as source:
        found = session_in(source, ruleset)
        rules, stage, queue, state_hash = found.program.name, found.stage(), found.queue(), found.state_hash()
    if format == "json":
        _print_json(
            session=source.session, ruleset=rules, turns=found.turn, calls=found.ordinal, is_open=found.is_open,
            state_hash=state_hash, stage=stage, queue=[patch._asdict() for patch in queue],
        )  # fmt: skip
        return
    state = "a turn is open" if found.is_open else "no turn is open"
    come = f"{counted(found.turn, 'turn')}, {counted(found.ordinal, 'call')}"
    print(visible(f"{source.session}: {come}, {state}; rules of {rules}"))
    print(visible(f"state {state_hash}\non stage: {' '.join(stage) or 'nothing'}"))
    for patch in queue:
        print(visible(f"queued for turn {patch.at}: /{patch.element} {patch.content}"))


def resume_info(
    session: SessionArgument, store: StoreOption = None, ruleset: RulesetOption = None, format: FormatOption = "text"
) -> None:
    """Say what resuming a session would do: which tools would run, which got no further. Nothing is done."""
    with opened(session, store, ruleset) as found:
        ahead = found.outlook()
    if format == "json":
        pending = [{"id": call.id, "name": call.name} for call in ahead.pending]
        _print_json(turn=ahead.turn, pending=pending, interrupted=list(ahead.interrupted))
        return
    if ahead.turn is None:
        print("no turn is open: there is nothing to resume")
        return
    print(visible(f"turn {ahead.turn} is open"))
    for call in ahead.pending:
        print(visible(f"to run: {call.name} ({call.id})"))
    for call_id in ahead.interrupted:
        print(visible(f"started, and not run again: {call_id}"))
    if not ahead.pending:
        print("then the next request goes out")


def export(
    session: SessionArgument,
    file: Annotated[
        Path, typer.Argument(metavar="FILE|-", help="The file to write (JSON lines); - for standard output.")
    ],
    store: StoreOption = None,
    view: Annotated[bool, typer.Option("--view", help="Write what is on stage as messages beside it.")] = False,
    as_: Annotated[Literal["openai", "anthropic", "pi"], typer.Option("--as", help="Their format.")] = "openai",
) -> None:
    """Write a session, whole, into one file."""
    with usage_errors():
        path = store_file(store)
        names = {known.id: known.name for known in sessions_in(path)}
    if view and file == STANDARD_OUTPUT:
        fail_usage("--view writes a second file beside the first, and standard output is none", "name a file")
    with stored(session, store) as source:
        messages = session_in(source).messages(as_) if view else []
        with written(file) as out:
            told = export_session(source, names[source.session], out)
    said = f"{_amount(told)} in {file}"
    typer.echo(visible(said), err=file == STANDARD_OUTPUT)
    if view:
        beside = file.with_name(file.name + ".messages.json")
        with written(beside) as out:
            out.write(json.dumps(messages, indent=1).encode() + b"\n")
        print(visible(f"{told.id}: its stage as messages in {beside}"))


def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An exported session, or one of pi (JSONL, .gz).")],
    store: StoreOption = None,
    id: IdOption = None,
    name: NameOption = None,
    ruleset: Annotated[
        str, typer.Option("--ruleset", "-r", metavar="R", help="The ruleset for a session of pi.")
    ] = "standard",
) -> None:
    """Take a session in from a file."""
    path = store_file(store)
    make_folder(path)
    with usage_errors():
        new = None if id is None else checked_id(id)
        told = (
            import_session(file, path, new, name=name) if is_export(file) else _from_pi(file, path, new, name, ruleset)
        )
    print(visible(f"{_amount(told)}\nstate {told.state_hash}"))


def fork(
    session: SessionArgument,
    store: StoreOption = None,
    at: Annotated[int | None, typer.Option("--at", min=1, help="The turn after which the fork begins.")] = None,
    id: IdOption = None,
    name: NameOption = None,
) -> None:
    """Make a new session that begins where another one is, or was after one of its turns."""
    path = store_file(store)
    with usage_errors():
        source = find_session(path, session)
        new = new_id(SystemClock().now()) if id is None else checked_id(id)
        state_hash = fork_session(path, source, new, name=name or "", at=at)
    print(visible(f"{new}: forked from {source}" + (f" after turn {at}" if at else "") + f"\nstate {state_hash}"))


def delete(
    session: SessionArgument,
    store: StoreOption = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Delete a session for good: nothing of it can be read in the file any more."""
    with usage_errors():
        path = store_file(store)
        found = find_session(path, session)
        with claimed(path, found, "deletion"):
            if not yes and not _agreed(found):
                print("nothing is deleted")
                raise typer.Exit(1)
            wiped = delete_session(path, found)
    print(visible(f"{found} is deleted"))
    if not wiped:
        typer.echo("another process is reading the file: bytes of it may be left until that is done", err=True)


def _agreed(session: str) -> bool:
    if not sys.stdin.isatty():
        fail_usage("nobody can be asked here whether to delete for good", "say it beforehand: --yes")
    return typer.confirm(visible(f"delete {session} for good?"))


def _from_pi(file: Path, path: Path, id: str | None, name: str | None, ruleset: str) -> Transferred:
    """A session that pi recorded: each turn goes through a session of dcc; nothing is read as typed."""
    program = load_program(ruleset)
    memory = MemoryStore()
    try:
        session: Session = session_of(read_pi_session(file), program, memory)
    except SessionFileError as error:
        fail_usage(error.message, error.help)
    return bring_in(memory, path, id or new_id(SystemClock().now()), name or file.stem, session.state_hash())


def _amount(told: Transferred) -> str:
    return f"{told.id}: {counted(told.events, 'event')}, {counted(told.contents, 'content')}"


def _summary(session: Summary) -> dict[str, Any]:
    shown = session._asdict()
    return shown | {"created": show_instant(session.created), "used": show_instant(session.used)}


def _print_json(**shown: Any) -> None:
    print(visible_json({"schema_version": 1, **shown}))


def register(app: typer.Typer) -> None:
    """Add the verbs."""
    verbs = typer.Typer(help="The stored sessions: list, show, export, import, fork, delete.", no_args_is_help=True)
    for name, verb in (
        ("list", list_), ("show", show), ("resume-info", resume_info), ("export", export), ("import", import_),
        ("fork", fork), ("delete", delete),
    ):  # fmt: skip
        verbs.command(name)(verb)
    app.add_typer(verbs, name="sessions")
