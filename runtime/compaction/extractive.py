"""A summary without a model: the sentences of a transcript that tell most, word for word and in their order.

It is the compressor of a session that is given none: it works offline, costs nothing, and gives the same summary
for the same transcript. It takes whole sentences and cannot say anything shorter than they do.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ..kernel.tokens import count_text

#: Tokens of a summary: at most, and the share of the transcript (a third leaves something to be gained).
MOST_TOKENS = 800
SHARE = 3

#: Characters of a sentence that is worth taking whole; longer ones are cut.
LONGEST = 400

#: Points of a sentence: what it is (a decision, an open question), what it holds, and where it stands. Facts that
#: cannot be guessed (paths, numbers, names in backticks) and what was decided outlive a conversation; pleasantries do
#: not. The first message says what is wanted, the last ones where things stand.
_POINTS = (
    (4, re.compile(r"\b(?:decid\w+|agreed?|must|never|always|instead|because|chose|we will|let's|fixed|done)\b", re.I)),
    (4, re.compile("决定|同意|必须|不要|不能|改为|因为|选择|完成|记住")),
    (3, re.compile(r"[?？]")),
    (3, re.compile(r"(?<![\w/])[\w.~-]*/[\w./-]+|\b\w+\.[A-Za-z]{1,5}\b|`[^`]+`")),
    (2, re.compile(r"\d")),
    (2, re.compile(r"\b(?:todo|error|fail\w*|bug|open|next|deadline|name is|prefer\w*)\b", re.I)),
    (2, re.compile("错误|失败|问题|下一步|待办|喜欢|不喜欢|名字")),
    (-3, re.compile(r"^(?:hi|hello|hey|ok(?:ay)?|thanks?(?: you)?|sure|great|yes|no)[\s,.!]*$", re.I)),
    (-3, re.compile("^(?:你好|您好|好的?|谢谢|嗯)[，。！]*$")),
)
_FIRST, _LAST, _OF_A_PERSON = 6, 5, 1

_LINE = re.compile(r"^\[第\d+轮 ([^\]]+)\] ", re.M)
#: A sentence ends with its sign, at the end of a line, and in CJK text right after the sign.
_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*|\n+")


class _Sentence(NamedTuple):
    points: int
    number: int
    head: str
    text: str


class ExtractiveCompressor:
    """Picks sentences by points until the budget is spent."""

    def __init__(self, most_tokens: int = MOST_TOKENS) -> None:
        self._most = most_tokens

    def summarise(self, transcript: str, prompt: str) -> str:
        """The sentences with most points, each line of the transcript under its own head; ``prompt`` is not read."""
        budget = min(self._most, count_text(transcript) // SHARE)
        taken: list[_Sentence] = []
        heads: set[str] = set()
        seen: set[str] = set()
        for sentence in sorted(_sentences(transcript), key=lambda s: (-s.points, s.number)):
            cost = count_text(sentence.text) + (count_text(sentence.head) if sentence.head not in heads else 0) + 1
            if sentence.points <= 0 or cost > budget or sentence.text in seen:
                continue
            budget -= cost
            taken.append(sentence)
            heads.add(sentence.head)
            seen.add(sentence.text)
        return _told(sorted(taken, key=lambda s: s.number))


def _told(sentences: list[_Sentence]) -> str:
    """The sentences, those of one transcript line on one line."""
    lines: dict[str, list[str]] = {}
    for sentence in sentences:
        lines.setdefault(sentence.head, []).append(sentence.text)
    return "\n".join(f"{head}{' '.join(texts)}" for head, texts in lines.items())


def _sentences(transcript: str) -> list[_Sentence]:
    """All sentences, with their points."""
    found: list[_Sentence] = []
    entries = _entries(transcript)
    for place, (head, element, text) in enumerate(entries):
        sentences = [s.strip() for s in _END.split(text) if s.strip()]
        for index, sentence in enumerate(sentences):
            points = _points(sentence) + (_OF_A_PERSON if element == "user" else 0)
            if index == 0 and place == 0:
                points += _FIRST
            if index == len(sentences) - 1 and place >= len(entries) - 2:
                points += _LAST
            found.append(_Sentence(points, len(found), head, _cut(sentence)))
    return found


def _entries(transcript: str) -> list[tuple[str, str, str]]:
    """The slots of a transcript: head (``[第3轮 user] ``), element, text."""
    starts = list(_LINE.finditer(transcript))
    ends = [start.start() for start in starts[1:]] + [len(transcript)]
    return [(s[0], s[1], transcript[s.end() : end].rstrip("\n")) for s, end in zip(starts, ends, strict=False)]


def _points(sentence: str) -> int:
    return sum(points for points, sign in _POINTS if sign.search(sentence[:LONGEST]))


def _cut(sentence: str) -> str:
    return sentence if len(sentence) <= LONGEST else sentence[: LONGEST - 2] + " …"
