"""What ``dcc run`` is given beside its options: a prompt from standard input, and images."""

from __future__ import annotations

import base64
import os
import re
import sys
from pathlib import Path

from ..compiler.compose import MAX_BYTES
from ..compiler.reading import read_source
from ..runtime.kernel.content import Image
from ..runtime.kernel.image_size import image_size
from .reading import fail_usage

#: How files of the types begin that models take.
_SIGNATURES = {
    "image/png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "image/jpeg": re.compile(rb"\xff\xd8\xff"),
    "image/gif": re.compile(rb"GIF8[79]a"),
    "image/webp": re.compile(rb"RIFF....WEBP", re.DOTALL),
}

#: The types by the endings of names.
_TYPES = {
    ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
}  # fmt: skip

_ENDINGS = "name a file that ends in .png, .jpg, .gif or .webp, or convert it to one"


def prompt_of(written: str | None) -> str:
    """The prompt, from standard input where ``-`` is written; what is no prompt ends the program with exit code 2."""
    if written != "-":
        # The bytes of the command line, whatever the system took their encoding for.
        return _text("the prompt", os.fsencode(written or ""))
    data = sys.stdin.buffer.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        fail_usage(
            f"standard input is longer than {MAX_BYTES:,} bytes", "write it into a file, and say what to do with it"
        )
    return _text("standard input", data)


def _text(what: str, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        fail_usage(
            f"{what} is no UTF-8 text: byte {error.start + 1:,} is {data[error.start]:#04x}",
            "convert it, as with: iconv -f LATIN1 -t UTF-8",
        )


def image_of(file: Path) -> Image:
    """The image in a file; what is none ends the program with exit code 2."""
    kind = _TYPES.get(file.suffix.lower())
    if kind is None:
        fail_usage(f"{file} is no image that models take, by its name", _ENDINGS)
    data = read_source(file)
    if len(data) > MAX_BYTES:
        fail_usage(f"{file} is larger than {MAX_BYTES:,} bytes", "make the image smaller: no model takes one as large")
    if _SIGNATURES[kind].match(data) is None:
        what = "not what its name says" if data else "empty"
        fail_usage(f"{file} is {what}: expected {kind}", "name a file that holds such an image")
    image = Image(kind, base64.b64encode(data).decode("ascii"))
    # Much may stand before the size in a JPEG, and only its beginning is looked at.
    if kind != "image/jpeg" and image_size(image.data) is None:
        fail_usage(f"{file} is damaged: it does not say how large the image is", "name a file that holds an image")
    return image
