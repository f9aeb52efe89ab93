"""Sections of the original's file that its host reads; dcc types what it uses itself."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from .base import HostSection, fault
from .context import RoleName


class Output(HostSection):
    """A part of an answer: the element it becomes, its role, and an instruction for turn 0."""

    role: RoleName | None = None
    instruction: str | None = None


class AnswerSection(HostSection):
    """How an answer is cut into elements."""

    parser: str | None = None
    outputs: dict[str, Output] = Field(default_factory=dict)


class InputSection(HostSection):
    """Where messages come from (the four sources and two interfaces of the original)."""

    type: Literal["real_user", "user_only_json", "user_answer_json", "json_then_user"] | None = None
    interface: Literal["input", "gui"] | None = None


def _inside(name: str) -> str:
    path = PurePosixPath(name.replace("\\", "/"))
    if not name.strip() or path.is_absolute() or ".." in path.parts:
        raise fault(
            "wrong-value",
            ": expected the name of a file inside the dataset's folder",
            "write a relative path without `..`, such as history.jsonl",
        )
    return name


class DatasetFiles(HostSection):
    """The dataset's folder and its tables, each inside that folder."""

    tables: dict[str, Annotated[str, AfterValidator(_inside)]] = Field(default_factory=dict)


class DatasetSection(HostSection):
    """Where the original keeps its files; dcc keeps a ledger instead."""

    kwargs: DatasetFiles = Field(default_factory=DatasetFiles)


class SystemText(HostSection):
    """The turn-0 system slot."""

    content: str = ""


class RuntimeSection(HostSection):
    """``system.content`` becomes the turn-0 system slot; the rest is the host's."""

    system: SystemText | None = None
    stream: Any = None
