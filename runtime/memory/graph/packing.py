"""Puts circles of any size beside each other without overlap, as close to one point as they go.

The way is that of Wang, Wang, Dai and Wang, "Visualization of large hierarchical data by circle packing" (CHI 2006):
the outermost circles form a ring, the front; a new circle touches the two neighbours of the front that lie nearest to
the middle, and where it would cover another circle of the front, what is between leaves the front. Nothing is random,
and of the arithmetic only the four operations, square roots and powers of two are used, which are the same on every
machine.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import pairwise
from math import floor, frexp, ldexp, sqrt
from typing import Final

#: Overlap that counts as touching, in units of the plane.
_TOUCH: Final = 1e-6

#: Steps toward the smallest circle around all: its radius is then a few per cent too large at most.
_STEPS: Final = 40


@dataclass(frozen=True, slots=True)
class Packed:
    """Where the middles of circles are, in the order in which they were given, and the radius of what is around them.

    The middle of that is (0, 0).
    """

    middles: tuple[tuple[float, float], ...]
    radius: float


def pack(radii: Sequence[float]) -> Packed:
    """Pack circles, the largest into the middle; of equal ones the first."""
    if not radii:
        return Packed((), 0.0)
    # The largest first: so they lie closest, and one that comes later is too small to reach around the front.
    order = sorted(range(len(radii)), key=lambda number: -radii[number])
    packing = _Packing([radii[number] for number in order])
    for number in range(len(radii)):
        packing.place(number)
    packed = packing.around()
    middles = dict(zip(order, packed.middles, strict=True))
    return Packed(tuple(middles[number] for number in range(len(radii))), packed.radius)


class _Packing:
    """The circles that are placed, and which of them are on the front, a ring.

    ``_next`` and ``_before`` lead around it. ``_far`` has for each circle of the front how far from the middle a circle
    would come between it and the next; ``_nearest`` is a heap of these, in which those of an earlier front may lie.
    """

    def __init__(self, radii: Sequence[float]) -> None:
        self._r = radii
        self._x: list[float] = []
        self._y: list[float] = []
        self._next: dict[int, int] = {}
        self._before: dict[int, int] = {}
        self._far: dict[int, float] = {}
        self._nearest: list[tuple[float, int]] = []
        self._cells = _Cells()

    def place(self, number: int) -> None:
        """Place the next circle."""
        if number < 3:
            self._begin(number)
            return
        one = self._nearest_pair()
        other = self._next[one]
        while True:
            x, y = self._beside(one, other, self._r[number])
            covered = self._covered(x, y, self._r[number]) - {one, other}
            if not covered:
                break
            one, other = self._cut(one, other, covered)
        self._add(number, x, y)
        self._join(one, number)
        self._join(number, other)

    def _begin(self, number: int) -> None:
        """The first three touch each other."""
        if number == 0:
            x, y = 0.0, 0.0
        elif number == 1:
            x, y = self._r[0] + self._r[1], 0.0
        else:
            x, y = self._beside(1, 0, self._r[2])
        self._add(number, x, y)
        self._next[number] = self._before[number] = number
        if number == 2:
            for one, other in pairwise((0, 1, 2, 0)):
                self._join(one, other)

    def _add(self, number: int, x: float, y: float) -> None:
        self._x.append(x)
        self._y.append(y)
        self._cells.add(number, x, y, self._r[number])

    def _join(self, one: int, other: int) -> None:
        """Let a circle follow another one on the front."""
        self._next[one], self._before[other] = other, one
        self._far[one] = self._distance(one, other)
        heappush(self._nearest, (self._far[one], one))

    def _nearest_pair(self) -> int:
        """The circle of the front behind which there is room nearest to the middle."""
        while True:
            far, one = self._nearest[0]
            if self._far.get(one) == far:
                return one
            heappop(self._nearest)

    def _cut(self, one: int, other: int, covered: set[int]) -> tuple[int, int]:
        """Take what is between a pair and a covered circle, the nearest along the front, off it; the pair then."""
        ahead, behind = self._next[other], self._before[one]
        while ahead not in covered and behind not in covered:
            ahead, behind = self._next[ahead], self._before[behind]
        if ahead in covered:
            while other != ahead:
                other = self._leave(other)
        else:
            while one != behind:
                gone, one = one, self._before[one]
                self._leave(gone)
        return one, other

    def _leave(self, number: int) -> int:
        """Take a circle off the front; the one that came after it."""
        del self._before[number], self._far[number]
        return self._next.pop(number)

    def _beside(self, one: int, other: int, radius: float) -> tuple[float, float]:
        """The middle of a circle that touches two neighbours of the front from outside."""
        x, y = self._x[one], self._y[one]
        across, down = self._x[other] - x, self._y[other] - y
        apart = sqrt(across * across + down * down)
        across, down = across / apart, down / apart
        to_one, to_other = self._r[one] + radius, self._r[other] + radius
        along = (apart * apart + to_one * to_one - to_other * to_other) / (2 * apart)
        out = sqrt(max(0.0, to_one * to_one - along * along))
        return x + along * across + out * down, y + along * down - out * across

    def _covered(self, x: float, y: float, radius: float) -> set[int]:
        """The circles on the front that a circle would cover."""
        found = set[int]()
        for number in self._cells.around(x, y, radius):
            across, down = self._x[number] - x, self._y[number] - y
            room = self._r[number] + radius - _TOUCH
            if across * across + down * down < room * room and number in self._next:
                found.add(number)
        return found

    def _distance(self, one: int, other: int) -> float:
        """How far from the middle (squared) two neighbours touch, or come nearest to each other."""
        share = self._r[one] / (self._r[one] + self._r[other])
        x = self._x[one] + share * (self._x[other] - self._x[one])
        y = self._y[one] + share * (self._y[other] - self._y[one])
        return x * x + y * y

    def around(self) -> Packed:
        """The circles, moved so that the circle around them has its middle at (0, 0).

        Found by going ever smaller steps toward what is farthest (Bădoiu and Clarkson, "Smaller core-sets for
        balls", SODA 2003).
        """
        x, y = self._x[0], self._y[0]
        for step in range(2, _STEPS):
            reach, far = self._farthest(x, y)
            if reach > self._r[far] + _TOUCH:
                # The point of the circle that is farthest lies behind its middle.
                share = reach / (reach - self._r[far]) / step
                x, y = x + share * (self._x[far] - x), y + share * (self._y[far] - y)
        middles = zip(self._x, self._y, strict=True)
        return Packed(tuple((across - x, down - y) for across, down in middles), self._farthest(x, y)[0])

    def _farthest(self, x: float, y: float) -> tuple[float, int]:
        """How far a circle of the front reaches from a point, and which one reaches farthest."""
        best, far = -1.0, 0
        for number in self._next:
            across, down = self._x[number] - x, self._y[number] - y
            reach = sqrt(across * across + down * down) + self._r[number]
            if reach > best:
                best, far = reach, number
        return best, far


class _Cells:
    """Finds circles by where they are: the plane in squares, a grid for the circles of each size.

    No circle of a grid is more than twice as large as another, so few of those that cover none fit into a square.
    """

    def __init__(self) -> None:
        self._grids: dict[int, defaultdict[tuple[int, int], list[int]]] = {}

    def add(self, number: int, x: float, y: float, radius: float) -> None:
        """Put a circle where its middle is."""
        size = frexp(radius)[1]
        if size not in self._grids:
            self._grids[size] = defaultdict(list)
        side = ldexp(2.0, size)
        self._grids[size][floor(x / side), floor(y / side)].append(number)

    def around(self, x: float, y: float, radius: float) -> Iterator[int]:
        """Every circle that may reach into one, and others near it."""
        for size, grid in self._grids.items():
            side, reach = ldexp(2.0, size), radius + ldexp(1.0, size)
            for column in range(floor((x - reach) / side), floor((x + reach) / side) + 1):
                for row in range(floor((y - reach) / side), floor((y + reach) / side) + 1):
                    if (column, row) in grid:
                        yield from grid[column, row]
