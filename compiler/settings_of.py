"""Which settings a file is checked with: those of the nearest folder up, or the one file that was named.

What the command line says wins over the file, key by key.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from .diagnostics import Diagnostic
from .settings import Settings, find_settings, load_settings


@dataclass(slots=True)
class SettingsOf:
    """Looks settings up, each file of settings once. ``config`` is used for all files; ``isolated``: none is."""

    config: Path | None = None
    isolated: bool = False
    given: Mapping[str, Any] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    _by_folder: dict[Path, Settings] = field(default_factory=dict)
    _by_file: dict[Path, Settings] = field(default_factory=dict)

    def path(self, path: str) -> Settings:
        """The settings of a file. Raises ``SettingsError``."""
        return self.folder(Path(path).absolute().parent)

    def folder(self, folder: Path) -> Settings:
        """The settings of the files of a folder. Raises ``SettingsError``."""
        if folder not in self._by_folder:
            found = None if self.isolated else self.config or find_settings(folder)
            settings = Settings() if found is None else self._read(found)
            self._by_folder[folder] = replace(settings, **self.given)
        return self._by_folder[folder]

    def _read(self, file: Path) -> Settings:
        if file not in self._by_file:
            here = Path.cwd()
            shown = file if self.config else Path(os.path.relpath(file)) if file.is_relative_to(here) else file
            self._by_file[file], found = load_settings(file, str(shown))
            self.diagnostics += found
        return self._by_file[file]
