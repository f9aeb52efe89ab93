"""A run: one prompt, executed from its workspace to its result (seed 004, steps 1 to 10).

    result = Agent().run(RunRequest("Rename foo to bar in src/", config="coding"))
    print(result.answer)
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from time import monotonic

from ...compiler.load import load_program
from ...compiler.program import Program
from ...grammar.errors import DccError
from ..chat.opening import open_store
from ..errors import StoreError
from ..governance.gates import require_gates
from ..kernel.clock import Clock, SystemClock
from ..providers.errors import ProviderError
from ..store.claim import claimed
from ..store.location import store_file
from ..store.reopening import program_of
from ..store.sqlite import SqliteStore
from .asking import Asker
from .compaction.asked import asked_of, in_parts, room_of
from .declared import require_declared
from .execution import Execution, nothing_to_run
from .failures import failure_of, sentence
from .masked import MaskingCompressor
from .opening import open_session, open_setting
from .request import RunRequest
from .result import AgentMeta, Payload, RunError, RunMeta, RunResult
from .tools.arguments import ToolError
from .tools.tool import AgentTool
from .window import HARD_MIN

#: The ruleset of a run that names none.
RULESET = "standard"


class Agent:
    """Runs prompts. ``tools`` are the host's own, beside dcc's; ``environ`` is where keys are looked up.

    ``entry_points``: whether installed distributions bring tools.
    """

    def __init__(
        self,
        tools: Iterable[AgentTool] = (),
        *,
        environ: Mapping[str, str] = os.environ,
        clock: Clock | None = None,
        entry_points: bool = True,
    ) -> None:
        self._tools = tuple(tools)
        self._environ = environ
        self._clock = clock or SystemClock()
        self._entry_points = entry_points

    def run(self, request: RunRequest) -> RunResult:
        """Execute one request. Whatever a provider, a tool or the model does is told in the result.

        Raises CompileError for a ruleset that cannot be used, StoreError for a file of sessions that cannot be opened,
        and SessionError: ``nothing_to_run`` where there is neither a prompt nor a turn to go on with, ``unknown_gate``
        where a gate shall be open that no operation has, ``unknown_agent`` and ``unknown_group`` where the ruleset
        declares others.
        """
        began = monotonic()
        path = store_file(request.session_file, self._environ)
        with ExitStack() as closing:
            store = open_store(path, request.session)
            closing.callback(store.close)
            is_stored = store.last > 0
            try:
                closing.enter_context(claimed(path, store.session, "run"))
            except StoreError as error:
                return _refused(store.session, is_stored, request, error, began)
            if request.open_turn == "continue" and not request.prompt.strip() and not is_stored:
                raise nothing_to_run()
            program = _program(store, request)
            require_gates(program, request.flags.allow)
            require_declared(program, request.context)
            try:
                setting = open_setting(
                    request, program, environ=self._environ, tools=self._tools, closing=closing,
                    store=path, entry_points=self._entry_points,
                )  # fmt: skip
            except (ProviderError, ToolError) as error:
                return _refused(store.session, is_stored, request, error, began)
            window = setting.window
            if window.is_too_small:
                message = f"the model's context window of {window.tokens:,} tokens is too small"
                way = "write the model's own in governance.window"
                if window.source != "ruleset":
                    way = "choose another model" if request.flags.window else f"choose another model, or {way}"
                small = DccError("window_too_small", message, help=f"an agent needs {HARD_MIN:,}: {way}")
                return _refused(store.session, is_stored, request, small, began)
            asker = Asker(setting.rotation(path, self._clock), setting.secrets, began + request.timeout_s)
            model = setting.reached.choice.model
            compressor = asked_of(asker, setting.reached.choice.settings, setting.reserve.tokens)
            staged = in_parts(compressor, room_of(program, window.tokens, request.flags.max_context))
            staged.abort = request.abort
            session, prompt = open_session(
                setting, store, model, self._clock, MaskingCompressor(staged, setting.secrets)
            )
            try:
                with session:
                    return Execution(setting, store.session, session, prompt, asker, compressor, began).run()
            except StoreError as error:
                return _refused(store.session, session.is_stored, request, error, began)


def _program(store: SqliteStore, request: RunRequest) -> Program:
    """The rules: those that are named, else those of a stored session, else the usual ones."""
    if request.config is not None:
        return load_program(request.config)
    return program_of(store) if store.last else load_program(RULESET)


def _refused(session: str, is_stored: bool, request: RunRequest, error: DccError, began: float) -> RunResult:
    """The result of a run that could not begin, or could not write what it came to."""
    failure = failure_of(error)
    meta = RunMeta(
        round((monotonic() - began) * 1000),
        AgentMeta(session, request.provider or "", request.model or "", is_stored=is_stored),
        error=RunError(failure.kind, error.message),
    )
    return RunResult((Payload(sentence(error), is_error=True),), meta)
