"""An abort ends a call at once: the connection is closed, and what had come is the reply."""

from __future__ import annotations

import threading

import pytest
from loopback.behaviour import Behaviour, Hangs, Refuses, Says
from loopback.client import PROTOCOLS, asks, provider
from loopback.server import PATIENCE_S, Loopback

from dcc.runtime.providers.abort import Abort
from dcc.runtime.providers.protocol import ModelReply
from dcc.runtime.providers.retry import Retries
from dcc.runtime.values import Reply

pytestmark = pytest.mark.parametrize("protocol", PROTOCOLS)

TALK = Says(("one ", "two ", "three"), thinking=("hm",), calls=(("c1", "read", ("{}",)),))

#: The events up to the second piece of text.
TWO_PIECES = {"openai": 4, "anthropic": 9}


def aborted_while_hanging(protocol: str, behaviour: Behaviour) -> tuple[ModelReply, Loopback]:
    """The reply to a call that is aborted, from another thread, while the server sends nothing."""
    abort = Abort()
    with Loopback(behaviour) as server:

        def pull() -> None:
            server.hanging.wait(PATIENCE_S)
            abort.set()

        puller = threading.Thread(target=pull)
        puller.start()
        reply = provider(protocol, server.url).complete(asks(), abort=abort)
        puller.join()
        assert server.left.wait(PATIENCE_S), "the connection is still open"
    return reply, server


def test_before_any_answer(protocol: str) -> None:
    reply, server = aborted_while_hanging(protocol, Hangs())
    assert reply == ModelReply(Reply(), "aborted", None, "small", "")
    assert len(server.seen) == 1


def test_in_the_middle_of_a_reply(protocol: str) -> None:
    with Loopback(Hangs(TALK, TWO_PIECES[protocol])) as server:
        abort = Abort()
        said: list[str] = []

        def on_text(piece: str) -> None:
            said.append(piece)
            if len(said) == 2:
                abort.set()

        reply = provider(protocol, server.url).complete(asks(), on_text=on_text, abort=abort)
        assert server.left.wait(PATIENCE_S)
    assert (reply.stop_reason, reply.reply.text, reply.reply.thinking) == ("aborted", "one two ", "hm")
    assert said == ["one ", "two "]


def test_a_tool_call_that_may_not_be_whole_is_left_out(protocol: str) -> None:
    abort = Abort()
    heard = threading.Event()
    with Loopback(Hangs(TALK, -2)) as server:

        def pull() -> None:
            heard.wait(PATIENCE_S)
            abort.set()

        puller = threading.Thread(target=pull)
        puller.start()
        reply = provider(protocol, server.url).complete(
            asks(), on_text=lambda piece: heard.set() if piece == "three" else None, abort=abort
        )
        puller.join()
    assert (reply.stop_reason, reply.reply.text, reply.reply.calls) == ("aborted", "one two three", ())


def test_while_it_waits_to_try_again(protocol: str) -> None:
    abort = Abort()
    retries = Retries(first_wait_s=PATIENCE_S)
    with Loopback(Refuses(500), Says(("late",))) as server:
        threading.Timer(0.05, abort.set).start()
        reply = provider(protocol, server.url, retries=retries).complete(asks(), abort=abort)
        assert (reply.stop_reason, reply.reply.text) == ("aborted", "")
        assert len(server.seen) <= 1


def test_before_it_is_begun(protocol: str) -> None:
    abort = Abort()
    abort.set()
    with Loopback(Says(("never",))) as server:
        reply = provider(protocol, server.url).complete(asks(), abort=abort)
    assert (reply.stop_reason, server.seen) == ("aborted", [])


def test_a_callback_that_raises_closes_the_connection(protocol: str) -> None:
    def on_text(piece: str) -> None:
        raise KeyboardInterrupt

    with Loopback(Hangs(TALK, TWO_PIECES[protocol])) as server:
        with pytest.raises(KeyboardInterrupt):
            provider(protocol, server.url).complete(asks(), on_text=on_text)
        assert server.left.wait(PATIENCE_S)
