"""The loopback server speaks both protocols: the providers' own clients understand it."""

from __future__ import annotations

import pytest
from loopback.behaviour import Breaks, Refuses, Says
from loopback.server import PATIENCE_S, Loopback

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]

USAGE = {
    "prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15, "prompt_tokens_details": {"cached_tokens": 8},
}  # fmt: skip
COUNTS = {"input_tokens": 4, "output_tokens": 3, "cache_read_input_tokens": 8, "cache_creation_input_tokens": 0}
CALLS = (("c1", "read", ('{"path"', ': "a.py"}')),)
ASK = [{"role": "user", "content": "hello"}]


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


def openai_client(server: Loopback):
    openai = pytest.importorskip("openai")
    return openai.OpenAI(base_url=f"{server.url}/v1", api_key="k", max_retries=1, timeout=PATIENCE_S)


def anthropic_client(server: Loopback):
    anthropic = pytest.importorskip("anthropic")
    return anthropic.Anthropic(base_url=server.url, api_key="k", max_retries=1, timeout=PATIENCE_S)


def test_openai_whole() -> None:
    with Loopback(Says(("Hel", "lo"), calls=CALLS, usage=USAGE)) as server, openai_client(server) as client:
        found = client.chat.completions.create(model="small", messages=ASK)
    choice = found.choices[0]
    assert (choice.message.content, choice.finish_reason) == ("Hello", "tool_calls")
    assert choice.message.tool_calls[0].function.arguments == '{"path": "a.py"}'
    assert found.usage.prompt_tokens_details.cached_tokens == 8


def test_openai_streamed() -> None:
    says = Says(("Hel", "lo"), thinking=("hm",), calls=CALLS, usage=USAGE)
    with (
        Loopback(says) as server,
        openai_client(server) as client,
        client.chat.completions.stream(
            model="small", messages=ASK, stream_options={"include_usage": True}
        ) as stream,
    ):
        found = stream.get_final_completion()
    choice = found.choices[0]
    assert (choice.message.content, choice.finish_reason) == ("Hello", "tool_calls")
    assert choice.message.tool_calls[0].function.arguments == '{"path": "a.py"}'
    assert found.usage.prompt_tokens == 12


def test_anthropic_whole() -> None:
    says = Says(("Hello",), thinking=("hm",), signature="c2ln", calls=CALLS, usage=COUNTS)
    with Loopback(says) as server, anthropic_client(server) as client:
        found = client.messages.create(model="small", max_tokens=9, messages=ASK)
    check_anthropic(found)


def test_anthropic_streamed() -> None:
    says = Says(("Hel", "lo"), thinking=("h", "m"), signature="c2ln", calls=CALLS, usage=COUNTS)
    with (
        Loopback(says) as server,
        anthropic_client(server) as client,
        client.messages.stream(model="small", max_tokens=9, messages=ASK) as stream,
    ):
        found = stream.get_final_message()
    check_anthropic(found)


def check_anthropic(found) -> None:
    thinking, text, call = found.content
    assert (thinking.thinking, thinking.signature, text.text) == ("hm", "c2ln", "Hello")
    assert (call.name, call.input, found.stop_reason) == ("read", {"path": "a.py"}, "tool_use")
    assert (found.usage.output_tokens, found.usage.cache_read_input_tokens) == (3, 8)


def test_errors_are_understood_and_tried_again() -> None:
    busy = Refuses(429, headers=(("Retry-After", "0"),))
    ok = Says(("ok",))
    with Loopback(busy, ok, busy, ok) as server:
        with openai_client(server) as client:
            assert client.chat.completions.create(model="s", messages=ASK).choices[0].message.content == "ok"
        with anthropic_client(server) as client:
            assert client.messages.create(model="s", max_tokens=9, messages=ASK).content[0].text == "ok"
    assert len(server.seen) == 4


def test_a_cut_stream_is_an_error() -> None:
    openai = pytest.importorskip("openai")
    with Loopback(Breaks(Says(("a", "b")), 2)) as server, openai_client(server) as client:
        stream = client.chat.completions.create(model="s", messages=ASK, stream=True)
        with pytest.raises(openai.APIConnectionError):
            list(stream)
