"""Paths whose address is hardly what was meant: it is the specification's, and whoever wrote them is told of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from canon_project import Project

from dcc.grammar.canon.addresses import contained, leads_out
from dcc.runtime.memory.reply import Reply


@pytest.fixture
def project(tmp_path: Path) -> Project:
    for folder in ("proj", "lake", "elsewhere"):
        (tmp_path / folder).mkdir()
    return Project(tmp_path / "proj", mounts=["../lake"])


def told(reply: Reply) -> tuple[dict[str, str] | None, str]:
    """What the data and the last line say of paths outside."""
    return reply.data.get("outside"), reply.text.splitlines()[-1]


@pytest.mark.parametrize(
    ("path", "out"),
    [
        ("../x", True), ("a/../../x", True), ("/x", True), ("/p-vendor/x", True), ("/p/../x", True), ("..", True),
        ("C:\\x", True), ("..\\x", True), ("a/../x", False), ("/p/x", False), ("/p", False), ("x", False),
        ("./x", False), ("..x", False), ("/", False), ("", False), ("a:/b", True), ("lake:x", False),
    ],
)  # fmt: skip
def test_a_path_leads_out_by_dots_or_as_one_of_another_folder(path: str, out: bool) -> None:
    assert leads_out(path, "/p") is out


def test_of_the_root_of_all_folders_every_absolute_path_is_a_part() -> None:
    assert (leads_out("/x/y", "/"), contained("/x/y", "/")) == (False, "x/y")


@pytest.mark.parametrize(
    ("path", "address"), [("../out.ts", "out"), ("../../etc/x", "etc/x"), ("src/../../a.b.ts", "a.b")]
)
def test_every_verb_tells_which_address_was_taken(project: Project, path: str, address: str) -> None:
    line = f"{path} lies outside of {project.folder}: as an address it is {address}."
    told_of = ({path: address}, line)
    missed = project.call("read", path)
    assert (missed.code, told(missed)) == ("no_article", told_of)
    for text in ("C.", "D."):
        assert told(project.write(path, capsule=text)) == told_of
    read = project.call("read", path)
    assert (read.code, read.address, told(read)) == ("article", address, told_of)
    mapped = project.call("map", path)
    assert (len(mapped.data["articles"]), told(mapped)) == (1, told_of)
    assert told(project.call("journal", body="It was 42.", subject=["src", path])) == told_of
    assert told(project.call("search", path, query="word")) == told_of
    assert told(project.canon.versions(path)) == told_of
    restored = project.canon.restore(path)
    assert (restored.code, told(restored)) == ("restored", told_of)


def test_an_absolute_path_of_another_folder_is_told(project: Project, tmp_path: Path) -> None:
    path = str(tmp_path / "elsewhere" / "a.ts")
    address = path.removeprefix("/").removesuffix(".ts")
    line = f"{path} lies outside of {project.folder}: as an address it is {address}."
    assert told(project.write(path, capsule="C.")) == ({path: address}, line)


def test_a_path_that_is_nothing_but_outside_has_no_address(project: Project) -> None:
    reply = project.call("read", "..")
    assert (reply.code, told(reply)) == (
        "no_path", ({"..": ""}, f".. lies outside of {project.folder}, where it is no address.")
    )  # fmt: skip


def test_what_lies_inside_is_not_remarked_on(project: Project, tmp_path: Path) -> None:
    for path in ("src/core/config.ts", str(project.folder / "a.ts"), "lake:x", str(tmp_path / "lake/y.csv"), "a/../b"):
        assert "outside" not in project.write(path, capsule="C.").data
    assert "outside" not in project.call("map", "/").data


def test_a_path_out_of_a_mount_is_told_with_its_name(project: Project, tmp_path: Path) -> None:
    line = f"lake:../x.csv lies outside of {tmp_path}/lake: as an address it is lake:x."
    assert told(project.write("lake:../x.csv", capsule="C.")) == ({"lake:../x.csv": "lake:x"}, line)


def test_a_way_that_leaves_the_project_and_comes_back_is_none_outside(project: Project) -> None:
    assert project.write("../proj/src/core/config.ts", capsule="C.").address == "src/core/config"
    assert project.write("../lake/prices.csv", capsule="C.").address == "lake:prices"
    assert not (project.root / "articles/proj").exists()


def test_a_project_may_be_named_by_a_link_that_leads_to_it(project: Project, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(project.folder)
    (tmp_path / "sea").symlink_to(tmp_path / "lake")
    assert project.write(str(tmp_path / "link/src/core/config.ts"), capsule="C.").address == "src/core/config"
    assert project.write(str(tmp_path / "sea/new/prices.csv"), capsule="C.").address == "lake:new/prices"
    place = project.canon.mounts.within(str(tmp_path / "link/src/core/config.ts"))
    assert place == str(project.folder / "src/core/config.ts")


def test_a_journal_names_a_few_of_many_paths(project: Project) -> None:
    paths = [f"../a{number}" for number in range(12)]
    reply = project.call("journal", body="x", subject=paths)
    assert len(reply.data["outside"]) == 12
    assert told(reply)[1] == "7 more paths are of that kind."


def test_the_file_of_an_article_is_not_its_asset(project: Project, tmp_path: Path) -> None:
    project.write("src/core/config.ts", capsule="C.")
    project.write("lake:prices.csv", capsule="P.")
    for path, address in {
        ".canon/articles/src/core/config.md": "src/core/config",
        str(tmp_path / "lake/.canon/articles/prices.md"): "lake:prices",
    }.items():
        reply = project.call("read", path)
        assert reply.code == "no_article"
        assert reply.data["file_of"] == {path: address}
        assert reply.text.splitlines()[-1] == f"{path} is the file of the article {address}: name that."
    assert "file_of" not in project.call("read", ".canon/articles/none.md").data
