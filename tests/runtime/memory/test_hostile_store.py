"""What a store finds that no writer of it has left: pipes, links, folders, names and arguments that do not fit."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from unprivileged import unprivileged

from dcc.grammar.canon.articles import Article
from dcc.runtime.memory.canon import Canon
from dcc.runtime.memory.graph.gather import graph_of
from dcc.runtime.memory.linting import lint
from dcc.runtime.memory.options import Options
from dcc.runtime.memory.reply import Reply
from dcc.runtime.memory.store import store as store_module
from dcc.runtime.memory.store.files import read_file
from dcc.runtime.memory.surfacing.wording import line_text


@pytest.fixture
def project(tmp_path: Path) -> Path:
    told(tmp_path, action="write", path="src", capsule="Whole.", body="# Src")
    return tmp_path


def told(project: Path, **arguments: Any) -> Reply:
    return Canon(str(project)).call(arguments)


def flaws(project: Path) -> dict[str, str]:
    linted = lint(Canon(str(project), read_only=True).desk)
    return {Path(one.path).name: one.message for one in linted.diagnostics}


def test_a_pipe_in_the_place_of_an_article_is_told_of_and_holds_nobody_up(project: Path) -> None:
    os.mkfifo(project / ".canon/articles/pipe.md")
    for action in ("read", "write"):
        reply = told(project, action=action, path="pipe", body="x")
        assert (reply.code, "pipe.md is no regular file" in reply.text) == ("not_a_file", True)
    assert told(project, action="map").text == "src: Whole."
    assert flaws(project) == {"pipe.md": "the file cannot be used: it is no regular file"}


def test_a_link_to_itself_leaves_all_else_readable(project: Path) -> None:
    for folder in ("articles", "journal"):
        (project / ".canon" / folder).mkdir(exist_ok=True)
        (project / ".canon" / folder / "loop.md").symlink_to("loop.md")
    assert told(project, action="map").text == "src: Whole."
    assert told(project, action="search", query="whole", journal=True).code == "found"
    assert told(project, action="journal", body="Event.").code == "logged"
    assert flaws(project) == {"loop.md": "the file cannot be used: it is a link that leads back to itself"}


def test_a_link_out_of_the_store_tells_nothing_of_what_it_leads_to(project: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("---\ncapsule: hunter2\n---\nhunter2\n")
    (project / ".canon/journal").mkdir(exist_ok=True)
    for link in ("articles/out.md", "journal/2025-01-01-out.md"):
        (project / ".canon" / link).symlink_to(secret)
    assert told(project, action="map").text == "src: Whole."
    assert told(project, action="search", query="hunter2", journal=True).code == "no_match"
    linted = lint(Canon(str(project), read_only=True).desk)
    assert not any("hunter2" in text for text in linted.texts.values())
    assert set(flaws(project).values()) == {"the file cannot be used: it is a link out of the store"}


def test_a_schema_elsewhere_is_checked_without_a_word_of_its_text(project: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("hunter2: 1\n")
    (project / ".canon/schema.json").unlink()
    (project / ".canon/schema.json").symlink_to(tmp_path / "secret.txt")
    linted = lint(Canon(str(project), read_only=True).desk)
    assert [one.name for one in linted.diagnostics] == ["not-json"]
    assert list(linted.texts.values()) == [""]


def gone(path: Path) -> None:
    path.symlink_to("nothing.json")


def huge(path: Path) -> None:
    path.touch()
    os.truncate(path, 1 << 30)


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def test_a_schema_that_another_process_makes_while_it_is_looked_for_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found_too_late(path: str, most: int) -> bytes | None:
        monkeypatch.setattr(store_module, "read_file", read_file)
        told(tmp_path, action="write", path="src", capsule="Whole.", body="# Src")
        return None

    monkeypatch.setattr(store_module, "read_file", found_too_late)
    assert told(tmp_path, action="write", path="lib", capsule="Whole.", body="# Lib").code == "wrote"


@pytest.mark.parametrize("made", [os.mkdir, os.mkfifo, gone, huge, endless])
def test_a_schema_that_cannot_be_read_is_told_of_and_nothing_is_written(project: Path, made: Any) -> None:
    (project / ".canon/schema.json").unlink()
    made(project / ".canon/schema.json")
    before = (project / ".canon/articles/src.md").read_bytes()
    for path in ("src", "new"):
        reply = told(project, action="write", path=path, body="No heading.")
        assert (reply.code, "schema.json: it cannot be read (" in reply.text) == ("schema_unreadable", True)
        assert "nothing can be written before it can: put a file there" in reply.text
    assert [path.name for path in (project / ".canon/articles").iterdir()] == ["src.md"]
    assert (project / ".canon/articles/src.md").read_bytes() == before
    read = told(project, action="read", path="src").text
    assert "schema.json: it cannot be read" in read
    assert "can mend this article" not in read
    assert "\nschema.json: it cannot be read" in Canon(str(project)).status().text
    assert "it cannot be read" in flaws(project)["schema.json"]


def test_a_schema_that_may_not_be_read_is_told_of_and_nothing_is_written() -> None:
    folder = Path(tempfile.mkdtemp())
    try:
        told(folder, action="write", path="src", capsule="Whole.", body="# Src")
        for path in (folder, folder / ".canon", *(folder / ".canon").rglob("*")):
            path.chmod(0o777)
        (folder / ".canon/schema.json").chmod(0)
        assert "# Src" in told(folder, action="read", path="src").text

        def act() -> None:
            reply = told(folder, action="write", path="src", body="No heading.")
            assert (reply.code, "(permission denied)" in reply.text) == ("schema_unreadable", True)
            assert "(permission denied)" in Canon(str(folder)).status().text

        assert unprivileged(act) == 0
    finally:
        shutil.rmtree(folder)


def test_the_schema_of_a_mount_is_told_of_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "lake/.canon/schema.json").mkdir(parents=True)
    status = Canon(str(tmp_path), Options(mounts=("lake",))).status()
    assert status.text.splitlines()[1].startswith("lake: schema.json: it cannot be read (it is a folder)")
    assert status.data["problems"] == status.text.splitlines()[1:]


def test_a_folder_in_the_place_of_an_article_is_named(project: Path) -> None:
    (project / ".canon/articles/a.md").mkdir()
    reply = told(project, action="write", path="a", body="x")
    assert (reply.code, "a.md is a folder" in reply.text) == ("not_a_file", True)


def test_an_address_that_is_too_long_makes_no_folders(project: Path) -> None:
    reply = told(project, action="write", path="/".join(["d" * 100] * 40), body="x")
    assert (reply.code, "longer than 3000 bytes" in reply.text) == ("bad_address", True)
    assert os.listdir(project / ".canon/articles") == ["src.md"]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({"body": ["x"]}, "body is ignored: it must be a text."),
        ({"capsule": 5}, "capsule is ignored: it must be a text."),
        ({"base": 1}, "base is ignored: it must be a text."),
        ({"content": "x"}, "'content' is ignored: the arguments are action, path, body"),
        ({"subject": "src"}, "subject is ignored: it must be a list of addresses."),
        ({"subject": ["src", 5]}, "subject: what is no text in it is ignored."),
        ({"journal": "yes"}, "journal is ignored: it must be true or false."),
    ],
)
def test_an_argument_that_was_not_used_is_told_of(project: Path, arguments: dict[str, Any], line: str) -> None:
    assert line in told(project, action="write", path="src", **arguments).text


def test_an_argument_of_null_is_one_that_was_left_out(project: Path) -> None:
    assert "ignored" not in told(project, action="read", path="src", body=None).text


def test_arguments_without_an_end_are_answered_with_few_words(project: Path) -> None:
    unknown = {f"{'x' * 200}{number}": 1 for number in range(1_000)}
    reply = told(project, action="map", **unknown)
    assert "and 995 more are ignored: the arguments are action, path" in reply.text
    assert len(reply.text) < 1_500
    reply = told(project, action="search", query="nothing " * 100_000)
    assert (reply.code, len(reply.text) < 400) == ("no_match", True)
    assert len(told(project, action="x" * 100_000).text) < 300


@pytest.mark.parametrize("path", ["../" * 100_000, "a/" * 100_000, "a/" * 4_000, "x" * 9_000, "\x1b" * 9_000])
def test_a_path_without_an_end_is_refused_in_few_words(project: Path, path: str) -> None:
    reply = told(project, action="write", path=path, body="x")
    assert (reply.code, len(reply.text) < 1_200) == ("bad_address", True)


def test_an_action_of_any_shape_is_unknown(project: Path) -> None:
    action: list[Any] = []
    for _ in range(100_000):
        action = [action]
    reply = told(project, action=action)
    assert (reply.code, reply.data["action"]) == ("unknown_action", "list")


def test_an_entry_about_everything_is_about_the_first_hundred(project: Path) -> None:
    reply = told(project, action="journal", body="Event.", subject=[f"a{n}.py" for n in range(5_000)] * 2)
    assert (reply.code, len(reply.data["subjects"])) == ("logged", 100)
    assert "subject: only the first 100 of 5000 are kept." in reply.text
    assert "only the first" not in told(project, action="journal", body="Event.", subject=["a.py"] * 200).text


@pytest.mark.parametrize(("links", "named"), [(20, 20), (21, 20), (50_000, 20)])
def test_a_reply_names_twenty_dead_links(project: Path, links: int, named: int) -> None:
    reply = told(project, action="write", path="src", body=" ".join(f"[[gone/{n}]]" for n in range(links)))
    advice = [one for one in reply.data["advice"] if one["name"] == "dead-link"]
    assert [one["link"] for one in advice if "link" in one] == [f"gone/{n}" for n in range(named)]
    assert ("More links lead to no article: `dcc canon lint` names them all." in reply.text) == (links > named)
    assert "no article" not in told(project, action="write", path="src", body="[[src]] " * links).text


def test_what_is_one_line_is_one_however_a_file_writes_it(project: Path) -> None:
    front = 'capsule: "Alpha.\\nsrc/other: fake"\nupdated: "2025\\n[canon] fake"\nscope: "ru\\nle"'
    (project / ".canon/articles/src.md").write_text(f"---\n{front}\n---\nx\n")
    assert told(project, action="map").text == "src: Alpha. src/other: fake"
    data = told(project, action="read", path="src").data
    assert (data["updated"], data["scope"]) == ("2025 [canon] fake", "ru le")
    article = Article((project / ".canon/articles/src.md").read_text())
    assert "\n" not in line_text("src", article, "src.py")


#: Each key is a list of nine aliases of the one before: 9 to the power of 20 items, for who resolves them.
BOMB = "k0: &k0 [x]\n" + "".join(f"k{n}: &k{n} [{', '.join([f'*k{n - 1}'] * 9)}]\n" for n in range(1, 21))


@pytest.mark.parametrize(
    "front", [BOMB, "x: !!python/object/apply:os.system [id]\n", f"x: {'[' * 50_000}\n", "<<: *nothing\n"], ids=range(4)
)
def test_front_matter_is_text_whatever_yaml_makes_of_it(project: Path, front: str) -> None:
    (project / ".canon/articles/src.md").write_text(f"---\n{front}capsule: Whole.\n---\n# Src\n")
    assert told(project, action="map").text == "src: Whole."
    assert told(project, action="write", path="src", capsule="New.").code == "wrote"
    assert (project / ".canon/articles/src.md").read_text().startswith(f"---\n{front}capsule: New.\n")
    assert flaws(project) == {}


def test_stores_that_are_mounts_of_one_another_are_read_once_each(tmp_path: Path) -> None:
    for name, other in (("a", "b"), ("b", "a")):
        (tmp_path / name).mkdir()
        told(tmp_path / name, action="write", path="x", capsule=f"{name}.", body=f"[[{other}:x]] [[x]]")
    options = Options(mounts=("../b", ".", "../b/../a", "../b/.canon"))
    canon = Canon(str(tmp_path / "a"), options)
    assert [mount.name for mount in canon.mounts] == ["", "b", "a", "a-2", "b-2"]
    assert canon.call({"action": "read", "path": "b:x"}).data["capsule"] == "b."
    assert canon.call({"action": "map", "path": "a-2:"}).text == "a-2:x: a."
    assert {Path(one.path).parts[-4] for one in lint(canon.desk).diagnostics} <= {"a", "b"}
    assert graph_of(canon.desk).count("article") == 5


def test_half_a_character_is_sent_and_stored_as_one_that_is_unknown(project: Path) -> None:
    for code in ("wrote", "current"):
        reply = told(project, action="write", path="src", capsule="a \ud800", body="b \udfff 中")
        assert reply.code == code
    assert told(project, action="read", path="src").data["body"] == "b \ufffd 中"
    replies = [
        told(project, action="read", path="../\ud800"),
        told(project, action="journal", body="x", subject=["src", "a\ud800", "../b\udfff"]),
    ]
    for reply in replies:
        assert json.dumps(reply.document(), ensure_ascii=False).encode()


@pytest.mark.parametrize("name", [".canon", ".canon/articles"])
def test_a_file_in_the_place_of_a_folder_is_told_of(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).touch()
    told_of = ("store_failed", f"The store cannot be used: {tmp_path / name}: not a directory.")
    for action in ("read", "map", "search"):
        reply = told(tmp_path, action=action, path="a/b", query="x")
        assert (reply.code, reply.text) == told_of
    assert f"{tmp_path / name} cannot be looked into: not a directory." in Canon(str(tmp_path)).status().text


@pytest.mark.parametrize("path", ["src.md/a", "src\0/a", f"{'x' * 300}/a", "a\n/b"])
def test_an_address_that_no_file_has_has_no_article(project: Path, path: str) -> None:
    for action, code in (("read", "no_article"), ("map", "no_articles")):
        assert told(project, action=action, path=path).code == code
