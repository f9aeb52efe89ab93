"""What the expressions and effects of one op may name, and how a name that is none of it is told of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ...grammar.ops_syntax import Name
from ...grammar.spans import Span
from ..problem import Mend, Problem, nearest, one_of, quote, sure
from .model import FACTS, Argument


@dataclass(frozen=True, slots=True)
class Scope:
    """The arguments of an op, and the problems found in it so far."""

    op: str
    arguments: Mapping[str, Argument]
    problems: list[Problem] = field(default_factory=list)

    def argument(self, name: str, span: Span) -> Argument | None:
        """The argument of a name; a problem when the op declares none of it."""
        found = self.arguments.get(name)
        if found is None:
            self.unknown_argument(f"{quote(self.op)} has no argument {quote(name)}", name, span)
        return found

    def unknown_argument(self, message: str, name: str, span: Span, *, whole: bool = True) -> None:
        """Note that a name is no argument; ``whole``: ``span`` is that of the name alone, so it can be rewritten."""
        near, meant = nearest(name, self.arguments), sure(name, self.arguments)
        if name in FACTS:
            help = f"a fact of the targets is asked by any(target.{name} …) or all(target.{name} …)"
        elif near:
            help = f"did you mean {quote(near)}?"
        else:
            help = "declare it, or name an argument that is declared"
        self.report("ops-argument", message, span, help, *((rewrite(span, meant),) if meant and whole else ()))

    def report(self, check: str, message: str, span: Span, help: str, *mends: Mend) -> None:
        """Note a problem of the check of that name."""
        self.problems.append(Problem(check, message, span, help=help, mends=mends))


def unknown(check: str, message: str, word: str, span: Span, known: Iterable[str]) -> Problem:
    """The problem of a word that is none of the known ones, with the mend that writes the one it is a slip of."""
    words = sorted(known)
    near, meant = nearest(word, words), sure(word, words)
    help = f"did you mean {quote(near)}?" if near else f"write {one_of(words)}" if words else "remove it"
    return Problem(check, message, span, help=help, mends=(rewrite(span, meant),) if meant else ())


def rewrite(span: Span, word: str) -> Mend:
    """The mend that writes another word in the place of one."""
    return Mend(f"write {word}", False, ((span, word),))


def repeated(names: Iterable[Name]) -> Iterable[tuple[Name, Name]]:
    """Each name that was there before, with the first of it."""
    first: dict[str, Name] = {}
    for name in names:
        if name.text in first:
            yield name, first[name.text]
        first.setdefault(name.text, name)


def twice(check: str, message: str, again: Name, first: Name) -> Problem:
    """The problem of a name that stands there twice."""
    related = (("the first one is here", first.span),)
    return Problem(check, message, again.span, help="remove one of them, or rename it", related=related)
