"""Text as JavaScript measures and orders it, so that limits and sort orders agree with the original's.

Specification of canon, section 14: lengths are UTF-16 code units, addresses sort by them, and what is trimmed is
the white space of ECMAScript.
"""

from __future__ import annotations

#: White space and line ends of ECMAScript: with the byte order mark, without U+001C to U+001F and U+0085.
WHITE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)


def units(text: str) -> int:
    """The length of a text in UTF-16 code units: two for each character outside the Basic Multilingual Plane."""
    if text.isascii():
        return len(text)
    return len(text) + sum(char > "\uffff" for char in text)


def unit_order(text: str) -> bytes:
    """The sort key that orders texts by UTF-16 code units."""
    return text.encode("utf-16-be", "surrogatepass")
