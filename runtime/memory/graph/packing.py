"""Puts circles of any size beside each other without overlap, as close to one point as they go.

The way is that of Wang, Wang, Dai and Wang, "Visualization of large hierarchical data by circle packing" (CHI 2006):
the outermost circles form a ring, the front; a new circle touches the two neighbours of the front that lie nearest to
the middle, and where it would cover another circle of the front, what is between leaves the front. Nothing is random,
and of the arithmetic only the four operations and square roots are used, which are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
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
    """The circles that are placed, and the numbers of those on the front, in their order around it.

    ``_far`` has for each place of the front how far from the middle a circle would come between it and the next.
    """

    def __init__(self, radii: Sequence[float]) -> None:
        self._r = radii
        self._x: list[float] = []
        self._y: list[float] = []
        self._front: list[int] = []
        self._far: list[float] = []

    def place(self, number: int) -> None:
        """Place the next circle."""
        if number < 3:
            self._begin(number)
            return
        self._turn(min(range(len(self._far)), key=self._far.__getitem__))
        while True:
            # The pair is that of the last and the first of the front: what is between them is at an end of the list.
            last, first = self._front[-1], self._front[0]
            x, y = self._beside(last, first, self._r[number])
            hit = self._covered(x, y, self._r[number])
            if hit is None:
                break
            if hit <= len(self._front) // 2:
                del self._front[:hit], self._far[:hit]
            else:
                del self._front[hit + 1 :], self._far[hit + 1 :]
        self._x.append(x)
        self._y.append(y)
        self._front.append(number)
        self._far[-1] = self._distance(last, number)
        self._far.append(self._distance(number, first))

    def _begin(self, number: int) -> None:
        """The first three touch each other."""
        if number == 0:
            x, y = 0.0, 0.0
        elif number == 1:
            x, y = self._r[0] + self._r[1], 0.0
        else:
            x, y = self._beside(1, 0, self._r[2])
        self._x.append(x)
        self._y.append(y)
        self._front.append(number)
        if number == 2:
            self._far = [self._distance(one, other) for one, other in pairwise([*self._front, 0])]

    def _turn(self, place: int) -> None:
        """Begin the front behind a place."""
        self._front = self._front[place + 1 :] + self._front[: place + 1]
        self._far = self._far[place + 1 :] + self._far[: place + 1]

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

    def _covered(self, x: float, y: float, radius: float) -> int | None:
        """The place of the circle on the front that a circle would cover, the one nearest to its pair; None: none."""
        best, steps = None, len(self._front)
        for place, number in enumerate(self._front[1:-1], 1):
            across, down = self._x[number] - x, self._y[number] - y
            room = self._r[number] + radius - _TOUCH
            if across * across + down * down < room * room:
                away = min(place, len(self._front) - 1 - place)
                if away < steps:
                    best, steps = place, away
        return best

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
        for number in self._front:
            across, down = self._x[number] - x, self._y[number] - y
            reach = sqrt(across * across + down * down) + self._r[number]
            if reach > best:
                best, far = reach, number
        return best, far
