"""Skills: folders with a SKILL.md. The prompt names them; a body is read by the model, when it needs it.

However many there are, the prompt names only as many as it has room for. A SKILL.md begins with front matter: ``name``
and ``description`` between two lines of dashes. It is looked for as ``read`` reads: through no link, so that every
skill that is named can be read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import PurePath
from typing import Final, NamedTuple

from ....compiler.counted import counted
from ...kernel.tokens import count_text
from ..tools.arguments import ToolError
from ..tools.workspace import Workspace

#: Bytes of a SKILL.md that are looked at for its front matter.
LONGEST_HEAD: Final = 16_384

#: Characters of a description that the prompt holds.
LONGEST_DESCRIPTION: Final = 400

#: Tokens of all that the prompt says of skills: at most so many (openclaw 2026.2.17: 30,000 characters, here at four a
#: token), and of a small window this part.
MOST_TOKENS: Final = 7_500
PARTS_OF_WINDOW: Final = 10

HEAD: Final = "Skills: when one fits, read its file first, then follow it."

#: Folders that are named where skills are left out.
_FOLDERS_NAMED: Final = 3

_FIELD: Final = re.compile(r"(name|description)\s*:\s*(.*)")


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill as the prompt names it; ``path`` is that of its SKILL.md."""

    name: str
    description: str
    path: str

    @property
    def line(self) -> str:
        """What the prompt says of it."""
        return f"- {self.name}: {self.description} ({self.path})"


class Skills(NamedTuple):
    """What was found; ``left_out`` says, for people, of each skill that could not be read why.

    ``more``: skills that the prompt has no room for.
    """

    found: tuple[Skill, ...]
    left_out: tuple[str, ...] = ()
    more: tuple[Skill, ...] = ()

    def within(self, window: int) -> Skills:
        """The skills that the prompt has room for in a window, in tokens: in their order, each that still fits."""
        left = min(MOST_TOKENS, window // PARTS_OF_WINDOW) - _tokens(HEAD)
        costs = [_tokens(skill.line) for skill in self.found]
        if sum(costs) <= left:
            return self
        # What is said of the others is longest where it is said of all.
        left -= _tokens(_more(self.found))
        found: list[Skill] = []
        for skill, cost in zip(self.found, costs, strict=True):
            if cost <= left:
                found.append(skill)
                left -= cost
        named = set(map(id, found))
        return self._replace(found=tuple(found), more=tuple(s for s in self.found if id(s) not in named))

    @property
    def tail(self) -> str:
        """What the prompt says of those that it does not name; blank where it names all."""
        return _more(self.more) if self.more else ""


def _tokens(line: str) -> int:
    return count_text(f"{line}\n")


def _more(skills: Collection[Skill]) -> str:
    """What is said of skills that are not named; of more of them it is longer."""
    folders = sorted({str(PurePath(skill.path).parent.parent) for skill in skills}, key=lambda f: (-len(f), f))
    others = f" and {counted(len(folders) - _FOLDERS_NAMED, 'other folder')}" if len(folders) > _FOLDERS_NAMED else ""
    where = ", ".join(folders[:_FOLDERS_NAMED]) + others
    return f"There are {counted(len(skills), 'more skill')}, not named here: look in {where}."


def find_skills(workspace: Workspace, folders: Iterable[str]) -> Skills:
    """The skills in folders of a workspace, by name; of two with one name the later folder's wins.

    A folder without a SKILL.md is no skill. Nothing but the head of a SKILL.md is read.
    """
    found: dict[str, Skill] = {}
    left_out: list[str] = []
    for folder in folders:
        try:
            with workspace.folder(folder) as descriptor:
                names = sorted(os.listdir(descriptor))
        except ToolError as error:
            left_out += _said(error)
            continue
        for name in names:
            try:
                skill = _read(workspace, f"{folder}/{name}/SKILL.md", name)
            except ToolError as error:
                left_out += _said(error)
            else:
                found[skill.name] = skill
    return Skills(tuple(found[name] for name in sorted(found)), tuple(left_out))


def _said(error: ToolError) -> tuple[str, ...]:
    """Why something is no skill, where that is not plain: it is not there, or it is a file among the folders."""
    return () if error.code in ("not_found", "not_a_folder") else (error.message,)


def _read(workspace: Workspace, path: str, folder: str) -> Skill:
    """The skill of a SKILL.md. Raises ToolError."""
    if not path.isprintable():  # A model could not name it, and it would not stay on one line of the prompt.
        raise ToolError("bad_path", f"{path!r} has characters in its name that cannot be shown")
    with workspace.reading(path) as file:
        head = (file.read(LONGEST_HEAD) or b"").decode("utf-8", "replace").removeprefix("\ufeff")
    fields = _front_matter(head)
    name = fields.get("name") or folder
    return Skill(name, fields.get("description", "")[:LONGEST_DESCRIPTION], str(workspace.path / path))


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
