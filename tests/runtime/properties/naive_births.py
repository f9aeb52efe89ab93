"""The naive model's births under rows: what a slot is taken by, what it touches, and what it ends."""

from __future__ import annotations

from typing import Any

from naive import ENDING, PATCH, USER, Piece
from naive_controls import Model
from naive_rows import Item, key_of, row_for
from spots import Spot, Window, end_of, start_of

from dcc.compiler.program import ElementRow, Program, Rule
from dcc.grammar.ast import OPEN
from dcc.runtime.calls import INTERRUPTED

#: The text of every think slot.
THOUGHT = "hm"


class Births(Model):
    """A naive model whose slots follow refinements and have keys."""

    def __init__(self, program: Program, folder: str) -> None:
        super().__init__(program)
        self.folder = folder
        #: The tool and the arguments of the calls of the reply that is being born, and whether a result is an error.
        self.tools: list[tuple[str, dict[str, Any]]] = []
        self.is_error = False

    def items(self) -> list[Item]:
        """All slots, by birth."""
        return [piece for piece in self.pieces.values() if isinstance(piece, Item)]

    def item(self, slot: str) -> Item:
        """A slot by its id."""
        found = self.pieces[slot]
        assert isinstance(found, Item)
        return found

    def bear(
        self,
        element: str,
        text: str,
        phase: int,
        *,
        call: int = 0,
        seq: int = 0,
        rule: Rule | None = None,
        answers: str | None = None,
        looped: bool = False,
    ) -> Item:
        """A new slot of the turn at hand: it takes its row, touches its key and may end an older one."""
        item = Item(
            self._new_id(element), element, self.turn, (self.turn, phase, call, seq, len(self.pieces) + 1),
            self.next, Rule(), [], THOUGHT if element == "think" else text, answers, looped,
        )  # fmt: skip
        if element == "toolCall":
            item.tool, item.args = self.tools.pop(0)
        elif answers is not None:
            item.tool, item.args = self.item(answers).tool, self.item(answers).args
        is_error = self.is_error or text == INTERRUPTED
        item.row = row = row_for(self.program, element, item.tool, item.args, is_error, item.tokens)
        item.rule = own = rule or (row.rule if row.of is not None else self.rule_of(element))
        item.key = key_of(row, item.args, self.folder)
        last = None if item.outlasts_turns else end_of(own.end, self.turn)
        start = start_of(own.start, self.turn, self.next)
        never = last is not None and start[0] == "turn" and last[1] < start[1]
        item.windows = [] if never else [Window(start, last)]
        self._touch(item)
        if not retires_the_old(row):
            for old in self.items():
                if old.row.name == row.name and old.rule.end.kind == "until_superseded":
                    self._supersede(old, before_call_1=phase in (PATCH, ENDING, USER) and self.turn > 0)
        self.pieces[item.id] = item
        if phase not in (PATCH, ENDING, USER) or self.turn == 0:
            self.govern(item)
        return item

    def _new_id(self, element: str) -> str:
        same = sum(p.element == element and p.turn == self.turn for p in self.pieces.values())
        return f"{element}@{self.turn}" + (f".{same + 1}" if same else "")

    def _touch(self, item: Item) -> None:
        """A birth touches every slot with its key, of whatever element."""
        item.touch = (self.turn, item.first - 1)
        for other in self.items():
            if item.key is not None and other.key == item.key:
                other.touch = item.touch

    def spare(self, piece: Piece) -> None:
        """What is brought back is spared until a call after this one touches it."""
        super().spare(piece)
        self.item(piece.id).spared_at = self.ordinal

    def answer(self, thinking: bool, text: str, tools: list[tuple[str, dict[str, Any]]]) -> None:
        """A reply, with the names and the arguments of its tool calls."""
        self.tools = list(tools)
        self.reply(thinking, text, ["" for _ in tools])

    def take_result(self, at: int, text: str, is_error: bool) -> None:
        """The result of the ``at``-th tool call that still waits for one."""
        self.is_error = is_error
        self.result(at, text)
        self.is_error = False

    def patch_rule(self, element: str, rule: Rule, mode: str) -> None:
        """A rule patch; a refreshed slot that is only reduced, or small, gets no end in turns."""
        changes: list[tuple[Any, ...]] = [("rule", element, self.rules.get(element))]
        self.rules[element] = rule
        free = rule.end.kind == "until_end" and not self.any_on(rule.end.element)
        for item in [i for i in self.items() if i.element == element and mode in ("force_refresh", "reset_from_now")]:
            running = self.running(item, self.turn)
            end: Spot | None = ("turn", self.turn)
            if mode == "force_refresh":
                changes.append(("copied", item, item.rule))
                item.rule, item.spared = Rule(rule.start, OPEN) if free else rule, False
                end = None if item.outlasts_turns else end_of(rule.end, item.turn)
                end = end and ("turn", max(end[1], self.turn))
            for w in running:
                if w.last != end and (mode == "force_refresh" or w.last is None or w.last[1] > self.turn):
                    changes.append(("last", item, w, w.last, end))
                    w.last = end
        self._do(changes)


def retires_the_old(row: ElementRow) -> bool:
    """Whether the row's ``until_superseded`` is a retirement rather than an end at the newer slot's birth."""
    return row.key is not None or row.retire != "drop" or bool(row.keep_last or row.min_tokens)
