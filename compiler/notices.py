"""The codes of notices: what a session tells people out of band. Scenarios expect them by code."""

from __future__ import annotations

from collections.abc import Mapping

#: Code of every notice, and when it is given.
NOTICES: Mapping[str, str] = {
    # What is found in a message (grammar/findings.py).
    "protocol_element": "a patch of user, assistant, think, toolCall, toolResult or recall",
    "undeclared_element": "a patch of a name that the ruleset does not declare",
    "misspelt_mode": "remian, read as remain",
    "full_width_count": "a count in full-width digits",
    "over_limit": "more patches, or a longer content, than are read",
    "slash_line": "a line that starts with / and is neither a patch nor a command",
    "command_in_text": "a command at the start of a later line",
    "hint_limit": "more slash lines than get a hint",
    "end_left_out": "/dc-rule without an end",
    # What happens in a turn.
    "collapsed": "an element is over and its talk left the stage",
    "no_collapse": "an element is over and nothing was collapsed",
    "end_before_start": "a slot whose rule ends before it starts",
    "over_at_birth": "a slot whose rule was over when it was born",
    "patch_replaced": "a second patch of an element for the same turn",
    "patch_superseded": "a newer patch ended an older roll or refresh",
    "required_missing": "a turn without an element that context.required_elements asks of every turn",
    "ungoverned": "a slot that waits for the end of an element that is not on stage",
    "user_forced": "a message on stage in its own turn although its rule says otherwise",
    "undo_passed_over": "a transaction that purged contents, which an undo stepped over",
    "purged_elsewhere": "another session of the file has redacted what this one held, too",
    # Project knowledge (runtime/memory).
    "canon_files_stay": "an undo took back views, and articles that were written since stay as they are on disk",
    # Compaction.
    "compacted": "old turns left the stage for a summary of them",
    "compaction_no_gain": "a summary that would not be shorter than what it replaces; nothing changed",
    "compaction_failed": "a summary could not be made; nothing changed",
    "compaction_stopped": "a summary was stopped by hand; nothing changed, and it is as due as before",
    "compaction_nothing": "the request is too large, and compaction finds nothing that it may take",
    # The budget (runtime/governance).
    "critical_pass": "the request was nearly too long: results were reduced, or old chains archived",
    "truncated": "a provider refused the request for its length: results keep their head and tail",
    "pruned": "the cache had gone cold: old results were trimmed, or cleared",
    "budget_infeasible": "the request stays too long, and there is nothing more that may be reduced",
    # What a played scenario adds.
    "reply_unused": "a written reply to a message that reached no model",
}
