"""Circles beside each other, and the picture of a graph: nothing covers anything, one graph has one picture."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import combinations
from math import hypot
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcc.runtime.memory.graph.layout import Area, Circle, Layout, laid_out
from dcc.runtime.memory.graph.model import Graph, Node
from dcc.runtime.memory.graph.packing import pack

NEAR = 1e-4

Trace = Callable[[FrameType, str, Any], Any]


def apart(one: Circle, other: Circle) -> bool:
    return hypot(one.x - other.x, one.y - other.y) >= one.radius + other.radius - NEAR


def inside(one: Circle, other: Circle) -> bool:
    return hypot(one.x - other.x, one.y - other.y) + one.radius <= other.radius + NEAR


@given(st.lists(st.floats(0.5, 400), max_size=60))
def test_packed_circles_cover_none_and_lie_in_the_circle_around_them(radii: list[float]) -> None:
    packed = pack(radii)
    circles = [Circle(x, y, radius) for (x, y), radius in zip(packed.middles, radii, strict=True)]
    assert all(apart(one, other) for one, other in combinations(circles, 2))
    assert all(inside(circle, Circle(0, 0, packed.radius)) for circle in circles)


@pytest.mark.parametrize(("radii", "least"), [([5.0] * 500, 0.75), ([float(n) for n in range(300, 0, -1)], 0.75)])
def test_circles_lie_close(radii: list[float], least: float) -> None:
    assert sum(radius * radius for radius in radii) / pack(radii).radius ** 2 > least


@pytest.mark.parametrize("radii", [[5.0], [3.0, 50.0, 7.0, 11.0]], ids=["of one size", "of many"])
def test_eight_times_as_many_circles_take_little_more_than_eight_times_the_steps(radii: list[float]) -> None:
    def steps(number: int) -> int:
        return steps_of(lambda: pack((radii * number)[:number]))

    assert steps(8_000) < 1.5 * 8 * steps(1_000)


def steps_of(act: Callable[[], object]) -> int:
    """The lines of Python that are run, which are the same on every machine."""
    count = 0

    def trace(frame: FrameType, event: str, _: object) -> Trace:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        act()
    finally:
        sys.settrace(before)
    return count


def graph(addresses: list[str], *others: Node, edges: tuple[tuple[int, int], ...] = ()) -> Graph:
    articles = [Node("article", *address.rpartition(":")[::2]) for address in addresses]
    return Graph((*articles, *others), edges)


def area_of(layout: Layout, name: str) -> Circle:
    [area] = [area for area in layout.areas if area.name == name]
    return area.circle


def test_folders_lie_in_folders_and_articles_in_theirs() -> None:
    addresses = ["src", "src/a", "src/core/b", "src/core/c", "src/core", "docs/d", "docs/e"]
    layout = laid_out(graph(addresses))
    at = dict(zip(addresses, layout.circles, strict=True))
    source, core = area_of(layout, "src"), area_of(layout, "core")
    assert [area.name for area in layout.areas].index("src") < [area.name for area in layout.areas].index("core")
    assert inside(core, source)
    assert all(inside(at[address], core) for address in addresses if address.startswith("src/core"))
    assert all(inside(at[address], source) for address in addresses if address.startswith("src"))
    assert all(apart(at[address], source) for address in addresses if address.startswith("docs"))


def test_a_folder_with_one_thing_in_it_has_no_circle_of_its_own() -> None:
    layout = laid_out(graph(["a/b/c/x", "a/b/c/y", "d/e/z"]))
    assert [area.name for area in layout.areas] == ["a/b/c"]


def test_what_belongs_to_an_article_lies_around_it_and_the_rest_apart() -> None:
    asset, entry, loose = Node("asset", "", "a.py"), Node("entry", "", "e.md"), Node("entry", "", "f.md")
    layout = laid_out(graph(["a", "b"], asset, entry, loose, edges=((0, 2), (3, 2))))
    article, _, asset_at, entry_at, loose_at = layout.circles
    for circle in (asset_at, entry_at):
        assert hypot(circle.x - article.x, circle.y - article.y) < article.radius + 3 * circle.radius
    assert inside(loose_at, area_of(layout, "/"))


def test_every_mount_has_its_area() -> None:
    layout = laid_out(graph(["a", "lake:a", "sea:b/c"]))
    assert {area.name for area in layout.areas} == {"", "lake:", "sea:"}


def test_an_article_is_the_larger_the_more_points_to_it() -> None:
    layout = laid_out(graph(["a", "b", "c"], edges=((1, 0), (2, 0), (0, 1))))
    sizes = [circle.radius for circle in layout.circles]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == 3


@given(st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=5).map("/".join), max_size=40, unique=True))
def test_no_node_covers_another(addresses: list[str]) -> None:
    made = graph(addresses, *(Node("entry", "", f"{n}.md") for n in range(len(addresses))))
    made = Graph(made.nodes, tuple((len(addresses) + n, n // 2) for n in range(len(addresses))))
    layout = laid_out(made)
    assert all(apart(one, other) for one, other in combinations(layout.circles, 2))
    assert layout == laid_out(made)


def test_addresses_may_be_as_deep_as_a_path_goes() -> None:
    addresses = ["/".join("a" * depth) for depth in range(1, 1500)]
    layout = laid_out(graph(addresses))
    assert len(layout.areas) == 1498
    assert isinstance(layout.areas[0], Area)


def test_nothing_has_an_empty_picture() -> None:
    assert laid_out(Graph((), ())) == Layout((), ())
