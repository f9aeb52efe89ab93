"""The loop of a chat: read a message, answer it, say what happened; and the decision about an open turn."""

from __future__ import annotations

from collections.abc import Callable

from ..grammar.errors import DccError
from ..runtime.chat.chat import Chat
from ..runtime.chat.outcome import Outcome
from ..runtime.errors import with_help
from ..runtime.providers.abort import Abort
from .chat_screen import Screen
from .chat_words import HELP, own_word
from .signals import finishing, interruptible

#: The answers to the question about an open turn, and what each means.
_DECISIONS = {"continue": "continue", "resume": "continue", "c": "continue", "keep": "keep", "k": "keep",
              "drop": "drop", "d": "drop"}  # fmt: skip

OFFER = "continue: go on with it | keep: commit it as it is | drop: close it, and take it out of view"


def talk(chat: Chat, screen: Screen) -> bool:
    """Chat until there are no more messages; whether none of them ended with an error."""
    all_well = True
    draft = ""
    if chat.session.is_open:
        screen.tell(describe(chat))
    while (text := screen.read(draft)) is not None:
        draft = ""
        if not text.strip():
            continue
        if (wrong := _no_text(text)) is not None:
            screen.tell(_error(wrong))
            all_well = False
            continue
        word = own_word(text, chat.session.program)
        if word == "quit":
            break
        if word == "help":
            screen.show(HELP)
            screen.end()
            continue
        outcome = _answer(chat, screen, text)
        _report(chat, screen, outcome)
        all_well = all_well and outcome.error is None
        if outcome.kind == "turn" and outcome.turn is None:
            # Nothing was committed: the person gets the message back, to send it again or to mend it.
            draft = text
    return all_well


def _no_text(text: str) -> DccError | None:
    """What is wrong with a message that did not come as Unicode text."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        found = text[error.start]
        what = f"byte 0x{ord(found) - 0xDC00:02x}" if "\udc80" <= found <= "\udcff" else f"\\u{ord(found):04x}"
        return DccError(
            "not_utf8", f"{what} at character {error.start + 1} of the message is not UTF-8; it was not sent",
            help="send the message as UTF-8",
        )  # fmt: skip
    return None


def describe(chat: Chat) -> str:
    """The open turn, what it waits for, and the ways on."""
    ahead = chat.outlook()
    lines = [f"turn {ahead.turn} is open: it was begun and not finished"]
    lines += [f"to run: {call.name} ({call.id})" for call in ahead.pending]
    lines += [f"started, and not run again: {call_id}" for call_id in ahead.interrupted]
    return "\n".join((*lines, OFFER))


def _answer(chat: Chat, screen: Screen, text: str) -> Outcome:
    """Carry a line out: a decision where a turn is open, else a message."""
    if chat.session.is_open:
        match _DECISIONS.get(text.strip().lower().removeprefix("/")):
            case "continue":
                return _streamed(screen, lambda abort: chat.resume(
                    on_text=screen.show, on_thinking=screen.think, abort=abort
                ))  # fmt: skip
            case "keep":
                return _streamed(screen, lambda abort: chat.keep(abort=abort))
            case "drop":
                return chat.drop()
        if chat.begins_turn(text):
            screen.tell(f"turn {chat.session.turn} was open: it is closed as interrupted, and stays in view")
    return _streamed(screen, lambda abort: chat.say(
        text, on_text=screen.show, on_thinking=screen.think, abort=abort
    ))  # fmt: skip


def _streamed(screen: Screen, run: Callable[[Abort], Outcome]) -> Outcome:
    abort = Abort()
    try:
        with interruptible(abort), screen.busy(), finishing(abort):
            return run(abort)
    finally:
        screen.end()


def _report(chat: Chat, screen: Screen, outcome: Outcome) -> None:
    """Show the answer to a command, and tell what is out of band."""
    if outcome.output is not None:
        screen.show(f"{outcome.output}\n")
        screen.end()
    for code, message in outcome.notices:
        if message == outcome.output:
            continue
        screen.tell(f"{code}: {message}")
    if outcome.stopped:
        screen.tell("stopped: what had come is kept" if outcome.turn else "stopped before an answer: nothing is kept")
    if outcome.error is not None:
        screen.tell(_error(outcome.error))
        if outcome.is_open:
            screen.tell(describe(chat))
    if outcome.kind in ("command", "bare") and chat.session.is_open:
        screen.tell(f"turn {chat.session.turn} is still open\n{OFFER}")


def _error(error: DccError) -> str:
    return f"error: {with_help(error.message, error.help)}"
