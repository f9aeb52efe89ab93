"""Results of tools that no window holds, one by one or together."""

from __future__ import annotations

import json
import random
from typing import Any

from pictures import picture

from dcc.runtime.kernel.content import Content, Text
from dcc.runtime.kernel.tokens import count_text, count_tokens


def lines(characters: int, seed: int = 0) -> str:
    """Lines of so many characters, others for another seed."""
    chosen = random.Random(seed)
    return "".join(f"{chosen.randrange(10**4):04d} words of a long log\n" for _ in range(characters // 25))


def length(body: Any) -> int:
    """The tokens of a whole request; an image in it counts as :func:`picture` does, not by its base64."""
    images = 0

    def without_images(value: Any) -> Any:
        nonlocal images
        if isinstance(value, dict):
            if value.get("type") in ("image", "image_url"):
                images += 1
                return "image"
            return {name: without_images(item) for name, item in value.items()}
        return [without_images(item) for item in value] if isinstance(value, list) else value

    return count_text(json.dumps(without_images(body), ensure_ascii=False)) + images * count_tokens((picture(),))


#: The results of one call each.
HUGE: dict[str, tuple[Content, ...]] = {
    "3 MB of lines": (lines(3_000_000),),
    "3 MB in one line": (json.dumps([{"n": n, "name": f"row {n}"} for n in range(100_000)]),),
    "3 MB of Chinese": ("上下文太长了，需要截断。\n" * 85_000,),
    "3 MB of Chinese in one line": ("上下文太长了" * 170_000,),
    "3 MB that grow denser": ("a line of words\n" * 100_000 + "😀" * 350_000,),
    "3 MB with an image": ((Text(lines(3_000_000)), picture()),),
    "40 results of 30 KB": tuple(lines(30_000, n) for n in range(40)),
    "300 small results": tuple(lines(900, n) for n in range(300)),
    "200 results with an image": tuple((Text(f"page {n}"), picture(n % 256)) for n in range(200)),
    "one result with 300 images": (tuple(picture(n % 256) for n in range(300)),),
}
