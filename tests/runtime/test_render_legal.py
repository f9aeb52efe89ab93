"""Any units, rendered in any format, make a legal request that is the same when rendered again."""

from __future__ import annotations

import copy
import json

from hypothesis import given
from hypothesis import strategies as st
from legality import check_anthropic, check_openai, check_pi

from dcc.runtime.kernel.content import Call, Content, Image, Opaque, Part, Text, signed_thought
from dcc.runtime.view import anthropic, openai, pi
from dcc.runtime.view.unit import Shown, Unit

anything = st.text(st.characters(exclude_categories=()), max_size=12)
words = st.sampled_from(["", " ", "\n", "look at a.py", "你好", "🎉", "\ud800", "[goal]"])
texts = words | anything
arguments = st.sampled_from(
    ["", "{}", '{"path":"a.py"}', "{", "[]", "null", '{"a":NaN}', '{"s":"\\udc00"}', '{"你":"好\ud800"}']
)
thoughts = st.builds(
    signed_thought, st.sampled_from(["", "hm"]), st.sampled_from(["", "c2ln", '{"id":"rs"}', "签"])
)
opaque = st.sampled_from(
    [
        Opaque('{"type":"redacted_thinking","data":"eHl6"}'),
        Opaque('{"type":"redacted_thinking","data":""}'),
        Opaque('{"type":"server_tool_use","id":"s1"}'),
        Opaque("null"),
        Opaque("{"),
    ]
)
images = st.builds(Image, st.sampled_from(["image/png", "image/bmp"]), st.just("iVBORw0KGgo="))
parts: st.SearchStrategy[Part] = st.builds(Text, texts) | images | opaque | thoughts
contents: st.SearchStrategy[Content] = texts | st.lists(parts, max_size=3).map(tuple)


@st.composite
def histories(draw: st.DrawFn) -> list[Unit]:
    """Units with ids unique in the session, as the kernel gives them."""
    ids = draw(st.lists(anything, unique=True, min_size=12, max_size=12))
    return [
        draw(replies(ids)) if draw(st.booleans()) else draw(lones()) for _ in range(draw(st.integers(1, 6)))
    ]


@st.composite
def lones(draw: st.DrawFn) -> Unit:
    element = draw(st.sampled_from(["user", "system", "goal", "summary", "toolResult"]))
    role = draw(st.sampled_from(["user", "system", "assistant", "tool"]))
    top = element == "system" and role == "system" and draw(st.booleans())
    return Unit((Shown(f"{element}@1", element, role, draw(st.booleans()), draw(contents), top=top),))


@st.composite
def replies(draw: st.DrawFn, ids: list[str]) -> Unit:
    shown: list[Shown] = []
    results: list[Shown] = []
    for element in draw(
        st.lists(st.sampled_from(["think", "assistant", "toolCall"]), min_size=1, max_size=5)
    ):
        if element != "toolCall" or not ids:
            element = "think" if element == "think" else "assistant"
            shown.append(Shown(f"{element}@1", element, "assistant", False, draw(contents)))
            continue
        id, name = ids.pop(), draw(texts)
        call: Content = draw(st.just("left out") | st.just((Call(id, name, draw(arguments)),)))
        shown.append(Shown("toolCall@1", element, "assistant", False, call, call_id=id, tool=name))
        error = draw(st.booleans())
        results.append(
            Shown("toolResult@1", "toolResult", "tool", False, draw(contents), "stub", id, name, error)
        )
    return Unit(tuple(shown), tuple(results))


@given(histories())
def test_openai(units: list[Unit]) -> None:
    rendered = openai.assemble(map(openai.messages_of, units))
    assert check_openai(rendered.messages) == []
    assert rendered == openai.assemble(map(openai.messages_of, units))


@given(histories())
def test_anthropic(units: list[Unit]) -> None:
    cached = [anthropic.messages_of(unit) for unit in units]
    before = copy.deepcopy(cached)
    rendered = anthropic.assemble(cached)
    assert cached == before
    found = check_anthropic(rendered.system, rendered.messages)
    assert found == ([] if rendered.messages else ["a request needs a message"])


@given(histories())
def test_pi(units: list[Unit]) -> None:
    rendered = pi.assemble(map(pi.messages_of, units))
    assert check_pi(rendered.messages) == []
    assert json.dumps(rendered.messages) == json.dumps(pi.assemble(map(pi.messages_of, units)).messages)


@given(histories())
def test_a_longer_history_keeps_the_prefix(units: list[Unit]) -> None:
    """P9, when no slot of the top field is added."""
    units = [unit for unit in units if not unit.shown[0].top]
    for view in (openai, pi):
        whole = view.assemble(map(view.messages_of, units)).messages
        part = view.assemble(map(view.messages_of, units[:-1])).messages
        assert whole[: len(part)] == part
    longer = anthropic.blocks_of(map(anthropic.messages_of, units))
    shorter = anthropic.blocks_of(map(anthropic.messages_of, units[:-1]))
    assert longer[: len(shorter)] == shorter
