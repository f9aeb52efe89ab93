"""Values in a journal entry: the names and numbers that its articles should carry too (specification, section 4.3)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

from .words import folded

#: Most values that are named at once.
MOST = 6

#: Characters of the longest value: what is longer is a text.
LONGEST = 100

_CARDINALS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|"
    "eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million"
)

_NUMERAL = "〇零一二两兩三四五六七八九十百千万萬亿億半"

#: Chinese numerals count as values only with a unit behind them: 一 alone is in half of all words.
_UNITS = (
    "个半?月|個半?月|小时|小時|分钟|分鐘|毫秒|星期|季度|公里|千米|厘米|公斤|千克|字节|字節|美元|人民币|页|頁|行|列"
    "|周|週|天|日|月|年|时|時|分|秒|次|遍|条|條|个|個|位|名|人|项|項|件|份|元|块|塊|角|倍|级|級|层|層|台|臺|張|张|種|种"
    "|吨|噸|米|克|升|岁|歲|轮|輪|批|组|組|笔|筆|家|版|号|號|成|折|度"
)

_PATTERNS = tuple(
    re.compile(pattern, flags)
    for pattern, flags in (
        (r"`([^`\n]{2,60})`", 0),
        (r'["“”]([^"“”\n]{2,60})["“”]', 0),
        (r"(?<![\w-])[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)+(?![\w-])", re.ASCII),
        (r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b", re.ASCII),
        (r"(?<![\w./])[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)+(?![\w/])", re.ASCII),
        (rf"(?<![\w.,-])[0-9]+(?:,[0-9]{{3}})*(?:\.[0-9]+)?%?(?![\w-]|\s*(?:{_UNITS}))", re.ASCII),
        (rf"\b(?:{_CARDINALS})\s+[a-z]{{3,}}\b", re.ASCII | re.IGNORECASE),
        (rf"(?<![0-9{_NUMERAL}])(?<![0-9]\s)[{_NUMERAL}]+(?:{_UNITS})", 0),
        (rf"(?<![\w.,])[0-9]+(?:[.,][0-9]+)*\s*[{_NUMERAL}]*(?:{_UNITS})", re.ASCII),
    )
)

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)

#: What may not stand beside a value where it is found: it would be another one.
_BESIDE = f"a-z0-9{_NUMERAL}"

#: A piece of a text: a word of such characters, or one other character.
_PIECE = re.compile(f"([{_BESIDE}]+)|.", re.DOTALL)


def values_in(text: str) -> tuple[str, ...]:
    """The values of a text, each once (case does not count).

    Dates of days, single characters and what is longer than ``LONGEST`` are none.
    """
    found: dict[str, str] = {}
    for value in _found(text):
        value = folded(value)
        if 1 < len(value) <= LONGEST and not _DATE.fullmatch(value):
            found.setdefault(value.lower(), value)
    return tuple(found.values())


def _found(text: str) -> Iterator[str]:
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            yield match[match.lastindex or 0]


def missing_values(text: str, article: str) -> tuple[str, ...]:
    """The values of a text that an article (its capsule and body) does not hold, longest first, at most ``MOST``.

    42 is not held by 142, but `billing-close` is by `system:billing-close`.
    """
    values = values_in(text)
    held = _held(folded(article).lower(), {value.lower() for value in values})
    missing = [value for value in values if value.lower() not in held]
    return tuple(sorted(missing, key=len, reverse=True)[:MOST])


def _held(text: str, values: Set[str]) -> set[str]:
    """The values that a text holds. It is gone through once, from each piece as far as values begin so."""
    beginnings = {value[: piece.end()] for value in values for piece in _PIECE.finditer(value)}
    found: set[str] = set()
    behind_word = False
    for piece in _PIECE.finditer(text):
        start, end = piece.span()
        begins, behind_word = piece[1] is not None or not behind_word, piece[1] is not None
        while begins and text[start:end] in beginnings:
            following = _PIECE.match(text, end)
            ends = following is None or following[1] is None
            if ends and text[start:end] in values:
                found.add(text[start:end])
            if following is None:
                break
            end = following.end()
    return found
