"""The rulesets that ship with dcc, as package data."""
