"""Settings: where they are found, what is wrong with them, and what a command line adds."""

from __future__ import annotations

from pathlib import Path

import pytest

from dcc.compiler.settings import Settings, SettingsError, find_settings, load_settings
from dcc.compiler.settings_of import SettingsOf


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_every_key(tmp_path: Path) -> None:
    text = """\
select = ["DCC2", "unknown-key"]
ignore = ["DCC207"]
exclude = ["vendor"]
fail-on = "warning"
unsafe-fixes = true
"""
    settings, found = load_settings(write(tmp_path / "dcc.toml", text), "dcc.toml")
    assert found == ()
    assert settings == Settings(("DCC2", "unknown-key"), ("DCC207",), ("vendor",), "warning", True, "dcc.toml")


def test_in_pyproject(tmp_path: Path) -> None:
    text = '[project]\nname = "x"\n[tool.dcc]\nfail-on = "never"\n'
    settings, found = load_settings(write(tmp_path / "pyproject.toml", text), "pyproject.toml")
    assert (settings.fail_on, found) == ("never", ())


@pytest.mark.parametrize(
    ("text", "code", "place", "words"),
    [
        ('selcet = ["DCC2"]\n', "DCC101", "selcet", "did you mean `select`?"),
        ('zzz = ["DCC2"]\n', "DCC101", "zzz", "the keys are exclude, fail-on, ignore, select or unsafe-fixes"),
        ('fail_on = "error"\n', "DCC101", "fail_on", "did you mean `fail-on`?"),
        ('select = "DCC2"\n', "DCC102", "select", 'write select = ["…"]'),
        ("ignore = [1]\n", "DCC102", "ignore", 'write ignore = ["…"]'),
        ('unsafe-fixes = "yes"\n', "DCC102", "unsafe-fixes", "write true or false"),
        ('fail-on = "errors"\n', "DCC103", "fail-on", "write error, info, never or warning"),
        ('ignore = ["bad-bond"]\n', "DCC103", "ignore", "did you mean `bad-bound`?"),
    ],
)
@pytest.mark.parametrize("file", ["dcc.toml", "pyproject.toml"])
def test_what_is_wrong_is_a_finding(
    text: str, code: str, place: str, words: str, file: str, tmp_path: Path
) -> None:
    if file == "pyproject.toml":
        text = f'[tool.other]\n{place} = 1\n\n[tool.dcc]\nexclude = ["x"]\n{text}'
    settings, (found,) = load_settings(write(tmp_path / file, text), f"sub/{file}")
    assert (found.code, found.severity, found.path, found.help) == (code, "error", f"sub/{file}", words)
    assert text[found.start.offset : found.end.offset] == place
    assert found.start.line == text.count("\n")
    assert (settings.select, settings.ignore, settings.fail_on) == ((), (), "error"), "it counts as not written"


def test_a_key_in_a_dotted_table_is_a_finding_without_a_place(tmp_path: Path) -> None:
    path = write(tmp_path / "pyproject.toml", "tool.dcc = {zzz = 1}\n")
    _, (found,) = load_settings(path, "pyproject.toml")
    assert (found.code, found.start.offset, found.end.offset) == ("DCC101", 0, 0)


@pytest.mark.parametrize("data", [b"select = [", b"\xff", b"a = 1\na = 2\n"])
def test_what_is_no_toml_cannot_be_read(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "dcc.toml").write_bytes(data)
    with pytest.raises(SettingsError, match=r"cannot read the settings of x/dcc\.toml: ."):
        load_settings(tmp_path / "dcc.toml", "x/dcc.toml")


def test_a_table_that_is_none_has_no_settings(tmp_path: Path) -> None:
    path = write(tmp_path / "pyproject.toml", "tool.dcc = 3\n")
    settings, found = load_settings(path, "pyproject.toml")
    assert (settings.select, [d.code for d in found]) == ((), ["DCC102"])


def test_the_nearest_file_up_is_found(tmp_path: Path) -> None:
    outer = write(tmp_path / "dcc.toml", "")
    inner = write(tmp_path / "a/pyproject.toml", "[tool.dcc]\n")
    write(tmp_path / "a/b/pyproject.toml", "[project]\n")
    assert find_settings(tmp_path) == outer
    assert find_settings(tmp_path / "a/b/c") == inner
    both = write(tmp_path / "a/dcc.toml", "")
    assert find_settings(tmp_path / "a/b") == both, "of two in one folder dcc.toml counts"


def test_each_file_has_the_settings_nearest_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "dcc.toml", 'ignore = ["DCC2"]\n')
    write(tmp_path / "sub/dcc.toml", 'fail-on = "info"\nzzz = 1\n')
    settings = SettingsOf()
    assert settings.path("a.yaml") == Settings(ignore=("DCC2",), source="dcc.toml")
    for _ in range(2):
        assert settings.path("sub/deep/b.yaml") == Settings(fail_on="info", source="sub/dcc.toml")
    assert [d.path for d in settings.diagnostics] == ["sub/dcc.toml"], "a file is read once"


def test_a_named_file_is_that_of_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "dcc.toml", 'ignore = ["DCC2"]\n')
    write(tmp_path / "other.toml", 'ignore = ["DCC3"]\n')
    assert SettingsOf(Path("other.toml")).path("a.yaml").ignore == ("DCC3",)
    assert SettingsOf(isolated=True).path("a.yaml") == Settings()


def test_what_is_given_wins_key_by_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "dcc.toml", 'ignore = ["DCC2"]\nfail-on = "never"\n')
    settings = SettingsOf(given={"ignore": ("DCC3",)}).path("a.yaml")
    assert (settings.ignore, settings.fail_on) == (("DCC3",), "never")


@pytest.mark.parametrize(
    ("pattern", "excluded"),
    [("vendor", ["vendor"]), ("vendor/", ["vendor"]), ("*.gen.yaml", ["x.gen.yaml", "a/x.gen.yaml"]),
     ("a/*", ["a/x.gen.yaml"]), ("b", [])],
)  # fmt: skip
def test_exclude(pattern: str, excluded: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    settings = Settings(exclude=(pattern,), source="dcc.toml")
    assert [p for p in ("vendor", "x.gen.yaml", "a/x.gen.yaml", "c.yaml") if settings.excludes(p)] == excluded
