"""The one token counter: trigger, cut and report all use it (kernel.md section 6, P5).

An estimate by script, not a tokenizer: no model's vocabulary is needed and a megabyte takes milliseconds,
because the text is never walked in Python. Densities: spec/cpat.md section 6, row [P].
"""

from __future__ import annotations

from .content import Call, Content, Image, Opaque, Text, thought_of
from .image_size import image_size

#: What a message costs beside its content (role, separators), in tokens; added once per slot.
MESSAGE_OVERHEAD = 4

#: Thousandths of a token per ASCII character.
ASCII = 300

#: (thousandths of a token per character, the UTF-8 lead bytes of the script). A lead byte is a block of
#: code points, so counting bytes counts characters by script; most frequent first.
SCRIPTS: tuple[tuple[int, bytes], ...] = (
    (ASCII, bytes(range(0x80))),
    (800, bytes(range(0xE4, 0xEA))),  # U+4000-9FFF Han
    (750, bytes([0xE3])),  # U+3000-3FFF kana, CJK punctuation
    (650, bytes(range(0xEA, 0xEE))),  # U+A000-DFFF Hangul
    (550, bytes(range(0xCC, 0xE0))),  # U+0300-07FF Greek, Cyrillic, Armenian, Hebrew, Arabic
    (600, bytes([0xE0, 0xE1])),  # U+0800-1FFF Indic, Thai, Georgian, Vietnamese
    (500, bytes(range(0xC2, 0xCC))),  # U+0080-02FF accented Latin
    (900, bytes([0xE2, 0xEE, 0xEF])),  # U+2000-2FFF, E000-FFFF punctuation, box drawing, full width
    (1500, bytes(range(0xF0, 0xF5))),  # supplementary planes: emoji, rare Han
)
_CONTINUATION = bytes(range(0x80, 0xC0))

#: Thousandths of a token per character inside a run of base64 or hex: no vocabulary has such words.
RUN = 750
#: Characters without a break from which on mixed letters and digits are such a run (40: a git hash).
RUN_LENGTH = 40
#: ``/`` is left out of the alphabet: paths are made of it, and base64 is recognised without it.
_ALPHABET = b"+0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_MARK = bytes(ord("a") if byte in _ALPHABET else ord(" ") for byte in range(256))
_RUN_MARK = b"a" * RUN_LENGTH

#: An image costs width * height / 750 tokens after it was scaled to 1568 pixels, 1600 tokens at most
#: (Anthropic's published formula); one whose header cannot be read costs 1200 (pi counts 4,800 characters).
IMAGE_PIXELS_PER_TOKEN = 750
IMAGE_LONGEST_EDGE = 1568
IMAGE_CAP = 1600
IMAGE_UNKNOWN = 1200


def count_tokens(content: Content) -> int:
    """Tokens that a slot with this content adds to a request, ``MESSAGE_OVERHEAD`` included."""
    if isinstance(content, str):
        return max(1, count_text(content)) + MESSAGE_OVERHEAD
    return max(1, sum(_count_part(part) for part in content)) + MESSAGE_OVERHEAD


def count_text(text: str) -> int:
    """Tokens of a text alone, without overhead; 0 for the empty text, else at least 1."""
    if text.isascii():
        thousandths = ASCII * len(text)
        if len(text) >= RUN_LENGTH:
            thousandths += (RUN - ASCII) * _run_characters(text.encode("ascii"))
        return -(-thousandths // 1000)
    data = text.encode("utf-8", "surrogatepass")
    thousandths = (RUN - ASCII) * _run_characters(data) if len(text) >= RUN_LENGTH else 0
    rest = data.translate(None, _CONTINUATION)
    for density, leads in SCRIPTS:
        left = rest.translate(None, leads)
        thousandths += density * (len(rest) - len(left))
        if not left:
            break
        rest = left
    return -(-thousandths // 1000)


def _count_part(part: Text | Image | Opaque | Call) -> int:
    match part:
        case Text(text):
            return count_text(text)
        case Image(_, data):
            return _count_image(data)
        case Call(_, name, arguments):
            return count_text(name) + count_text(arguments)
        case Opaque(data):
            thought = thought_of(part)
            # A signature is no prompt text; what only the provider can read is counted by its length.
            return count_text(data if thought is None or thought.redacted else thought.text)


def _count_image(data: str) -> int:
    size = image_size(data)
    if size is None:
        return IMAGE_UNKNOWN
    width, height = size
    scale = min(1.0, IMAGE_LONGEST_EDGE / max(width, height))
    return max(1, min(IMAGE_CAP, round(width * scale * height * scale / IMAGE_PIXELS_PER_TOKEN)))


def _run_characters(data: bytes) -> int:
    """Characters of ``data`` that lie in runs of base64 or hex; words and numbers are no runs."""
    marks = data.translate(_MARK)
    total = 0
    start = marks.find(_RUN_MARK)
    while start >= 0:
        end = marks.find(b" ", start)
        end = len(marks) if end < 0 else end
        head = data[start : start + RUN_LENGTH]
        if not (head.isalpha() or head.isdigit()):
            total += end - start
        start = marks.find(_RUN_MARK, end)
    return total
