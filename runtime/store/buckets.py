"""Buckets: the postings of one block of documents, some tokens in each row of the file (see ``recall``).

A row for each token would be tens of thousands of statements for one large result. So a token's checksum says which
bucket it is in, and a bucket is one row. It is made of **runs**: what each saving brought is put behind what was
there, and only when ``RUNS`` have come together they are made one. A run is its tokens, how many bytes the posting of
each has, and the postings.
"""

from __future__ import annotations

import struct
import zlib
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from ..recall.index import numbers_of

#: Documents in a block, and bytes of its bit set: some two kilobytes, read at once.
BLOCK: Final = 16_384
WIDTH: Final = BLOCK // 8

#: Buckets of a block: few rows for a result of a hundred thousand words, few words in each row of an ordinary one.
BUCKETS: Final = 4_096

#: Runs of a bucket at most.
RUNS: Final = 8

#: What parts the tokens of a run: it is in none.
_PARTING: Final = "\n"

#: What a run begins with: how many bytes its tokens have, and how many they are.
_HEAD: Final = struct.Struct("<2I")


def bucket_of(token: str) -> int:
    """The bucket of a token, from 0."""
    return zlib.crc32(token.encode()) % BUCKETS


def pack(postings: Mapping[str, bytes]) -> bytes:
    """Postings by token as one run."""
    names = _PARTING.join(postings).encode()
    lengths = struct.pack(f"<{len(postings)}H", *map(len, postings.values()))
    return b"".join((_HEAD.pack(len(names), len(postings)), names, lengths, *postings.values()))


def unpack(data: bytes) -> dict[str, bytes]:
    """The postings of a bucket by token: of all its runs together."""
    found: dict[str, bytes] = {}
    for names, lengths, at in _runs(data):
        for name, length in zip(names, lengths, strict=True):
            posting = data[at : at + length]
            found[name] = joined(found[name], posting) if name in found else posting
            at += length
    return found


def posting_in(data: bytes, token: str) -> bytes:
    """The posting of one token in a bucket; empty when there is none."""
    found = b""
    for names, lengths, at in _runs(data):
        if token in names:
            n = names.index(token)
            at += sum(lengths[:n])
            found = joined(found, data[at : at + lengths[n]])
    return found


def _runs(data: bytes) -> Iterator[tuple[list[str], tuple[int, ...], int]]:
    """The runs of a bucket: the tokens, the lengths of their postings in bytes, and where these begin."""
    at = 0
    while at < len(data):
        size, count = _HEAD.unpack_from(data, at)
        at += _HEAD.size
        names = data[at : at + size].decode().split(_PARTING)
        at += size
        lengths = struct.unpack_from(f"<{count}H", data, at)
        at += 2 * count
        yield names, lengths, at
        at += sum(lengths)


def split(postings: Iterable[tuple[str, array[int] | int]], base: int) -> dict[int, dict[int, dict[str, bytes]]]:
    """Postings by block, bucket and token; ``base`` is added to the numbers of their documents.

    The words of one large text have one posting: it is made once.
    """
    made: dict[bytes | int, dict[int, bytes]] = {}
    found: dict[int, dict[int, dict[str, bytes]]] = defaultdict(lambda: defaultdict(dict))
    for token, posting in postings:
        known = posting if isinstance(posting, int) else posting.tobytes()
        parts = made.get(known)
        if parts is None:
            parts = made[known] = _by_block(numbers_of(posting, base))
        bucket = bucket_of(token)
        for block, part in parts.items():
            found[block][bucket][token] = part
    return found


def _by_block(numbers: list[int]) -> dict[int, bytes]:
    offsets: dict[int, list[int]] = defaultdict(list)
    for number in numbers:
        offsets[number // BLOCK].append(number % BLOCK)
    return {block: posting_of(found) for block, found in offsets.items()}


def posting_of(offsets: list[int]) -> bytes:
    """A posting of documents of one block, ascending: a list or, when they are many, a bit set of ``WIDTH`` bytes."""
    if 2 * len(offsets) < WIDTH:
        return struct.pack(f"<{len(offsets)}H", *offsets)
    room = bytearray(WIDTH)
    _set(room, 0, offsets)
    return bytes(room)


def offsets_of(posting: bytes) -> list[int]:
    """The documents of a posting of one block, ascending."""
    if len(posting) == WIDTH:
        return numbers_of(int.from_bytes(posting, "little"))
    return [offset for (offset,) in struct.iter_unpack("<H", posting)]


def size_of(posting: bytes) -> int:
    """How many documents a posting of one block holds."""
    return int.from_bytes(posting, "little").bit_count() if len(posting) == WIDTH else len(posting) // 2


def joined(posting: bytes, newer: bytes) -> bytes:
    """A posting of one block with the documents that come to it."""
    if not posting:
        return newer
    if len(posting) + len(newer) < WIDTH:
        return posting + newer
    room = bytearray(WIDTH)
    lay(room, 0, posting)
    _set(room, 0, offsets_of(newer))
    return bytes(room)


def lay(room: bytearray, at: int, posting: bytes) -> None:
    """Set the bits of a posting of one block in the empty room of many, ``at`` bytes from its beginning."""
    if len(posting) == WIDTH:
        room[at : at + WIDTH] = posting
    else:
        _set(room, at, offsets_of(posting))


def _set(room: bytearray, at: int, offsets: list[int]) -> None:
    for offset in offsets:
        room[at + (offset >> 3)] |= 1 << (offset & 7)
