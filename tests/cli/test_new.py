"""``dcc new``: what it writes works as it stands."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest

from dcc.cli.entry import run
from dcc.compiler.check import all_checks

ROOT = Path(__file__).parents[2]


def test_ruleset_has_no_findings_and_its_scenario_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["new", "ruleset", "support"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "wrote support.yaml",
        f"wrote {Path('scenarios/support/first.yaml')}",
        "next: dcc check support.yaml && dcc test scenarios",
    ]
    assert run(["check", "support.yaml"]) == 0
    assert run(["test", "scenarios"]) == 0


@pytest.mark.parametrize(("kind", "file"), [("ruleset", "my-own.yaml"), ("op", "my-own.ops")])
def test_what_to_do_next_can_be_pasted_where_the_folder_is_another(
    kind: str, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["new", kind, "my-own", "--into", "rules"]) == 0
    told = capsys.readouterr().out.splitlines()[-1]
    assert told == f"next: dcc check rules/{file} && dcc test rules/scenarios"
    assert run(["check", f"rules/{file}"]) == 0
    assert run(["test", "rules/scenarios"]) == 0


@pytest.mark.parametrize("name", ["put-aside", "true", "no"])
def test_op_has_no_errors_and_its_scenario_holds(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["new", "op", name]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"wrote {name}.ops",
        f"wrote {Path(f'scenarios/{name}/first.yaml')}",
        f"next: dcc check {name}.ops && dcc test scenarios",
    ]
    assert run(["check", f"{name}.ops"]) == 0
    assert capsys.readouterr().out == "no findings in 1 file\n"
    assert run(["check", "."]) == 0
    assert capsys.readouterr().out == "no findings in 2 files\n"
    assert run(["test", "scenarios"]) == 0
    capsys.readouterr()
    assert run(["ops", f"{name}.ops"]) == 0
    assert capsys.readouterr().out.startswith(f"{name.replace('-', '_')}(ids, note)\n")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the package, in which new modules may be written."""
    copy = tmp_path / "dcc"
    for folder in ("grammar", "compiler", "runtime", "cli", "rulesets"):
        copytree(ROOT / folder, copy / folder, ignore=ignore_patterns("__pycache__"))
    for name in ("__init__.py", "__main__.py"):
        (copy / name).write_bytes((ROOT / "src" / "dcc" / name).read_bytes())
    return copy


def _made(checkout: Path, kind: str) -> list[str]:
    """Write a skeleton into the copy; gives the files written."""
    command = [sys.executable, "-m", "dcc", "new", kind, "my-own", "--into", str(checkout)]
    made = subprocess.run(command, env=_environment(checkout), capture_output=True, text=True, check=True)
    return [line.removeprefix("wrote ") for line in made.stdout.splitlines() if line.startswith("wrote ")]


def _tested(checkout: Path, *args: str) -> str:
    """Run tests with the copy in place of the package; gives what pytest says when they pass."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, *args]
    tested = subprocess.run(command, env=_environment(checkout), cwd=checkout.parent, capture_output=True, text=True)
    assert tested.returncode == 0, tested.stdout
    return tested.stdout


def _environment(checkout: Path) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(checkout.parent)}


def test_the_skeleton_of_a_host_passes_its_own_test(checkout: Path) -> None:
    assert "1 passed" in _tested(checkout, _made(checkout, "host")[1])


def test_the_skeleton_of_a_check_passes_its_fixtures(checkout: Path) -> None:
    copytree(ROOT / "tests" / "checks", checkout / "tests" / "checks", ignore=ignore_patterns("__pycache__"))
    made = [Path(path).relative_to(checkout).as_posix() for path in _made(checkout, "check")]
    assert made == [
        "compiler/checks/my_own.py",
        "tests/checks/my-own/bad.yaml",
        "tests/checks/my-own/good.yaml",
        "tests/checks/my-own/expected.txt",
    ]
    fixtures = str(checkout / "tests" / "checks" / "test_fixtures.py")
    assert "2 passed" in _tested(checkout, fixtures, "-k", "my-own")


def test_the_skeleton_of_a_check_of_operations_passes_its_fixtures(checkout: Path) -> None:
    copytree(ROOT / "tests" / "checks", checkout / "tests" / "checks", ignore=ignore_patterns("__pycache__"))
    made = [Path(path).relative_to(checkout).as_posix() for path in _made(checkout, "ops-check")]
    assert made == [
        "compiler/checks/ops/my_own.py",
        "tests/checks/my-own/bad.ops",
        "tests/checks/my-own/good.ops",
        "tests/checks/my-own/expected.txt",
    ]
    taken = {module.CHECK.code for module in all_checks()}
    code = re.search(r'Check\("(DCC6\d\d)"', (checkout / made[0]).read_text(encoding="utf-8"))
    assert code is not None
    assert code[1] not in taken
    fixtures = str(checkout / "tests" / "checks" / "test_fixtures.py")
    assert "2 passed" in _tested(checkout, fixtures, "-k", "my-own")


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["check", "my-own"], "run it in the root of a checkout"),
        (["ops-check", "my-own"], "run it in the root of a checkout"),
        (["op", "My Op"], "use small letters"),
        (["ruleset", "My Rules"], "use small letters"),
        (["ruleset", "../up"], "use small letters"),
        (["poem", "mine"], "ruleset"),
    ],
)
def test_wrong_usage_says_how_to_mend_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    args: list[str],
    says: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["new", *args]) == 2
    assert says in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("support.yaml").write_text("life_cycle: {}\n", encoding="utf-8")
    assert run(["new", "ruleset", "support"]) == 2
    assert "there already" in capsys.readouterr().err
    assert Path("support.yaml").read_text(encoding="utf-8") == "life_cycle: {}\n"
    assert not Path("scenarios").exists()
