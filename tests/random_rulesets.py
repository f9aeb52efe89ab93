"""Rulesets at random, from a seed: every key and every bound of the language comes up sooner or later."""

from __future__ import annotations

from random import Random
from typing import Any

PROTOCOL = ("user", "assistant", "think", "toolCall", "toolResult", "recall")
OWN = ("hint", "note", "plan", "goal", "constraint", "task_state")
TOOLS = ("read", "edit", "exec", "web_search")

Ruleset = dict[str, Any]


def random_ruleset(seed: int) -> Ruleset:
    """The ruleset of a seed. Its shape is right; what it means may be wrong."""
    return _Maker(Random(seed)).ruleset()


class _Maker:
    def __init__(self, random: Random) -> None:
        self.random = random

    def ruleset(self) -> Ruleset:
        made: Ruleset = {"name": "random", "life_cycle": self._life_cycle()}
        sections = {
            "settle": self._settle,
            "context": self._context,
            "compact": self._compact,
            "recall": self._recall,
            "governance": self._governance,
            "tools": self._tools,
            "recovery": self._recovery,
            "pruning": self._pruning,
            "canon": self._canon,
            "chat": lambda: {"type": "normal", "tools": self._one("none", "all")},
            "runtime": lambda: {"system": {"content": "Be brief."}},
            "answer": lambda: {"outputs": {self._one("think", "answer"): {"role": self._role()}}},
        }
        for name, make in sections.items():
            if self._chance(0.3):
                made[name] = make()
        return made

    # Rules

    def _life_cycle(self) -> Ruleset:
        names = self.random.sample(("system", *PROTOCOL, *OWN), self.random.randint(1, 6))
        entries: Ruleset = {name: self._entry(name) for name in names}
        if self._chance(0.1):
            entries |= {name: ["born", f"born+{self._small()}"] for name in ("user", "assistant")}
        if self._chance(0.1):
            ends = sorted((self._small(), self._small() + 1))
            entries |= {name: ["born", f"born+{n}"] for name, n in zip(("toolCall", "toolResult"), ends, strict=True)}
        for index in range(self.random.randint(0, 4)):
            entries[f"kind{index}"] = self._refinement()
        return entries

    def _entry(self, name: str) -> Any:
        start, end = self._start(), self._end()
        if self._chance(0.5):
            return [start, end]
        entry: Ruleset = {"start": start, "end": end}
        if name not in ("system", "user"):
            entry |= self._policy()
        return entry

    def _refinement(self) -> Ruleset:
        entry: Ruleset = {"of": self._one("toolResult", "toolCall", "chain"), "match": self._match()}
        if self._chance(0.8):
            entry["end"] = self._end()
        if self._chance(0.5):
            entry["key"] = self._one("args.path", "args.query")
        return entry | self._policy()

    def _policy(self) -> Ruleset:
        options: Ruleset = {
            "retire": self._one("drop", "offload", "stub"),
            "keep_last": self.random.randint(0, 3),
            "at_most": self.random.randint(1, 6),
            "supersede": self._one(True, False),
            "min_tokens": self._one(0, 50, 200),
        }
        return {key: value for key, value in options.items() if self._chance(0.2)}

    def _match(self) -> Ruleset:
        match: Ruleset = {"tool": self._one(*TOOLS, ["read", "edit"], "/^(re|ed)/")}
        options: Ruleset = {
            "args.path": self._one("a.py", ["a.py", "b.py"]),
            "is_error": self._one(True, False),
            "tokens": self._one(">=50", ">=200"),
        }
        return match | {key: value for key, value in options.items() if self._chance(0.3)}

    def _start(self) -> Any:
        return self._one("born", "born", "born", "born", f"born+{self._small()}", self._small())

    def _end(self) -> Any:
        return self._one(
            None,
            "permanent",
            "born",
            f"born+{self._small()}",
            f"born+{self._small()} turns",
            f"born+{self._small()} calls",
            self._small(),
            0,
            "until_cancelled",
            "until_goal_end",
            f"until_end({self._one(*OWN, 'user', 'recall', 'nobody')})",
            "until_superseded",
            f"idle+{self._small()} calls",
            f"idle+{self._small()} turns",
            "cycle",
            "labelled",
        )

    # Sections

    def _settle(self) -> Ruleset:
        return {"every": self._one("1 calls", "4 calls", 2), "min_tokens": self._one(0, 300)}

    def _context(self) -> Ruleset:
        return {
            "roles": {name: self._role() for name in self.random.sample((*PROTOCOL, *OWN), 2)},
            "required_elements": ["user"],
            "patch_end": {"enabled": self._chance(0.5), "template": "{element} is over: {content}"},
        }

    def _compact(self) -> Any:
        fields = self.random.sample(("user", "assistant", "think", "hint"), 2)
        summary = {
            "prompt": "Facts only: {content}",
            "periodic": {"interval_turns": self._small(), "keep_recent_turns": self._small()},
            "retention": self._one("latest_only", {"type": "last_k", "k": 2}, {"type": "keep_all", "k": 2}),
        }
        whole = {"fields": fields, "overload_threshold_bytes": 9000, "compressors": {"summary": summary}}
        return self._one(whole, whole, "none")

    def _recall(self) -> Any:
        return {
            "type": self._one("grep", "none"),
            "search_fields": ["user"],
            "top_k": self.random.randint(0, 3),
            "min_score": self.random.randint(0, 2),
            "trigger": self._one("always", "manual", {"type": "pattern", "pattern": self._one("x+", ".*")}),
        }

    def _governance(self) -> Ruleset:
        made: Ruleset = {"bands": {"soft": 0.5, "must_act": "80%", "critical": 0.9}, "ops": "cpat", "gates": []}
        made |= self._one(
            {"window": 4000, "reserve": 500}, {"max_context": 3000}, {"window": 2000}, {"max_context": "80%"}
        )
        if self._chance(0.5):
            made["sizes"] = {"user": self._one(50, 90), "assistant": self._one(100, 300), "think": self._one(0, 60)}
        return made

    def _tools(self) -> Ruleset:
        return {
            "profile": self._one("coding", "minimal", "full"),
            "deny": self.random.sample(("exec", "group:web", "*"), 1),
            "byProvider": {"openai": {"allow": ["read"], "deny": ["read"]}},
        }

    def _recovery(self) -> Ruleset:
        steps = [{"compact": 3}, {"truncate_results": 1}, "give_up"]
        return {"overflow": self.random.sample(steps, self.random.randint(0, 3))}

    def _pruning(self) -> Ruleset:
        return {
            "mode": self._one("off", "cache-ttl"),
            "ttl": self._one("5m", 0, "1h"),
            "keep_last_assistants": 3,
            "soft_trim_ratio": self._one(0.3, 0.6),
            "hard_clear_ratio": 0.5,
            "min_prunable_tool_chars": 100,
            "soft_trim": {"max_chars": self._one(100, 4000), "head_chars": 60, "tail_chars": 60},
            "hard_clear": {"enabled": True, "placeholder": "[gone]"},
            "tools": {"allow": [], "deny": self._one([], ["*"])},
        }

    def _canon(self) -> Ruleset:
        return {
            "root": ".canon",
            "surface": self._chance(0.5),
            "resurface": True,
            "retrieval": self._one("none", "lexical"),
            "standout": self._one(1.4, 2.0),
            "mounts": self._one([], ["a/x", "b/x"]),
        }

    # Chance

    def _one(self, *choices: Any) -> Any:
        return self.random.choice(choices)

    def _chance(self, share: float) -> bool:
        return self.random.random() < share

    def _small(self) -> int:
        return self.random.randint(1, 5)

    def _role(self) -> Any:
        return self._one("system", "user", "assistant", "tool")
