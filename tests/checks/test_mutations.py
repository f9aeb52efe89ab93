"""Files that somebody damaged: dcc answers with findings inside the file, never with a traceback."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from dcc.compiler.diagnostics import has_errors
from dcc.compiler.files import check_file

ROOT = Path(__file__).parents[2]

#: What is put into files: what YAML and the language give a meaning, and what they do not.
PIECES = (
    "born", "null", "born+1", "idle+2 calls", "until_goal_end", "life_cycle:", "steps:", "ruleset:",
    "extends: [standard]", "match: {tool: read}", "of: chain", "expect: {}", "user@9", "group:", "{content}", "/(/",
    "{", "}", "[", "]", ":", ",", "- ", "\n", "  ", "\t", '"', "'", "#", "# dcc: ignore[", "&a ", "*a", "<<: *a",
    "!!str ", "|", ">", "---", "0x1F", "1e9", "-1", "yes", "~", "99999999999999999999",
    "目标", "🎯", "\ufeff", "\u2028", "\0",
)  # fmt: skip


def _sources() -> list[str]:
    folders = ("rulesets", "tests/checks", "tests/conformance/scenarios", "tests/compiler")
    paths = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.yaml"))]
    return [path.read_text(encoding="utf-8", errors="replace") for path in paths]


SOURCES = _sources()


def mutated(seed: int) -> str:
    """A file with one to six places cut, doubled, swapped or written into."""
    random = Random(seed)
    text = random.choice(SOURCES)
    for _ in range(random.randint(1, 6)):
        start = random.randint(0, len(text))
        end = min(len(text), start + random.randint(0, 20))
        piece = text[start:end]
        text = (
            text[:start]
            + random.choice(("", piece * 2, piece[::-1], random.choice(PIECES), piece.upper()))
            + text[end:]
        )
    return text


def _check(seed: int) -> None:
    text = mutated(seed)
    result = check_file("mutated.yaml", text)
    assert result.program is None or not has_errors(result.diagnostics), seed
    for found in result.diagnostics:
        if found.path == "mutated.yaml":
            assert 0 <= found.start.offset <= found.end.offset <= len(text), (seed, found)
            assert (found.start.line, found.start.column) <= (found.end.line, found.end.column), (seed, found)
        assert found.message, (seed, found)
        assert found.help, (seed, found)


def test_a_few_damaged_files() -> None:
    for seed in range(300):
        _check(seed)


@pytest.mark.slow
def test_many_damaged_files() -> None:
    for seed in range(300, 3_300):
        _check(seed)
