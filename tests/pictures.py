"""Pictures in few bytes."""

from __future__ import annotations

import base64
import struct

from dcc.runtime.kernel.content import Image


def picture(n: int = 0) -> Image:
    """An image of 750 tokens, told from the others by its bytes."""
    header = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sIIBBBBB", 13, b"IHDR", 750, 750, 8, 0, 0, 0, 0)
    return Image("image/png", base64.b64encode(header + bytes([n]) * 300).decode())
