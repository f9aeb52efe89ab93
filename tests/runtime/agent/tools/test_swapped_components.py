"""Components of a path are swapped for links while the file tools run: no byte outside is read or written."""

from __future__ import annotations

import ctypes
import threading
from pathlib import Path

import pytest

from dcc.runtime.agent.tools.edit import EDIT
from dcc.runtime.agent.tools.read import READ
from dcc.runtime.agent.tools.tool import ToolContext
from dcc.runtime.agent.tools.workspace import Workspace
from dcc.runtime.agent.tools.write import WRITE

INSIDE, SECRET = "fine, and inside", "7f3a never to be seen"

AT_FDCWD, RENAME_EXCHANGE = -100, 2

pytestmark = pytest.mark.skipif(
    not hasattr(ctypes.CDLL(None), "renameat2"), reason="this system cannot exchange two names in one step"
)


def exchange(one: Path, other: Path) -> None:
    """Swap two names in one step, so that there is no moment in which one of them is missing."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.renameat2(AT_FDCWD, bytes(one), AT_FDCWD, bytes(other), RENAME_EXCHANGE):
        raise OSError(ctypes.get_errno(), f"{one} and {other} cannot be exchanged")


class Swapper(threading.Thread):
    """Swaps a folder, and a file in it, for links to the outside, and back, so many times."""

    def __init__(self, root: Path, outside: Path, times: int) -> None:
        super().__init__()
        self.root, self.outside, self.times = root, outside, times
        self.done = 0

    def run(self) -> None:
        folder, aside, file = self.root / "a", self.root / "aside", self.root / "a" / "b" / "f"
        aside.symlink_to(self.outside)
        while self.done < self.times:
            exchange(folder, aside)
            exchange(folder, aside)
            link = self.root / "link"
            link.symlink_to(self.outside / "b" / "f")
            exchange(file, link)
            exchange(file, link)
            link.unlink()
            self.done += 1


def seen(folder: Path) -> list[tuple[str, int, str]]:
    """The files of a folder: names, times of change, texts."""
    return sorted(
        (str(path), path.stat().st_mtime_ns, path.read_text() if path.is_file() else "") for path in folder.rglob("*")
    )


def swap(tmp_path: Path, times: int) -> None:
    root, outside = tmp_path / "root", tmp_path / "elsewhere"
    for folder, text in ((root, INSIDE), (outside, SECRET)):
        (folder / "a" / "b").mkdir(parents=True)
        (folder / "b").mkdir()
        (folder / "a" / "b" / "f").write_text(text)
        (folder / "b" / "f").write_text(text)
    before = seen(outside)
    done, refused = 0, 0
    swapper = Swapper(root, outside, times)
    swapper.start()
    with Workspace(root) as workspace:
        context = ToolContext(workspace)
        while swapper.is_alive():
            for tool, arguments in (
                (READ, {}), (EDIT, {"oldText": "7f3a", "newText": "leaked"}),
                (EDIT, {"oldText": "fine", "newText": "still fine"}), (WRITE, {"content": INSIDE}),
                (WRITE, {"content": INSIDE, "path": "a/b/new/f"}),
            ):  # fmt: skip
                output = tool.run({"path": "a/b/f", **arguments}, context)
                assert "never to be seen" not in str(output.content)
                done, refused = done + (not output.is_error), refused + output.is_error
    swapper.join()
    assert seen(outside) == before
    assert swapper.done == times
    assert done > 0
    assert refused > 0


def test_swapped_components(tmp_path: Path) -> None:
    swap(tmp_path, 300)


@pytest.mark.slow
def test_components_swapped_ten_thousand_times(tmp_path: Path) -> None:
    swap(tmp_path, 10_000)
