"""The cause of a break that no request-by-request scenario shows: Anthropic's top field (kernel.md section 5)."""

import pytest

from dcc.compiler.load import load_program
from dcc.runtime.session import Reply, Session


@pytest.mark.parametrize(("format", "breaks"), [("anthropic", [(1, 0, "system")]), ("openai", [])])
def test_a_system_patch_changes_the_top_field(format: str, breaks: list[tuple[int, int, str]]) -> None:
    session = Session.create(load_program("standard"), system="You are brief.")
    for text in ("hello", "/system Answer in French. remain none\nhello again"):
        session.begin(text)
        session.request("anthropic" if format == "anthropic" else "openai")
        session.add_reply(Reply("ok"))
        session.commit()
    assert list(session.take_happenings().breaks) == breaks
