"""A Chromium without a screen, driven through its own driver (W3C WebDriver, a protocol of plain HTTP)."""

from __future__ import annotations

import shutil
import subprocess
from base64 import b64decode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

CHROMIUM = shutil.which("chromium")
DRIVER = shutil.which("chromedriver")

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
)  # fmt: skip

#: What WebDriver calls keys that write nothing (W3C WebDriver, section 15.4.2).
KEYS = {
    "Escape": "\ue00c", "Enter": "\ue007", "Left": "\ue012", "Up": "\ue013", "Right": "\ue014", "Down": "\ue015",
    "Tab": "\ue004",
}  # fmt: skip


class Browser:
    """A page in a window. Every method waits until the browser has done it."""

    def __init__(self, client: httpx.Client, session: str) -> None:
        self._client = client
        self._session = session

    def _ask(self, command: str, content: Mapping[str, Any]) -> Any:
        reply = self._client.post(f"/session/{self._session}/{command}", json=content)
        value = reply.json()["value"]
        assert reply.is_success, value
        return value

    def open(self, url: str) -> None:
        self._ask("url", {"url": url})
        self.frame()

    def run(self, script: str, *args: object) -> Any:
        """What a function body returns."""
        return self._ask("execute/sync", {"script": script, "args": args})

    def frame(self) -> None:
        """Wait until what was asked for is drawn."""
        script = "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done(null)));"
        self._ask("execute/async", {"script": script, "args": []})

    def texts(self, selector: str) -> list[str]:
        found: list[str] = self.run(
            "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent);", selector
        )
        return found

    def text(self, selector: str) -> str:
        [text] = self.texts(selector)
        return text

    def press(self, *keys: str) -> None:
        """Press keys one after another, by their names, or type texts."""
        signs = [sign for key in keys for sign in ([KEYS[key]] if key in KEYS else key)]
        strokes = [{"type": kind, "value": sign} for sign in signs for kind in ("keyDown", "keyUp")]
        self._ask("actions", {"actions": [{"type": "key", "id": "keyboard", "actions": strokes}]})
        self.frame()

    def point(self, x: float, y: float, *actions: dict[str, Any]) -> None:
        """Move the mouse to a point of the window, and do more there."""
        move = {"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0}
        mouse = {"type": "pointer", "id": "mouse", "actions": [move, *actions]}
        self._ask("actions", {"actions": [mouse]})
        self.frame()

    def click(self, x: float, y: float) -> None:
        self.point(x, y, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0})

    def click_on(self, selector: str) -> None:
        self.click(*self.middle(selector))

    def middle(self, selector: str) -> tuple[float, float]:
        """The middle of an element in the window."""
        script = "const b = document.querySelector(arguments[0]).getBoundingClientRect();"
        x, y = self.run(f"{script} return [b.left + b.width / 2, b.top + b.height / 2];", selector)
        return x, y

    def picture(self, path: Path) -> None:
        reply = self._client.get(f"/session/{self._session}/screenshot")
        path.write_bytes(b64decode(reply.json()["value"]))

    def messages(self) -> list[str]:
        """What the page and the browser complained of since the last time."""
        return [entry["message"] for entry in self._ask("se/log", {"type": "browser"})]

    def colours(self, scheme: str) -> None:
        """Let the reader prefer ``light`` or ``dark``."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self._ask("goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {"features": features}})
        self.frame()


@contextmanager
def opened(folder: Path, *, size: tuple[int, int] = (1280, 860), language: str = "en") -> Iterator[Browser]:
    """A browser with a user folder of its own below ``folder``, closed afterwards."""
    command = [str(DRIVER), "--port=0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as driver:
        try:
            assert driver.stdout is not None
            said = (line for line in driver.stdout if "started successfully on port" in line)
            port = next(said).rstrip().rstrip(".").rsplit(" ", 1)[1]
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60, trust_env=False) as client:
                flags = [
                    *FLAGS, f"--user-data-dir={folder / 'user'}", f"--window-size={size[0]},{size[1]}",
                    f"--lang={language}", f"--accept-lang={language}",
                ]  # fmt: skip
                options = {"binary": CHROMIUM, "args": flags}
                wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
                reply = client.post("/session", json={"capabilities": {"alwaysMatch": wanted}})
                assert reply.is_success, reply.text
                session = reply.json()["value"]["sessionId"]
                try:
                    yield Browser(client, session)
                finally:
                    client.delete(f"/session/{session}")
        finally:
            driver.terminate()
