"""Whether a value occurs in a content: numbers as whole ones, short words as words, the rest wherever it stands."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcc.runtime.kernel.containing import SHORT, Finder
from dcc.runtime.kernel.content import Call, Image, Opaque, Text, encode


def occurs(value: str, text: str) -> bool:
    return Finder([value]).occurs(text)


def contains(data: bytes, value: str) -> bool:
    return Finder([value]).is_in(data)


OCCURS = {
    "4711": [
        "4711", "PIN 4711.", "(4711)", "=4711;", "4711,4712", "[1,4711,5]", '{"pin":4711}', "-4711", "4711 %", "#4711",
        "127.0.0.1:4711", "PIN4711", "order-4711", "user_4711", "4711px", "编号4711号", "7: 4711",
        "12\n4711", "4711\n12",
    ],
    "12.75": ["12.75", "12.75 EUR", "(12.75)"],
    "-4711": ["-4711", "a-4711"],
    "6.02e23": ["6.02e23", "N=6.02e23,"],
    "port": ["port", "the port is", "port:8080", "(port)", "port/tcp", "a-port", "端口port号", "port\n", "x\nport"],
    "Größe": ["Größe", "die Größe."],
    "hunter2": ["hunter2", "xhunter2x", "myhunter22"],
    "秘密": ["我的秘密是", "秘密"],
    "correct horse": ["a correct horses"],
    "electroencephalograph": ["electroencephalographs"],
}  # fmt: skip
OCCURS_NOT = {
    "4711": [
        "14711", "47110", "147110", "1715000471100", "4711.5", "0.4711", "2024-4711", "4711-05-06", "4711/12",
        "12/4711", "20240506T4711", "1a4711", "4711f00d", "10.4711", "3_4711", "471", "4,711",
    ],
    "2024": ["2024-05-06", "06.05.2024", "05/06/2024", "2024-05-06T10:11:12.345678Z", "20240506", "1.2024.3"],
    "12.75": ["112.75", "12.755", "12.75.3"],
    "-4711": ["-47110", "-4711.5"],
    "port": ["report", "ports", "port8080", "db_port", "portable", "PORT", "airport", "porté"],
    "hunter2": ["hunter 2"],
}  # fmt: skip


@pytest.mark.parametrize(("value", "text"), [(value, text) for value, texts in OCCURS.items() for text in texts])
def test_it_occurs_also_where_json_escapes_it(value: str, text: str) -> None:
    assert occurs(value, text)
    for ascii in (True, False):
        once = json.dumps({"text": text}, ensure_ascii=ascii)
        assert occurs(value, once)
        assert occurs(value, json.dumps([once], ensure_ascii=ascii))
        assert contains(encode((Call("c", "write", once),)), value)
    assert contains(encode(text), value)
    assert contains(encode((Text("first"), Text(text))), value)


@pytest.mark.parametrize(("value", "text"), [(value, text) for value, texts in OCCURS_NOT.items() for text in texts])
def test_a_part_of_a_longer_number_or_word_is_not_the_value(value: str, text: str) -> None:
    assert not occurs(value, text)
    assert not contains(encode(text), value)


def test_what_stands_in_base64_by_chance_is_no_number_and_no_word() -> None:
    image = encode((Image("image/png", "+4711/port+abc1-hunter2"),))
    assert not contains(image, "4711")
    assert not contains(image, "port")
    assert contains(image, "abc1-hunter2")
    assert contains(encode((Opaque('{"note": "4711"}'),)), "4711")


@given(st.integers(1_000, 10**15), st.text("0123456789", max_size=3), st.text("0123456789", max_size=3))
def test_a_number_is_found_where_no_digit_stands_beside_it_and_nowhere_else(n: int, before: str, after: str) -> None:
    assert occurs(str(n), f"id {before}{n}{after}.") is (not before and not after)


@given(st.text("abcXYZ", min_size=4, max_size=SHORT), st.sampled_from(["", "x", "Z", "é", "0", "_"]))
def test_a_word_is_found_where_no_letter_stands_beside_it_and_nowhere_else(word: str, beside: str) -> None:
    assert occurs(word, f"({word}{beside})") is (beside == "")
    assert occurs(word, f"({beside}{word})") is (beside == "")


def test_one_of_several_values_is_enough() -> None:
    finder = Finder(["4711", "-12.5", "port", "k-7731"])
    assert all(map(finder.occurs, ["is 4711", "is -12.5", "the port", "xk-7731x"]))
    assert not any(map(finder.occurs, ["is 47110", "is -12.55", "the report", "k-773"]))
    assert not Finder([]).occurs("anything")
