"""IR -> Program: the tables that a session runs on, with what ships in every ruleset filled in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..grammar.ast import BORN, Bound
from ..grammar.bounds import show_bound
from ..grammar.names import PROTOCOL_ELEMENTS, SHIPPED_PATCHABLE
from .ir.life_cycle import Entry
from .ir.ruleset import Ruleset
from .match import lower_match
from .program import ElementRow, Program, Role, Rule, Settle, Template
from .template import check_template

if TYPE_CHECKING:
    from .ops.model import OpTable

#: What ships with every ruleset unless it says otherwise (language.md section 1).
SHIPPED_RULES: Mapping[str, Rule] = {
    "system": Rule(),
    "user": Rule(),
    "assistant": Rule(),
    "think": Rule(),
    "toolCall": Rule(),
    "toolResult": Rule(BORN, Bound("born", 5)),
    "recall": Rule(BORN, BORN),
    "goal": Rule(),
    "constraint": Rule(),
    "task_state": Rule(),
}

#: Their rows.
_SHIPPED_ROWS = {element: ElementRow(element, rule) for element, rule in SHIPPED_RULES.items()}

#: What ships with a ``canon`` section: a line stays until a newer one of the same article comes.
CANON_ROW = ElementRow("canon", Rule(BORN, Bound("until_superseded")), key="address")

_TABLED = {"name", "extends", "roles", "life_cycle", "settle"}


def lower(ruleset: Ruleset, *, name: str, digest: str, ops: OpTable | None = None) -> Program:
    """The Program of a ruleset without errors. ``digest`` is the hex SHA-256 of its sources, ``ops`` its operations."""
    elements = shipped_rows(ruleset)
    entries = ruleset.life_cycle
    elements |= {name: lower_row(name, entry) for name, entry in entries.items() if entry.of is None}
    elements |= {name: lower_row(name, entry) for name, entry in entries.items() if entry.of is not None}
    compact, settle = ruleset.compact, ruleset.settle
    return Program(
        name=name,
        digest=digest,
        elements=elements,
        roles=roles_of(ruleset),
        python_roles=ruleset.roles == "python",
        ending_template=_template(ruleset),
        folds=compact.fields if compact is not None else None,
        events=_events(elements),
        settle=Settle(settle.every, settle.min_tokens) if settle is not None else None,
        required_elements=ruleset.context.required_elements,
        patchable=patchable_elements(ruleset),
        declared=declared_elements(ruleset),
        sections=_sections(ruleset),
        ops=ops,
    )


def shipped_rows(ruleset: Ruleset) -> dict[str, ElementRow]:
    """The rows that a ruleset has without writing them."""
    return dict(_SHIPPED_ROWS) if ruleset.canon is None else {**_SHIPPED_ROWS, CANON_ROW.name: CANON_ROW}


def roles_of(ruleset: Ruleset) -> dict[str, Role]:
    """The roles that a ruleset gives: context.roles, else answer.outputs."""
    outputs = {
        name: output.role for name, output in ruleset.answer.outputs.items() if output.role is not None
    }
    return {**outputs, **ruleset.context.roles}


def declared_elements(ruleset: Ruleset) -> frozenset[str]:
    """Elements named in life_cycle or roles, or shipped; a refinement is no element of its own."""
    own = {name for name, entry in ruleset.life_cycle.items() if entry.of is None}
    return frozenset({*own, *ruleset.context.roles, *ruleset.answer.outputs, *shipped_rows(ruleset)})


def patchable_elements(ruleset: Ruleset) -> frozenset[str]:
    """Elements that a person may patch in the middle of a line (language.md section 3, rule 2)."""
    named = declared_elements(ruleset) - frozenset(SHIPPED_RULES) - {CANON_ROW.name}
    mentioned = {*ruleset.life_cycle, *ruleset.context.roles, *ruleset.answer.outputs}
    system = {"system"} & mentioned
    return (named | SHIPPED_PATCHABLE | system) - PROTOCOL_ELEMENTS


def lower_row(name: str, entry: Entry) -> ElementRow:
    """The table row of one entry of ``life_cycle``. Raises ``MatchError`` for a bad match."""
    return ElementRow(
        name=name,
        rule=Rule(entry.start, entry.end),
        of=entry.of,
        match=lower_match(entry),
        key=entry.key,
        retire=entry.retire,
        keep_last=entry.keep_last,
        at_most=entry.at_most,
        supersede=entry.supersede,
        min_tokens=entry.min_tokens,
    )


def _template(ruleset: Ruleset) -> Template | None:
    patch_end = ruleset.context.patch_end
    if patch_end is None or not patch_end.enabled or patch_end.template is None:
        return None
    return check_template(patch_end.template)


def _events(elements: Mapping[str, ElementRow]) -> dict[str, tuple[str, ...]]:
    """Event -> elements whose open end it closes; ``supersede: true`` listens like ``until_superseded``."""
    table: dict[str, list[str]] = {}
    for name, row in elements.items():
        if row.rule.end.is_event:
            table.setdefault(show_bound(row.rule.end), []).append(name)
        if row.supersede and row.rule.end.kind != "until_superseded":
            table.setdefault("until_superseded", []).append(name)
    return {event: tuple(names) for event, names in table.items()}


def _sections(ruleset: Ruleset) -> dict[str, Any]:
    """The other sections as plain data, defaults filled in; a section that is not written is absent."""
    plain = ruleset.model_dump(mode="json", exclude=_TABLED, exclude_none=False)
    return {key: plain[key] for key in ruleset.model_fields_set - _TABLED if plain[key] is not None}
