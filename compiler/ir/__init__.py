"""The IR: frozen pydantic models, one for each section of a ruleset (language.md section 1)."""
