"""The names of the seed for what goes into a run and what comes out of it, beside the names in Python.

Source: the two boxes of seed 004. JSON uses the left names, the API the right ones. A dot is a level.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

#: The first box: what a run is asked. The API counts its time in seconds, as everything in dcc does.
REQUEST_NAMES: Final[Mapping[str, str]] = {
    "prompt": "prompt",
    "images": "images",
    "sessionFile": "session_file",
    "config": "config",
    "skillsSnapshot": "skills",
    "thinkLevel": "think",
    "provider": "provider",
    "modelId": "model",
    "abortSignal": "abort",
    "timeoutMs": "timeout_s",
    "callbacks": "callbacks",
}

#: The second box: what a run gives back.
RESULT_NAMES: Final[Mapping[str, str]] = {
    "payloads": "payloads",
    "meta": "meta",
    "meta.durationMs": "meta.duration_ms",
    "meta.agentMeta": "meta.agent",
    "meta.agentMeta.sessionId": "meta.agent.session",
    "meta.agentMeta.provider": "meta.agent.provider",
    "meta.agentMeta.model": "meta.agent.model",
    "meta.systemPromptReport": "meta.prompt_report",
    "meta.error": "meta.error",
    "meta.error.kind": "meta.error.kind",
    "meta.error.message": "meta.error.message",
    "usage": "usage",
    "usage.input": "usage.input",
    "usage.output": "usage.output",
    "usage.cacheRead": "usage.cache_read",
    "usage.cacheWrite": "usage.cache_write",
    "usage.total": "usage.total",
    "messagingToolResults": "messaging_tool_results",
    "autoCompactionCount": "compactions",
}
