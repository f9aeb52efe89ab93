"""JSON Schemas of rulesets and scenarios, for editors."""
