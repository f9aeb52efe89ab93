"""What becomes a node of the graph, and what points to what."""

from __future__ import annotations

from pathlib import Path

import pytest

from dcc.runtime.memory.canon import Canon
from dcc.runtime.memory.graph.gather import graph_of
from dcc.runtime.memory.graph.model import Graph, Node
from dcc.runtime.memory.options import Options

FILES = {
    ".canon/articles/src.md": "---\ncapsule: All of it.\nupdated: 2026-08-11\n---\n# The sources\n\n[[src/config]]\n",
    ".canon/articles/src/config.md": "[[src]] [[src/config]] [[src.md|twice]], [[gone]] `[[code]]` [[lake:prices]].\n",
    ".canon/articles/rule.md": "---\nscope: rule\n---\nNever.\n",
    ".canon/journal/2026-08-01-a.md": "---\nsubject: [src/config, gone]\nlogged: 2026-08-01T00:00:00.000Z\n---\n"
    "It was 42.\n",
    ".canon/journal/2026-08-02-b.md": '---\nsubject: [src/other, "lake:prices", src/config.ts]\n---\nThen 43.\n',
    ".canon/journal/2026-08-03-c.md": "About nothing.\n",
    "src/config.ts": "",
    "src/config.test.ts": "",
    "src/config/inner.ts": "",
    "src/other.py": "",
    "elsewhere.py": "",
    "lake/.canon/articles/prices.md": "[[gone.too]] [[prices]]\n",
    "lake/prices.csv": "",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def gathered(project: Path) -> Graph:
    return graph_of(Canon(str(project), Options(mounts=("lake",)), read_only=True).desk)


def named(graph: Graph) -> dict[str, Node]:
    found = {node.name: node for node in graph.nodes}
    assert len(found) == len(graph.nodes)
    return found


def pointing(graph: Graph) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {node.name: set() for node in graph.nodes}
    for here, there in graph.edges:
        found[graph.nodes[here].name].add(graph.nodes[there].name)
    assert sum(map(len, found.values())) == len(graph.edges)
    return found


def test_articles_entries_and_assets_are_nodes(project: Path) -> None:
    graph = gathered(project)
    kinds = {kind: {node.name for node in graph.nodes if node.kind == kind} for kind in ("article", "entry", "asset")}
    assert kinds["article"] == {"src", "src/config", "rule", "lake:prices"}
    assert kinds["entry"] == {"2026-08-01-a.md", "2026-08-02-b.md", "2026-08-03-c.md"}
    assert kinds["asset"] == {"src/", "src/config.ts", "src/config/", "src/other.py", "lake:prices.csv"}
    assert [graph.count("article"), graph.count("entry"), graph.count("asset")] == [4, 3, 5]


def test_a_node_says_what_it_is(project: Path) -> None:
    nodes = named(gathered(project))
    source, entry = nodes["src"], nodes["2026-08-01-a.md"]
    assert (source.title, source.text, source.date) == ("The sources", "All of it.", "2026-08-11")
    assert nodes["rule"].scope == "rule"
    assert (entry.text, entry.date) == ("It was 42.", "2026-08-01T00:00:00.000Z")
    assert nodes["2026-08-03-c.md"].date == "2026-08-03"


def test_articles_point_to_articles_and_to_the_assets_that_they_govern(project: Path) -> None:
    to = pointing(gathered(project))
    assert to["src"] == {"src/config", "src/", "src/other.py"}
    assert to["src/config"] == {"src", "lake:prices", "src/config.ts", "src/config/"}
    assert to["lake:prices"] == {"lake:prices.csv"}
    assert to["rule"] == set()


def test_entries_point_to_what_they_are_about(project: Path) -> None:
    to = pointing(gathered(project))
    assert to["2026-08-01-a.md"] == {"src/config"}
    assert to["2026-08-02-b.md"] == {"src/other.py", "lake:prices", "src/config.ts"}
    assert to["2026-08-03-c.md"] == set()


def test_what_leads_nowhere_is_kept(project: Path) -> None:
    nodes = named(gathered(project))
    assert nodes["src/config"].lost == ("gone",)
    assert nodes["lake:prices"].lost == ("gone.too",)
    assert nodes["2026-08-01-a.md"].lost == ("gone",)


def test_nothing_is_written(project: Path) -> None:
    before = sorted(project.rglob("*"))
    gathered(project)
    assert sorted(project.rglob("*")) == before


def test_a_link_out_of_the_store_tells_nothing(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "secret.md"
    outside.write_text("---\ncapsule: Secret.\n---\n[[src]]\n")
    (project / ".canon/articles/out.md").symlink_to(outside)
    assert "out" not in named(gathered(project))


def test_a_project_without_a_store_has_an_empty_graph(tmp_path: Path) -> None:
    assert graph_of(Canon(str(tmp_path), read_only=True).desk) == Graph((), ())
