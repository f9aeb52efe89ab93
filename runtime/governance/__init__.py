"""Governance: what a model may do to its own context, by declared operations (language.md section 6)."""
