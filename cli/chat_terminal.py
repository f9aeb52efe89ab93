"""The terminal of a chat: line editing with completion, hints and a status line (prompt_toolkit)."""

from __future__ import annotations

import sys
import termios
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

from prompt_toolkit import PromptSession
from prompt_toolkit.application import Application, get_app
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

from .chat_status import fit, printable, wrapped

#: Dim, and as before (ECMA-48 select graphic rendition).
_DIM, _PLAIN = "\x1b[2m", "\x1b[0m"

#: What begins a line that is out of band.
_ASIDE = "· "

#: Where the local modes stand among the attributes of a terminal (POSIX termios).
_LOCAL = 3

Suggest = Callable[[str], tuple[int, list[str]]]


class TerminalScreen:
    """A terminal with a person before it.

    ``suggest`` completes the text before the cursor, ``hint`` says what it expects, ``status`` is the line below.
    """

    is_interactive = True

    def __init__(self, suggest: Suggest, hint: Callable[[str], str], status: Callable[[], str]) -> None:
        self._hint = hint
        self._status = status
        self._line_open = False
        self._thinking = False
        self._prompt: PromptSession[str] = PromptSession(
            history=InMemoryHistory(),
            completer=_Completer(suggest),
            complete_while_typing=True,
            bottom_toolbar=self._toolbar,
            key_bindings=_keys(),
            multiline=True,
            enable_suspend=True,
            prompt_continuation="  ",
        )
        app = self._prompt.app
        app.renderer.cpr_not_supported_callback = None
        app.before_render += _assume_room

    def read(self, draft: str = "") -> str | None:
        """See ``Screen.read``: Enter sends, Alt-Enter breaks the line, Ctrl-C clears it, Ctrl-D leaves."""
        try:
            return self._prompt.prompt("> ", default=draft)
        except EOFError:
            return None

    def show(self, piece: str) -> None:
        """See ``Screen.show``. What a model writes cannot reach the terminal's controls."""
        if self._thinking:
            self.end()
        self._write(printable(piece))

    def think(self, piece: str) -> None:
        """Show thinking dim, on lines of its own."""
        self._write(f"{_DIM}{printable(piece)}{_PLAIN}", last=piece)
        self._thinking = True

    def end(self) -> None:
        """End the line of an answer."""
        if self._line_open:
            self._write("\n")
        self._thinking = False

    @contextmanager
    def busy(self) -> Iterator[None]:
        """See ``Screen.busy``. What is typed meanwhile is not drawn into the answer: it begins the next message."""
        terminal = sys.stdin.fileno()
        before = termios.tcgetattr(terminal)
        quiet = termios.tcgetattr(terminal)
        quiet[_LOCAL] &= ~termios.ECHO
        termios.tcsetattr(terminal, termios.TCSANOW, quiet)
        try:
            yield
        finally:
            with suppress(termios.error):  # The terminal is gone: nobody will see how it is left.
                termios.tcsetattr(terminal, termios.TCSANOW, before)

    def tell(self, text: str) -> None:
        """See ``Screen.tell``."""
        self.end()
        columns = self._prompt.app.output.get_size().columns - len(_ASIDE)
        for line in printable(text).split("\n"):
            first, *more = wrapped(line, columns)
            print(f"{_DIM}{_ASIDE}{first}{_PLAIN}")
            for rest in more:
                print(f"{_DIM}{' ' * len(_ASIDE)}{rest}{_PLAIN}")
        sys.stdout.flush()

    def _write(self, text: str, last: str | None = None) -> None:
        with suppress(OSError):  # The terminal is gone: what comes is kept all the same.
            sys.stdout.write(text)
            sys.stdout.flush()
        said = text if last is None else last
        self._line_open = not said.endswith("\n") if said else self._line_open

    def _toolbar(self) -> str:
        """The hint of the line, if it has one, above the status; both no wider than the terminal is now."""
        app = get_app()
        columns = app.output.get_size().columns
        hint = self._hint(app.current_buffer.document.text_before_cursor)
        return "\n".join(fit(" ".join(line.split()), columns) for line in (hint, self._status()) if line)


class _Completer(Completer):
    """Completes with what the grammars expect."""

    def __init__(self, suggest: Suggest) -> None:
        self._suggest = suggest

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """The words that may stand where the cursor is."""
        text = document.text_before_cursor
        at, words = self._suggest(text)
        return [Completion(word, start_position=at - len(text)) for word in words]


def _assume_room(app: Application[str]) -> None:
    """Show the line below without waiting for the terminal to tell where its cursor is: some never do."""
    renderer = app.renderer
    if not renderer.height_is_known:
        support = renderer.cpr_support
        renderer.report_absolute_cursor_row(app.output.get_size().rows)
        renderer.cpr_support = support


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("enter")
    def send(event: KeyPressEvent) -> None:
        event.current_buffer.validate_and_handle()

    @keys.add("escape", "enter")
    def break_line(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    @keys.add("c-c")
    def clear(event: KeyPressEvent) -> None:
        event.current_buffer.reset()

    @keys.add("c-d")
    def leave(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.text:
            buffer.delete()
        else:
            event.app.exit(exception=EOFError())

    @keys.add("<vt100-mouse-event>")
    def ignore(event: KeyPressEvent) -> None:
        """The mouse is not used; pasted colours look like its events, and prompt_toolkit fails on them."""

    return keys
