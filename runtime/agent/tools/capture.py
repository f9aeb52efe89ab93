"""The output of a command, kept within a bound while it comes: its head, its tail, and how much lies between."""

from __future__ import annotations


class Capture:
    """Keeps at most ``most`` bytes: a third from the head, the rest from the tail, where the outcome stands."""

    def __init__(self, most: int) -> None:
        self._room = most // 3
        self._tail_most = most - self._room
        self._head = bytearray()
        self._tail = bytearray()
        self._dropped = 0

    @property
    def left_out(self) -> int:
        """The bytes that were not kept."""
        return self._dropped + max(0, len(self._tail) - self._tail_most)

    def add(self, data: bytes) -> None:
        """Take what came. Memory stays below twice the bound and one piece."""
        taken = data[: self._room - len(self._head)]
        self._head += taken
        self._tail += data[len(taken) :]
        if len(self._tail) > 2 * self._tail_most:
            self._dropped += len(self._tail) - self._tail_most
            del self._tail[: -self._tail_most]

    def text(self) -> str:
        """What was kept, with a line between head and tail that says how much is left out."""
        left_out = self.left_out
        if not left_out:
            return (self._head + self._tail).decode("utf-8", "replace")
        head = self._head.decode("utf-8", "ignore")
        tail = self._tail[-self._tail_most :].decode("utf-8", "ignore")
        # A short cut at a line end reads better, and costs little.
        head = head[: head.rfind("\n") + 1] or head
        line = tail.find("\n") + 1
        shown = tail[line:] if 0 < line < len(tail) // 4 else tail
        gone = left_out + len(self._head) - len(head.encode()) + self._tail_most - len(shown.encode())
        return f"{head.rstrip(chr(10))}\n[… {gone} bytes are left out here …]\n{shown}"
