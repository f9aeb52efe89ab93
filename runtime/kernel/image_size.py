"""Width and height of an image, read from its first bytes: PNG, GIF, WebP and JPEG."""

from __future__ import annotations

import binascii

#: Characters of base64 that are decoded: a JPEG may carry 64 KiB of EXIF before its size.
_HEAD = 4 * 32 * 1024


def image_size(data: str) -> tuple[int, int] | None:
    """(width, height) in pixels of the base64 image ``data``; None when its header cannot be read."""
    try:
        head = binascii.a2b_base64(data[: _HEAD if len(data) > _HEAD else None])
    except ValueError:
        return None
    size = _png(head) or _gif(head) or _webp(head) or _jpeg(head)
    return size if size is not None and min(size) > 0 else None


def _png(head: bytes) -> tuple[int, int] | None:
    if not head.startswith(b"\x89PNG\r\n\x1a\n") or len(head) < 24:
        return None
    return int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")


def _gif(head: bytes) -> tuple[int, int] | None:
    if not head.startswith((b"GIF87a", b"GIF89a")) or len(head) < 10:
        return None
    return int.from_bytes(head[6:8], "little"), int.from_bytes(head[8:10], "little")


def _webp(head: bytes) -> tuple[int, int] | None:
    if head[:4] != b"RIFF" or head[8:12] != b"WEBP" or len(head) < 30:
        return None
    match head[12:16]:
        case b"VP8X":  # extended: 24-bit sizes less one
            return int.from_bytes(head[24:27], "little") + 1, int.from_bytes(head[27:30], "little") + 1
        case b"VP8L":  # lossless: two 14-bit sizes less one behind a signature byte
            bits = int.from_bytes(head[21:25], "little")
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8 ":  # lossy: 14-bit sizes, two scaling bits above each
            width, height = int.from_bytes(head[26:28], "little"), int.from_bytes(head[28:30], "little")
            return width & 0x3FFF, height & 0x3FFF
        case _:
            return None


def _jpeg(head: bytes) -> tuple[int, int] | None:
    if not head.startswith(b"\xff\xd8"):
        return None
    at = 2
    while at + 9 <= len(head):
        if head[at] != 0xFF:
            return None
        marker = head[at + 1]
        if marker == 0xFF:  # a fill byte
            at += 1
        elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):  # start of frame
            return int.from_bytes(head[at + 7 : at + 9], "big"), int.from_bytes(head[at + 5 : at + 7], "big")
        else:
            at += 2 + int.from_bytes(head[at + 2 : at + 4], "big")
    return None
