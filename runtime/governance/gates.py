"""Which gates of operations there are to open."""

from __future__ import annotations

from ...compiler.problem import one_of
from ...compiler.program import Program
from ..errors import SessionError


def require_gates(program: Program, gates: frozenset[str]) -> None:
    """Refuse gates that no operation of the program has. Raises SessionError (``unknown_gate``)."""
    known = {op.gate for op in program.ops.ops.values() if op.gate is not None} if program.ops is not None else set()
    for gate in sorted(gates - known):
        help = f"its gates are {one_of(known)}" if known else "name operations in it: governance: {ops: cpat}"
        raise SessionError("unknown_gate", f"no operation of the ruleset {program.name} has the gate {gate}", help=help)
