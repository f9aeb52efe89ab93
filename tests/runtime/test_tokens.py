"""The one token counter: densities by script, images by their pixels, calls with their arguments."""

from __future__ import annotations

import base64
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcc.runtime.kernel.content import Call, Image, Opaque, Text, signed_thought
from dcc.runtime.kernel.image_size import image_size
from dcc.runtime.kernel.tokens import IMAGE_UNKNOWN, MESSAGE_OVERHEAD, count_text, count_tokens

anything = st.text(st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    ("character", "per_hundred"),
    [
        ("a", 30), (" ", 30), ("é", 50), ("ж", 55), ("ω", 55), ("ש", 55), ("م", 55), ("ก", 60), ("अ", 60),
        ("한", 65), ("か", 75), ("。", 75), ("翻", 80), ("，", 90), ("─", 90), ("🎉", 150), ("\ud800", 65),
    ],
)  # fmt: skip
def test_density_by_script(character: str, per_hundred: int) -> None:
    assert count_text(character * 100) == per_hundred


def test_small_texts() -> None:
    assert count_text("") == 0
    assert count_text("a") == 1
    assert count_tokens("") == 1 + MESSAGE_OVERHEAD
    assert count_tokens("a" * 100) == 30 + MESSAGE_OVERHEAD


def test_base64_and_hex_are_dear() -> None:
    digest = "d9964aa40a9cfda93fa00ce59812881150180a13"
    assert count_text(digest) == 30
    assert count_text(f"commit {digest}\n") == 33
    assert count_text(f"编译 {digest} 完") == 33
    blob = base64.b64encode(bytes(range(256)) * 40).decode()
    assert 0.6 * len(blob) < count_text(blob) <= 0.75 * len(blob)


@pytest.mark.parametrize(
    "text", ["x" * 1000, "packages/coding/agent/src/theme/" * 30, "7" * 1000, "a b " * 250]
)
def test_what_is_no_run(text: str) -> None:
    assert count_text(text) == -(-len(text) * 3 // 10)


@given(anything, anything)
def test_a_longer_text_never_costs_less(one: str, other: str) -> None:
    assert count_text(one) <= count_text(f"{one} {other}") <= count_text(one) + count_text(other) + 1


def test_a_call_counts_its_name_and_arguments() -> None:
    call = Call("c", "write", {"content": "x" * 40_000})
    assert 10_000 <= count_tokens((call,)) <= 13_000


def test_thinking_is_counted_and_its_signature_is_not() -> None:
    assert count_tokens((signed_thought("a" * 100, "Q" * 500),)) == count_tokens("a" * 100)
    assert count_tokens((Opaque('{"type":"redacted_thinking","data":"' + "q7" * 200 + '"}'),)) > 300


def test_parts_are_one_slot() -> None:
    assert count_tokens((Text("a" * 100), Text("a" * 100))) == 60 + MESSAGE_OVERHEAD


def png(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", width, height)


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height)


def webp(kind: bytes, body: bytes) -> bytes:
    return b"RIFF\0\0\0\0WEBP" + kind + b"\0\0\0\0" + body


def jpeg(width: int, height: int) -> bytes:
    exif = b"\xff\xe1" + struct.pack(">H", 30_000) + bytes(29_998)
    return b"\xff\xd8" + exif + b"\xff\xff\xc2\0\x11\x08" + struct.pack(">HH", height, width)


@pytest.mark.parametrize(
    "data",
    [
        png(640, 480),
        gif(640, 480),
        jpeg(640, 480),
        webp(b"VP8X", bytes(4) + (639).to_bytes(3, "little") + (479).to_bytes(3, "little")),
        webp(b"VP8L", b"\x2f" + (639 | 479 << 14).to_bytes(4, "little") + bytes(8)),
        webp(b"VP8 ", b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 640, 480)),
    ],
    ids=["png", "gif", "jpeg", "webp-extended", "webp-lossless", "webp-lossy"],
)
def test_sizes_are_read_from_the_header(data: bytes) -> None:
    assert image_size(base64.b64encode(data).decode()) == (640, 480)


@pytest.mark.parametrize(
    ("data", "tokens"),
    [
        (png(750, 100), 100),
        (png(1, 1), 1),
        (png(1568, 1568), 1600),
        (png(4000, 1000), round(1568 * 392 / 750)),
        (png(0, 5), IMAGE_UNKNOWN),
        (png(5, 5)[:20], IMAGE_UNKNOWN),
        (jpeg(5, 5)[:40], IMAGE_UNKNOWN),
        (b"\xff\xd8nothing like a segment", IMAGE_UNKNOWN),
        (webp(b"VP9 ", bytes(20)), IMAGE_UNKNOWN),
        (b"", IMAGE_UNKNOWN),
    ],
)
def test_an_image_costs_its_pixels(data: bytes, tokens: int) -> None:
    image = Image("image/png", base64.b64encode(data).decode())
    assert count_tokens((image,)) == tokens + MESSAGE_OVERHEAD


@pytest.mark.parametrize("data", ["A", "é", "====", "\ud800"])
def test_what_is_no_base64_costs_the_fixed_price(data: str) -> None:
    assert count_tokens((Image("image/png", data),)) == IMAGE_UNKNOWN + MESSAGE_OVERHEAD


@given(st.binary())
def test_any_bytes_have_a_price(data: bytes) -> None:
    for head in (b"", b"\xff\xd8", b"RIFF....WEBP", b"\x89PNG\r\n\x1a\n", b"GIF87a"):
        assert count_tokens((Image("image/png", base64.b64encode(head + data).decode()),)) > MESSAGE_OVERHEAD
