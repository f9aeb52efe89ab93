"""Skills: folders with a SKILL.md. The prompt names them; a body is read by the model, when it needs it.

A SKILL.md begins with front matter: ``name`` and ``description`` between two lines of dashes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ....compiler.reading import refuse_pipe

#: Bytes of a SKILL.md that are looked at for its front matter.
LONGEST_HEAD: Final = 16_384

#: Characters of a description that the prompt holds.
LONGEST_DESCRIPTION: Final = 400

_FIELD: Final = re.compile(r"(name|description)\s*:\s*(.*)")


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill as the prompt names it; ``path`` is that of its SKILL.md."""

    name: str
    description: str
    path: str


def find_skills(folders: Iterable[Path]) -> tuple[Skill, ...]:
    """The skills in folders of skills, by name; of two with one name the later folder's wins.

    A folder without a readable SKILL.md is no skill. Nothing but the head of a SKILL.md is read.
    """
    found: dict[str, Skill] = {}
    for folder in folders:
        for file in sorted(folder.glob("*/SKILL.md")) if folder.is_dir() else ():
            skill = _read(file)
            if skill is not None:
                found[skill.name] = skill
    return tuple(found[name] for name in sorted(found))


def _read(file: Path) -> Skill | None:
    try:
        refuse_pipe(file)
        with file.open("rb") as stream:
            head = stream.read(LONGEST_HEAD).decode("utf-8", "replace").removeprefix("\ufeff")
    except OSError:
        return None
    fields = _front_matter(head)
    name = fields.get("name") or file.parent.name
    return Skill(name, fields.get("description", "")[:LONGEST_DESCRIPTION], str(file))


def _front_matter(head: str) -> dict[str, str]:
    """The two fields of the front matter; a description that is folded over lines is put into one."""
    lines = head.splitlines()
    fields: dict[str, str] = {}
    if not lines or lines[0].strip() != "---":
        return fields
    last = ""
    for line in lines[1:]:
        if line.strip() == "---":
            break
        if (match := _FIELD.fullmatch(line.rstrip())) is not None:
            last = match[1]
            fields[last] = match[2].strip().removeprefix(">-").removeprefix(">").removeprefix("|").strip().strip("\"'")
        elif last and line[:1].isspace():
            fields[last] = f"{fields[last]} {line.strip()}".strip()
        else:
            last = ""
    return fields
