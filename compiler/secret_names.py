"""Names of environment variables that hold a secret."""

from __future__ import annotations

import re
from typing import Final

#: Words in such a name, and their ends. A harmless name too many is taken for one, rather than a secret for none.
_SECRET: Final = re.compile(
    r"(?:^|_)(?:\w*(?:KEYS?|TOKENS?|SECRETS?|PASSWORDS?|PASSWD|PASSPHRASE|AUTH|AUTHORIZATION|CREDENTIALS?|COOKIES?)|PASS"
    r"|PWD|PRIVATE)(?:_|$)",
    re.IGNORECASE,
)


def names_a_secret(name: str) -> bool:
    """Whether a variable of that name is taken to hold a secret (``OPENAI_API_KEY``, ``DB_PASSWORD``)."""
    return name != "PWD" and _SECRET.search(name) is not None
