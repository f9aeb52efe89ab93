"""The ``dcc`` command: finds the verb, imports only its module, and turns every outcome into an exit code.

Exit codes (contracts.md): 0 fine, 1 findings or an answered error, 2 wrong usage or a path that cannot be
read, 3 an error of dcc itself.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import IO, TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    import typer

    from ..grammar.errors import DccError

#: The verbs, each a module of this folder with a function ``register(app)``.
VERBS = (
    "canon", "chat", "check", "compile", "explain", "init", "journal", "mcp", "new", "ops", "parse", "play", "replay",
    "rules", "run", "schema", "sessions", "status", "test", "tools", "verify", "why",
)  # fmt: skip

FINDINGS, USAGE, INTERNAL, INTERRUPTED = 1, 2, 3, 130


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and leave with its exit code. ``argv`` is without the program's name."""
    args = list(sys.argv[1:] if argv is None else argv)
    _open_streams()
    if args[:1] in (["--version"], ["-V"]):
        # Answered before anything large is imported: it is what tools ask first.
        from .. import __version__

        print(f"dcc {__version__}")
        sys.exit(0)
    if args[:2] == ["canon", "hook"] and "--help" not in args:
        # A host starts it for every event and waits: it needs nothing of the command line.
        from ..runtime.hosts.claude_code.hook import main as hook

        sys.exit(hook(args[2:]))
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.exit(run(args))


def run(args: list[str]) -> int:
    """Run one verb and give its exit code."""
    # Looking for plugins that dcc does not use costs pydantic a third of its import.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    from ..grammar.errors import DccError

    try:
        return _call(args)
    except DccError as error:
        return _answered(error)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has left (`dcc … | head`): nothing is wrong, and nothing more can be said.
        _drop_output()
        return 0
    except OSError as error:
        return _refused(error)
    except Exception as error:
        # The one place that catches all: a person gets a line to report instead of a traceback.
        if os.environ.get("DCC_DEBUG"):
            raise
        _say(f"dcc: internal error, please report it: {type(error).__name__}: {error} (DCC_DEBUG=1 shows more)")
        return INTERNAL


def _call(args: list[str]) -> int:
    """Hand the arguments to their verb; what it printed is out when this returns."""
    try:
        application(args)(args=args, prog_name="dcc")
        code: object = 0
    except SystemExit as stop:
        # Typer makes a failure of its own of a reader that has left.
        if isinstance(stop.__context__, BrokenPipeError):
            raise stop.__context__ from None
        code = stop.code or 0
    sys.stdout.flush()
    return code if isinstance(code, int) else FINDINGS


def _open_streams() -> None:
    """Give the process the standard streams that it was started without (``dcc … <&-``): empty, or to nowhere."""
    sys.stdin = sys.stdin or _nowhere("r")
    sys.stdout = sys.stdout or _nowhere("w")
    sys.stderr = sys.stderr or _nowhere("w")


def _nowhere(mode: str) -> IO[str]:
    return open(os.devnull, mode, encoding="utf-8")


def _drop_output() -> None:
    """Let what is still to be printed go to nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _refused(error: OSError) -> int:
    """Say what the system refused: a file or a folder that may not be read or written, a disk that is full."""
    try:
        sys.stdout.flush()
    except OSError:
        _drop_output()
    from ..compiler.reason import reason_of

    reason = reason_of(error)
    where = f"{error.filename}: " if error.filename is not None else ""
    help = "check that the path is there, is yours, and has room"
    if not where and not _is_somewhere():
        reason, help = "the current folder was removed", "go to a folder that is there: cd DIR"
    _say(f"dcc: {where}{reason}\nhelp: {help}")
    return USAGE


def _is_somewhere() -> bool:
    """Whether the folder that the program was started in is still there."""
    try:
        os.getcwd()
    except OSError:
        return False
    return True


def application(args: Sequence[str]) -> typer.Typer:
    """The command line with the verb that is asked for, or with all verbs when none is."""
    import typer

    from .option_values import Verbs

    app = typer.Typer(
        name="dcc",
        cls=Verbs,
        help="What a language model sees, turn by turn: check, compile and run rulesets.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )

    @app.callback()
    def options(
        version: bool = typer.Option(False, "--version", "-V", help="Print the version and leave."),
    ) -> None:
        """What a language model sees, turn by turn: check, compile and run rulesets."""

    asked = args[0] if args else ""
    for verb in (asked,) if asked in VERBS else VERBS:
        import_module(f"{__package__}.{verb}").register(app)
    return app


def _answered(error: DccError) -> int:
    """Print an error that dcc raised on purpose; a ruleset that cannot be read is wrong usage."""
    diagnostics = getattr(error, "diagnostics", ())
    if diagnostics:
        from ..compiler.formats import Report
        from ..compiler.formats.concise import render

        print(render(Report(diagnostics, 1)), end="", file=sys.stderr)
    else:
        _say(f"dcc: {error.message}" + (f"\nhelp: {error.help}" if error.help else ""))
    return USAGE if error.code == "no_ruleset" else FINDINGS


def _say(text: str) -> None:
    """Tell a person what went wrong; names of others in it cannot reach the terminal's controls."""
    from ..compiler.visible import visible

    print(visible(text), file=sys.stderr)
