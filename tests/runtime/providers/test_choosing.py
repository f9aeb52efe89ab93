"""Which provider a ruleset and the command line choose."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from loopback.behaviour import Says
from loopback.client import PROTOCOLS
from loopback.server import Loopback

from dcc.compiler.files import check_file
from dcc.compiler.load import load_program
from dcc.runtime.providers.choose import choose
from dcc.runtime.providers.errors import ProviderError
from dcc.runtime.providers.protocol import TOTAL_S
from dcc.runtime.session import Session

KEYS = {"OPENAI_API_KEY": "o-1", "ANTHROPIC_API_KEY": "a-1"}


def refused(section: dict[str, Any], environ: dict[str, str] | None = None, **given: Any) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        choose(section, environ=environ or {}, **given)
    return caught.value


@pytest.mark.parametrize("section", [None, {}, {"type": "echo"}, {"type": "dry-run", "config": "provider.json"}])
def test_echo_is_the_embedded_default(section: dict[str, Any] | None) -> None:
    choice = choose(section, environ={})
    assert (choice.provider.name, choice.model, choice.timeout_s) == ("echo", "echo", TOTAL_S)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_ruleset_chooses(protocol: str, tmp_path: Path) -> None:
    ruleset = tmp_path / "mine.yaml"
    with Loopback(Says(("ok",))) as server:
        ruleset.write_text(
            f"extends: [standard]\nprovider: {{type: {protocol}, model: small, base_url: '{server.url}/v1', "
            "key_env: MY_KEY, max_tokens: 9, cache: none, stream: false, timeout: {total: 30, connect: 5}, "
            "retries: {attempts: 1}, options: {temperature: 0}}\n"
        )
        program = load_program(str(ruleset))
        choice = choose(program.sections["provider"], environ={"MY_KEY": "k-1"})
        with Session.create(program) as session:
            session.begin("hi")
            reply = choice.provider.complete(choice.request(session.request(choice.provider.format)))
    assert (reply.reply.text, choice.timeout_s) == ("ok", 30.0)
    body = server.seen[0].body
    assert (body["model"], body["max_tokens"], body["temperature"]) == ("small", 9, 0)
    assert "k-1" in str(server.seen[0].headers)


def test_the_command_line_wins() -> None:
    section = {"type": "openai", "model": "small", "think": "low"}
    choice = choose(section, environ=KEYS, model="large", think="high", timeout_s=5.0)
    assert (choice.model, choice.settings.think, choice.timeout_s) == ("large", "high", 5.0)
    assert choose(section, environ=KEYS, type="echo").model == "echo"
    assert choose({"model": "small"}, environ=KEYS, type="anthropic").model == "small"


def test_another_type_takes_nothing_of_the_sections_server() -> None:
    section = {"type": "openai", "model": "small", "base_url": "http://127.0.0.1:1", "options": {"seed": 1}}
    choice = choose(section, environ=KEYS, type="anthropic", model="large")
    assert (choice.model, choice.settings.options) == ("large", {})
    assert "no model is named" in refused(section, KEYS, type="anthropic").message


def test_a_key_goes_only_where_it_belongs() -> None:
    def key(section: dict[str, Any], environ: dict[str, str]) -> object:
        return vars(choose({"model": "m", **section}, environ=environ).provider)["_key"]

    elsewhere = "http://127.0.0.1:8080/v1"
    for protocol, name in (("openai", "OPENAI"), ("anthropic", "ANTHROPIC")):
        section = {"type": protocol}
        own = key(section, KEYS)
        assert own is not None
        assert key(section | {"base_url": elsewhere}, KEYS) is None
        assert key(section | {"base_url": elsewhere, "key_env": f"{name}_API_KEY"}, KEYS) == own
        assert key(section, KEYS | {f"{name}_BASE_URL": elsewhere}) == own
        assert key(section, {f"{name}_BASE_URL": elsewhere}) is None
        assert refused(section | {"model": "m"}).kind == "auth"


WRONG = [
    ({"type": "opneai"}, "bad_request", "unknown provider `opneai`"),
    ({"type": "openai"}, "bad_request", "no model is named for the provider openai"),
    ({"model": "small"}, "bad_request", "provider.model is written, and no provider.type"),
    ({"type": "openai", "model": "m", "base_url": "127.0.0.1:80"}, "bad_request", "no address"),
    ({"type": "openai", "model": "m", "base_url": "http://[::1"}, "bad_request", "no address"),
    ({"type": "openai", "model": "m", "base_url": "http://127.0.0.1:port/v1"}, "bad_request", "no address"),
    ({"type": "openai", "model": "m", "base_url": "http://127.0.0.1:99999"}, "bad_request", "no address"),
    ({"type": "openai", "model": "m", "base_url": "http://my host/v1"}, "bad_request", "no address"),
    ({"type": "openai", "model": "m", "base_url": "http://host/v1\n"}, "bad_request", "no address"),
    ({"type": "openai", "model": "m", "base_url": "http://me:pw@host/v1"}, "bad_request", "a password"),
    ({"type": "openai", "model": "m", "api_key": "sk-1"}, "auth", "provider.api_key holds a key"),
]


@pytest.mark.parametrize(("section", "kind", "said"), WRONG)
def test_what_is_wrong_is_said(section: dict[str, Any], kind: str, said: str) -> None:
    error = refused(section, KEYS)
    assert (error.kind, said in error.message) == (kind, True)
    assert error.help
    assert "sk-1" not in f"{error.message}{error.help}"
    assert "pw" not in f"{error.message}{error.help}".split("password")[0]


@pytest.mark.parametrize(("section", "kind", "said"), WRONG)
def test_what_is_refused_is_found_before(section: dict[str, Any], kind: str, said: str) -> None:
    found = check_file("mine.yaml", json.dumps({"provider": section})).diagnostics
    assert [d.code[:5] for d in found] == ["DCC72"]


def test_http_is_imported_when_it_is_needed(tmp_path: Path) -> None:
    script = (
        "import sys; from dcc.runtime.providers.choose import choose; "
        "choose({'type': 'openai', 'model': 'm', 'base_url': 'http://127.0.0.1:1'}, environ={}); "
        "print('httpx' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
