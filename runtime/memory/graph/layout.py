"""Where the nodes of a graph lie: what belongs together lies together, and one graph has one picture.

An article has its assets and the entries about it around it; the articles of a folder lie in a circle, folders in the
circle of the folder above. So the picture is a map of the addresses, and is there at once at any size, which a layout
by forces is not.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from math import sqrt
from typing import Final

from .model import Graph
from .packing import pack

#: Radii of nodes, in units of the plane: the smallest and the largest disc, rings and squares.
_DISC, _LARGEST_DISC, _SATELLITE = 7.0, 20.0, 4.5

#: What a disc grows by with the root of the number of nodes that point to it.
_GROWTH: Final = 1.6

#: Room around satellites, around an article with them, and inside a folder.
_GAP, _MARGIN, _PADDING = 1.5, 8.0, 7.0

#: A folder: mount and path.
_Folder = tuple[str, str]

#: The folder, in the project, of what belongs to no article; no path is called so.
LOOSE: Final[_Folder] = ("", "/")


@dataclass(frozen=True, slots=True)
class Circle:
    """A circle in the plane, y downwards."""

    x: float
    y: float
    radius: float


@dataclass(frozen=True, slots=True)
class Area:
    """The circle of a folder.

    ``name`` is its path from the area that it lies in; empty for the project, ``name:`` for a mount, ``/`` for what
    belongs to no article.
    """

    name: str
    circle: Circle


@dataclass(frozen=True, slots=True)
class Layout:
    """A circle for every node, in the order of the nodes, and the areas of the folders, outer ones first."""

    circles: tuple[Circle, ...]
    areas: tuple[Area, ...]


@dataclass(frozen=True, slots=True)
class _Item:
    """What lies in a folder: a folder, or the nodes of a cluster with their places in it."""

    radius: float
    folder: _Folder | None = None
    nodes: tuple[tuple[int, Circle], ...] = ()


#: Items of a folder with the middles of their circles.
_Packed = list[tuple[_Item, float, float]]


def laid_out(graph: Graph) -> Layout:
    """The layout of a graph; the middle of it is (0, 0)."""
    folders, radii = _folders(graph), _radii(graph)
    items: dict[_Folder, list[_Item]] = defaultdict(list)
    for folder, nodes in _clusters(graph, set(folders)):
        items[folder].append(_cluster(nodes, radii))
    packed: dict[_Folder, _Packed] = {}
    top: list[_Item] = []
    for folder in reversed(folders):
        if items[folder]:
            packed[folder], radius = _side_by_side(items[folder])
            padding = _PADDING if _is_drawn(folder, packed[folder]) else 0.0
            above = top if _is_top(folder) else items[_above(folder)]
            above.append(_Item(radius + padding, folder))
    return _placed(graph, packed, _side_by_side(top)[0])


def _placed(graph: Graph, packed: dict[_Folder, _Packed], top: _Packed) -> Layout:
    """Go down from the outermost circles, and put everything where it lies in the whole."""
    circles = [Circle(0.0, 0.0, 0.0)] * len(graph.nodes)
    areas: list[Area] = []
    waiting = [(item, x, y, "") for item, x, y in top]
    for item, x, y, above in waiting:  # It grows while it is gone through: outer circles come before inner ones.
        for node, circle in item.nodes:
            circles[node] = Circle(x + circle.x, y + circle.y, circle.radius)
        if item.folder is None:
            continue
        mount, path = item.folder
        content = packed[item.folder]
        if _is_drawn(item.folder, content) and not (_is_top(item.folder) and len(top) == 1):
            name = path.removeprefix(above) if path else f"{mount}:" * bool(mount)
            areas.append(Area(name, Circle(x, y, item.radius)))
            above = f"{path}/" if path else ""
        waiting += [(inner, x + across, y + down, above) for inner, across, down in content]
    return Layout(tuple(circles), tuple(areas))


def _is_top(folder: _Folder) -> bool:
    return not folder[1]


def _is_drawn(folder: _Folder, content: _Packed) -> bool:
    """Whether a folder gets a circle. One that holds one thing looks like that thing: no circle around a circle."""
    return _is_top(folder) or folder == LOOSE or len(content) > 1


def _folders(graph: Graph) -> list[_Folder]:
    """Every folder that an article lies in, those above first."""
    found: dict[_Folder, None] = {("", ""): None, LOOSE: None}
    for node in graph.nodes:
        folder = (node.mount, node.path)
        while node.kind == "article" and (folder := _above(folder)) not in found:
            found[folder] = None
    return sorted(found, key=lambda folder: (folder[1].count("/") + bool(folder[1]), folder))


def _above(folder: _Folder) -> _Folder:
    return folder[0], folder[1].rpartition("/")[0]


def _clusters(graph: Graph, folders: set[_Folder]) -> list[tuple[_Folder, list[int]]]:
    """Every article with what lies around it, and what belongs to none; each with its folder."""
    around: dict[int, list[int]] = {at: [] for at, node in enumerate(graph.nodes) if node.kind == "article"}
    homes: dict[int, int] = {}
    for here, there in graph.edges:
        if graph.nodes[there].kind == "asset" and here in around:
            homes.setdefault(there, here)
    for here, there in graph.edges:
        if here not in around:
            home = there if there in around else homes.get(there)
            if home is not None:
                homes.setdefault(here, home)
    loose = [at for at in range(len(graph.nodes)) if at not in around and at not in homes]
    for node in sorted(homes):
        around[homes[node]].append(node)
    found = [(LOOSE, [node]) for node in loose]
    for article, satellites in around.items():
        own = (graph.nodes[article].mount, graph.nodes[article].path)
        found.append((own if own in folders else _above(own), [article, *satellites]))
    return found


def _cluster(nodes: list[int], radii: list[float]) -> _Item:
    """Nodes around the first one, which is the largest."""
    packed = pack([radii[node] + _GAP for node in nodes])
    # Upside down: the second satellite lies above, where it leaves room for the name below.
    circles = [Circle(x, -y, radii[node]) for (x, y), node in zip(packed.middles, nodes, strict=True)]
    return _Item(packed.radius + _MARGIN, None, tuple(zip(nodes, circles, strict=True)))


def _radii(graph: Graph) -> list[float]:
    """The radius of every node: an article is the larger, the more points to it."""
    into = [0] * len(graph.nodes)
    for _, there in graph.edges:
        into[there] += 1
    grown = (min(_LARGEST_DISC, _DISC + _GROWTH * sqrt(number)) for number in into)
    return [_SATELLITE if node.kind != "article" else radius for node, radius in zip(graph.nodes, grown, strict=True)]


def _side_by_side(content: list[_Item]) -> tuple[_Packed, float]:
    """Items beside each other, and the radius that they need."""
    packed = pack([item.radius for item in content])
    return [(item, x, y) for item, (x, y) in zip(content, packed.middles, strict=True)], packed.radius
