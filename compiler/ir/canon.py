"""``canon``: the project's knowledge that a touch pushes in."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .base import Section, Texts


class CanonSection(Section):
    """``root`` holds the articles; ``standout`` is how far the best hit must stand out to be shown."""

    root: str = ".canon"
    surface: bool = True
    resurface: bool = True
    retrieval: Literal["none", "lexical"] = "none"
    standout: Annotated[float, Field(ge=1)] = 1.4
    mounts: Texts = ()
