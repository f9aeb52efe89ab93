"""Keys: where they come from, who may read them, and that they are not shown."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dcc.runtime.providers.errors import ProviderError
from dcc.runtime.providers.keys import Key, key_from_environment, key_from_file

posix = pytest.mark.skipif(os.name != "posix", reason="the mode of a file says nothing here")


def key_file(folder: Path, mode: int, text: str = "k-1\n") -> str:
    path = folder / "key"
    path.write_text(text)
    path.chmod(mode)
    return str(path)


def test_from_the_environment() -> None:
    assert key_from_environment("MY_KEY", {"MY_KEY": " k-1\n"}) == Key("k-1")


@pytest.mark.parametrize("environ", [{}, {"MY_KEY": ""}, {"MY_KEY": "  "}])
def test_not_in_the_environment(environ: dict[str, str]) -> None:
    with pytest.raises(ProviderError, match="the environment variable MY_KEY is not set") as caught:
        key_from_environment("MY_KEY", environ)
    assert (caught.value.kind, caught.value.help) == (
        "auth", "set MY_KEY, or name a file of mode 0600 in provider.key_file",
    )  # fmt: skip


@pytest.mark.parametrize("mode", [0o600, 0o400])
def test_from_a_file_of_one_reader(tmp_path: Path, mode: int) -> None:
    assert key_from_file(key_file(tmp_path, mode)) == Key("k-1")


@posix
@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660, 0o610, 0o602])
def test_a_file_that_others_can_get_at_is_refused(tmp_path: Path, mode: int) -> None:
    path = key_file(tmp_path, mode)
    with pytest.raises(ProviderError, match=f"has mode {mode:04o}") as caught:
        key_from_file(path)
    assert caught.value.help == f"run: chmod 600 {path}"
    assert "k-1" not in caught.value.message


@posix
def test_what_is_no_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe, 0o600)
    for path, said in ((pipe, "not a plain file"), (tmp_path / "none", "cannot be read: no such file")):
        with pytest.raises(ProviderError, match=said):
            key_from_file(str(path))
    with pytest.raises(ProviderError, match=r"not a plain file|cannot be read"):
        key_from_file(str(tmp_path))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("\n", "is empty"),
        ("a b", "is no key"),
        ("schlüssel", "is no key"),
        ("a\nb", "is no key"),
    ],
)
def test_what_is_no_key(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ProviderError, match=said) as caught:
        key_from_file(key_file(tmp_path, 0o600, text))
    assert "schlüssel" not in caught.value.message


def test_a_key_is_not_shown() -> None:
    assert repr(Key("k-1")) == str(Key("k-1")) == "Key()"
    assert Key("k-1").scrub("the key k-1 of k-12") == "the key [key] of [key]2"
