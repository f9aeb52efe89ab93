"""A process that writes to a store that others write to: ``python canon_writers.py FOLDER NUMBER COUNT MODE``.

MODE ``many``: so many entries, and articles over others'. Each that was acknowledged is printed as one line of JSON.
MODE ``line``: one line is added to one article, by reading, writing and trying again.
"""

from __future__ import annotations

import json
import sys
from random import Random

from dcc.runtime.memory.canon import Canon
from dcc.runtime.memory.reply import Reply

#: Articles that all processes write to; few, so that they meet.
ADDRESSES = tuple(f"src/part{n}/core" for n in range(7))


def text_of(number: int, turn: int) -> str:
    """The body that a process writes at a turn: long, and telling from any piece whose it is."""
    return f"# {number}.{turn}\n\n" + f"written by {number} at {turn}, \u4e2d\u6587\n" * (50 + turn % 40) + "end"


def many(canon: Canon, number: int, count: int) -> None:
    """Write entries and articles, and say what was acknowledged."""
    random = Random(number)
    for turn in range(count):
        address = random.choice(ADDRESSES)
        body = text_of(number, turn)
        entry = canon.call({"action": "journal", "body": body, "subject": [address, f"w,{number}"], "slug": "same"})
        say(entry, {"entry": entry.data["name"], "body": body})
        written = canon.call({"action": "write", "path": address, "capsule": f"{number}: {turn}", "body": body})
        if written.code == "stale":
            written = canon.call({"action": "write", "path": address, "capsule": f"{number}: {turn}", "body": body})
        say(written, {"article": address, "code": written.code})


def say(reply: Reply, told: dict[str, object]) -> None:
    """Print what was acknowledged; a reply that is no acknowledgement ends the process."""
    assert reply.code in ("logged", "wrote", "current", "stale"), reply
    print(json.dumps(told), flush=True)


def line(canon: Canon, number: int) -> None:
    """Add a line, however often others come first."""
    while True:
        body = canon.call({"action": "read", "path": "shared/list"}).data.get("body", "")
        written = canon.call({"action": "write", "path": "shared/list", "body": f"{body}\n- line {number}"})
        if written.code == "wrote":
            return
        assert written.code == "stale", written


if __name__ == "__main__":
    here = Canon(sys.argv[1])
    if sys.argv[4] == "many":
        many(here, int(sys.argv[2]), int(sys.argv[3]))
    else:
        line(here, int(sys.argv[2]))
