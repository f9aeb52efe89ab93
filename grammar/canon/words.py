"""Words that say what a text is: a constraint, a change log, the address of a log; in English and in Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from .lengths import WHITE

# The English words are those of the original (specification of canon, section 5); the Chinese ones say the same.
_CONSTRAINT = re.compile(
    r"\b(?:must|never|always|require|requires|required|do not|don['’]t)\b"
    "|必须|必須|务必|務必|禁止|严禁|嚴禁|不得|不准|不許|不许|不要|不能|不可以|切勿|请勿|請勿|绝不|絕不|决不|從不|从不"
    "|始终|始終|总是|總是|永远|永遠|一律|要求",
    re.IGNORECASE | re.ASCII,
)

_VERBS = (
    "新增|添加|增加|更新|修复|修復|修正|修改|更改|变更|變更|实现|實現|移除|删除|刪除|重构|重構|重命名|迁移|遷移|验证|驗證"
)

# A Chinese verb is a noun too: 更新频率 (how often it is updated) is no change.
_CHANGE_LOG = re.compile(
    r"(?:added|updated|fixed|changed|implemented|removed|refactored|renamed|migrated|verified)\b"
    f"|(?:已经|已經|已|刚刚|剛剛|刚|剛)?(?:{_VERBS})"
    "(?!的|频率|頻率|策略|流程|规则|規則|机制|機制|方式|时间|時間|周期|週期|操作|接口|请求|請求|权限|權限|记录|記錄"
    "|时|時|由|需|必|走|是|只|不|都|均|一律|前|后|後|者)",
    re.IGNORECASE | re.ASCII,
)

_LOG_SEGMENT = re.compile(
    "logs?|journal|sessions?|standups?|meetings?"
    "|(?:工作|运行|運行|变更|變更|更新)?(?:日志|日誌|日记|日記)"
    "|(?:会议|會議)(?:记录|記錄|纪要|紀要)?|(?:站会|站會|例会|例會|周会|週會|晨会|晨會)(?:记录|記錄|纪要|紀要)?"
    "|会话|會話|周报|週報|日报|日報",
    re.IGNORECASE,
)

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{4}年[0-9]{1,2}月[0-9]{1,2}日", re.ASCII)

#: Lines that are looked for in a whole body.
_LOOKED_FOR = 1_000

_BULLET = re.compile(rf"[-*{WHITE}]+")
_WHITE = re.compile(f"[{WHITE}]+")


def is_constraint(text: str) -> bool:
    """Whether a text says what must or must not be."""
    return _CONSTRAINT.search(text) is not None


def constraints_in(body: str) -> Iterator[str]:
    """The lines of a body that are constraints, without the bullets before them."""
    if not is_constraint(body):
        return
    for line in body.splitlines():
        bullet = _BULLET.match(line)
        text = line[bullet.end() if bullet else 0 :].strip(WHITE)
        if is_constraint(text):
            yield text


def dropped_constraints(before: str, after: str) -> Iterator[str]:
    """The constraints of a body that are no more in its new version, however its lines are broken.

    Of those that are no line of the new version, a thousand are looked for in it.
    """
    kept, lines = folded(after), {folded(line) for line in constraints_in(after)}
    moved = (line for line in constraints_in(before) if folded(line) not in lines)
    return (line for line in islice(moved, _LOOKED_FOR) if folded(line) not in kept)


def reads_like_a_change_log(capsule: str) -> bool:
    """Whether a capsule tells a change instead of what is true now."""
    return _CHANGE_LOG.match(capsule) is not None


def reads_like_a_log(address: str) -> bool:
    """Whether an address is one of events: a segment that names a log, or a date anywhere."""
    return _DATE.search(address) is not None or any(map(_LOG_SEGMENT.fullmatch, address.split("/")))


def folded(text: str) -> str:
    """A text with every run of white space as one space."""
    return _WHITE.sub(" ", text).strip(WHITE)
