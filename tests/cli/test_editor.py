"""What an editor says: yaml-language-server under the schemas of ``dcc schema``, asked over its own protocol."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dcc.cli.entry import run

ROOT = Path(__file__).parents[2]
SERVER = "yaml-language-server@1.18.0"

#: The severity of an error in the protocol.
ERROR = 1


class Editor:
    """A client of the language server: opens files and waits for what is said of them."""

    def __init__(self, command: list[str], schemas: dict[str, str]) -> None:
        self._server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._settings = {"yaml": {"schemas": schemas, "schemaStore": {"enable": False}, "validate": True}}
        abilities = {"textDocument": {"publishDiagnostics": {}}, "workspace": {"configuration": True}}
        self._send(
            {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": abilities}}
        )
        self._until(lambda message: message.get("id") == 1)
        self._send({"method": "initialized", "params": {}})
        self._send({"method": "workspace/didChangeConfiguration", "params": {"settings": self._settings}})

    def diagnostics(self, path: Path) -> list[str]:
        """The errors of a file; hints, such as that an anchor is never used, are no business of a schema."""
        uri = path.as_uri()
        opened = {"uri": uri, "languageId": "yaml", "version": 1, "text": path.read_text(encoding="utf-8")}
        self._send({"method": "textDocument/didOpen", "params": {"textDocument": opened}})
        said = self._until(lambda m: m.get("method") == "textDocument/publishDiagnostics" and m["params"]["uri"] == uri)
        return [found["message"] for found in said["params"]["diagnostics"] if found.get("severity", ERROR) == ERROR]

    def close(self) -> None:
        """End the server."""
        self._server.kill()
        self._server.communicate()

    def _send(self, message: dict[str, Any]) -> None:
        assert self._server.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._server.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self._server.stdin.flush()

    def _until(self, wanted: Any) -> dict[str, Any]:
        while True:
            message = self._read()
            if "id" in message and "method" in message:
                self._answer(message)
            elif wanted(message):
                return message

    def _answer(self, request: dict[str, Any]) -> None:
        """The server asks for settings section by section; of other things it asks we know nothing."""
        result: Any = None
        if request["method"] == "workspace/configuration":
            result = [self._settings.get(item.get("section")) for item in request["params"]["items"]]
        self._send({"id": request["id"], "result": result})

    def _read(self) -> dict[str, Any]:
        assert self._server.stdout is not None
        length = 0
        while (line := self._server.stdout.readline().strip()) != b"":
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        message: dict[str, Any] = json.loads(self._server.stdout.read(length))
        return message


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    """The server from the npm registry; without node, npm or the registry there is nothing to test."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("node and npm are not installed")
    home = tmp_path_factory.mktemp("editor")
    install = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(home), SERVER]
    if subprocess.run(install, capture_output=True).returncode:
        pytest.skip("yaml-language-server cannot be installed")
    schemas: dict[str, str] = {}
    for kind, globs in (("ruleset", "*.rules.yaml"), ("scenario", "*.scenario.yaml")):
        schema = home / f"{kind}.schema.json"
        with pytest.MonkeyPatch.context() as patch, schema.open("w", encoding="utf-8") as out:
            patch.setattr("sys.stdout", out)
            assert run(["schema", kind]) == 0
        schemas[schema.as_uri()] = globs
    editor = Editor([str(home / "node_modules" / ".bin" / "yaml-language-server"), "--stdio"], schemas)
    yield editor
    editor.close()


def _named(path: Path, kind: str, folder: Path) -> Path:
    copy = folder / f"{path.stem}.{kind}.yaml"
    copy.write_bytes(path.read_bytes())
    return copy


@pytest.mark.slow
def test_rulesets_that_ship_are_fine(editor: Editor, tmp_path: Path) -> None:
    for path in sorted((ROOT / "rulesets").glob("*.yaml")):
        assert editor.diagnostics(_named(path, "rules", tmp_path)) == [], path


@pytest.mark.slow
def test_scenarios_that_ship_are_fine(editor: Editor, tmp_path: Path) -> None:
    for path in sorted((ROOT / "rulesets" / "scenarios").rglob("*.yaml")):
        assert editor.diagnostics(_named(path, "scenario", tmp_path)) == [], path


@pytest.mark.slow
@pytest.mark.parametrize("name", ["unknown-key", "wrong-type", "wrong-value", "not-a-pair", "bad-bound"])
def test_a_wrong_shape_is_told(editor: Editor, tmp_path: Path, name: str) -> None:
    path = ROOT / "tests" / "checks" / name / "bad.yaml"
    copy = tmp_path / f"{name}.rules.yaml"
    copy.write_bytes(path.read_bytes())
    assert editor.diagnostics(copy) != []
