"""Addresses: gates 1 to 6 of the original, its table of normalised paths, and what it leaves unguarded."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcc.grammar.canon.addresses import contained, flaw_of, normalise, recontained, upwards, without_extension

CWD = "/home/me/proj"


@pytest.mark.parametrize(
    ("path", "address"),
    [
        pytest.param("src/core/config.ts", "src/core/config", id="gate 1: the extension goes"),
        pytest.param("./src/core/", "src/core", id="gate 1: edges go"),
        pytest.param("lake/fundamentals/market_cap", "lake/fundamentals/market_cap", id="gate 1: nothing to drop"),
        pytest.param(".env", ".env", id="gate 2: a hidden name stays"),
        pytest.param("src/.env", "src/.env", id="gate 2: a hidden name in a folder stays"),
        pytest.param(f"{CWD}/src/core/config.ts", "src/core/config", id="gate 3: the project's folder goes"),
        pytest.param("../../journal/x", "journal/x", id="gate 4: no address leaves the root"),
        pytest.param("a/../../../outside/pwned", "outside/pwned", id="gate 4: nor from within"),
        pytest.param("src/core/../other.ts", "src/other", id="gate 5: .. takes a segment away"),
        pytest.param(f"{CWD}-vendor/src/thing.ts", "home/me/proj-vendor/src/thing", id="gate 6: at a boundary only"),
        ("docs/v1.2/notes.md", "docs/v1.2/notes"),
        ("docs/v1.2", "docs/v1"),
        (".env.local", ".env"),
        ("archive.tar.gz", "archive.tar"),
        ("src/core/config.test.ts", "src/core/config.test"),
        ("src\\core\\x.ts", "src/core/x"),
        ("foo.", "foo"),
        ("a//b", "a/b"),
        ("/", ""),
        ("..", ""),
        ("", ""),
        ("a/..", ""),
        ("C:\\x\\y.ts", "C:/x/y"),
        ("/abs/p.ts", "abs/p"),
        (f"{CWD}", ""),
        ("  src/a.ts\n", "src/a"),
        ("源码/配置.ts", "源码/配置"),
    ],
)
def test_a_path_has_one_address(path: str, address: str) -> None:
    assert normalise(path, CWD) == address


def test_the_extension_of_a_name_of_dots_stays() -> None:
    # The original makes `.` of the first and `..` of the second, which are no names of files (section 13).
    assert [without_extension(name) for name in ("..foo", "...", "a/..b")] == ["..foo", "...", "a/..b"]


def test_two_spellings_of_a_name_are_one_address() -> None:
    name = "docs/Résumé.md"
    assert normalise(unicodedata.normalize("NFD", name)) == normalise(unicodedata.normalize("NFC", name))


def test_upwards_goes_to_the_first_segment() -> None:
    assert list(upwards("a/b/c")) == ["a/b/c", "a/b", "a"]
    assert list(upwards("")) == []


@given(st.text(alphabet="ab./\\ é中:~"))
def test_no_address_leaves_the_root(path: str) -> None:
    address = contained(path, "/a")
    assert not {"", ".", ".."} & set(address.split("/")) or address == ""
    assert recontained(address) == address
    assert not {"", ".", ".."} & set(normalise(path).split("/")) or normalise(path) == ""


@pytest.mark.parametrize("address", ["", "a\0b", "a\nb", "x" * 252, "a/" + "中" * 84])
def test_what_no_file_can_be_called_is_no_address(address: str) -> None:
    assert flaw_of(address) is not None


@pytest.mark.parametrize("address", ["a", "x" * 251, "a b/c:d", "中" * 83])
def test_what_a_file_can_be_called_is(address: str) -> None:
    assert flaw_of(address) is None
