"""``context``: message roles, required elements, endings."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from .base import HostSection, Section, Texts, fault

RoleName = Literal["system", "user", "assistant", "tool"]


class PatchEnd(Section):
    """The one-turn notice that a patched element is over (language.md section 5)."""

    enabled: bool = True
    template: str | None = None


def _switch(value: Any) -> Any:
    if value is False:
        return None
    if value is True:
        raise fault(
            "patch-end-template",
            "`patch_end: true` has no template",
            'write {template: "{element} is over: {content}"}, or false to have no endings',
        )
    return value


class StoredPatch(HostSection):
    """A content patch that the Python original keeps in its file; dcc keeps patches in the ledger."""

    element: str | None = None


class ContextSection(Section):
    """What dcc uses of ``context``, and the keys of the original that only document its pipeline."""

    roles: dict[str, RoleName] = Field(default_factory=dict)
    required_elements: Texts = ()
    patch_end: Annotated[
        PatchEnd | None, BeforeValidator(_switch, json_schema_input_type=PatchEnd | Literal[False] | None)
    ] = None
    patches: dict[str, StoredPatch] = Field(default_factory=dict)
    selector: Literal["none"] | None = None
    state_model: Any = None
    type: Any = None
    registry: Any = None
    restorer: Any = None
    keep_history: Any = None
    lifecycles: Any = None
    clean: Any = None
    compat: Any = None
    forward: Any = None
