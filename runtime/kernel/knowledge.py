"""What a session knows of the project knowledge in its context: folded from its ``canon`` events, like all state.

An event's data has a ``do`` and what belongs to it:

- ``touched``: call, places ([address, asset] each), mutates: a tool call names what articles govern;
- ``entered``: address, base, by, chars: the slot ``by`` carries this version of an article;
- ``written``: address: the session wrote an article;
- ``owed``: bases (address to base): a call changed what articles govern, which are not yet updated;
- ``settled``: addresses: they are owed no more;
- ``asked``: query: articles were ranked for the query of this digest;
- ``offered``: addresses, ranked: lines went out for these, the ``ranked`` ones of them by relevance;
- ``flushed``: the touches of a call are dealt with;
- ``taken_back``: addresses, by: lines did not reach the model;
- ``warned``: before: the model was told that the compaction of this number, from 1, is near;
- ``set``: key, value: an option of canon for this session.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple

#: Carriers of one address that are remembered; older ones are as good as gone.
_REMEMBERED = 8


class Carrier(NamedTuple):
    """What carries a version of an article: a slot, the version's base, and what it costs in characters."""

    by: str
    base: str
    chars: int


class Touch(NamedTuple):
    """What a tool call touches: (address, asset) pairs, and whether it may change the assets."""

    places: tuple[tuple[str, str], ...]
    mutates: bool


@dataclass(frozen=True, slots=True)
class Knowledge:
    """``carried``: by address, oldest first. ``touched``: by call, of the calls that are not dealt with yet.

    ``owed``: by address the base that the article had when its asset was changed. ``offered``: every address that a
    line went out for, and whether by relevance. ``asked``: the digest of the last query. ``written``: (transaction,
    address). ``options``: what was set for this session. ``warned``: the last compaction that was warned of, 0: none.
    """

    carried: Mapping[str, tuple[Carrier, ...]] = field(default_factory=dict)
    touched: Mapping[str, Touch] = field(default_factory=dict)
    owed: Mapping[str, str] = field(default_factory=dict)
    offered: Mapping[str, bool] = field(default_factory=dict)
    asked: str = ""
    written: tuple[tuple[int, str], ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    warned: int = 0

    def after(self, data: Mapping[str, Any], transaction: int = 0) -> Knowledge:
        """The knowledge after an event."""
        match data["do"]:
            case "touched":
                touch = Touch(tuple((address, asset) for address, asset in data["places"]), data["mutates"])
                return replace(self, touched={**self.touched, data["call"]: touch})
            case "entered":
                carrier = Carrier(data["by"], data["base"], data["chars"])
                older = self.carried.get(data["address"], ())
                return replace(
                    self, carried={**self.carried, data["address"]: (*older, carrier)[-_REMEMBERED:]}
                )
            case "written":
                return replace(self, written=(*self.written, (transaction, data["address"])))
            case "owed":
                return replace(self, owed={**self.owed, **data["bases"]})
            case "settled":
                gone = set(data["addresses"])
                return replace(self, owed={a: base for a, base in self.owed.items() if a not in gone})
            case "asked":
                return replace(self, asked=data["query"])
            case "offered":
                ranked = set(data["ranked"])
                new = {address: address in ranked for address in data["addresses"]}
                return replace(self, offered={**self.offered, **new})
            case "flushed":
                return replace(self, touched={})
            case "taken_back":
                return self._without(set(data["addresses"]), data["by"])
            case "warned":
                return replace(self, warned=data["before"])
            case "set":
                return replace(self, options={**self.options, data["key"]: data["value"]})
        raise ValueError(f"no canon event does {data['do']!r}")

    def _without(self, addresses: set[str], by: str) -> Knowledge:
        carried = {
            address: tuple(c for c in carriers if address not in addresses or c.by != by)
            for address, carriers in self.carried.items()
        }
        return replace(
            self,
            carried={address: carriers for address, carriers in carried.items() if carriers},
            offered={address: how for address, how in self.offered.items() if address not in addresses},
        )

    def to_json(self) -> dict[str, Any]:
        """The knowledge as plain data; what is empty is left out."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return {name: value for name, value in values.items() if value}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Knowledge:
        """The knowledge of :meth:`to_json`, read back from JSON."""
        carried = {a: tuple(Carrier(*one) for one in carriers) for a, carriers in data.get("carried", {}).items()}
        touched = {
            call: Touch(tuple((address, asset) for address, asset in places), mutates)
            for call, (places, mutates) in data.get("touched", {}).items()
        }
        return cls(
            carried, touched, data.get("owed", {}), data.get("offered", {}), data.get("asked", ""),
            tuple((number, address) for number, address in data.get("written", ())), data.get("options", {}),
            data.get("warned", 0),
        )  # fmt: skip


#: Nothing happened yet.
NOTHING = Knowledge()
