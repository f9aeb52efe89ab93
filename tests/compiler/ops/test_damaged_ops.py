"""Files of operations that somebody damaged, and ops at random: findings, never a traceback."""

from __future__ import annotations

from itertools import islice
from random import Random

import pytest

from dcc.compiler.choice import Choice
from dcc.compiler.documents import shipped_ops_path
from dcc.compiler.files import check_file
from dcc.compiler.fixes import Fixer
from dcc.compiler.ops.decisions import decisions, summary
from dcc.compiler.ops.model import FACTS, OpTable
from dcc.compiler.ops.plain import plain_ops, read_plain_ops
from dcc.compiler.ops.show import page_lines, table_lines
from dcc.compiler.ops.source import read_ops_file
from dcc.compiler.ops.tool_schema import context_update

SHIPPED = shipped_ops_path("cpat")
assert SHIPPED is not None
CPAT = SHIPPED.read_text(encoding="utf-8")

PIECES = (
    "op ", "op note {", "reversed by ", "gate ", "refuse ", " when ", "guard gain\n", "effect lift\n", "effect bear",
    "any(", "all(", "not ", " and ", " or ", " in [a, b]", "target.", "target.tokens > 3", "count(ids)", "blank(",
    "ids: slots", "x: word(a|b) = a else c", "x: count = 3", "{", "}", "(", ")", "[", "]", ":", ",", "|", "=", "==",
    '"', '"text"', "\\", "#", "# dcc: ignore[", "\n", "\r", "\t", " ", "999999999999", "true", "{ids}", "{nothing}",
    "目标", "🎯", "\ufeff", "\u2028", "\0", "\x1b[31m",
)  # fmt: skip


def mutated(seed: int) -> str:
    """The shipped file with one to six places cut, doubled, swapped or written into."""
    random = Random(seed)
    text = CPAT
    for _ in range(random.randint(1, 6)):
        start = random.randint(0, len(text))
        end = min(len(text), start + random.randint(0, 20))
        piece = text[start:end]
        new = random.choice(("", piece * 2, piece[::-1], random.choice(PIECES), piece.upper()))
        text = text[:start] + new + text[end:]
    return text


def scrambled(seed: int) -> str:
    random = Random(seed)
    return "".join(random.choice(PIECES) for _ in range(random.randint(1, 60)))


def condition(random: Random, depth: int, within: bool = False) -> str:
    """A condition that parses, about facts and arguments that mostly exist."""
    if depth and random.random() < 0.7:
        left, right = (condition(random, depth - 1, within) for _ in range(2))
        return random.choice(
            (f"({left} or {right})", f"{left} and {right}", f"not {left}", *(
                () if within else (f"{how}({condition(random, depth - 1, True)})" for how in ("any", "all"))
            ))
        )  # fmt: skip
    if within:
        fact = random.choice([*FACTS, "nothing"])
        return random.choice(
            (f"target.{fact}", f"target.{fact} == {random.choice(('user', 'archived', '3', 'true'))}",
             f"target.tokens {random.choice(('<', '>=', '!='))} {random.randint(0, 9)}")
        )  # fmt: skip
    asked = ("blank(text)", "missing(how)", "how == a", "how in [a, b]", "count(ids) < 2", "few > 3", "sure", "no")
    return random.choice((*asked, "text == x"))


def made(seed: int) -> str:
    random = Random(seed)
    refusals = "\n".join(f'  refuse code{n} when {condition(random, 3)} "{{ids}}"' for n in range(random.randint(1, 4)))
    head = "  ids: slots\n  text: text\n  how: word(a|b|archived)\n  few: count = 3\n  sure: flag\n"
    return f"op note {{\n{head}{refusals}\n  effect hold archived when {condition(random, 2)}\n}}\n"


def look(text: str) -> bool:
    """Everything that can be done with a text; whether it is without fault."""
    for found in check_file("mutated.ops", text).diagnostics:
        assert 0 <= found.start.offset <= found.end.offset <= len(text), found
        assert (found.start.line, found.start.column) <= (found.end.line, found.end.column), found
        assert found.message, found
        assert found.help, found
    file = read_ops_file("mutated.ops", text)
    if file.faults:
        return False
    table = OpTable(file.table)
    assert read_plain_ops(plain_ops(table)) == table
    assert list(table_lines(table)) or not table.ops
    assert list(page_lines(table))
    assert context_update(table, "openai")
    for row in islice(decisions(table), 500):
        assert summary([row]) == row.result
    return True


@pytest.mark.parametrize("make", [mutated, scrambled, made])
def test_a_few(make: object) -> None:
    assert callable(make)
    whole = sum(look(make(seed)) for seed in range(150))
    assert whole or make is scrambled


@pytest.mark.slow
@pytest.mark.parametrize("make", [mutated, scrambled, made])
def test_many(make: object) -> None:
    assert callable(make)
    for seed in range(150, 1_500):
        look(make(seed))


def test_a_proof_is_true_of_every_case_that_is_tried() -> None:
    """What is said never to be allowed is allowed in no row of the decision table."""
    said = 0
    for seed in range(400):
        text = made(seed)
        names = {d.name for d in check_file("a.ops", text).diagnostics}
        file = read_ops_file("a.ops", text)
        if file.faults or "ops-never-allowed" not in names:
            continue
        said += 1
        assert "allowed" not in {row.result for row in decisions(OpTable(file.table))}, text
    assert said


def test_slips_are_mended() -> None:
    text = (
        CPAT.replace("hold archived", "hold archieved")
        .replace("guard gain", "guard gian")
        .replace("target.kind != toolResult", "target.knid != tool_result")
        .replace("blank(scope_label)", "blank(scope_lable)")
        .replace("description: text ", "description: txet ", 1)
    )
    fixed = Fixer("a.ops", Choice(), unsafe=True).fix(text)
    assert fixed.left == ()
    assert fixed.text == CPAT
