"""YAML and syntax to IR, checks and a Program of tables."""
