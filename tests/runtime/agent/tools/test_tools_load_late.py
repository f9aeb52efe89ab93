"""What the tools of an agent cost before they are used: nothing large is imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

LARGE = {"pydantic", "mcp", "anyio", "yaml", "lark", "jinja2", "typer", "httpx"}


def loaded_by(code: str, folder: Path) -> set[str]:
    program = f"import sys\n{code}\nprint('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_a_toolset_without_plugins_imports_nothing_large(tmp_path: Path) -> None:
    code = (
        "from dcc.runtime.agent.tools.registry import open_toolset\n"
        "from dcc.runtime.agent.tools.tool import ToolContext\n"
        "from dcc.runtime.agent.tools.workspace import Workspace\n"
        "with Workspace('.') as workspace, open_toolset(None, workspace) as tools:\n"
        "    context = ToolContext(workspace)\n"
        "    assert not tools.run('write', {'path': 'a', 'content': 'text'}, context).is_error\n"
        "    assert tools.run('read', {'path': 'a'}, context).content == 'text'\n"
    )
    assert not LARGE & loaded_by(code, tmp_path)


def test_the_supervisor_of_commands_imports_next_to_nothing(tmp_path: Path) -> None:
    loaded = loaded_by("import dcc.runtime.agent.tools.supervisor", tmp_path)
    ours = {name for name in loaded if name.startswith("dcc.")}
    assert ours == {
        "dcc.runtime", "dcc.runtime.agent", "dcc.runtime.agent.tools", "dcc.runtime.agent.tools.landlock",
        "dcc.runtime.agent.tools.supervisor",
    }  # fmt: skip
