"""Settings of ``dcc check``: the table ``[tool.dcc]`` of pyproject.toml, or dcc.toml, of the nearest folder up.

    select = ["DCC2", "unknown-key"]   # checks that speak: codes, prefixes, names; all when left out
    ignore = ["DCC207"]                # checks that do not
    exclude = ["vendor", "*.gen.yaml"] # files and folders that a walk steps over
    fail-on = "warning"                # error, warning, info or never
    unsafe-fixes = true                # --fix makes unsafe fixes too
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Literal, get_args

from ..grammar.errors import DccError
from ..grammar.spans import Span
from .check import all_checks
from .choice import Choice, unknown_selectors
from .diagnostics import Diagnostic
from .problem import nearest, one_of, quote
from .reason import reason_of
from .source import SourceMap

FailOn = Literal["error", "warning", "info", "never"]

#: The files that may hold settings; of two in one folder the first counts.
FILES = ("dcc.toml", "pyproject.toml")


@dataclass(frozen=True, slots=True)
class Settings:
    """How rulesets of a folder are checked. ``source`` is the file that says so; None: nothing does."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    fail_on: FailOn = "error"
    unsafe_fixes: bool = False
    source: str | None = None

    @property
    def choice(self) -> Choice:
        """The checks that speak."""
        return Choice(self.select, self.ignore)

    def excludes(self, path: str) -> bool:
        """Whether a walk steps over a file or folder: a pattern fits its name, or its way from the settings."""
        own = Path(path).absolute()
        names = [own.name]
        if self.source is not None:
            folder = Path(self.source).absolute().parent
            names += [own.relative_to(folder).as_posix()] if own.is_relative_to(folder) else []
        return any(fnmatch(name, pattern.rstrip("/")) for name in names for pattern in self.exclude)

    def document(self) -> dict[str, Any]:
        """The settings as they are written, for ``--show-settings``."""
        values = asdict(self)
        source = values.pop("source")
        return {"source": source, **{_written(key): value for key, value in values.items()}}


class SettingsError(DccError):
    """A file of settings that cannot be read (``settings_unreadable``)."""


def find_settings(folder: Path) -> Path | None:
    """The nearest file of settings, from a folder upwards; a pyproject.toml counts when it has ``[tool.dcc]``."""
    home = folder.absolute()
    for place in (home, *home.parents):
        for name in FILES:
            path = place / name
            if path.is_file() and (name != "pyproject.toml" or b"tool.dcc" in path.read_bytes()):
                return path
    return None


def load_settings(path: Path, shown: str) -> tuple[Settings, tuple[Diagnostic, ...]]:
    """The settings of a file, and what is wrong with them; a wrong value counts as not written.

    ``shown`` is how findings name the file. Raises ``SettingsError`` when it cannot be read as TOML.
    """
    import tomllib

    try:
        text = path.read_bytes().decode("utf-8")
        table: Any = tomllib.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        help = "mend the file, name another with --config, or go without by --isolated"
        raise SettingsError(
            "settings_unreadable", f"cannot read the settings of {shown}: {reason_of(error)}", help=help
        ) from error
    if path.name == "pyproject.toml":
        tool = table.get("tool", {})
        table = tool.get("dcc", {}) if isinstance(tool, Mapping) else {}
    problems: list[Diagnostic] = []
    values: dict[str, Any] = {"source": shown}
    file = _File(SourceMap(shown, text, None))
    known = {_written(key): key for key in asdict(Settings()) if key != "source"}
    if not isinstance(table, Mapping):
        message = f"tool.dcc is {quote(table)}, expected a table"
        return Settings(**values), (file.finding("wrong-type", message, "tool.dcc", "write [tool.dcc]"),)
    for key, value in table.items():
        if key not in known:
            near = nearest(key, known)
            help = f"did you mean {quote(near)}?" if near else f"the keys are {one_of(known)}"
            problems.append(file.finding("unknown-key", f"unknown key {quote(key)} in the settings", key, help))
            continue
        wrong = list(_wrong(key, value))
        problems += [file.finding(name, message, key, help) for name, message, help in wrong]
        if not wrong:
            values[known[key]] = tuple(value) if isinstance(value, list) else value
    return Settings(**values), tuple(problems)


def _written(key: str) -> str:
    """A key as TOML writes it."""
    return key.replace("_", "-")


def _wrong(key: str, value: Any) -> Iterator[tuple[str, str, str]]:
    """What is wrong with a value: the name of the check that owns it, a message, a mend."""
    if key == "unsafe-fixes":
        if not isinstance(value, bool):
            yield "wrong-type", f"{key} is {quote(value)}, expected true or false", "write true or false"
    elif key == "fail-on":
        if value not in get_args(FailOn):
            choices = one_of(get_args(FailOn))
            yield "wrong-value", f"{key} is {quote(value)}, expected {choices}", f"write {choices}"
    elif not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        yield "wrong-type", f"{key} is {quote(value)}, expected a list of texts", f'write {key} = ["…"]'
    elif key in ("select", "ignore"):
        checks = [(module.CHECK.code, module.CHECK.name) for module in all_checks()]
        for word, near in unknown_selectors(value, checks):
            help = f"did you mean {quote(near)}?" if near else "`dcc explain` lists the checks"
            yield "wrong-value", f"{quote(word)} in {key} is no check", help


@dataclass(frozen=True, slots=True)
class _File:
    """A file of settings as text: TOML readers keep no places, so a key is looked for where lines begin."""

    source: SourceMap

    def finding(self, name: str, message: str, key: str, help: str) -> Diagnostic:
        """A finding at a key."""
        check = next(module.CHECK for module in all_checks() if module.CHECK.name == name)
        table = re.search(r"^\[tool\.dcc\]", self.source.text, re.MULTILINE)
        line = re.compile(rf"""^[ \t]*["']?({re.escape(key)})["']?[ \t]*=""", re.MULTILINE)
        match = line.search(self.source.text, table.end() if table else 0)
        span = Span(*match.span(1)) if match else Span(0, 0)
        start, end = self.source.position(span.start), self.source.position(span.end)
        return Diagnostic(
            check.code, check.name, check.severity, message, self.source.path, start, end, help=help
        )
